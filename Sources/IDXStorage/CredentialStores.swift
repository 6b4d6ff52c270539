import Foundation
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

  /// The safest store that is available.
  ///
  /// That is the Keychain on Apple platforms. Elsewhere it is the Secret Service if it answers within
  /// `answerTime`, otherwise files in ``dataFolder(environment:)``.
  ///
  /// The choice may differ between sessions: on a desktop it may be the Secret Service, and over SSH
  /// files, which do not contain the same credentials. Name the kind if a user has both.
  ///
  /// Throws ``CredentialStoreError/Code/unavailable`` if the kind is not available, or if there is no
  /// folder for files.
  ///
  /// - Parameters:
  ///   - kind: The kind of store; nil, the default, for the safest.
  ///   - environment: `XDG_DATA_HOME` and `HOME` determine the folder for files. The Secret Service
  ///     uses other variables.
  ///   - answerTime: How long the Secret Service may take to answer; 2 seconds by default.
  public static func system(
    _ kind: Kind? = nil, environment: [String: String], answerTime: Duration = .seconds(2)
  ) async throws -> any CredentialStore {
    let folder = try dataFolder(environment: environment)
    switch kind {
    case .file: return FileCredentialStore(folder: folder)
    case .keychain: return try keychain(folder)
    case .secretService: return try await secretService(folder, environment, answerTime)
    case nil: break
    }
    #if canImport(Security)
      return try keychain(folder)
    #else
      do {
        return try await secretService(folder, environment, answerTime)
      } catch is CredentialStoreError {
        return FileCredentialStore(folder: folder)
      }
    #endif
  }

  /// The folder for files of this package: `$XDG_DATA_HOME/idx-flow`, by default
  /// `$HOME/.local/share/idx-flow`.
  ///
  /// A path that is not absolute is ignored (XDG Base Directory Specification). Throws
  /// ``CredentialStoreError/Code/unavailable`` if neither variable is set.
  public static func dataFolder(
    environment: [String: String]
  ) throws(CredentialStoreError) -> String {
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
        .unavailable, "This system has no Keychain. Choose secret-service or file.")
    #endif
  }

  private static func secretService(
    _ folder: String, _ environment: [String: String], _ answerTime: Duration
  ) async throws -> any CredentialStore {
    #if canImport(Security)
      throw CredentialStoreError(
        .unavailable, "This system has no Secret Service. Choose keychain or file.")
    #else
      return try await SecretServiceCredentialStore(
        lockFolder: "\(folder)/locks", environment: environment, answerTime: answerTime)
    #endif
  }
}
