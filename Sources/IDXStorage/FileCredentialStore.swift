import IDXBase
public import IDXOAuth

/// Keeps credentials in files that only their owner can read.
///
/// Each is a file `credentials/….json` of the folder, named after a hash of its id; `current` names
/// the current one, and `locks` holds a lock file for each. Folders have mode 0700 and files 0600:
/// looser modes, links and other owners are refused with ``CredentialStoreError/Code/insecure``, and
/// nothing is read or written then. Only the folder itself and what is in it count; where it lies is
/// your own affair.
///
/// A file is written beside the old one, synced, and put in its place, so that a crash at any time
/// leaves the old one or the new one. The tokens are in the clear: whoever can act as the owner can
/// read them.
///
/// Saving, removing and choosing go on to their end where the task is cancelled.
public struct FileCredentialStore: CredentialStore {
  /// The folder of the store.
  public let folder: String

  private let locks: CredentialLocks
  private let steps: @Sendable (FileStep) -> Int32?

  /// A store in a folder, which is made with its parents when something is first saved.
  ///
  /// `timeout` is how long to wait for another process that has the lock, 60 seconds unless told.
  public init(folder: String, timeout: Duration = .seconds(60)) {
    self.init(folder: folder, timeout: timeout, steps: { _ in nil })
  }

  /// A store that calls `steps` before each step of a change, for tests.
  ///
  /// The step fails with the system's error code that it returns, unless that is nil.
  package init(
    folder: String, timeout: Duration = .seconds(60),
    steps: @escaping @Sendable (FileStep) -> Int32?
  ) {
    self.folder = folder
    self.steps = steps
    locks = CredentialLocks(folder: "\(folder)/locks", timeout: timeout)
  }

  /// The folder, in words.
  public var location: String { "the folder \(folder.printable)" }

  /// All that is kept, also what cannot be read.
  ///
  /// Throws where the folder itself cannot be read, or is not the owner's alone.
  public func entries() async throws -> [StoredCredential] {
    try reading { folder in
      try folder.names().filter { $0.hasSuffix(Self.ending) }.compactMap { name in
        do throws(CredentialStoreError) {
          return try read(StoredFile(name: name, folder: folder)).map(StoredCredential.readable)
        } catch {
          return .unreadable(error)
        }
      }
    } ?? []
  }

  /// The credential of an id; nil where there is none.
  public func credential(_ id: Credential.ID) async throws -> Credential? {
    try reading { try read(StoredFile(name: Self.name(of: id), folder: $0)) } ?? nil
  }

  /// Keeps a credential; throws where what is in its place cannot be read, which stays as it is.
  public func save(_ credential: Credential) async throws {
    let text = try ChecksummedEnvelope.seal(credential)
    try await changing { _, credentials in
      let file = self.file(Self.name(of: credential.id), credentials)
      _ = try read(file)
      try file.replace(with: text)
    }
  }

  /// Forgets a credential, also one that cannot be read.
  public func remove(_ id: Credential.ID) async throws {
    guard try reading({ _ in true }) == true else { return }
    try await changing { root, credentials in
      let current = self.file(Self.current, root)
      // A crash between the two is to leave none that is current and not there. What cannot be read
      // is told by whoever asks which is the current one.
      if (try? readCurrent(current)) == id { try current.remove() }
      try self.file(Self.name(of: id), credentials).remove()
    }
  }

  /// The id of the current credential; nil where there is none.
  public func currentID() async throws -> Credential.ID? {
    guard let root = try PrivateFolder.open(folder) else { return nil }
    defer { root.close() }
    guard let id = try readCurrent(StoredFile(name: Self.current, folder: root)) else { return nil }
    let names = try reading { try $0.names() } ?? []
    return names.contains(Self.name(of: id)) ? id : nil
  }

  /// Makes a credential the current one.
  public func makeCurrent(_ id: Credential.ID) async throws {
    let text = try ChecksummedEnvelope.seal(CurrentCredential(id: id))
    guard try await credential(id) != nil else { throw CredentialStoreError.notFound }
    try await changing { root, credentials in
      // It may have been removed while the lock was waited for.
      guard try read(self.file(Self.name(of: id), credentials)) != nil else {
        throw CredentialStoreError.notFound
      }
      let current = self.file(Self.current, root)
      _ = try readCurrent(current)
      try current.replace(with: text)
    }
  }

  /// Runs a body while nobody else, in this process or another, runs one for the same id.
  public func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    // The folder above that of the locks has to be the owner's alone, too.
    try PrivateFolder.make(folder).close()
    return try await locks.hold(id, body)
  }
}

extension FileCredentialStore {
  private static let current = "current"
  private static let ending = ".json"

  private static func name(of id: Credential.ID) -> String { id.storageName + ending }

  private var credentialsFolder: String { "\(folder)/credentials" }

  private func file(_ name: String, _ folder: PrivateFolder) -> StoredFile {
    StoredFile(name: name, folder: folder, steps: steps)
  }

  private func read(_ file: StoredFile) throws(CredentialStoreError) -> Credential? {
    guard let text = try file.read() else { return nil }
    let credential = try ChecksummedEnvelope.open(Credential.self, from: text, at: file.path)
    guard Self.name(of: credential.id) == file.name else {
      throw CredentialStoreError(
        .damaged,
        "\(file.path.printable) holds the credential of another name. Move it away and sign in again."
      )
    }
    return credential
  }

  private func readCurrent(_ file: StoredFile) throws(CredentialStoreError) -> Credential.ID? {
    guard let text = try file.read() else { return nil }
    do {
      return try ChecksummedEnvelope.open(CurrentCredential.self, from: text, at: file.path).id
    } catch {
      guard error.code == .damaged else { throw error }
      throw CredentialStoreError(
        .damaged,
        "\(file.path.printable) is damaged, and stays as it is. It only names the current "
          + "credential: remove it, and choose one again.")
    }
  }

  /// Runs the body with the folder of the credentials; returns nil where there is none.
  private func reading<Result>(_ body: (PrivateFolder) throws -> Result) throws -> Result? {
    guard let root = try PrivateFolder.open(folder) else { return nil }
    defer { root.close() }
    guard let credentials = try PrivateFolder.open(credentialsFolder) else { return nil }
    defer { credentials.close() }
    return try body(credentials)
  }

  /// Runs the body with the folder of the store and that of the credentials, alone.
  private func changing(
    _ body: @escaping @Sendable (PrivateFolder, PrivateFolder) throws -> Void
  ) async throws {
    let root = try PrivateFolder.make(folder)
    defer { root.close() }
    let credentials = try PrivateFolder.make(credentialsFolder)
    defer { credentials.close() }
    try await locks.change { try body(root, credentials) }
  }
}

/// Which credential is the current one, as stores keep it.
struct CurrentCredential: Codable {
  let version: Int
  let id: Credential.ID

  init(id: Credential.ID) {
    version = Credential.formatVersion
    self.id = id
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    guard version <= Credential.formatVersion else { throw CredentialStoreError.newerFormat }
    id = try container.decode(Credential.ID.self, forKey: .id)
  }
}

extension CredentialStoreError {
  static var notFound: CredentialStoreError {
    CredentialStoreError(.notFound, "There is no such credential. Sign in first.")
  }

  /// To be told with its place by whoever knows it.
  static var newerFormat: CredentialStoreError {
    CredentialStoreError(.newer, "A newer version wrote it.")
  }

  /// Whether one thing is at fault, and not the store.
  var isAboutContent: Bool { code == .damaged || code == .newer }
}
