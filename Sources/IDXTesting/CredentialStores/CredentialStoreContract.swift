public import IDXOAuth

/// What every ``CredentialStore`` owes its users, as checks to run against a store of your own.
///
/// Each check wants an empty store, and one whose locks wait for a minute or so. It leaves things
/// behind. With Swift Testing:
///
///     @Test(arguments: CredentialStoreContract.checks)
///     func contract(check: CredentialStoreContract.Check) async throws {
///       try await check.run(on: MyCredentialStore(folder: newFolder()))
///     }
///
/// What a crash leaves behind, who else can read the tokens, and what is damaged is for tests of your
/// own: it takes knowing where the store keeps them.
public enum CredentialStoreContract {
  /// One thing that a store owes.
  public struct Check: Sendable, CustomStringConvertible {
    /// What it owes, as a sentence.
    public let name: String

    private let body: @Sendable (any CredentialStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any CredentialStore) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Checks an empty store.
    ///
    /// Throws a ``Violation`` where it does not do what it owes, and passes on what it throws itself.
    public func run(on store: any CredentialStore) async throws { try await body(store) }
  }

  /// What a store does not do.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// What was expected, as a sentence; it quotes no token.
    public let description: String
  }

  /// All checks.
  public static let checks: [Check] = keeping + choosing + locking + concurrent
}

extension CredentialStoreContract {
  static func expect(
    _ condition: Bool, _ expectation: String
  ) throws(Violation) {
    if !condition { throw Violation(description: expectation) }
  }

  /// Expects that a store holds just these credentials, and finds each by its id.
  static func expect(_ store: any CredentialStore, holds credentials: [Credential]) async throws {
    for credential in credentials {
      let found = try await store.credential(credential.id)
      try expect(found != nil, "The \(credential) that was saved is to be found.")
      try expect(found == credential, "The \(credential) is to be the one that was saved.")
    }
    let entries = try await store.entries()
    let found = entries.compactMap(\.credential)
    try expect(found.count == entries.count, "Each entry is to be readable.")
    try expect(
      found.count == credentials.count && Set(found) == Set(credentials),
      "The entries are to be the \(credentials.count) that were saved, each once; they are "
        + "\(found.count).")
  }

  /// Expects that the body throws an error of this code.
  static func expect(
    _ code: CredentialStoreError.Code, _ expectation: String, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch let error as CredentialStoreError where error.code == code {
      return
    }
    throw Violation(description: expectation)
  }
}
