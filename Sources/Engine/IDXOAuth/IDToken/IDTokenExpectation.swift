public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The claims that an ID token must have to be accepted.
///
/// Source: OpenID Connect Core, sections 3.1.3.7 and 12.2.
public struct IDTokenExpectation: Sendable, Hashable {
  /// The issuer: `iss` must be this address, character for character.
  public var issuer: URL
  /// The app's client ID: `aud` must contain it, and `azp` must be it.
  public var clientID: String
  /// The nonce of the request; nil skips the check.
  public var nonce: Secret?
  /// Whether a token without a nonce is accepted, as after a refresh; false by default.
  ///
  /// If the token has a nonce, it is checked anyway.
  public var mayOmitNonce = false
  /// The person (`sub`) who signed in before a refresh; nil accepts anyone.
  public var subject: String?
  /// The time of the sign-in (`auth_time`) before a refresh; nil accepts any time.
  ///
  /// An earlier time is refused. A later one is accepted, although OpenID Connect Core, section 12.2,
  /// requires the same time, because some servers send the time of the refresh. A token without
  /// `auth_time` is accepted.
  public var authenticatedAt: Date?
  /// The largest age of the sign-in in seconds, as requested with `max_age`; nil accepts any age.
  ///
  /// Leave it nil after a refresh, when the sign-in is older.
  public var maximumAge: Int?
  /// The access token that came with the ID token, for `at_hash`; nil skips the check.
  ///
  /// A token without the hash is accepted.
  public var accessToken: Secret?
  /// The device secret that came with the ID token, for `ds_hash`; nil skips the check.
  ///
  /// A token without the hash is accepted.
  public var deviceSecret: Secret?
  /// The accepted difference between the clocks of the server and this computer, in seconds; 300 by
  /// default.
  public var leeway: Int = 300

  /// Creates an expectation that checks only the issuer and the client ID.
  public init(issuer: URL, clientID: String) {
    self.issuer = issuer
    self.clientID = clientID
  }
}

/// Why an ID token or the issuer's keys were refused.
///
/// The message may name the issuer, the audience and similar claims; it contains nothing else of the
/// token.
public struct IDTokenError: CodedError, Hashable {
  /// A check that an ID token or the issuer's keys can fail.
  public struct Code: OpenSet {
    /// The name of the check, such as `audience`.
    public let rawValue: String
    /// Creates a code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The token is not a signed token in compact form, or its claims are not a JSON object.
    public static let malformed: Code = "malformed"
    /// The server's key set cannot be read.
    public static let unreadableKeys: Code = "unreadable_keys"
    /// The token is not signed with RS256, or has extensions that this package does not know.
    public static let algorithm: Code = "algorithm"
    /// None of the issuer's keys fits the token.
    public static let unknownKey: Code = "unknown_key"
    /// The signature is not the issuer's, or the token was changed.
    public static let signature: Code = "signature"
    /// The token names another issuer (`iss`).
    public static let issuer: Code = "issuer"
    /// The token is for another client (`aud`).
    public static let audience: Code = "audience"
    /// The token was issued to another client (`azp`).
    public static let authorizedParty: Code = "authorized_party"
    /// The token names no person, or another person (`sub`).
    public static let subject: Code = "subject"
    /// The token has expired (`exp`).
    public static let expired: Code = "expired"
    /// The token is not valid yet (`nbf`).
    public static let notYetValid: Code = "not_yet_valid"
    /// The token was issued too long ago, or in the future (`iat`).
    public static let issuedAt: Code = "issued_at"
    /// The token is for another sign-in (`nonce`).
    public static let nonce: Code = "nonce"
    /// The sign-in is older than requested, or is another than before (`auth_time`).
    public static let authenticationTime: Code = "authentication_time"
    /// The token belongs to another access token (`at_hash`).
    public static let accessTokenHash: Code = "access_token_hash"
    /// The token belongs to another device secret (`ds_hash`).
    public static let deviceSecretHash: Code = "device_secret_hash"
  }

  /// The check that failed.
  public let code: Code
  /// What is wrong and what to do about it.
  public let message: String

  /// Creates an error.
  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
