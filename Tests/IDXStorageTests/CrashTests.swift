import Expectations
import Foundation
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXStorage

/// Runs the program StoreCrasher, which is built together with the tests.
enum Crasher {
  static func run(_ arguments: [String]) async throws -> ExternalProgram.Exit {
    let program = try require(
      ExternalProgram(named: "StoreCrasher", environment: ["PATH": products]))
    return try await program.run(arguments)
  }

  /// The folder of the built programs.
  static var products: String {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0]))
      .deletingLastPathComponent().path
  }
}

@Suite("FileCredentialStore after a crash", .timeLimit(.minutes(10)))
struct CrashTests {
  private let old = Credential.sample("token-old")
  private let new = Credential.sample("token-new")
  private static let killed = 128 + SIGKILL

  @Test(
    "After a crash before any step of a save, the old or the new credential is complete",
    .promise("crash-draft"),
    arguments: FileStep.allCases.filter { $0 != .remove }, [true, false])
  func save(step: FileStep, isReplacing: Bool) async throws {
    let sample = try FileStoreSample()
    if isReplacing { try await sample.store.save(old) }
    let exit = try await Crasher.run(["save", sample.folder, "token-new", step.rawValue])
    expectEqual(exit.status, Self.killed)

    let isDone = step == .syncFolder
    let found = try await sample.store.credential(old.id)
    expectEqual(found, (isDone ? new : isReplacing ? old : nil))
    try await expectEqual(sample.store.entries().map(\.credential), (found.map { [$0] } ?? []))

    let next = Credential.sample("token-next")
    try await sample.store.save(next)
    try await expectEqual(sample.store.credential(old.id), next)
    try expectEqual(Set(sample.contents().keys), ["credentials", "credentials/\(sample.fileName)"])
  }

  @Test(
    "A sign-out, and the next change, remove what a crash left in a draft", .promise("crash-draft"))
  func removeAfterCrash() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(old)
    let exit = try await Crasher.run(["save", sample.folder, "token-new", "rename"])
    expectEqual(exit.status, Self.killed)
    try await sample.store.remove(old.id)
    try expectEqual(Set(sample.contents().keys), ["credentials"])
    let chosen = try FileStoreSample()
    // The ID of the credential that the program chooses.
    let saved = try await Crasher.run(["save", chosen.folder, "token", "none"])
    expectEqual(saved.status, 0)
    let choice = try await Crasher.run(["choose", chosen.folder, "rename"])
    expectEqual(choice.status, Self.killed)
    try expectEqual(chosen.contents().keys.count { $0.hasPrefix("new-") }, 1)
    try await chosen.store.save(old)
    try expectEqual(chosen.contents().keys.count { $0.hasPrefix("new-") }, 0)
  }

  @Test("A umask without any permission does not lock out the owner", .promise("file-modes"))
  func umask() async throws {
    let sample = try FileStoreSample()
    let shell = try require(ExternalProgram(named: "sh", environment: ["PATH": "/usr/bin:/bin"]))
    let crasher = "\(Crasher.products)/StoreCrasher"
    let exit = try await shell.run(
      ["-c", #"umask 777; exec "$@""#, "sh", crasher, "save", sample.folder, "token-new", "none"])
    expectEqual(exit.status, 0, "\(exit.errors)")
    for (path, mode) in [
      (sample.folder, 0o700), ("\(sample.folder)/credentials", 0o700), (sample.file, 0o600),
      ("\(sample.folder)/locks", 0o700), ("\(sample.folder)/locks/store.lock", 0o600),
    ] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      expectEqual(attributes[.posixPermissions] as? Int, mode)
    }
  }

  @Test("If a write is killed or reaches the file size limit, the old credential stays")
  func killedDuringWrite() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(old)
    let before = try sample.contents()
    let exit = try await Crasher.run(["killed", sample.folder, "20", "token-new"])
    expectEqual(exit.status, 128 + SIGXFSZ)
    let draft = try require(sample.contents().first { before[$0.key] == nil })
    expectEqual(draft.value?.count, 20)

    try await expectEqual(sample.store.credential(old.id), old)
    try await expectEqual(sample.store.entries().count, 1)
    try await sample.store.save(new)
    try expectEqual(Set(sample.contents().keys), Set(before.keys))
    let limited = try FileStoreSample()
    try await limited.store.save(old)
    let whole = try limited.contents()
    let refused = try await Crasher.run(["limited", limited.folder, "20", "token-new"])
    expectEqual(refused.status, 1)
    expectContains(refused.errors, limited.file)
    expectContains(
      refused.errors, "cannot be written: the file would be larger than the system allows")
    expect(!refused.errors.contains("token-new"))
    try expectEqual(limited.contents(), whole)
  }

  @Test(
    "After a crash before any step of a removal, no missing credential is the current one",
    arguments: 1...4)
  func remove(at count: Int) async throws {
    // Removing the current credential takes four steps: each of these two twice.
    let step: FileStep = count % 2 == 1 ? .remove : .syncFolder
    let sample = try FileStoreSample()
    try await sample.store.save(old)
    if count < 3 { try await sample.store.makeCurrent(old.id) }
    let exit = try await Crasher.run(["remove", sample.folder, step.rawValue])
    expectEqual(exit.status, Self.killed)

    let found = try await sample.store.credential(old.id)
    expectEqual(found, (count == 4 ? nil : old))
    try await expectEqual(sample.store.currentID(), (count == 1 ? old.id : nil))
    try await sample.store.remove(old.id)
    try await expectEmpty(sample.store.entries())
  }

  @Test(
    "After a crash during a change of the current credential, the old or the new one is current",
    arguments: FileStep.allCases.filter { $0 != .remove })
  func choose(step: FileStep) async throws {
    let sample = try FileStoreSample()
    let other = Credential.sample("token-other", subject: "grace")
    for credential in [old, other] { try await sample.store.save(credential) }
    try await sample.store.makeCurrent(other.id)
    let exit = try await Crasher.run(["choose", sample.folder, step.rawValue])
    expectEqual(exit.status, Self.killed)
    let isDone = step == .syncFolder
    try await expectEqual(sample.store.currentID(), (isDone ? old.id : other.id))
    try await sample.store.makeCurrent(old.id)
    try await expectEqual(sample.store.currentID(), old.id)
    try expectEqual(sample.contents().keys.count { !$0.contains("credentials") }, 1)
  }

  @Test("50 processes that increment a token under the lock lose no increment")
  func manyProcesses() async throws {
    let sample = try FileStoreSample()
    try await withThrowingTaskGroup(of: ExternalProgram.Exit.self) { group in
      for _ in 0..<50 {
        group.addTask { try await Crasher.run(["count", sample.folder, "4"]) }
      }
      for try await exit in group {
        expectEqual(exit.status, 0, "\(exit.errors)")
      }
    }
    let found = try await sample.store.credential(old.id)
    expectEqual(found?.tokens.accessToken.revealed, "200")
    try expectEqual(sample.contents().count, 2)
  }

  @Test("A lock that another process holds is busy, and ends with that process")
  func lockOfOtherProcess() async throws {
    let sample = try FileStoreSample(timeout: .milliseconds(20))
    let pipe = try NamedPipe()
    let holder = Task { try await Crasher.run(["hold", sample.folder, pipe.path]) }
    try await expect(pipe.waitForLine())
    let error = try await storeError { try await sample.lock() }
    expectEqual(error?.code, .busy)
    try await sample.store.save(new)

    holder.cancel()
    await #expect(throws: CancellationError.self) { try await holder.value }
    try await sample.lock()
  }
}

#if os(Linux)
  @Suite("FileCredentialStore on a full or read-only disk", .timeLimit(.minutes(10)))
  struct DiskTests {
    @Test(
      "A full or read-only disk is reported, and the old credential stays",
      .enabled("only root can mount a disk") { try await DiskTests.canMount() })
    func refused() async throws {
      let folder = try TemporaryFolder()
      let exit = try await Self.runIsolated(
        """
        mount -t tmpfs -o size=64k,mode=700 none "$1"
        store="$1/idx-flow"
        StoreCrasher save "$store" token-old none
        cat /dev/zero > "$1/filler" || true
        StoreCrasher save "$store" token-new none || true
        StoreCrasher show "$store"
        ls -A "$store/credentials"
        mount -o remount,ro "$1"
        StoreCrasher save "$store" token-new none || true
        StoreCrasher choose "$store" none || true
        StoreCrasher remove "$store" none || true
        StoreCrasher show "$store"
        """, folder.path)
      expectEqual(exit.status, 0)
      let lines = exit.output.split(separator: "\n")
      expectEqual(lines.count, 3)
      expect(lines.first == "token-old" && lines.last == "token-old")
      let errors = exit.errors.split(separator: "\n").filter { !$0.hasPrefix("cat:") }
      expectEqual(errors.count, 4)
      expectEqual(errors.first?.contains("cannot be written: the disk is full."), true)
      expect(errors.dropFirst().allSatisfy { $0.contains("the disk is read-only.") })
      expect(!exit.errors.contains("token-"))
    }

    private static func canMount() async throws -> Bool {
      guard geteuid() == 0 else { return false }
      return try await runIsolated("mount -t tmpfs none /mnt", "").status == 0
    }

    /// Runs a shell script in its own mount namespace.
    private static func runIsolated(
      _ script: String, _ folder: String
    ) async throws -> ExternalProgram.Exit {
      let path = "\(Crasher.products):/usr/sbin:/usr/bin:/sbin:/bin"
      let environment = ["PATH": path]
      let program =
        ExternalProgram(named: "unshare", environment: environment)
        ?? ExternalProgram(named: "false", environment: environment)
      return try await require(program).run(["-m", "sh", "-e", "-c", script, "sh", folder])
    }
  }
#endif
