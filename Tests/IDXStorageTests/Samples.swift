import Expectations
import Dispatch
import Foundation
import IDXBase
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXStorage

/// A folder that is deleted with the last reference to it.
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
  /// A credential; by default with the ID that StoreCrasher uses.
  static func sample(_ token: String = "token-old", subject: String? = "ada") -> Credential {
    Credential(
      id: ID(
        issuer: URL(string: "https://crash.okta.example")!, clientID: "client", subject: subject),
      tokens: Tokens(accessToken: Secret(token)),
      receivedAt: Date(timeIntervalSince1970: 1_800_000_000))
  }
}

/// A file store in a temporary folder.
struct FileStoreSample {
  let parent: TemporaryFolder
  let store: FileCredentialStore
  var folder: String { store.folder }
  var file: String { "\(folder)/credentials/\(fileName)" }

  init(timeout: Duration = patience) throws {
    let parent = try TemporaryFolder()
    self.parent = parent
    // The folder must exist as long as the store.
    store = FileCredentialStore(folder: "\(parent.path)/idx-flow", timeout: timeout) { _ in
      withExtendedLifetime(parent) { nil }
    }
  }

  /// The name of the sample credential's file.
  var fileName: String { "\(Credential.sample().id.storageName).json" }

  /// Locks the sample credential and unlocks it again.
  func lock() async throws { try await store.withLock(on: Credential.sample().id) {} }

  /// The content of all files in the folder except the locks, by path; nil for folders.
  func contents() throws -> [String: Data?] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    let shown = names.filter { !$0.hasPrefix("locks") }
    return Dictionary(
      uniqueKeysWithValues: shown.map {
        ($0, try? Data(contentsOf: .init(filePath: folder + "/" + $0)))
      })
  }
}

/// Returns the store's error that a body throws; nil if it throws nothing.
func storeError(_ body: () async throws -> Void) async throws -> CredentialStoreError? {
  do {
    try await body()
    return nil
  } catch let error as CredentialStoreError {
    return error
  }
}

/// Expects that nothing that prints a value shows the token of a sample, or its bytes.
func expectNoToken(in value: Any, filePath: StaticString = #filePath, line: Int = #line) {
  let text = printedTexts(of: value)
  expect(!text.contains("token-"), "It shows the token.", filePath: filePath, line: line)
  expect(
    !text.contains("116, 111, 107, 101, 110"), "It shows the bytes of the token.",
    filePath: filePath, line: line)
}

/// A named pipe to which another process writes a line, for which a test can wait without blocking other
/// tests.
final class NamedPipe: Sendable {
  let path: String
  private let descriptor: Int32
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/pipe"
    guard mkfifo(path, 0o600) == 0 else { throw SystemFailure(call: "mkfifo", code: errno) }
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", code: errno) }
  }

  deinit { close(descriptor) }

  /// Waits for the line; returns whether it came within an hour.
  func waitForLine() async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "named-pipe").async { [self] in
        continuation.resume(
          with: Result { try Readiness.canRead(descriptor, within: 3_600_000) })
      }
    }
  }
}
