import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import idx_flow

/// Codes of TOTP keys that were used.
struct UsedCodesTests {
  private let home: TemporaryFolder
  private let clock = Locked(Date(timeIntervalSince1970: 1_000_000_010))
  private let pauses = Locked<[Duration]>([])
  private let notes = Locked<[String]>([])

  init() throws { home = try TemporaryFolder() }

  private func makeCodes(isDemo: Bool = false) throws -> UsedCodes {
    try UsedCodes(
      ["XDG_DATA_HOME": home.path("data")], isDemo: isDemo,
      now: { [clock] in clock.withLock { $0 } },
      sleep: { [clock, pauses] pause in
        pauses.withLock { $0.append(pause) }
        clock.withLock { $0 += Double(pause.components.seconds) }
      }, note: { [notes] note in notes.withLock { $0.append(note) } })
  }

  private static func key(_ text: String = "JBSWY3DPEHPK3PXP") throws -> TOTPGenerator {
    try require(TOTPGenerator(base32: Secret(text)))
  }

  /// The step of 1,000,000,010 s; it began 20 s ago.
  private static let step: UInt64 = 33_333_333

  @Test("A second sign-in within 30 s waits once for the next code, and says so")
  func waits() async throws {
    let key = try Self.key()
    try await expectEqual(makeCodes().code(of: key), key.code(counter: Self.step))
    expect(pauses.withLock { $0 } == [] && notes.withLock { $0 } == [])
    try await expectEqual(makeCodes().code(of: key), key.code(counter: Self.step + 1))
    expectEqual(pauses.withLock { $0 }, [.seconds(10)])
    expectEqual(notes.withLock { $0 }.first?.hasPrefix("Waiting 10 s for the next code"), true)
    // Another key has codes of its own.
    let other = try Self.key("GEZDGNBVGY3TQOJQ")
    try await expectEqual(makeCodes().code(of: other), other.code(counter: Self.step + 1))
    expectEqual(pauses.withLock { $0.count }, 1)
  }

  @Test("A demo writes no file, and waits only for a code that it has used itself")
  func demo() async throws {
    let key = try Self.key()
    try await expectEqual(makeCodes(isDemo: true).code(of: key), key.code(counter: Self.step))
    let codes = try makeCodes(isDemo: true)
    try await expectEqual(codes.code(of: key), key.code(counter: Self.step))
    expectEmpty(pauses.withLock { $0 })
    try await expectEqual(codes.code(of: key), key.code(counter: Self.step + 1))
    expectEqual(pauses.withLock { $0 }, [.seconds(10)])
    expect(!FileManager.default.fileExists(atPath: home.path("data")))
  }

  @Test("Several processes at once get different codes")
  func several() async throws {
    let key = try Self.key()
    let codes = try makeCodes()
    let taken = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<3 { group.addTask { try await codes.code(of: key) } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    expectEqual(taken, Set((0...2).map { key.code(counter: Self.step + $0) }))
  }

  @Test("After the clock was set back, nobody waits for long")
  func wrongClock() async throws {
    let key = try Self.key()
    clock.withLock { $0 += 86_400 }
    _ = try await makeCodes().code(of: key)
    clock.withLock { $0 -= 86_400 }
    try await expectEqual(makeCodes().code(of: key), key.code(counter: Self.step))
    expectEqual(pauses.withLock { $0 }, [])
  }

  @Test(
    "The file has neither the key nor a code, and a damaged one is no failure",
    .promise("used-codes"))
  func file() async throws {
    let key = try Self.key()
    _ = try await makeCodes().code(of: key)
    let path = home.path("data/idx-flow/used-codes.json")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    expect(!text.contains("JBSW") && !text.contains(key.code(counter: Self.step)))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    // The greatest number of a step has no next one.
    let last = text.replacing(/[0-9]{8}/, with: "\(UInt64.max)")
    for damaged in ["{", last] {
      try Data(damaged.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      try await expectEqual(makeCodes().code(of: key), key.code(counter: Self.step))
    }
  }
}
