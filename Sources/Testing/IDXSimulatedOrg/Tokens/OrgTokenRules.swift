public import Foundation

/// How a ``SimulatedOrg`` issues tokens; it can be changed at any time.
///
///     await org.changeTokens {
///       $0.clockSkew = 600
///       $0.idTokenFlaw = .wrongNonce
///     }
public struct OrgTokenRules: Sendable, Hashable {
  /// What happens to a refresh token that is used.
  public enum RefreshRotation: Sendable, Hashable {
    /// It stays valid, and the response contains it.
    case fixed
    /// It stays valid, and the response contains none.
    case unmentioned
    /// A new one replaces it. For this number of seconds, the old one is accepted too, and the response
    /// contains the new one. After that, use of the old one revokes all tokens of the sign-in.
    case rotating(grace: TimeInterval)
  }

  /// The number of seconds for which an access token is valid; an hour by default.
  public var accessTokenLifetime: TimeInterval = 3600
  /// The number of seconds for which an ID token is valid; an hour by default.
  public var idTokenLifetime: TimeInterval = 3600
  /// The number of seconds without use after which a refresh token expires; a week by default.
  public var refreshTokenLifetime: TimeInterval = 7 * 24 * 3600
  /// What happens to a used refresh token; by default it rotates, with a grace period of 30 seconds.
  public var refreshRotation = RefreshRotation.rotating(grace: 30)
  /// Whether the ID token of a refresh contains the nonce of the sign-in.
  ///
  /// False by default, as OpenID Connect Core, section 12.2, advises.
  public var repeatsNonce = false
  /// The number of seconds by which the times in tokens are ahead; negative if they are behind.
  ///
  /// The org uses its own time to decide whether a token is valid.
  public var clockSkew: TimeInterval = 0
  /// The number of seconds for which a nonce for proofs (DPoP) is valid; a day by default, as at Okta.
  ///
  /// Nil if proofs need none. After half of this time, the org issues another nonce, and accepts both. Source: RFC
  /// 9449, section 8.
  public var nonceLifetime: TimeInterval? = 24 * 3600
  /// The number of seconds that a client has to wait between two polls with a device code; 5 by default.
  ///
  /// A sooner poll is refused with `slow_down`, and the time is 5 seconds longer from then on (RFC 8628, section 3.5).
  public var devicePollInterval: TimeInterval = 5
  /// Whether ID tokens are signed with ES256; false by default, for RS256, as at Okta.
  public var signsWithES256 = false
  /// What is wrong with ID tokens; nil, the default, for nothing.
  public var idTokenFlaw: IDTokenFlaw?

  /// Creates the default rules.
  public init() {}
}
