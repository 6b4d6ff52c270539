public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Who signed in, as an issuer signed it and this package checked it.
///
/// Source: OpenID Connect Core, sections 2 and 3.1.3.7.
public struct IDToken: Sendable, Hashable {
  /// `sub`: the person's id at the issuer.
  public let subject: String
  /// `iss`: who issued the token.
  public let issuer: String
  /// `aud`: the clients that it is for, in the issuer's order.
  public let audience: [String]
  /// `iat`: when it was issued, by the server's clock.
  public let issuedAt: Date
  /// `exp`: when it ceases to stand, by the server's clock.
  public let expiresAt: Date
  /// `auth_time`: when the person signed in, by the server's clock; nil where it does not say.
  public let authenticatedAt: Date?
  /// `nonce`: what the request carried; nil where there is none.
  public let nonce: Secret?
  /// `preferred_username`: what the person is called at a sign-in; nil where it does not say.
  public let preferredUsername: String?
  /// `name`: the person's full name; nil where it does not say.
  public let name: String?
  /// `email`: the person's address; nil where it does not say.
  public let email: String?
  /// All claims, as the JSON object that was signed.
  public let payload: [UInt8]

  /// Checks a token: its form, its signature by one of the keys, then its claims.
  ///
  /// The time is what this machine's clock says. Claims are not looked at before the signature
  /// holds; then they are checked in the order of ``IDTokenError/Code``, and the first that does not
  /// hold is thrown. A claim of a wrong kind does not hold, nor does a token with a name twice among
  /// its header's members or its claims. ``IDTokenError/Code/unknownKey`` asks for the issuer's keys
  /// to be fetched anew, once.
  public init(
    validating token: Secret, by expectation: IDTokenExpectation, keys: JSONWebKeySet, at now: Date
  ) throws(IDTokenError) {
    let token = try JWT(parsing: token)
    try token.verify(with: keys)
    let claims = try IDTokenClaims(parsing: token.payload)
    let check = IDTokenCheck(claims: claims, expectation: expectation, now: now)
    issuer = try check.issuer()
    audience = try check.audience()
    try check.authorizedParty(among: audience)
    subject = try check.subject()
    expiresAt = try check.expiresAt()
    try check.notBefore()
    issuedAt = try check.issuedAt()
    nonce = try check.nonce()
    authenticatedAt = try check.authenticatedAt()
    try check.accessTokenHash()
    try check.deviceSecretHash()
    preferredUsername = claims.preferredUsername.value
    name = claims.name.value
    email = claims.email.value
    payload = token.payload
  }
}

extension IDToken: Redacted {
  /// Whom the token names, without the rest.
  public var description: String { "ID token of \((preferredUsername ?? subject).printable)" }
}
