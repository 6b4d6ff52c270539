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
    /// It stays valid, and the response has it again.
    case fixed
    /// It stays valid, and the response has none.
    case unmentioned
    /// A new one replaces it. For so many seconds the old one is accepted too, and the response has the
    /// new one; after that, the old one revokes all tokens of the sign-in.
    case rotating(grace: TimeInterval)
  }

  /// For how many seconds an access token is valid; an hour by default.
  public var accessTokenLifetime: TimeInterval = 3600
  /// For how many seconds an ID token is valid; an hour by default.
  public var idTokenLifetime: TimeInterval = 3600
  /// After how many seconds without use a refresh token expires; a week by default.
  public var refreshTokenLifetime: TimeInterval = 7 * 24 * 3600
  /// What happens to a refresh token that is used; by default it rotates, with a grace of 30 seconds.
  public var refreshRotation = RefreshRotation.rotating(grace: 30)
  /// Whether the ID token of a refresh has the nonce of the sign-in again.
  ///
  /// False by default, as OpenID Connect Core, section 12.2, advises.
  public var repeatsNonce = false
  /// How many seconds the times in tokens are ahead; negative if they are behind.
  ///
  /// The org itself decides by its own time.
  public var clockSkew: TimeInterval = 0
  /// What is wrong with ID tokens; nil, the default, for nothing.
  public var idTokenFlaw: IDTokenFlaw?

  /// Creates the default rules.
  public init() {}
}
