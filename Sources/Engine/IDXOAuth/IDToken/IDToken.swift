public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A checked ID token: who signed in, signed by the issuer.
///
/// Source: OpenID Connect Core, sections 2 and 3.1.3.7.
public struct IDToken: Sendable, Hashable {
  /// `sub`: the person's ID at the issuer.
  public let subject: String
  /// `iss`: the issuer.
  public let issuer: String
  /// `aud`: the IDs of the clients that the token is for, in the issuer's order.
  public let audience: [String]
  /// `iat`: the time of issue, by the server's clock.
  public let issuedAt: Date
  /// `exp`: the expiration time, by the server's clock.
  public let expiresAt: Date
  /// `auth_time`: the time when the person signed in, by the server's clock; nil if the token has none.
  public let authenticatedAt: Date?
  /// `nonce`: the value from the request; nil if the token has none.
  public let nonce: Secret?
  /// `preferred_username`: the username.
  public let preferredUsername: String?
  /// `name`: the full name.
  public let name: String?
  /// `email`: the email address.
  public let email: String?
  /// All claims, as the JSON object that was signed.
  public let payload: [UInt8]

  /// Checks a token: its format, its signature with one of the keys, then its claims.
  ///
  /// `now` is the time by this computer's clock. Claims are checked only after the signature, in the order
  /// of ``IDTokenError/Code``; the first failure is thrown. A claim with the wrong type is a failure, and
  /// so is a repeated name in the header or in the claims. After ``IDTokenError/Code/unknownKey``, fetch
  /// the issuer's keys again, once.
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
  /// The username or the person's ID.
  public var description: String { "ID token of \((preferredUsername ?? subject).printable)" }
}
