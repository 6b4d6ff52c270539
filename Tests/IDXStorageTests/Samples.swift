import IDXBase
import Foundation
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXStorage

/// A folder that is gone when nobody needs it any more.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/idx-flow-store-\(UUID())"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension Credential {
  /// A credential of the id that StoreCrasher knows, unless told otherwise.
  static func sample(_ token: String = "token-old", subject: String? = "ada") -> Credential {
    Credential(
      id: ID(
        issuer: URL(string: "https://crash.okta.example")!, clientID: "client", subject: subject),
      tokens: Tokens(accessToken: Secret(token)),
      receivedAt: Date(timeIntervalSince1970: 1_800_000_000))
  }
}

/// A file store, and ways to its files.
struct FileStoreSample {
  let parent: TemporaryFolder
  let store: FileCredentialStore
  var folder: String { store.folder }
  var file: String { "\(folder)/credentials/\(Credential.sample().id.storageName).json" }

  init(
    timeout: Duration = .seconds(60),
    steps: @escaping @Sendable (FileStep) -> Int32? = { _ in nil }
  ) throws {
    let parent = try TemporaryFolder()
    self.parent = parent
    // The folder is there for as long as the store is.
    store = FileCredentialStore(folder: "\(parent.path)/idx-flow", timeout: timeout) { step in
      withExtendedLifetime(parent) { steps(step) }
    }
  }

  /// Everything below the folder but the locks, by name; folders as nil.
  func contents() throws -> [String: Data?] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    let shown = names.filter { !$0.hasPrefix("locks") }
    return Dictionary(
      uniqueKeysWithValues: shown.map {
        ($0, try? Data(contentsOf: .init(filePath: folder + "/" + $0)))
      })
  }
}

/// The error of a store that a body throws; nil where it throws none.
func storeError(_ body: () async throws -> Void) async throws -> CredentialStoreError? {
  do {
    try await body()
    return nil
  } catch let error as CredentialStoreError {
    return error
  }
}
