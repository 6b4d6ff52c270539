import Expectations
import Foundation
import IDXOAuth
import Testing

@testable import IDXStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("FileCredentialStore", .timeLimit(.minutes(10)))
struct FileStoreTests {
  @Test(
    "Only the owner can access folders, new parents and files, and their names contain no ID",
    .promise("token-files"))
  func modes() async throws {
    let parent = try TemporaryFolder()
    let store = FileCredentialStore(folder: "\(parent.path)/a/b/idx-flow")
    try await store.save(.sample())
    try await store.makeCurrent(Credential.sample().id)
    try await store.withLock(on: Credential.sample().id) {}
    let names = try FileManager.default.subpathsOfDirectory(atPath: parent.path)
    expectEqual(names.count, 9)
    for name in names {
      var status = stat()
      expectEqual(lstat("\(parent.path)/\(name)", &status), 0)
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      expectEqual(status.st_mode & 0o7777, (isFolder ? 0o700 : 0o600), "\(name)")
      expect(!name.contains("ada") && !name.contains("client") && !name.contains("token"))
    }
  }

  @Test("A credential that is too large to be read again is not written")
  func tooLarge() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    let large = Credential.sample(String(repeating: "t", count: StoredFile.limit))
    let error = try await storeError { try await sample.store.save(large) }
    expectEqual(error?.code, .notWritable)
    expectEqual(error?.message.contains("too large"), true)
    try await expectEqual(sample.store.credential(large.id), .sample())
    let fitting = Credential.sample(String(repeating: "t", count: StoredFile.limit - 1000))
    try await sample.store.save(fitting)
    try await expectEqual(sample.store.credential(large.id), fitting)
  }

  @Test("Reading and removing create no folder")
  func noFolderCreated() async throws {
    let sample = try FileStoreSample()
    try await expectEmpty(sample.store.entries())
    try await expectEqual(sample.store.credential(Credential.sample().id), nil)
    try await expectEqual(sample.store.currentID(), nil)
    try await sample.store.remove(Credential.sample().id)
    let error = try await storeError { try await sample.store.makeCurrent(Credential.sample().id) }
    expectEqual(error?.code, .notFound)
    expect(!FileManager.default.fileExists(atPath: sample.folder))
  }

  @Test(
    "Folders that other users can access are refused, with a command to fix them",
    .promise("token-files"))
  func accessibleFolders() async throws {
    for name in ["", "/credentials", "/locks"] {
      let sample = try FileStoreSample()
      try await sample.store.save(.sample())
      let path = sample.folder + name
      expectEqual(chmod(path, 0o750), 0)
      let error = try await storeError { try await sample.store.save(.sample("token-new")) }
      expectEqual(error?.code, .insecure)
      expectEqual(
        error?.message, "Other users can access the folder \(path). Run: chmod 700 \(path)")
      expectEqual(chmod(path, 0o700), 0)
      try await expectEqual(sample.store.credential(Credential.sample().id), .sample())
      try await sample.store.save(.sample("token-new"))
    }
  }

  @Test(
    "A folder that is a link or a file is refused; its parent may be a link",
    .promise("token-files"))
  func linkedFolders() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    let link = "\(sample.parent.path)/link"
    expectEqual(symlink(sample.folder, link), 0)
    let id = Credential.sample().id
    for folder in [link, link + "/", sample.file] {
      let store = FileCredentialStore(folder: folder)
      for error in [
        try await storeError { _ = try await store.entries() },
        try await storeError { _ = try await store.credential(id) },
        try await storeError { try await store.save(.sample("token-new")) },
        try await storeError { try await store.withLock(on: id) {} },
      ] { expectEqual(error?.code, .insecure, "\(folder)") }
    }
    let parentLink = "\(sample.parent.path)-link"
    expectEqual(symlink(sample.parent.path, parentLink), 0)
    defer { unlink(parentLink) }
    let store = FileCredentialStore(folder: "\(parentLink)/idx-flow")
    try await expectEqual(store.credential(id), .sample())
  }

  @Test("A folder of another owner is refused", .enabled(if: geteuid() == 0))
  func otherOwner() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    expectEqual(chown(sample.folder, 12345, 12345), 0)
    let error = try await storeError { _ = try await sample.store.entries() }
    expectEqual(error?.code, .insecure)
    expectEqual(error?.message.contains("belongs to another user"), true)
  }

  @Test(
    "A failed step is reported with its reason, and the old credential stays",
    arguments: FileStep.allCases.filter { $0 != .syncFolder },
    [
      (ENOSPC, "the disk is full. Free some space"), (EDQUOT, "your disk quota is used up"),
      (EROFS, "read-only. Choose another folder"), (EACCES, "permission denied"),
      (EIO, "input/output error"),
    ])
  func failures(step: FileStep, failure: (code: Int32, text: String)) async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    let before = try sample.contents()
    let failing = FileCredentialStore(folder: sample.folder) { $0 == step ? failure.code : nil }
    let id = Credential.sample().id
    let changes: [() async throws -> Void] =
      step == .remove
      ? [{ try await failing.remove(id) }]
      : [{ try await failing.save(.sample("token-new")) }, { try await failing.makeCurrent(id) }]
    for body in changes {
      let error = try await storeError(body)
      expectEqual(error?.code, .notWritable)
      expectEqual(error?.systemCode, failure.code)
      expectEqual(error?.message.contains(failure.text), true, "\(String(describing: error))")
      expectNoToken(in: error as Any)
    }
    try expectEqual(sample.contents(), before)
  }

  @Test(
    "A read-only folder is reported, and its credentials can be read",
    .enabled(if: geteuid() != 0, "root can write everywhere"))
  func readOnlyFolder() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    let credentials = "\(sample.folder)/credentials"
    expectEqual(chmod(credentials, 0o500), 0)
    defer { chmod(credentials, 0o700) }
    let error = try await storeError { try await sample.store.save(.sample("token-new")) }
    expectEqual(error?.code, .notWritable)
    expectEqual(error?.systemCode, EACCES)
    try await expectEqual(sample.store.credential(Credential.sample().id), .sample())
  }

  @Test(
    "A folder that cannot be created is reported",
    arguments: ["/proc/idx-flow", "/dev/null/idx-flow"])
  func impossibleFolder(folder: String) async throws {
    let store = FileCredentialStore(folder: folder)
    let error = try await storeError { try await store.save(.sample()) }
    expectEqual(error?.message.contains(folder), true)
    expect(error?.code == .notWritable || error?.code == .insecure)
  }

  @Test("Other files in the folder are not changed")
  func foreignFiles() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    let foreign = "\(sample.folder)/credentials/notes.txt"
    try Data("mine".utf8).write(to: URL(filePath: foreign))
    try await sample.store.save(.sample("token-new"))
    try await expectEqual(sample.store.entries().count, 1)
    try expectEqual(Data(contentsOf: URL(filePath: foreign)), Data("mine".utf8))
  }

  @Test("A missing credential is not the current one")
  func currentWithoutCredential() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    try await sample.store.makeCurrent(Credential.sample().id)
    expectEqual(unlink(sample.file), 0)
    try await expectEqual(sample.store.currentID(), nil)
  }
}
