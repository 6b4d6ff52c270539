import IDX
import IDXBase

/// What the client must remember in addition to the server's transaction, in `FlowState.clientState`.
struct ClassicClientState: Sendable, Hashable {
  /// What is asked for.
  enum Step: String, Sendable {
    case username, password
    /// Where to send the code or link that recovers the password.
    case recovery
    /// The account to unlock, and where to send the code or link for that.
    case unlock
    /// What the server's transaction asks for.
    case transaction
  }

  var step: Step
  var username: String?
  /// The ID of the chosen factor, until the server knows the choice.
  var factor: String?
  /// The security questions that can be chosen.
  var questions: JSONValue?
  /// The image of a QR code, which is not saved, because the last response contains it.
  var image: Image?

  struct Image: Sendable, Hashable {
    let href: String
    let dataURI: String
  }

  init(_ step: Step, username: String? = nil) {
    self.step = step
    self.username = username
  }

  /// The same state at the server's transaction, without a chosen factor.
  func atTransaction(username: String?) -> ClassicClientState {
    var copy = ClassicClientState(.transaction, username: username ?? self.username)
    copy.image = image
    return copy
  }

  /// The same username at another step.
  func at(_ step: Step) -> ClassicClientState { ClassicClientState(step, username: username) }

  /// The same state with a chosen factor.
  func choosing(_ factor: ClassicFactor) -> ClassicClientState {
    var copy = self
    copy.factor = factor.id
    return copy
  }

  /// Reads what ``json`` wrote.
  init?(_ json: JSONValue?) {
    guard let step = json?["place"]?.string.flatMap(Step.init) else { return nil }
    self.step = step
    username = json?["username"]?.string
    factor = json?["factor"]?.string
    questions = json?["questions"]
  }

  var json: JSONValue {
    let json: JSONValue = ["place": .string(step.rawValue)]
    return json.adding("username", username.map(JSONValue.string))
      .adding("factor", factor.map(JSONValue.string)).adding("questions", questions)
  }
}

extension ClassicClientState.Image {
  /// The image that a response shows.
  init?(shownIn response: IDXResponse) {
    let data = response.currentAuthenticator?.raw["contextualData"]?["qrcode"]?["href"]?.string
    guard let data, let href = ClassicTransaction(response.original)?.imageAddress
    else { return nil }
    self.init(href: href, dataURI: data)
  }
}

// The username is private, and a QR code contains a secret.
extension ClassicClientState: Redacted {
  var description: String { step.rawValue }
}
