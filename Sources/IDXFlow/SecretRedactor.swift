import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The secrets that a request carries, so that an error which quotes the answer does not repeat them.
///
/// A clumsy server may name the code or the token that it refuses.
struct SecretRedactor: Sendable {
  /// The secrets, the longest first, since one may stand within another.
  private let texts: [String]

  /// The secrets of a request: the values of its parameters or members, but those that are known to
  /// be none, and what it is authorized by.
  init(_ request: TransportRequest) {
    var found = request.headers.filter { $0.key.lowercased() == "authorization" }
      .flatMap { $0.value.split(separator: " ").dropFirst().map(String.init) }
    if let json = try? JSONValue(parsing: request.body) {
      Self.collect(json, named: "", into: &found)
    } else {
      Self.collect(String(decoding: request.body, as: UTF8.self), into: &found)
    }
    Self.collect(request.url.query(percentEncoded: true) ?? "", into: &found)
    self.init(found)
  }

  /// These secrets.
  init(_ texts: [String]) {
    self.texts = texts.filter { $0.utf8.count >= Self.shortest }
      .sorted { $0.utf8.count > $1.utf8.count }
  }

  /// A text of the server without the secrets.
  func removed(from text: String) -> String {
    texts.reduce(text) { text, secret in
      Self.mayHold(text, secret)
        ? text.replacing(secret, with: Secret(secret).description) : text
    }
  }

  /// Whether a secret may stand in a text: replacing costs far more than telling that it does not.
  ///
  /// Outside ASCII one character can be written in several ways, and only replacing tells: in either
  /// of the two, as the sign of Kelvin is the letter K.
  private static func mayHold(_ text: String, _ secret: String) -> Bool {
    !isASCII(text) || !isASCII(secret) || text.holdsBytes(of: secret)
  }

  private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// An error of the server without the secrets.
  func removed(from error: OAuthError) -> OAuthError {
    OAuthError(
      OAuthError.Code(removed(from: error.code.description)),
      description: error.explanation.map(removed))
  }

  /// What is shorter is no handle and no token, and replacing it would tell more than it hides.
  private static let shortest = 6

  /// What says who asks for what; an error that did not name it would help nobody.
  private static let harmless: Set = [
    "client_id", "scope", "redirect_uri", "grant_type", "token_type_hint", "code_challenge_method",
    "max_age", "acr_values", "prompt", "login_hint", "identifier", "username", "userProfile",
    "authenticator", "intent", "channel_hint", "challenge_hint", "challenge_types_supported",
    "grant_types_supported", "factorType", "provider", "response_type", "response_mode",
  ]

  private static func collect(_ parameters: String, into found: inout [String]) {
    for (name, value) in FormURLEncoding.decode(parameters) ?? [] where !harmless.contains(name) {
      found += [value, FormURLEncoding.percentEncode(value, spaceAsPlus: true)]
    }
  }

  private static func collect(_ json: JSONValue, named name: String, into found: inout [String]) {
    guard !harmless.contains(name) else { return }
    if let text = json.string { found.append(text) }
    for element in json.array ?? [] { collect(element, named: "", into: &found) }
    for member in json.object?.members ?? [] {
      collect(member.value, named: member.name, into: &found)
    }
  }
}
