/// Keeps credentials, of several orgs and people side by side, one of them the current one.
///
/// A conformer owes its users:
/// - a credential that was saved is there after a crash, or the one before it is: never neither, and
///   never half of one;
/// - what it cannot read is told and kept, never overwritten and never taken for absent;
/// - the tokens are where only their owner gets at them;
/// - errors are ``CredentialStoreError`` values, and quote no token.
///
/// It may be used from several processes at once. What reads a credential and saves another in its
/// place does so within ``withLock(on:_:)``.
public protocol CredentialStore: Sendable {
  /// Where the credentials are, in words for a person: `the file …`, `the Keychain`.
  var location: String { get }

  /// All that is kept, also what cannot be read; in no particular order.
  func entries() async throws -> [StoredCredential]

  /// The credential of an id; nil where there is none.
  ///
  /// Throws where there is one that cannot be read.
  func credential(_ id: Credential.ID) async throws -> Credential?

  /// Keeps a credential, in the place of the one of the same id, if any.
  ///
  /// Throws where what is there cannot be read, which stays as it is. Goes to its end also where the
  /// task is cancelled, because a refresh token that was just exchanged would be lost otherwise.
  func save(_ credential: Credential) async throws

  /// Forgets a credential, also one that cannot be read; where it is the current one, there is none
  /// then.
  ///
  /// It is no error where there is none.
  func remove(_ id: Credential.ID) async throws

  /// The id of the current credential; nil where there is none.
  func currentID() async throws -> Credential.ID?

  /// Makes a credential the current one.
  ///
  /// Throws ``CredentialStoreError/Code/notFound`` where there is no credential of the id.
  func makeCurrent(_ id: Credential.ID) async throws

  /// Runs a body while nobody else, in this process or another, runs one for the same id.
  ///
  /// The lock ends with the process that holds it, however that ends. A task that is cancelled before
  /// it has its turn throws `CancellationError` and does not run the body; waiting for long throws
  /// ``CredentialStoreError/Code/busy``. The body may use the store, but not lock the same id again.
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result
}

/// One thing that a store keeps.
public enum StoredCredential: Sendable {
  /// A credential.
  case readable(Credential)
  /// Something that is damaged, or that a newer version wrote; the error names its place.
  case unreadable(CredentialStoreError)

  /// The credential; nil where it cannot be read.
  public var credential: Credential? {
    if case .readable(let credential) = self { credential } else { nil }
  }
}
