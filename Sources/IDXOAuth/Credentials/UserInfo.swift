public import IDXBase

/// What the server tells of who is signed in.
///
/// Source: OpenID Connect Core, section 5.3.2. Which claims there are follows from the scopes:
/// `profile`, `email`, `phone`, `address`.
public struct UserInfo: Sendable, Hashable {
  /// All that the server told, as an object.
  public let claims: JSONValue

  /// `sub`: the id of the person.
  public let subject: String

  init?(claims: JSONValue) {
    guard let subject = claims["sub"]?.string, !subject.isEmpty else { return nil }
    self.claims = claims
    self.subject = subject
  }

  /// `preferred_username`: what the person signs in by; nil where the server does not tell.
  public var username: String? { claims["preferred_username"]?.string }
  /// `name`: the full name; nil where the server does not tell.
  public var name: String? { claims["name"]?.string }
  /// `email`: the address; nil where the server does not tell.
  public var email: String? { claims["email"]?.string }
}

extension UserInfo: Redacted {
  /// Who it is about, without the other claims.
  public var description: String { "claims about \((username ?? subject).printable)" }
}
