#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How a ``SimulatedOrg`` issues tokens; it may be changed at any time and holds for what follows.
///
///     await org.changeTokens {
///       $0.clockSkew = 600
///       $0.idTokenFlaw = .wrongNonce
///     }
public struct OrgTokenRules: Sendable, Hashable {
  /// What becomes of a refresh token that is used.
  public enum RefreshRotation: Sendable, Hashable {
    /// It stays good, and the answer holds it again.
    case fixed
    /// It stays good, and the answer holds none: the client keeps what it has.
    case unmentioned
    /// A new one takes its place. For so many seconds the old one is answered too, with the newest;
    /// whoever uses it later is taken for a thief, and all that came of the sign-in is revoked.
    case rotating(grace: TimeInterval)
  }

  /// For how many seconds an access token is good; an hour by default.
  public var accessTokenLifetime: TimeInterval = 3600
  /// For how many seconds an ID token is good; an hour by default.
  public var idTokenLifetime: TimeInterval = 3600
  /// After how many seconds without use a refresh token is dead; a week by default.
  public var refreshTokenLifetime: TimeInterval = 7 * 24 * 3600
  /// What becomes of a refresh token that is used; by default it rotates, with 30 seconds of grace.
  public var refreshRotation = RefreshRotation.rotating(grace: 30)
  /// Whether the ID token of a refresh holds the nonce of the sign-in again; false by default, as
  /// OpenID Connect Core, section 12.2, advises.
  public var repeatsNonce = false
  /// How many seconds the clock is ahead by which tokens are stamped; 0 by default, negative where
  /// it is behind.
  ///
  /// It moves the times within the tokens only: the org's record of who may do what goes by its own
  /// time.
  public var clockSkew: TimeInterval = 0
  /// What is wrong with ID tokens; nil, the default, where nothing is.
  public var idTokenFlaw: IDTokenFlaw?

  /// The rules of an org that was told nothing else.
  public init() {}
}
