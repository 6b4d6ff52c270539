public import Foundation
public import IDXOAuth

/// The credential stores that a system offers.
public enum CredentialStores {
  /// A kind of store, by the name that a user can type.
  public enum Kind: String, Sendable, CaseIterable {
    /// `keychain`: the Keychain of Apple platforms.
    case keychain
    /// `secret-service`: the keyring of a Linux desktop.
    case secretService = "secret-service"
    /// `file`: files that only their owner can read.
    case file
  }

  /// The safest store that this computer has.
  ///
  /// That is the Keychain on Apple platforms. Elsewhere it is the Secret Service, or files in
  /// ``dataFolder(environment:)`` if the desktop session has no Secret Service: `secret-tool` is not installed,
  /// there is no D-Bus session, or no program there provides a keyring. Files are not encrypted, so
  /// `onFallback` is called before they are chosen.
  ///
  /// A Secret Service that refuses, fails or does not answer in time never leads to files. Nor does a
  /// missing one after an earlier call has returned it, which an empty file `keyring-used` in the data
  /// folder remembers. Both throw ``/IDXOAuth/CredentialStoreError/Code/unavailable``: let the user repair
  /// the keyring, or choose ``Kind/file``.
  ///
  /// A kind that is named is never replaced by another. It throws `unavailable` or
  /// ``/IDXOAuth/CredentialStoreError/Code/absent`` if it cannot be used. Every kind throws `unavailable` if
  /// there is no folder for files.
  ///
  /// - Parameters:
  ///   - kind: The kind of store; nil, the default, for the safest.
  ///   - environment: The environment of this process by default. `XDG_DATA_HOME` and `HOME` determine the
  ///     folder for files, except on iOS. The Secret Service uses other variables.
  ///   - responseTime: How long the Secret Service may take to respond; 10 seconds by default.
  ///   - onFallback: Receives the reason why files take the place of a keyring, and may throw to prevent
  ///     it; by default does nothing.
  public static func system(
    _ kind: Kind? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
    responseTime: Duration = .seconds(10),
    onFallback: @Sendable (CredentialStoreError) throws -> Void = { _ in }
  ) async throws -> any CredentialStore {
    let folder = try dataFolder(environment: environment)
    switch kind {
    case .file: return FileCredentialStore(folder: folder)
    case .keychain: return try keychain(folder)
    case .secretService: return try await secretService(folder, environment, responseTime)
    case nil: break
    }
    #if canImport(Security)
      return try keychain(folder)
    #else
      do {
        return try await secretService(folder, environment, responseTime)
      } catch let error as CredentialStoreError where error.code == .absent {
        guard try !KeyringMarker(folder: folder).exists() else {
          throw CredentialStoreError(
            .unavailable,
            "A keyring was used before, and now there is none. \(error.message)")
        }
        try onFallback(error)
        return FileCredentialStore(folder: folder)
      }
    #endif
  }

  /// The folder for files of this package: `$XDG_DATA_HOME/idx-flow`, by default
  /// `$HOME/.local/share/idx-flow`.
  ///
  /// A path that is not absolute is ignored (XDG Base Directory Specification). On iOS, tvOS, watchOS and
  /// visionOS, where an app can write only in its own folders, it is `idx-flow` in Application Support, and
  /// the environment is not used. Throws ``/IDXOAuth/CredentialStoreError/Code/unavailable`` if there is no
  /// such folder.
  public static func dataFolder(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CredentialStoreError) -> String {
    #if os(macOS) || !canImport(Darwin)
      try dataFolder(environment: environment, applicationSupport: [])
    #else
      try dataFolder(
        environment: environment,
        applicationSupport: FileManager.default.urls(
          for: .applicationSupportDirectory, in: .userDomainMask))
    #endif
  }

  /// The folder in the first Application Support folder; without one, the folder that the environment names.
  static func dataFolder(
    environment: [String: String], applicationSupport: [URL]
  ) throws(CredentialStoreError) -> String {
    if let support = applicationSupport.first {
      return support.appending(path: "idx-flow").path(percentEncoded: false)
    }
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let data = folder("XDG_DATA_HOME") ?? folder("HOME").map { "\($0)/.local/share" }
    guard let data else {
      throw CredentialStoreError(
        .unavailable,
        "There is no folder for credentials. Set HOME or XDG_DATA_HOME to an absolute path.")
    }
    return "\(data)/idx-flow"
  }

  private static func keychain(_ folder: String) throws -> any CredentialStore {
    #if canImport(Security)
      return KeychainCredentialStore(lockFolder: "\(folder)/locks")
    #else
      throw CredentialStoreError(
        .absent, "This system has no Keychain. Choose secret-service or file.")
    #endif
  }

  private static func secretService(
    _ folder: String, _ environment: [String: String], _ responseTime: Duration
  ) async throws -> any CredentialStore {
    #if canImport(Security)
      throw CredentialStoreError(
        .absent, "This system has no Secret Service. Choose keychain or file.")
    #else
      let store = try await SecretServiceCredentialStore(
        lockFolder: "\(folder)/locks", environment: environment, responseTime: responseTime)
      await KeyringMarker(folder: folder).write()
      return store
    #endif
  }
}

/// Remembers, as an empty file, that a keyring was used.
private struct KeyringMarker {
  let folder: String

  private static let name = "keyring-used"

  func exists() throws -> Bool {
    guard let folder = try PrivateFolder.open(folder) else { return false }
    defer { folder.close() }
    return try StoredFile(name: Self.name, folder: folder).read() != nil
  }

  /// Writes the file if it is missing.
  ///
  /// Errors are ignored: the folder usually takes no files with tokens either then.
  func write() async {
    guard (try? exists()) == false, let root = try? PrivateFolder.openOrCreate(folder) else {
      return
    }
    defer { root.close() }
    // The lock keeps the draft of another process, which may be writing in the folder. If that takes long,
    // the next call writes the file.
    let locks = CredentialLocks(folder: "\(folder)/locks", timeout: .seconds(1))
    try? await locks.withStoreLock {
      try StoredFile(name: Self.name, folder: root).replace(with: [])
    }
  }
}
