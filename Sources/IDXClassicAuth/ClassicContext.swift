import IDXBase
import IDX

/// What a sign-in has come to beside what the server knows, which every form carries so that a client
/// keeps nothing.
struct ClassicContext: Sendable, Hashable {
  /// Where the person stands.
  enum Place: String, Sendable {
    /// Who signs in?
    case username
    /// With which password?
    case password
    /// Where to send what recovers the password?
    case recovery
    /// Whose account is to be unlocked, and where to send what does it?
    case unlock
    /// Where the server says.
    case transaction
  }

  var place: Place
  /// Who signs in; nil while that is not known.
  var username: String?
  /// The factor that was picked, where the server has not been told; nil for none.
  var factor: String?
  /// The questions that may be chosen to be set up; nil elsewhere.
  var questions: JSONValue?
  /// What is to be scanned, as a `data:` URI, and where it was found; nil for nothing.
  ///
  /// Forms do not carry it.
  var image: Image?

  struct Image: Sendable, Hashable {
    let href: String
    let dataURI: String
  }

  init(_ place: Place, username: String? = nil) {
    self.place = place
    self.username = username
  }

  /// The same where the server says, with nothing picked.
  func atTransaction(username: String?) -> ClassicContext {
    var context = ClassicContext(.transaction, username: username ?? self.username)
    context.image = image
    return context
  }

  /// The same elsewhere.
  func at(_ place: Place) -> ClassicContext { ClassicContext(place, username: username) }

  /// Reads what ``json`` writes; nil for anything else.
  init?(_ json: JSONValue?) {
    guard let place = json?["place"]?.string.flatMap(Place.init) else { return nil }
    self.place = place
    username = json?["username"]?.string
    factor = json?["factor"]?.string
    questions = json?["questions"]
  }

  var json: JSONValue {
    let parts: [(String, JSONValue?)] = [
      ("username", username.map(JSONValue.string)), ("factor", factor.map(JSONValue.string)),
      ("questions", questions),
    ]
    return parts.reduce(["place": .string(place.rawValue)]) { json, part in
      part.1.map { json.adding(part.0, $0) } ?? json
    }
  }
}

// Who signs in is nobody's business, and what is to be scanned holds a secret.
extension ClassicContext: Redacted {
  var description: String { place.rawValue }
}
