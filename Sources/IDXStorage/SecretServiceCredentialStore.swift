#if !canImport(Security)
  public import IDXOAuth

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Keeps credentials in the Secret Service of a desktop, such as GNOME Keyring or KWallet.
  ///
  /// It runs the program `secret-tool` (Debian and Ubuntu: libsecret-tools; Fedora, Arch: libsecret)
  /// and gives it the tokens on its standard input. Each credential is an item of its own, named after
  /// a hash of its id, and one more lists the ids and the current one. Locks are files of a folder.
  ///
  /// A keyring that is locked asks its person to unlock it; that may take up to the timeout.
  ///
  /// Saving, removing and choosing go on to their end where the task is cancelled.
  public struct SecretServiceCredentialStore: CredentialStore {
    private let tool: SecretTool
    private let locks: CredentialLocks

    /// A store in the Secret Service, once that has answered, and has shown that it keeps things.
    ///
    /// - Parameters:
    ///   - lockFolder: A folder for locks, which is made where it is missing; the same for all
    ///     processes of the person.
    ///   - service: The attribute `service` of the items, by which they are told from those of others.
    ///   - environment: What the program finds: `PATH`, `DBUS_SESSION_BUS_ADDRESS` and the like.
    ///   - answerTime: How long the Secret Service may take to answer for the first time.
    ///   - timeout: How long to wait for an answer later, and for a lock.
    ///
    /// Throws ``CredentialStoreError/Code/unavailable`` where the program is missing, or there is no
    /// answer; and where nothing can be kept, as in a session that has no keyring.
    public init(
      lockFolder: String, service: String = "idx-flow", environment: [String: String],
      answerTime: Duration = .seconds(2), timeout: Duration = .seconds(60)
    ) async throws {
      let tool = SecretTool(service: service, environment: environment, timeout: timeout)
      guard let tool else {
        throw CredentialStoreError(
          .unavailable,
          "secret-tool is not installed: install libsecret-tools (Debian, Ubuntu) or libsecret "
            + "(Fedora, Arch), or keep credentials in a file.")
      }
      try await self.init(
        tool: tool, lockFolder: lockFolder, answerTime: answerTime, timeout: timeout)
    }

    init(
      tool: SecretTool, lockFolder: String, answerTime: Duration, timeout: Duration
    ) async throws {
      try await tool.probe(within: answerTime)
      self.tool = tool
      locks = CredentialLocks(folder: lockFolder, timeout: timeout)
      try await makeIndex()
    }

    /// The Secret Service, in words.
    public var location: String { "the Secret Service (keyring) of this desktop" }

    /// All that is kept, also what cannot be read.
    public func entries() async throws -> [StoredCredential] {
      let index: Index
      do {
        index = try await readIndex()
      } catch let error as CredentialStoreError where error.isAboutContent {
        return [.unreadable(error)]
      }
      var entries: [StoredCredential] = []
      for id in index.ids {
        do {
          // One that was never written to its end, or is removed just now, is listed and not there.
          if let credential = try await credential(id) { entries.append(.readable(credential)) }
        } catch let error as CredentialStoreError where error.isAboutContent {
          entries.append(.unreadable(error))
        }
      }
      return entries
    }

    /// The credential of an id; nil where there is none.
    public func credential(_ id: Credential.ID) async throws -> Credential? {
      let name = id.storageName
      guard let text = try await tool.read(name) else { return nil }
      let place = tool.place(of: name)
      let credential = try ChecksummedEnvelope.open(
        Credential.self, from: Array(text.utf8), at: place)
      guard credential.id == id else { throw ChecksummedEnvelope.damaged(place) }
      return credential
    }

    /// Keeps a credential; throws where what is in its place cannot be read, which stays as it is.
    public func save(_ credential: Credential) async throws {
      let text = String(decoding: try ChecksummedEnvelope.seal(credential), as: UTF8.self)
      let id = credential.id
      try await locks.change {
        _ = try await self.credential(id)
        // Listed first: a crash between the two leaves nothing that cannot be found.
        var index = try await readIndex()
        if !index.ids.contains(id) {
          index.ids.append(id)
          try await write(index)
        }
        try await tool.write(text, to: id.storageName, label: credential.label)
      }
    }

    /// Forgets a credential, also one that cannot be read.
    public func remove(_ id: Credential.ID) async throws {
      try await locks.change {
        guard var index = try? await readIndex() else {
          try await tool.remove(id.storageName)
          return
        }
        // A crash in between leaves none that is current and not there, and none that is not listed.
        if index.current == id {
          index.current = nil
          try await write(index)
        }
        try await tool.remove(id.storageName)
        if index.ids.contains(id) {
          index.ids.removeAll { $0 == id }
          try await write(index)
        }
      }
    }

    /// The id of the current credential; nil where there is none.
    public func currentID() async throws -> Credential.ID? {
      guard let id = try await readIndex().current else { return nil }
      return try await tool.holds(id.storageName) ? id : nil
    }

    /// Makes a credential the current one.
    public func makeCurrent(_ id: Credential.ID) async throws {
      try await locks.change {
        guard try await credential(id) != nil else { throw CredentialStoreError.notFound }
        var index = try await readIndex()
        index.current = id
        if !index.ids.contains(id) { index.ids.append(id) }
        try await write(index)
      }
    }

    /// Runs a body while nobody else, in this process or another, runs one for the same id.
    public func withLock<Result: Sendable>(
      on id: Credential.ID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await locks.hold(id, body)
    }
  }

  extension SecretServiceCredentialStore {
    private static let indexName = "index"

    /// Writes an empty list where there is none: better told now than after a sign-in that there is
    /// no keyring to write to.
    private func makeIndex() async throws {
      guard try await !tool.holds(Self.indexName) else { return }
      try await locks.change {
        if try await !tool.holds(Self.indexName) { try await write(Index()) }
      }
    }

    private func readIndex() async throws -> Index {
      guard let text = try await tool.read(Self.indexName) else { return Index() }
      return try ChecksummedEnvelope.open(
        Index.self, from: Array(text.utf8), at: tool.place(of: Self.indexName))
    }

    private func write(_ index: Index) async throws {
      let text = String(decoding: try ChecksummedEnvelope.seal(index), as: UTF8.self)
      try await tool.write(text, to: Self.indexName, label: "idx-flow: list of credentials")
    }
  }

  /// What credentials there are, because the program cannot be asked for a list.
  private struct Index: Codable {
    let version: Int
    var ids: [Credential.ID] = []
    var current: Credential.ID?

    init() { version = Credential.formatVersion }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      version = try container.decode(Int.self, forKey: .version)
      guard version <= Credential.formatVersion else { throw CredentialStoreError.newerFormat }
      ids = try container.decode([Credential.ID].self, forKey: .ids)
      current = try container.decodeIfPresent(Credential.ID.self, forKey: .current)
    }
  }
#endif
