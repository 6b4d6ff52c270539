package import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Removes the secrets of a request from texts of the server.
///
/// A server may quote the code or the token that it refuses.
package struct SecretRedactor: Sendable {
  /// The longest secrets first, because one may contain another.
  private let texts: [String]

  /// Finds the secrets of a request: credentials in header fields, and all parameters and members of
  /// the body that are not known to be harmless.
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

  /// Removes these secrets, except those with fewer bytes.
  ///
  /// By default, 6: shorter texts are not handles or tokens, and replacing them would say more than it
  /// hides.
  package init(_ secrets: [Secret], minimumLength: Int = 6) {
    self.init(secrets.map(\.revealed), minimumLength: minimumLength)
  }

  private init(_ texts: [String], minimumLength: Int = 6) {
    self.texts = texts.filter { $0.utf8.count >= minimumLength }
      .sorted { $0.utf8.count > $1.utf8.count }
  }

  /// A text without the secrets.
  package func removed(from text: String) -> String {
    texts.reduce(text) { text, secret in
      Self.mayContain(text, secret)
        ? text.replacing(secret, with: Secret(secret).description) : text
    }
  }

  /// An error without the secrets.
  package func removed(from error: OAuthError) -> OAuthError {
    OAuthError(
      OAuthError.Code(rawValue: removed(from: error.code.rawValue)),
      description: error.explanation.map(removed))
  }

  /// A quick check, because `replacing` is slow.
  ///
  /// It compares bytes, which is correct for ASCII. Other characters can be written in several ways,
  /// and some equal an ASCII character, such as the Kelvin sign and the letter K.
  private static func mayContain(_ text: String, _ secret: String) -> Bool {
    !isASCII(text) || !isASCII(secret) || text.containsBytes(of: secret)
  }

  private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// Parameters that say who asks for what; an error without them would not help.
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
