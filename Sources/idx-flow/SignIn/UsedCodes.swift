import Foundation
import IDXBase
import IDXOAuth
import IDXStorage
import IDXSystem

/// The codes of TOTP keys that this program has sent, because a server accepts each only once (RFC 6238,
/// section 5.2).
///
/// The file `used-codes.json`, in the folder of credentials, has the number of the last time step for each key. The
/// key is not in it, but a SHA-256 of the key. A demo, whose org is new each time, needs no file.
struct UsedCodes: Sendable {
  /// The file, and what locks it; nil to remember the codes only as long as the program runs.
  private let file: (path: String, locks: FileCredentialStore)?
  private let remembered = Locked<[String: UInt64]>([:])
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void
  private let note: @Sendable (String) -> Void

  /// Throws if there is no folder of credentials, unless it is for a demo.
  ///
  /// `note` says why a code takes longer.
  init(
    _ environment: [String: String], isDemo: Bool = false,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    note: @escaping @Sendable (String) -> Void
  ) throws {
    if isDemo {
      file = nil
    } else {
      let folder = try CredentialStores.dataFolder(environment: environment)
      file = (folder + "/used-codes.json", FileCredentialStore(folder: folder))
    }
    (self.now, self.sleep, self.note) = (now, sleep, note)
  }

  /// The code of a time step that was not used before: of the current one, or else of the next, for which it waits.
  ///
  /// If the file cannot be read or written, it is the current code, which the server may refuse.
  func code(of key: TOTPGenerator) async throws -> String {
    let step = (try? await take(key)) ?? key.counter(at: now())
    let start = Date(timeIntervalSince1970: Double(step) * Double(key.period))
    let pause = start.timeIntervalSince(now())
    if pause > 0 {
      note(
        "Waiting \(Int(pause.rounded(.up))) s for the next code of the app: the current one was used, and a "
          + "server accepts each code once.")
      try await sleep(.milliseconds(Int((pause * 1000).rounded(.up))))
    }
    return key.code(counter: step)
  }

  /// Takes the first time step that is not used, so that no other process uses it.
  private func take(_ key: TOTPGenerator) async throws -> UInt64 {
    guard let file else { return remembered.withLock { take(key, from: &$0) } }
    return try await file.locks.withLock(on: Self.lock) {
      var steps = read(file.path)
      let step = take(key, from: &steps)
      try write(steps, to: file.path)
      return step
    }
  }

  /// Takes the first time step that is not used, and drops those that no longer matter.
  private func take(_ key: TOTPGenerator, from steps: inout [String: UInt64]) -> UInt64 {
    let name = key.digest
    let current = key.counter(at: now())
    let next = steps[name].map { $0 &+ 1 } ?? current
    // A step far ahead was used when the clock was wrong.
    let step = current < next && next <= current &+ Self.longestWait ? next : current
    steps[name] = step
    steps = steps.filter { $0.key == name || $0.value >= current - min(current, Self.longestWait) }
    return step
  }

  /// How many time steps a code is waited for.
  private static let longestWait: UInt64 = 2

  private func read(_ path: String) -> [String: UInt64] {
    let file = InputFile(path: path)
    guard !file.isMissing, !file.isSpecial, let data = try? file.readTrusted() else { return [:] }
    return (try? JSONDecoder().decode([String: UInt64].self, from: data)) ?? [:]
  }

  private func write(_ steps: [String: UInt64], to path: String) throws {
    try FileReplacement.replaceWithFolder(
      URL(fileURLWithPath: path), with: Array(try JSONEncoder().encode(steps)))
  }

  private static let lock = Credential.ID.lock(on: "the used codes")
}
