#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a passkey was not made or did not sign.
public struct PasskeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Why not.
  ///
  /// An open set: a provider may add its own.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// A code of this name.
    public init(stringLiteral value: String) { description = value }

    /// What is needed to use a key is not installed.
    public static let notInstalled: Code = "not installed"
    /// There is no key.
    public static let noKey: Code = "no key"
    /// There is more than one key, and which one to use cannot be told.
    public static let severalKeys: Code = "several keys"
    /// The key holds none of the passkeys that the server would take.
    public static let unknownCredential: Code = "unknown credential"
    /// The key has a passkey for this account already.
    public static let alreadyRegistered: Code = "already registered"
    /// The person has given it up.
    public static let cancelled: Code = "cancelled"
    /// The person did nothing for too long.
    public static let timedOut: Code = "timed out"
    /// The key could not find out that it is the right person, as by a PIN.
    public static let notVerified: Code = "not verified"
    /// The server wants a kind of passkey that the key cannot make.
    public static let unsupported: Code = "unsupported"
    /// The passkey would be for a site that the org has no say in.
    public static let siteRefused: Code = "site refused"
    /// The server's request lacks something, or is damaged.
    public static let unreadableRequest: Code = "unreadable request"
    /// The server did not take the answer of the last attempt.
    public static let refused: Code = "refused"
    /// The key, or what stands between it and this package, failed.
    public static let failed: Code = "failed"
  }

  /// Why not.
  public let code: Code
  /// What happened and what can be done about it, in a sentence for a person.
  public let message: String

  /// An error of these parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The sentence.
  public var description: String { message }
}

extension PasskeyError: LocalizedError {
  /// The sentence, for `localizedDescription`.
  public var errorDescription: String? { message }
}
