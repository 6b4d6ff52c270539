import Foundation
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXStorage

/// Runs StoreCrasher, which is built beside the tests.
enum Crasher {
  static func run(_ arguments: [String]) async throws -> ExternalProgram.Outcome {
    let program = try #require(
      ExternalProgram(named: "StoreCrasher", environment: ["PATH": products]))
    return try await program.run(arguments)
  }

  static var products: String {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0]))
      .deletingLastPathComponent().path
  }
}

@Suite("A store of files whose process dies", .timeLimit(.minutes(5)))
struct CrashTests {
  private let old = Credential.sample("token-old")
  private let new = Credential.sample("token-new")
  private static let killed = 128 + SIGKILL

  @Test(
    "A crash before any step of a save leaves the old credential or the new one, whole",
    arguments: FileStep.allCases.filter { $0 != .remove }, [true, false])
  func save(step: FileStep, isReplacing: Bool) async throws {
    let sample = try FileStoreSample()
    if isReplacing { try await sample.store.save(old) }
    let outcome = try await Crasher.run(["save", sample.folder, "token-new", step.rawValue])
    #expect(outcome.status == Self.killed)

    let isDone = step == .syncFolder
    let found = try await sample.store.credential(old.id)
    #expect(found == (isDone ? new : isReplacing ? old : nil))
    #expect(try await sample.store.entries().map(\.credential) == (found.map { [$0] } ?? []))

    let next = Credential.sample("token-next")
    try await sample.store.save(next)
    #expect(try await sample.store.credential(old.id) == next)
    #expect(try Set(sample.contents().keys) == ["credentials", "credentials/\(sample.name)"])
  }

  @Test("A save that the system ends in the middle of a write leaves the old credential")
  func cutShort() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(old)
    let before = try sample.contents()
    let outcome = try await Crasher.run(["cut", sample.folder, "20", "token-new"])
    #expect(outcome.status == 128 + SIGXFSZ)
    let draft = try #require(try sample.contents().first { before[$0.key] == nil })
    #expect(draft.value?.count == 20)

    #expect(try await sample.store.credential(old.id) == old)
    #expect(try await sample.store.entries().count == 1)
    try await sample.store.save(new)
    #expect(try Set(sample.contents().keys) == Set(before.keys))
  }

  @Test("Where no room is left, a save says so and leaves the old credential and nothing else")
  func noRoom() async throws {
    let sample = try FileStoreSample()
    try await sample.store.save(old)
    let before = try sample.contents()
    let outcome = try await Crasher.run(["short", sample.folder, "20", "token-new"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(sample.file))
    #expect(outcome.errors.contains("cannot be written: no file may be as large here"))
    #expect(!outcome.errors.contains("token-new"))
    #expect(try sample.contents() == before)
  }

  @Test(
    "A crash before any step of a removal leaves none that is current and not there",
    arguments: 1...4)
  func remove(at count: Int) async throws {
    // Removing the current one takes four steps; they have the names of two.
    let step: FileStep = count % 2 == 1 ? .remove : .syncFolder
    let sample = try FileStoreSample()
    try await sample.store.save(old)
    if count < 3 { try await sample.store.makeCurrent(old.id) }
    let outcome = try await Crasher.run(["remove", sample.folder, step.rawValue])
    #expect(outcome.status == Self.killed)

    let found = try await sample.store.credential(old.id)
    #expect(found == (count == 4 ? nil : old))
    #expect(try await sample.store.currentID() == (count == 1 ? old.id : nil))
    try await sample.store.remove(old.id)
    #expect(try await sample.store.entries().isEmpty)
  }

  @Test(
    "A crash as another becomes the current one leaves the one or the other",
    arguments: FileStep.allCases.filter { $0 != .remove })
  func choose(step: FileStep) async throws {
    let sample = try FileStoreSample()
    let other = Credential.sample("token-other", subject: "grace")
    for credential in [old, other] { try await sample.store.save(credential) }
    try await sample.store.makeCurrent(other.id)
    let outcome = try await Crasher.run(["choose", sample.folder, step.rawValue])
    #expect(outcome.status == Self.killed)
    let isDone = step == .syncFolder
    #expect(try await sample.store.currentID() == (isDone ? old.id : other.id))
    try await sample.store.makeCurrent(old.id)
    #expect(try await sample.store.currentID() == old.id)
    #expect(try sample.contents().keys.count { !$0.contains("credentials") } == 1)
  }

  @Test("50 processes that each add one to a credential under its lock lose none")
  func manyProcesses() async throws {
    let sample = try FileStoreSample()
    try await withThrowingTaskGroup(of: ExternalProgram.Outcome.self) { group in
      for _ in 0..<50 {
        group.addTask { try await Crasher.run(["count", sample.folder, "4"]) }
      }
      for try await outcome in group {
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
    }
    let found = try await sample.store.credential(old.id)
    #expect(found?.tokens.accessToken.revealed == "200")
    #expect(try sample.contents().count == 2)
  }

  @Test("Another process that has the lock keeps others out, and its death lets them in")
  func heldElsewhere() async throws {
    let sample = try FileStoreSample(timeout: .milliseconds(20))
    let isHeld = try Announcement()
    let holder = Task { try await Crasher.run(["hold", sample.folder, isHeld.path]) }
    #expect(try await isHeld.wait())
    let error = try await storeError { try await sample.lock() }
    #expect(error?.code == .busy)
    try await sample.store.save(new)

    holder.cancel()
    await #expect(throws: CancellationError.self) { try await holder.value }
    try await sample.lock()
  }
}

extension FileStoreSample {
  var name: String { "\(Credential.sample().id.storageName).json" }
  func lock() async throws { try await store.withLock(on: Credential.sample().id) {} }
}
