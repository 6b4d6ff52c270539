#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why an ID token, or the keys it is to be checked by, is refused.
///
/// It holds nothing of the token but the issuer, the audience and the like, in the words of
/// ``message``.
public struct IDTokenError: Error, Sendable, Hashable {
  /// The check that did not hold.
  ///
  /// An open set.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the check.
    public let description: String
    /// A check of this name.
    public init(stringLiteral value: String) { description = value }

    /// What came is no signed token in compact form, or its claims are no JSON object.
    public static let malformed: Code = "malformed"
    /// What came is no set of keys.
    public static let unreadableKeys: Code = "unreadable keys"
    /// The token is signed in another way than by RS256, or has extensions that must be understood.
    public static let algorithm: Code = "algorithm"
    /// The issuer's keys hold none that this token can be signed with.
    public static let unknownKey: Code = "unknown key"
    /// The signature is not the issuer's, or the token was changed.
    public static let signature: Code = "signature"
    /// The token names another issuer (`iss`).
    public static let issuer: Code = "issuer"
    /// The token is for another client (`aud`).
    public static let audience: Code = "audience"
    /// The token was handed to another client (`azp`).
    public static let authorizedParty: Code = "authorized party"
    /// The token names nobody, or somebody else (`sub`).
    public static let subject: Code = "subject"
    /// The token no longer stands (`exp`).
    public static let expired: Code = "expired"
    /// The token does not stand yet (`nbf`).
    public static let notYetValid: Code = "not yet valid"
    /// The token was issued long ago, or in the future (`iat`).
    public static let issuedAt: Code = "issued at"
    /// The token answers another request (`nonce`).
    public static let nonce: Code = "nonce"
    /// The sign-in is older than was asked for, or another than before (`auth_time`).
    public static let authenticationTime: Code = "authentication time"
    /// The token belongs to another access token (`at_hash`).
    public static let accessTokenHash: Code = "access token hash"
    /// The token belongs to another device secret (`ds_hash`).
    public static let deviceSecretHash: Code = "device secret hash"
  }

  /// The check that did not hold.
  public let code: Code
  /// What did not hold and what can be done about it, in words for a person.
  public let message: String

  /// An error of these parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension IDTokenError: CustomStringConvertible, LocalizedError {
  /// The message.
  public var description: String { message }
  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }
}
