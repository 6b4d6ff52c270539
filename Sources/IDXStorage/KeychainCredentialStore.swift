#if canImport(Security)
  import Dispatch
  public import IDXOAuth

  /// Keeps credentials in the Keychain.
  ///
  /// Each is a generic password of a service, its account a hash of the id; one more, of the service
  /// with `.current` added, names the current one. They are there once the device was unlocked after
  /// its start, stay on the device, and are not in its backups for others. Locks are files of a folder.
  ///
  /// Saving, removing and choosing go on to their end where the task is cancelled.
  public struct KeychainCredentialStore: CredentialStore {
    private let credentials: Keychain
    private let current: Keychain
    private let locks: CredentialLocks

    /// Whether the data protection keychain is the one to use where nobody says.
    ///
    /// On macOS it is for signed apps with an entitlement only, so that a command finds the login
    /// keychain instead; elsewhere there is no other.
    public static var usesDataProtectionByDefault: Bool {
      #if os(macOS)
        false
      #else
        true
      #endif
    }

    /// A store in the Keychain.
    ///
    /// - Parameters:
    ///   - lockFolder: A folder for locks, which is made where it is missing; the same for all
    ///     processes that share the items.
    ///   - service: The service of the items, by which they are told from those of others.
    ///   - usesDataProtection: Whether macOS is to use the data protection keychain, which takes an
    ///     app that is signed with the entitlement `keychain-access-groups`.
    ///   - timeout: How long to wait for a lock.
    public init(
      lockFolder: String, service: String = "idx-flow",
      usesDataProtection: Bool = usesDataProtectionByDefault, timeout: Duration = .seconds(60)
    ) {
      credentials = Keychain(service: service, usesDataProtection: usesDataProtection)
      current = Keychain(service: "\(service).current", usesDataProtection: usesDataProtection)
      locks = CredentialLocks(folder: lockFolder, timeout: timeout)
    }

    /// The Keychain, in words.
    public var location: String { "the Keychain" }

    /// All that is kept, also what cannot be read.
    public func entries() async throws -> [StoredCredential] {
      try await Self.apart {
        var entries: [StoredCredential] = []
        for account in try credentials.accounts() {
          do throws(CredentialStoreError) {
            // One that is removed just now is listed and not there.
            if let credential = try read(account) { entries.append(.readable(credential)) }
          } catch {
            guard error.isAboutContent else { throw error }
            entries.append(.unreadable(error))
          }
        }
        return entries
      }
    }

    /// The credential of an id; nil where there is none.
    public func credential(_ id: Credential.ID) async throws -> Credential? {
      try await Self.apart { try read(id.storageName) }
    }

    /// Keeps a credential; throws where what is in its place cannot be read, which stays as it is.
    public func save(_ credential: Credential) async throws {
      let text = try ChecksummedEnvelope.seal(credential)
      try await change {
        _ = try read(credential.id.storageName)
        try credentials.write(text, to: credential.id.storageName, label: credential.label)
      }
    }

    /// Forgets a credential, also one that cannot be read.
    public func remove(_ id: Credential.ID) async throws {
      try await change {
        // A crash between the two is to leave none that is current and not there.
        if (try? readCurrent()) == id { try current.remove(Self.currentAccount) }
        try credentials.remove(id.storageName)
      }
    }

    /// The id of the current credential; nil where there is none.
    public func currentID() async throws -> Credential.ID? {
      try await Self.apart {
        guard let id = try readCurrent() else { return nil }
        return try credentials.accounts().contains(id.storageName) ? id : nil
      }
    }

    /// Makes a credential the current one.
    public func makeCurrent(_ id: Credential.ID) async throws {
      let text = try ChecksummedEnvelope.seal(CurrentCredential(id: id))
      try await change {
        guard try read(id.storageName) != nil else { throw CredentialStoreError.notFound }
        _ = try readCurrent()
        try current.write(text, to: Self.currentAccount, label: "idx-flow: current credential")
      }
    }

    /// Runs a body while nobody else, in this process or another, runs one for the same id.
    public func withLock<Result: Sendable>(
      on id: Credential.ID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await locks.hold(id, body)
    }
  }

  extension KeychainCredentialStore {
    private static let currentAccount = "current"

    private func read(_ account: String) throws(CredentialStoreError) -> Credential? {
      guard let text = try credentials.read(account) else { return nil }
      let place = credentials.place(of: account)
      let credential = try ChecksummedEnvelope.open(Credential.self, from: text, at: place)
      guard credential.id.storageName == account else { throw ChecksummedEnvelope.damaged(place) }
      return credential
    }

    private func readCurrent() throws(CredentialStoreError) -> Credential.ID? {
      guard let text = try current.read(Self.currentAccount) else { return nil }
      let place = current.place(of: Self.currentAccount)
      return try ChecksummedEnvelope.open(CurrentCredential.self, from: text, at: place).id
    }

    private func change(_ body: @escaping @Sendable () throws -> Void) async throws {
      try await locks.change { try await Self.apart(body) }
    }

    /// Runs the body on a thread of its own: the Keychain may ask its person, and blocks for as long.
    private static func apart<Result: Sendable>(
      _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "idx-flow.keychain").async {
          continuation.resume(with: Swift.Result { try body() })
        }
      }
    }
  }
#endif
