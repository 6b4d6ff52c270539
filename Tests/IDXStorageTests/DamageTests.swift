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

@Suite("FileCredentialStore with damaged and insecure files", .timeLimit(.minutes(10)))
struct DamageTests {
  /// A change of a file, and the error codes for it.
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let codes: Set<CredentialStoreError.Code>
    let make: @Sendable (String) throws -> Void

    init(
      _ name: String, _ codes: CredentialStoreError.Code...,
      make: @escaping @Sendable (String) throws -> Void
    ) {
      testDescription = name
      self.codes = Set(codes)
      self.make = make
    }

    /// A change of the content.
    static func bytes(
      _ name: String, _ code: CredentialStoreError.Code = .damaged,
      change: @escaping @Sendable (Data) -> Data
    ) -> Damage {
      Damage(name, code) { path in
        let bytes = try Data(contentsOf: URL(filePath: path))
        try change(bytes).write(to: URL(filePath: path))
      }
    }
  }

  static let contents: [Damage] = [
    .bytes("empty") { _ in Data() },
    .bytes("other JSON") { _ in Data(#"{"a":1}"#.utf8) },
    .bytes("a list") { _ in Data("[1]".utf8) },
    .bytes("not JSON") { _ in Data("hello".utf8) },
    .bytes("zeros") { Data(count: $0.count) },
    .bytes("deep JSON") { _ in Data(repeating: UInt8(ascii: "["), count: 100_000) },
    .bytes("one byte more") { $0 + Data("\n".utf8) },
    .bytes("the content without its checksum") { $0.dropFirst(11).prefix($0.count - 90) },
    .bytes("more than a megabyte") { $0 + Data(repeating: 0x20, count: 1 << 20) },
    .bytes("a newer version of the content", .newer) { _ in
      Data(try! ChecksummedEnvelope.encode(["version": 4]))
    },
    .bytes("a newer version of the envelope", .newer) { _ in Data(#"{"version":4,"box":"…"}"#.utf8)
    },
    .bytes("only a newer version number", .newer) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      return Data(text.replacing(#""version":1"#, with: #""version":9"#).utf8)
    },
    .bytes("version 0") { _ in Data(try! ChecksummedEnvelope.encode(["version": 0])) },
    .bytes("another ID") { _ in
      Data(try! ChecksummedEnvelope.encode(Credential.sample("token-other", subject: "grace")))
    },
  ]

  static let kinds: [Damage] = [
    Damage("a folder", .insecure) { path in
      unlink(path)
      mkdir(path, 0o700)
    },
    Damage("a link", .insecure) { path in
      rename(path, path + ".real")
      symlink(path + ".real", path)
    },
    Damage("a link to nothing", .insecure) { path in
      unlink(path)
      symlink("/nowhere/at/all", path)
    },
    Damage("a second hard link", .insecure) { path in link(path, path + ".second") },
    Damage("a pipe", .insecure) { path in
      unlink(path)
      mkfifo(path, 0o600)
    },
    Damage("a device", .insecure) { path in
      unlink(path)
      symlink("/dev/zero", path)
    },
    Damage("readable for all users", .insecure) { path in chmod(path, 0o644) },
    Damage("writable for the group", .insecure) { path in chmod(path, 0o620) },
  ]

  @Test(
    "A damaged file is reported and not changed; it can be removed and saved again",
    arguments: contents + kinds)
  func damaged(damage: Damage) async throws {
    let sample = try FileStoreSample()
    let other = Credential.sample("token-other", subject: "other")
    for credential in [Credential.sample(), other] { try await sample.store.save(credential) }
    try damage.make(sample.file)
    try await check(sample, damage, other: other)

    // A folder is not removed.
    guard damage.testDescription != "a folder" else { return }
    try await sample.store.remove(Credential.sample().id)
    try await expectEqual(sample.store.entries().map(\.credential), [other])
    try await sample.store.save(.sample("token-new"))
    try await expectEqual(sample.store.credential(Credential.sample().id), .sample("token-new"))
  }

  @Test("A file that is truncated, or has a changed bit in any byte, is reported and not changed")
  func changedBytes() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    let file = URL(filePath: sample.file)
    let whole = try Data(contentsOf: file)
    func code() async throws -> CredentialStoreError.Code? {
      try await storeError { _ = try await sample.store.credential(Credential.sample().id) }?.code
    }
    for index in whole.indices {
      try whole.prefix(index).write(to: file)
      try await expectEqual(code(), .damaged, "truncated at \(index)")
    }
    try await check(sample, Damage("truncated", .damaged) { _ in })
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1 << UInt8(index % 8)
      try changed.write(to: file)
      try await expectContains([.damaged, .newer], code(), "byte \(index)")
    }
    try await check(sample, Damage("changed", .damaged, .newer) { _ in })
  }

  @Test("A file of another owner is refused", .promise("token-files"), .enabled(if: geteuid() == 0))
  func otherOwner() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(.sample())
    try await check(sample, Damage("of another owner", .insecure) { chown($0, 12345, 12345) })
  }

  @Test(
    "A file `current` that cannot be read is not changed",
    arguments: contents.filter { $0.testDescription != "another ID" } + kinds)
  func current(damage: Damage) async throws {
    let sample = try FileStoreSample()
    let (store, id) = (sample.store, Credential.sample().id)
    try await store.save(.sample())
    try await store.makeCurrent(id)
    let path = "\(sample.folder)/current"
    try damage.make(path)
    let before = try sample.contents()
    for error in [
      try await storeError { _ = try await store.currentID() },
      try await storeError { try await store.makeCurrent(id) },
    ] {
      expectEqual(error.map { damage.codes.contains($0.code) }, true)
      expectEqual(error?.message.contains(path), true)
    }
    try expectEqual(sample.contents(), before)
    try await expect(store.credential(id) != nil)
    // It must not prevent signing out.
    try await store.remove(id)
    try await expectEmpty(store.entries())
  }

  /// Expects that all calls except `remove` report the damage and change nothing.
  private func check(
    _ sample: FileStoreSample, _ damage: Damage, other: Credential? = nil
  ) async throws {
    let (store, id) = (sample.store, Credential.sample().id)
    if other == nil { try damage.make(sample.file) }
    let before = try sample.contents()
    for error in [
      try await storeError { _ = try await store.credential(id) },
      try await storeError { try await store.save(.sample("token-new")) },
      try await storeError { try await store.makeCurrent(id) },
      try await store.entries().compactMap { entry -> CredentialStoreError? in
        if case .unreadable(let error) = entry { error } else { nil }
      }.first,
    ] {
      expectEqual(error.map { damage.codes.contains($0.code) }, true)
      expectEqual(error?.message.contains(sample.file), true)
      expectNoToken(in: error as Any)
    }
    try await expectNoToken(in: store.entries())
    try await expectEqual(store.entries().compactMap(\.credential), (other.map { [$0] } ?? []))
    try expectEqual(sample.contents(), before)
  }
}
