public import IDXBase

/// Why an ID token or the issuer's keys were refused.
///
/// The message may name the issuer, the audience and similar claims; it contains nothing else of the
/// token.
public struct IDTokenError: CodedError, Hashable {
  /// The check that failed.
  public struct Code: OpenSet {
    /// The name of the check.
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
    /// The token answers another request (`nonce`).
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
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
