import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXQRCode

/// The benchmarks of whole sign-ins, saved states, QR codes, ID tokens and PKCE.
struct FlowBenchmarks {
  private let recording: RecordedSignIn
  private let withoutIDToken: RecordedSignIn
  private let saved: FlowState

  /// Records the sign-ins that are played back.
  static func make() async throws -> FlowBenchmarks {
    let recording = try await RecordedSignIn.make()
    return FlowBenchmarks(
      recording: recording,
      withoutIDToken: try await RecordedSignIn.make(asksForIDToken: false),
      saved: try await LiveMemory.state(of: recording, with: recording.client))
  }

  func measure(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let saved = saved
    let encoded = try JSONEncoder().encode(saved)
    let checkIDToken = try await recording.idTokenCheck()
    let uri = "otpauth://totp/demo.okta.example:ada%40example.com?secret=RJUSUKNADKLWSXRZ"
    let sized = [Measurement("snapshot of a state", [Double(encoded.count)], unit: "bytes")]
    return try await signIns(by: stopwatch) + interleaved(by: stopwatch) + sized
      + times(
        of: [
          Stopwatch.Work("snapshot a state") { _ = try JSONEncoder().encode(saved) },
          Stopwatch.Work("resume from a snapshot") {
            _ = try JSONDecoder().decode(FlowState.self, from: encoded)
          },
          Stopwatch.Work("QR code of an otpauth URI") { _ = try QRCode(uri) },
          Stopwatch.Work("ID token with RS256, checked") { try checkIDToken() },
          Stopwatch.Work("PKCE verifier and challenge") { _ = PKCE().challenge },
        ], by: stopwatch)
  }

  private func signIns(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let (recording, plain) = (recording, withoutIDToken)
    let (client, plainClient) = (recording.client, plain.client)
    let works = [
      Stopwatch.Work("sign-ins on one core", count: 50) {
        for _ in 0..<50 { try await plain.signIn(with: plainClient) }
      },
      Stopwatch.Work("sign-ins on all cores", count: 50 * cores) {
        try await Self.onAll(cores) { try await plain.signIn(with: plainClient) }
      },
      Stopwatch.Work("sign-ins with an ID token, on one core", count: 50) {
        for _ in 0..<50 { try await recording.signIn(with: client) }
      },
      Stopwatch.Work("sign-ins with an ID token, on all cores", count: 50 * cores) {
        try await Self.onAll(cores) { try await recording.signIn(with: client) }
      },
    ]
    let seconds = try await stopwatch.seconds(of: works)
    return zip(works, seconds).map { work, seconds in
      Measurement(work.name, seconds.map { 1 / $0 }, unit: "a second")
    }
  }

  private static func onAll(
    _ cores: Int, _ signIn: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<cores {
        group.addTask { for _ in 0..<50 { try await signIn() } }
      }
      try await group.waitForAll()
    }
  }

  /// Runs many sign-ins at once, one step of each in turn.
  private func interleaved(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let count = 10_000
    let recording = withoutIDToken
    let client = recording.client
    let work = Stopwatch.Work("a step of 10,000 interleaved sign-ins", count: count * 4) {
      var states: [FlowState] = []
      for _ in 0..<count { states.append(try await client.start(recording.configuration)) }
      for (name, answers) in recording.answers {
        for index in states.indices {
          states[index] = try await client.proceed(name, answers, from: states[index])
        }
      }
    }
    return try await times(of: [work], by: stopwatch)
  }

  private func times(
    of works: [Stopwatch.Work], by stopwatch: Stopwatch
  ) async throws -> [Measurement] {
    zip(works, try await stopwatch.seconds(of: works)).map { work, seconds in
      Measurement(work.name, seconds.map { $0 * 1e6 }, unit: "µs")
    }
  }
}
