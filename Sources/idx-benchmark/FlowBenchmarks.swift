import Foundation
import IDXFlow
import IDXOAuth
import IDXQRCode

/// The benchmarks of whole sign-ins, saved states, QR codes, ID tokens and PKCE.
struct FlowBenchmarks {
  let stopwatch: Stopwatch

  func measure() async throws -> [Measurement] {
    let recording = try await RecordedSignIn()
    let plain = try await RecordedSignIn(asksForIDToken: false)
    let saved = try await recording.stateBeforeCode()
    let encoded = try saved.snapshot()
    let (checkIDToken, verify) = try await recording.idTokenChecks()
    let uri = "otpauth://totp/demo.okta.example:ada%40example.com?secret=RJUSUKNADKLWSXRZ"
    return try await signIns([
      ("sign-ins, scopes openid profile,", recording), ("sign-ins without an ID token,", plain),
    ])
      + [Measurement("snapshot of a state", [Double(encoded.count)], unit: "bytes")]
      + stopwatch.measurements(of: [
        Stopwatch.Work(name: "snapshot a state") { _ = try saved.snapshot() },
        Stopwatch.Work(name: "resume from a snapshot") {
          _ = try FlowState(snapshot: encoded, for: saved.configuration)
        },
        Stopwatch.Work(name: "QR code of an otpauth URI") { _ = try QRCode(uri) },
        Stopwatch.Work(name: "PKCE verifier and challenge") { _ = PKCE().challenge },
      ])
      + idTokens([
        Stopwatch.Work(name: "ID token, RS256 alone") { try verify() },
        Stopwatch.Work(name: "ID token, checked") { try checkIDToken() },
      ])
  }

  private func idTokens(_ works: [Stopwatch.Work]) async throws -> [Measurement] {
    let measured = try await stopwatch.measurements(of: works)
    guard let yardstick = OpenSSLSpeed.verification() else { return measured }
    return [yardstick] + measured.map { $0.compared(with: yardstick) }
  }

  private func signIns(
    _ recordings: [(name: String, recording: RecordedSignIn)]
  ) async throws -> [Measurement] {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let works = recordings.flatMap { name, recording in
      [
        Stopwatch.Work(name: "\(name) on one core", count: 50) {
          for _ in 0..<50 { try await recording.signIn() }
        },
        Stopwatch.Work(name: "\(name) on all cores", count: 50 * cores) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<cores {
              group.addTask { for _ in 0..<50 { try await recording.signIn() } }
            }
            try await group.waitForAll()
          }
        },
      ]
    }
    var measured = zip(works, try await stopwatch.seconds(of: works)).map { work, seconds in
      Measurement(work.name, seconds.map { 1 / $0 }, unit: "a second")
    }
    // On one core, and on all: the second recording is the yardstick of the first.
    for index in 0...1 { measured[index] = measured[index].compared(with: measured[index + 2]) }
    return measured
  }
}
