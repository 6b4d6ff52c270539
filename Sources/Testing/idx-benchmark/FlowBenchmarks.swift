import Foundation
import IDXBase
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
    let uri = "otpauth://totp/demo.okta.example:ada%40example.com?secret=RJUSUKNADKLWSXRZ"
    return try await signIns([
      ("sign-ins with an ID token, issuer's keys cached", recording),
      ("sign-ins without an ID token", plain),
    ])
      + [Measurement("snapshot of a state", [Double(encoded.count)], unit: "bytes")]
      + stopwatch.measurements(of: [
        Stopwatch.Work(name: "snapshot a state") { _ = try saved.snapshot() },
        Stopwatch.Work(name: "resume from a snapshot, configuration parsed before") {
          _ = try FlowState(snapshot: encoded, for: saved.configuration)
        },
        Stopwatch.Work(name: "QR code of an otpauth URI") { _ = try QRCode(uri) },
        Stopwatch.Work(name: "PKCE verifier and challenge") { _ = PKCE().challenge },
      ])
      + idTokens(try await recording.idTokenChecks()) + proofs()
  }

  /// Proofs of a key, which requests with a bound token have.
  private func proofs() async throws -> [Measurement] {
    let key = DPoPKey.software()
    let address = "https://api.okta.example/orders"
    let credential = Credential(
      id: Credential.ID(issuer: try url(address), clientID: "app", subject: nil),
      tokens: Tokens(accessToken: Secret(RandomBytes.system.token()), tokenType: "DPoP", key: key),
      receivedAt: Date())
    let request = TransportRequest(url: try url(address))
    // As long as what a proof signs.
    let message = [UInt8](repeating: 0x61, count: 400)
    var works = [
      Stopwatch.Work(name: "ES256") { _ = try key.signature(of: message) },
      Stopwatch.Work(name: "proof for a request (DPoP), with its signature") {
        _ = try credential.headers(for: request)
      },
    ]
    guard let openSSL = OpenSSLSigner() else { return try await stopwatch.measurements(of: works) }
    works.insert(
      Stopwatch.Work(name: "ES256 by OpenSSL") {
        guard openSSL.signs(message) else {
          throw BenchmarkError(description: "OpenSSL does not sign.", exitStatus: 1)
        }
      }, at: 0)
    let measured = try await stopwatch.measurements(of: works)
    return [measured[0]] + measured.dropFirst().map { $0.compared(with: measured[0]) }
  }

  private func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else {
      throw BenchmarkError(description: "\(text) is not an address.", exitStatus: 1)
    }
    return url
  }

  private func idTokens(_ checks: RecordedSignIn.IDTokenChecks) async throws -> [Measurement] {
    var works = [
      Stopwatch.Work(name: "RS256, token and key parsed before", pass: checks.signature),
      Stopwatch.Work(name: "ID token parsed and checked, key parsed before", pass: checks.all),
    ]
    guard let openSSL = checks.openSSL else { return try await stopwatch.measurements(of: works) }
    works.insert(Stopwatch.Work(name: "RS256 by OpenSSL, key parsed before", pass: openSSL), at: 0)
    let measured = try await stopwatch.measurements(of: works)
    return [measured[0]] + measured.dropFirst().map { $0.compared(with: measured[0]) }
  }

  private func signIns(
    _ recordings: [(name: String, recording: RecordedSignIn)]
  ) async throws -> [Measurement] {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let works = recordings.flatMap { name, recording in
      [
        Stopwatch.Work(name: "\(name), on one core", count: 50) {
          for _ in 0..<50 { try await recording.signIn() }
        },
        Stopwatch.Work(name: "\(name), on all cores", count: 50 * cores, clock: .real) {
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
      Measurement(
        work.name, seconds.map { 1 / $0 }, unit: work.clock == .real ? "a second" : "a CPU second")
    }
    // On one core, and on all: the second recording is the reference of the first.
    for index in 0...1 { measured[index] = measured[index].compared(with: measured[index + 2]) }
    return measured
  }
}
