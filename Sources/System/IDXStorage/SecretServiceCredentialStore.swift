#if !canImport(Security)
  import Foundation
  public import IDXOAuth
  import IDXSystem

  /// Stores credentials in the Secret Service of a desktop, such as GNOME Keyring or KWallet.
  ///
  /// It runs the program `secret-tool` (package libsecret-tools on Debian and Ubuntu, libsecret on
  /// Fedora and Arch) and writes the tokens to its standard input. Each credential is an item, named
  /// after a hash of its ID. One more item lists the IDs and names the current one. Locks are files in a
  /// folder.
  ///
  /// A locked keyring asks the user to unlock it, and calls wait for that until the timeout.
  ///
  /// Calls that change something finish even if the task is canceled.
  public struct SecretServiceCredentialStore: CredentialStore {
    private let tool: SecretTool
    private let locks: CredentialLocks

    /// Creates a store after it has checked that the Secret Service answers and can store an item.
    ///
    /// Throws ``/IDXOAuth/CredentialStoreError/Code/absent`` if the program is not installed, if there is no
    /// D-Bus session, or if no program provides a keyring there. Throws
    /// ``/IDXOAuth/CredentialStoreError/Code/unavailable`` if there is no answer, or if nothing can be
    /// stored, as in a keyring that stays locked.
    ///
    /// - Parameters:
    ///   - lockFolder: A folder for locks, created if it is missing. It must be the same for all
    ///     processes of the user.
    ///   - service: The attribute `service` of the items, which distinguishes them from items of other
    ///     apps.
    ///   - environment: The environment of the program, with `PATH` and `DBUS_SESSION_BUS_ADDRESS`.
    ///   - responseTime: How long the Secret Service may take for its first answer; 10 seconds by default.
    ///   - timeout: How long to wait for later answers and for a lock; 60 seconds by default.
    public init(
      lockFolder: String, service: String = "idx-flow", environment: [String: String],
      responseTime: Duration = .seconds(10), timeout: Duration = .seconds(60)
    ) async throws {
      let program = ExternalProgram(
        named: "secret-tool", environment: environment, terminationTimeout: .milliseconds(200))
      guard let program else {
        throw CredentialStoreError(
          .absent,
          "secret-tool is not installed. Install libsecret-tools (Debian, Ubuntu) or libsecret "
            + "(Fedora, Arch), or store credentials in files.")
      }
      guard Self.hasSession(environment) else {
        throw CredentialStoreError(
          .absent,
          "There is no D-Bus session, and a keyring needs one. Use a desktop session, or store "
            + "credentials in files.")
      }
      let tool = SecretTool(service: service, timeout: timeout) {
        try await program.run($0, input: $1)
      }
      try await self.init(
        tool: tool, lockFolder: lockFolder, responseTime: responseTime, timeout: timeout)
    }

    init(
      tool: SecretTool, lockFolder: String, responseTime: Duration, timeout: Duration
    ) async throws {
      try await tool.probe(within: responseTime)
      self.tool = tool
      locks = CredentialLocks(folder: lockFolder, timeout: timeout)
      try await createIndex()
    }

    /// The words `the Secret Service (keyring) of this desktop`.
    public var location: String { "the Secret Service (keyring) of this desktop" }

    /// Reads all items in the list of credentials; one that cannot be read is an unreadable entry.
    ///
    /// If the list itself cannot be read, it is the only entry.
    public func entries() async throws -> [StoredCredential] {
      let index: Index
      do {
        index = try await readIndex()
      } catch let error as CredentialStoreError where error.isAboutOneEntry {
        return [.unreadable(error)]
      }
      var entries: [StoredCredential] = []
      for id in index.ids {
        do {
          // It is listed but missing if saving it was interrupted, or if it has just been removed.
          if let credential = try await credential(id) { entries.append(.readable(credential)) }
        } catch let error as CredentialStoreError where error.isAboutOneEntry {
          entries.append(.unreadable(error))
        }
      }
      return entries
    }

    /// Reads the item of a credential; nil if the keyring has none.
    public func credential(_ id: Credential.ID) async throws -> Credential? {
      let name = id.storageName
      guard let text = try await tool.read(name) else { return nil }
      let place = tool.place(of: name)
      let credential = try ChecksummedEnvelope.decode(
        Credential.self, from: Array(text.utf8), at: place)
      guard credential.id == id else { throw CredentialStoreError.damaged(place) }
      return credential
    }

    /// Adds a credential to the list and writes its item.
    ///
    /// If the existing item or the list cannot be read, it throws and changes nothing.
    public func save(_ credential: Credential) async throws {
      let text = String(decoding: try ChecksummedEnvelope.encode(credential), as: UTF8.self)
      let id = credential.id
      try await locks.withStoreLock {
        _ = try await self.credential(id)
        // Listed first: after a crash, every saved credential is in the list.
        var index = try await readIndex()
        if !index.ids.contains(id) {
          index.ids.append(id)
          try await write(index)
        }
        try await tool.write(text, to: id.storageName, label: credential.label)
      }
    }

    /// Removes the item of a credential, even one that cannot be read, and its ID from the list.
    public func remove(_ id: Credential.ID) async throws {
      try await locks.withStoreLock {
        guard var index = try? await readIndex() else {
          try await tool.remove(id.storageName)
          return
        }
        // In this order, so that after a crash no missing credential is the current one, and every
        // existing one is in the list.
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

    /// Reads from the list which credential is the current one; nil if none is, or if it has no item.
    public func currentID() async throws -> Credential.ID? {
      guard let id = try await readIndex().current else { return nil }
      return try await tool.contains(id.storageName) ? id : nil
    }

    /// Makes a credential the current one in the list.
    public func makeCurrent(_ id: Credential.ID) async throws {
      try await locks.withStoreLock {
        guard try await credential(id) != nil else { throw CredentialStoreError.notFound }
        var index = try await readIndex()
        index.current = id
        if !index.ids.contains(id) { index.ids.append(id) }
        try await write(index)
      }
    }

    /// Locks a file in the folder for locks and runs a body; others with the same ID wait.
    public func withLock<Result: Sendable>(
      on id: Credential.ID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await locks.withLock(on: id, body)
    }
  }

  extension SecretServiceCredentialStore {
    private static let indexName = "index"

    /// Whether `secret-tool` can find a D-Bus session: by its address, at the usual place, or through an
    /// X11 display.
    private static func hasSession(_ environment: [String: String]) -> Bool {
      func value(_ name: String) -> String { environment[name] ?? "" }
      return !value("DBUS_SESSION_BUS_ADDRESS").isEmpty || !value("DISPLAY").isEmpty
        || FileManager.default.fileExists(atPath: "\(value("XDG_RUNTIME_DIR"))/bus")
    }

    /// Writes an empty list if there is none.
    ///
    /// This shows before a sign-in, and not after it, whether there is a keyring to write to.
    private func createIndex() async throws {
      guard try await !tool.contains(Self.indexName) else { return }
      try await locks.withStoreLock {
        if try await !tool.contains(Self.indexName) { try await write(Index()) }
      }
    }

    private func readIndex() async throws -> Index {
      guard let text = try await tool.read(Self.indexName) else { return Index() }
      return try ChecksummedEnvelope.decode(
        Index.self, from: Array(text.utf8), at: tool.place(of: Self.indexName))
    }

    private func write(_ index: Index) async throws {
      let text = String(decoding: try ChecksummedEnvelope.encode(index), as: UTF8.self)
      try await tool.write(text, to: Self.indexName, label: "idx-flow: list of credentials")
    }
  }

  /// The list of credentials, because `secret-tool` cannot list items.
  private struct Index: Codable {
    var version = 1
    var ids: [Credential.ID] = []
    var current: Credential.ID?
  }
#endif
