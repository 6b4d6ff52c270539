public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What an ID token is to say to be accepted.
///
/// Source: OpenID Connect Core, sections 3.1.3.7 and 12.2.
public struct IDTokenExpectation: Sendable, Hashable {
  /// Who is to have issued it: `iss` must be this address, character for character.
  public var issuer: URL
  /// The id of the app: `aud` must hold it, and `azp` be it.
  public var clientID: String
  /// The nonce that was sent; nil where none was, and then none is checked.
  public var nonce: Secret?
  /// Whether a token without a nonce is accepted although one was sent: so after a refresh.
  ///
  /// False unless set. A nonce that the token has is checked all the same.
  public var mayOmitNonce = false
  /// Who is to have signed in (`sub`), after a refresh; nil for anyone.
  public var subject: String?
  /// When the person signed in at first (`auth_time`), after a refresh; nil for any time.
  ///
  /// An earlier time is refused. A later one is not, though OpenID Connect Core, section 12.2, wants
  /// the same: servers that tell of the refresh itself are about. A token that does not say is
  /// accepted.
  public var authenticatedAt: Date?
  /// How old the sign-in may be, in seconds: the `max_age` that was asked for; nil for any age.
  ///
  /// It is for the token of a sign-in: after a refresh the sign-in is older, and rightly so.
  public var maximumAge: Int?
  /// The access token that came with the ID token, for `at_hash`; nil where it is not checked.
  ///
  /// A token without the hash is accepted.
  public var accessToken: Secret?
  /// The device secret that came with the ID token, for `ds_hash`; nil where it is not checked.
  ///
  /// A token without the hash is accepted.
  public var deviceSecret: Secret?
  /// By how many seconds the clocks of server and machine may differ; 300 unless set.
  public var leeway: Int = 300

  /// An expectation of this issuer and app, and of nothing else.
  public init(issuer: URL, clientID: String) {
    self.issuer = issuer
    self.clientID = clientID
  }
}
