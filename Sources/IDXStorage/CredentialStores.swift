public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The stores that a system offers.
public enum CredentialStores {
  /// A kind of store, by the name that a person may give.
  public enum Kind: String, Sendable, CaseIterable {
    /// `keychain`: the Keychain of Apple platforms.
    case keychain
    /// `secret-service`: the keyring of a Linux desktop.
    case secretService = "secret-service"
    /// `file`: files that only their owner can read.
    case file
  }

  /// The safest store that there is: the Keychain; else the Secret Service, where it answers within
  /// two seconds; else files in the folder `idx-flow` of ``dataFolder(environment:)``.
  ///
  /// - Parameters:
  ///   - kind: The kind that it must be; nil, the default, for the safest.
  ///   - environment: `XDG_DATA_HOME` and `HOME` tell where files go; the Secret Service takes what
  ///     it needs of the rest.
  ///   - answerTime: How long the Secret Service may take to answer.
  ///
  /// A session without a desktop, over SSH say, may choose files where the desktop has chosen the
  /// Secret Service, and does not find what that keeps: name the kind where both are used.
  ///
  /// Throws ``CredentialStoreError/Code/unavailable`` where the kind is not to be had, or where there
  /// is no folder for files.
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

  /// The folder for files of this package: `idx-flow` in `XDG_DATA_HOME`, or in `.local/share` of
  /// `HOME` where that is not set.
  ///
  /// A path that is not absolute counts as not set, as the XDG Base Directory Specification has it.
  /// Throws ``CredentialStoreError/Code/unavailable`` where neither is set.
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
        "There is no folder for credentials: set HOME or XDG_DATA_HOME to the path of one.")
    }
    return "\(data)/idx-flow"
  }

  private static func keychain(_ folder: String) throws -> any CredentialStore {
    #if canImport(Security)
      return KeychainCredentialStore(lockFolder: "\(folder)/locks")
    #else
      throw CredentialStoreError(
        .unavailable, "This system has no Keychain: choose secret-service or file.")
    #endif
  }

  private static func secretService(
    _ folder: String, _ environment: [String: String], _ answerTime: Duration
  ) async throws -> any CredentialStore {
    #if canImport(Security)
      throw CredentialStoreError(
        .unavailable, "This system has no Secret Service: choose keychain or file.")
    #else
      return try await SecretServiceCredentialStore(
        lockFolder: "\(folder)/locks", environment: environment, answerTime: answerTime)
    #endif
  }
}
