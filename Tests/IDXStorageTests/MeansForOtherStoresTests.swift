import Expectations
import Foundation
import IDXOAuth
// Without @testable: another package has only these means.
import IDXStorage
import Testing

@Suite("The means for stores of others", .timeLimit(.minutes(10)))
struct MeansForOtherStoresTests {
  /// What the first version of the format saved for the sample credential.
  private static let saved = """
    {"content":{"clientID":"client","issuer":"https://crash.okta.example","receivedAt":1800000000,\
    "subject":"ada","tokens":{"access_token":"token-old","token_type":"Bearer"},"version":1},\
    "sha256":"3cf8f9ed7923f7ea5bbd631b18de18b51139276c7891d809a39ab0cc268f58cd"}

    """
  /// The same for the current credential.
  private static let current = """
    {"content":{"id":{"clientID":"client","issuer":"https://crash.okta.example","subject":"ada"},\
    "version":1},"sha256":"96aaf365118f78116d814720443188ad829d8bb19db4f2c7e5221dc04be7e3cb"}

    """
  private static let name = "f95ca5fb6429f0e3040975d1f0584e671119b87a2ab227c3e0054ac9634de683"

  @Test("A folder of an earlier version is read, and written with the same bytes")
  func earlierVersion() async throws {
    let sample = try FileStoreSample()
    let file = "\(sample.folder)/credentials/\(Self.name).json"
    try FileManager.default.createDirectory(
      atPath: "\(sample.folder)/credentials", withIntermediateDirectories: true)
    for (path, text) in [file: Self.saved, "\(sample.folder)/current": Self.current] {
      _ = FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    }
    for folder in [sample.folder, "\(sample.folder)/credentials"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    }
    try await expectEqual(sample.store.entries().compactMap(\.credential), [.sample()])
    try await expectEqual(sample.store.currentID(), Credential.sample().id)
    let before = try sample.contents()
    try await sample.store.save(.sample())
    try await sample.store.makeCurrent(Credential.sample().id)
    try expectEqual(sample.contents(), before)
  }

  @Test(
    "The envelope and the name of a credential are those of the file store, and an invalid date is refused"
  )
  func sameFormat() throws {
    let credential = Credential.sample()
    expectEqual(credential.id.storageName, Self.name)
    let bytes = try ChecksummedEnvelope.encode(credential)
    expectEqual(String(decoding: bytes, as: UTF8.self), Self.saved)
    try expectEqual(
      ChecksummedEnvelope.decode(Credential.self, from: bytes, at: "the row 7"), credential)
    let old = Credential.sample()
    let invalid = Credential(
      id: old.id, tokens: old.tokens, receivedAt: Date(timeIntervalSince1970: .nan))
    #expect(throws: CredentialStoreError.self) { try ChecksummedEnvelope.encode(invalid) }
  }

  @Test(
    "A value without a version is read as it was encoded; a changed one is damaged, and one of a newer version newer"
  )
  func ownValues() async throws {
    let ids = [Credential.sample().id, Credential.sample(subject: nil).id]
    let bytes = try ChecksummedEnvelope.encode(ids)
    try expectEqual(
      ChecksummedEnvelope.decode([Credential.ID].self, from: bytes, at: "the list"), ids)
    for changed in [
      [], Array(bytes.dropLast()), bytes + [0x0A], bytes.map { $0 == 0x61 ? 0x62 : $0 },
    ] {
      let error = try await storeError {
        _ = try ChecksummedEnvelope.decode([Credential.ID].self, from: changed, at: "the list")
      }
      expectEqual(error, .damaged("the list"))
    }
    for text in [
      Self.saved.replacing(#""version":1"#, with: #""version":4"#), #"{"version":4,"box":"…"}"#,
    ] {
      let error = try await storeError {
        _ = try ChecksummedEnvelope.decode(
          Credential.self, from: Array(text.utf8), at: "the row 7")
      }
      expectEqual(error?.code, .newer)
      expectContains(error?.message ?? "", "the row 7")
    }
  }

  @Test(
    "Locks exclude the same ID only, also in other stores, in a folder that only the owner can access"
  )
  func locks() async throws {
    let sample = try FileStoreSample()
    let (id, other) = (Credential.sample().id, Credential.sample(subject: "grace").id)
    let locks = CredentialLocks(folder: "\(sample.folder)/locks", timeout: .zero)
    try await sample.store.withLock(on: id) {
      let error = try await storeError { try await locks.withLock(on: id) {} }
      expectEqual(error?.code, .busy)
      try await expectEqual(locks.withLock(on: other) { 7 }, 7)
      try await expectEqual(locks.withStoreLock { 8 }, 8)
    }
    try await locks.withLock(on: id) {
      try await locks.withStoreLock {
        let error = try await storeError { try await locks.withStoreLock {} }
        expectEqual(error?.code, .busy)
      }
    }
    let parent = try TemporaryFolder()
    let open = CredentialLocks(folder: parent.path)
    let insecure = try await storeError { try await open.withStoreLock {} }
    expectEqual(insecure?.code, .insecure)
  }

  @Test("A change finishes even if its task is cancelled, and a wait for a lock does not")
  func cancellation() async throws {
    let sample = try FileStoreSample()
    let locks = CredentialLocks(folder: "\(sample.folder)/locks", timeout: patience)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let isCancelled = try await locks.withStoreLock { Task.isCancelled }
      expect(!isCancelled)
      await #expect(throws: CancellationError.self) {
        try await locks.withLock(on: Credential.sample().id) { Issue.record("It has the lock.") }
      }
    }
    try await task.value
  }
}
