public import IDXBase

/// Stores credentials of several orgs and people; one of them is the current one.
///
/// A conforming type must ensure:
/// - After a crash, either the saved credential or the one before it is there, complete.
/// - An entry that cannot be read is reported and kept. It is never overwritten, and never treated as
///   missing.
/// - Only the owner can read the tokens.
/// - Errors are ``CredentialStoreError`` values, and contain no token.
///
/// Several processes may use a store at once. Code that reads a credential and saves another in its
/// place does so inside ``withLock(on:_:)``.
public protocol CredentialStore: Sendable {
  /// Where the credentials are, in words for a person: `the folder …`, `the Keychain`.
  var location: String { get }

  /// All entries, in no particular order, also those that cannot be read.
  func entries() async throws -> [StoredCredential]

  /// The credential with an ID; nil if there is none.
  ///
  /// Throws if there is one that cannot be read.
  func credential(_ id: Credential.ID) async throws -> Credential?

  /// Saves a credential and replaces the one with the same ID.
  ///
  /// Throws if the existing one cannot be read, and does not change it. Finishes even if the task is
  /// canceled, because otherwise a new refresh token would be lost.
  func save(_ credential: Credential) async throws

  /// Removes a credential, even one that cannot be read.
  ///
  /// Removing the current credential leaves no current one. Removing a missing one is not an error.
  func remove(_ id: Credential.ID) async throws

  /// The ID of the current credential; nil if no credential is the current one.
  func currentID() async throws -> Credential.ID?

  /// Makes a credential the current one.
  ///
  /// Throws ``CredentialStoreError/Code/notFound`` if there is no credential with this ID.
  func makeCurrent(_ id: Credential.ID) async throws

  /// Runs a body while no other task or process runs one for the same ID.
  ///
  /// The lock ends with the process that holds it. If the task is canceled while it waits, this throws
  /// `CancellationError` and does not run the body. Waiting too long throws
  /// ``CredentialStoreError/Code/busy``. The body may use the store, but must not lock the same ID
  /// again.
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result
}

/// One entry of a store; a later version may add a case.
public indirect enum StoredCredential: Sendable {
  /// A credential.
  case readable(Credential)
  /// A damaged entry, or one that a newer version wrote; the error names its location.
  case unreadable(CredentialStoreError)

  /// The credential; nil if it cannot be read.
  public var credential: Credential? {
    if case .readable(let credential) = self { credential } else { nil }
  }
}

/// Why a credential could not be saved, found or removed.
public struct CredentialStoreError: CodedError, Hashable {
  /// Why a store failed.
  ///
  /// Your own store can add codes.
  public struct Code: OpenSet {
    /// The name, such as `not_writable`.
    public let rawValue: String
    /// Creates a code, for a store of your own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The entry cannot be read.
    public static let damaged: Code = "damaged"
    /// A newer version wrote the entry.
    public static let newer: Code = "newer"
    /// Others could read or change the entry: file modes, a link, or another owner.
    public static let insecure: Code = "insecure"
    /// There is no such credential.
    public static let notFound: Code = "not_found"
    /// The store cannot be written: a full disk, or a read-only folder.
    public static let notWritable: Code = "not_writable"
    /// Another process has held the lock for too long.
    public static let busy: Code = "busy"
    /// The store does not respond, or refuses.
    public static let unavailable: Code = "unavailable"
    /// This computer or desktop session has no such store.
    public static let absent: Code = "absent"
  }

  /// Why the store failed.
  public let code: Code
  /// What happened, where, and what to do about it.
  public let message: String
  /// The error code of the system: `errno`, or a status of the Keychain; nil if there is none.
  public let systemCode: Int32?

  /// Creates an error.
  public init(_ code: Code, _ message: String, systemCode: Int32? = nil) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }
}
