import IDXBase
public import IDXOAuth

/// Stores credentials in files that only their owner can read.
///
/// The folder contains a file `credentials/….json` for each credential, named after a hash of its ID; a
/// file `current`, which names the current credential; and a folder `locks`. Folders have mode 0700 and
/// files 0600. If the folder or something in it has a looser mode, is a link, or has another owner, it
/// is neither read nor written, and a call throws ``/IDXOAuth/CredentialStoreError/Code/insecure``. Folders
/// above it are not checked.
///
/// A file is written under another name, synced, and then renamed. So after a crash at any time, the old
/// file or the new one is there. What a crash leaves under the other name is removed by the next
/// change. The tokens are not encrypted: every program of the owner can read them.
///
/// Saving, removing and choosing a credential finish even if the task is canceled.
public struct FileCredentialStore: CredentialStore {
  /// The folder of the store.
  public let folder: String

  private let locks: CredentialLocks
  private let steps: @Sendable (FileStep) -> Int32?

  /// Creates a store in a folder.
  ///
  /// The first save creates the folder and its missing parents, all with mode 0700. `timeout` is how long to wait for a lock; 60
  /// seconds by default.
  public init(folder: String, timeout: Duration = .seconds(60)) {
    self.init(folder: folder, timeout: timeout, steps: { _ in nil })
  }

  /// Creates a store that calls `steps` before each step of a change, for tests.
  ///
  /// If `steps` returns an error code, the step fails with it.
  package init(
    folder: String, timeout: Duration = .seconds(60),
    steps: @escaping @Sendable (FileStep) -> Int32?
  ) {
    self.folder = folder
    self.steps = steps
    locks = CredentialLocks(folder: "\(folder)/locks", timeout: timeout)
  }

  /// The words `the folder` and the path of the folder.
  public var location: String { "the folder \(folder.printable)" }

  /// Reads all files of credentials; one that cannot be read is an unreadable entry.
  ///
  /// Throws if the folder itself cannot be read, or is not private.
  public func entries() async throws -> [StoredCredential] {
    try reading { folder in
      try folder.names().filter { $0.hasSuffix(Self.suffix) }.compactMap { name in
        do throws(CredentialStoreError) {
          return try read(StoredFile(name: name, folder: folder)).map(StoredCredential.readable)
        } catch {
          return .unreadable(error)
        }
      }
    } ?? []
  }

  /// Reads the file of a credential; nil if it does not exist.
  public func credential(_ id: Credential.ID) async throws -> Credential? {
    try reading { try read(StoredFile(name: Self.name(of: id), folder: $0)) } ?? nil
  }

  /// Writes the file of a credential.
  ///
  /// If the existing file cannot be read, it throws and does not change the file.
  public func save(_ credential: Credential) async throws {
    let text = try ChecksummedEnvelope.encode(credential)
    try await changing { _, credentials in
      let file = self.file(Self.name(of: credential.id), credentials)
      _ = try read(file)
      try file.replace(with: text)
    }
  }

  /// Removes the file of a credential, even one that cannot be read.
  public func remove(_ id: Credential.ID) async throws {
    guard try reading({ _ in true }) == true else { return }
    try await changing { root, credentials in
      let current = self.file(Self.current, root)
      // Removed first: after a crash, no missing credential is the current one. If `current` cannot be
      // read, it stays, and `currentID()` reports it.
      if (try? readCurrent(current)) == id { try current.remove() }
      try self.file(Self.name(of: id), credentials).remove()
    }
  }

  /// Renames the files of credentials that are damaged, so that they are no credentials any more, and the file `current`
  /// if it is; returns their new paths.
  ///
  /// Nothing is lost: a file keeps its content, under its name with `.damaged` and a number at the end.
  package func setDamagedAside() async throws -> [String] {
    let paths = Locked<[String]>([])
    try await changing { root, credentials in
      func setAside(
        _ file: StoredFile, ifDamaged read: (StoredFile) throws(CredentialStoreError) -> Void
      ) throws(CredentialStoreError) {
        do throws(CredentialStoreError) { try read(file) } catch {
          guard error.code == .damaged else { return }
          let new = try file.setAside()
          paths.withLock { $0.append(new) }
        }
      }
      try setAside(self.file(Self.current, root)) { file throws(CredentialStoreError) in
        _ = try readCurrent(file)
      }
      for name in try credentials.names() where name.hasSuffix(Self.suffix) {
        try setAside(self.file(name, credentials)) { file throws(CredentialStoreError) in
          _ = try read(file)
        }
      }
    }
    return paths.withLock { $0 }
  }

  /// Reads the file `current`; nil if it does not exist, or if the file of its credential does not.
  public func currentID() async throws -> Credential.ID? {
    guard let root = try PrivateFolder.open(folder) else { return nil }
    defer { root.close() }
    guard let id = try readCurrent(StoredFile(name: Self.current, folder: root)) else { return nil }
    let names = try reading { try $0.names() } ?? []
    return names.contains(Self.name(of: id)) ? id : nil
  }

  /// Writes the ID of a credential to the file `current`.
  public func makeCurrent(_ id: Credential.ID) async throws {
    let text = try ChecksummedEnvelope.encode(CurrentCredential(id: id))
    guard try await credential(id) != nil else { throw CredentialStoreError.notFound }
    try await changing { root, credentials in
      // Another process may have removed it before this one got the lock.
      guard try read(self.file(Self.name(of: id), credentials)) != nil else {
        throw CredentialStoreError.notFound
      }
      let current = self.file(Self.current, root)
      _ = try readCurrent(current)
      try current.replace(with: text)
    }
  }

  /// Locks a file in the folder `locks` and runs a body; other tasks and processes with the same ID wait.
  public func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    // The parent of the folder of locks must be private too.
    try PrivateFolder.openOrCreate(folder).close()
    return try await locks.withLock(on: id, body)
  }
}

extension FileCredentialStore {
  private static let current = "current"
  private static let suffix = ".json"

  private static func name(of id: Credential.ID) -> String { id.storageName + suffix }

  private var credentialsFolder: String { "\(folder)/credentials" }

  private func file(_ name: String, _ folder: PrivateFolder) -> StoredFile {
    StoredFile(name: name, folder: folder, steps: steps)
  }

  private func read(_ file: StoredFile) throws(CredentialStoreError) -> Credential? {
    guard let text = try file.read() else { return nil }
    let credential = try ChecksummedEnvelope.decode(Credential.self, from: text, at: file.path)
    guard Self.name(of: credential.id) == file.name else {
      throw CredentialStoreError(
        .damaged,
        "\(file.path.printable) contains a credential that belongs in another file. Move it away and "
          + "sign in again.")
    }
    return credential
  }

  private func readCurrent(_ file: StoredFile) throws(CredentialStoreError) -> Credential.ID? {
    guard let text = try file.read() else { return nil }
    do {
      return try ChecksummedEnvelope.decode(CurrentCredential.self, from: text, at: file.path).id
    } catch {
      guard error.code == .damaged else { throw error }
      throw CredentialStoreError(
        .damaged,
        "\(file.path.printable) is damaged and was not changed. It only names the current "
          + "credential: remove it, then choose a credential again.")
    }
  }

  /// Runs the body with the folder of the credentials; returns nil if it does not exist.
  private func reading<Result>(_ body: (PrivateFolder) throws -> Result) throws -> Result? {
    guard let root = try PrivateFolder.open(folder) else { return nil }
    defer { root.close() }
    guard let credentials = try PrivateFolder.open(credentialsFolder) else { return nil }
    defer { credentials.close() }
    return try body(credentials)
  }

  /// Runs the body with the folder of the store and the folder of the credentials, while no other
  /// process changes them, and without drafts of earlier changes, which can contain tokens.
  private func changing(
    _ body: @escaping @Sendable (PrivateFolder, PrivateFolder) throws -> Void
  ) async throws {
    let root = try PrivateFolder.openOrCreate(folder)
    defer { root.close() }
    let credentials = try PrivateFolder.openOrCreate(credentialsFolder)
    defer { credentials.close() }
    try await locks.withStoreLock {
      for folder in [root, credentials] { try StoredFile.removeDrafts(in: folder) }
      try body(root, credentials)
    }
  }
}
