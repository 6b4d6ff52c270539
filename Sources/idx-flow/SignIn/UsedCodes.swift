import Foundation
import IDXBase
import IDXOAuth
import IDXStorage
import IDXSystem

/// The codes of TOTP keys that this program has sent, because a server accepts each only once (RFC 6238,
/// section 5.2).
///
/// The file `used-codes.json`, in the folder of credentials, has the number of the last time step for each key. The
/// key is not in it, but a SHA-256 of the key.
struct UsedCodes: Sendable {
  private let path: String
  private let locks: FileCredentialStore
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void
  private let note: @Sendable (String) -> Void

  /// Throws if there is no folder of credentials.
  ///
  /// `note` says why a code takes longer.
  init(
    _ environment: [String: String], now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    note: @escaping @Sendable (String) -> Void
  ) throws {
    let folder = try CredentialStores.dataFolder(environment: environment)
    path = folder + "/used-codes.json"
    locks = FileCredentialStore(folder: folder)
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
    try await locks.withLock(on: Self.lock) {
      let name = key.digest
      let current = key.counter(at: now())
      var steps = read()
      let next = steps[name].map { $0 + 1 } ?? current
      // A step far ahead was used when the clock was wrong.
      let step = current < next && next <= current + Self.longestWait ? next : current
      steps[name] = step
      try write(steps.filter { $0.key == name || $0.value + Self.longestWait >= current })
      return step
    }
  }

  /// How many time steps a code is waited for.
  private static let longestWait: UInt64 = 2

  private func read() -> [String: UInt64] {
    let file = InputFile(path: path)
    guard !file.isMissing, !file.isSpecial, let data = try? file.readTrusted() else { return [:] }
    return (try? JSONDecoder().decode([String: UInt64].self, from: data)) ?? [:]
  }

  private func write(_ steps: [String: UInt64]) throws {
    try DraftFile.replaceWithFolder(
      URL(fileURLWithPath: path), with: Array(try JSONEncoder().encode(steps)))
  }

  private static let lock = Credential.ID.lock(on: "the used codes")
}
