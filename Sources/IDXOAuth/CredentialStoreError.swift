#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a credential could not be kept, found or removed.
public struct CredentialStoreError: Error, Sendable, Hashable {
  /// What went wrong.
  ///
  /// An open set: a store may add its own.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// A code of this name.
    public init(stringLiteral value: String) { description = value }

    /// What is kept cannot be read.
    public static let damaged: Code = "damaged"
    /// A newer version wrote what is kept.
    public static let newer: Code = "newer"
    /// Others could read or change what is kept: loose modes, a link, another owner.
    public static let insecure: Code = "insecure"
    /// There is no such credential.
    public static let notFound: Code = "not found"
    /// It cannot be written: a full disk, a read-only folder.
    public static let notWritable: Code = "not writable"
    /// Another process holds the lock for long.
    public static let busy: Code = "busy"
    /// The store does not answer, or refuses.
    public static let unavailable: Code = "unavailable"
  }

  /// What went wrong.
  public let code: Code
  /// What happened and what can be done about it, in words for a person.
  public let message: String
  /// The system's error code behind it; nil where there is none.
  public let systemCode: Int32?

  /// An error of these parts.
  public init(_ code: Code, _ message: String, systemCode: Int32? = nil) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }
}

extension CredentialStoreError: CustomStringConvertible, LocalizedError {
  /// The message.
  public var description: String { message }
  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }
}
