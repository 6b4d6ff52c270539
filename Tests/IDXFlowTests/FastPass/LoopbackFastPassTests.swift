import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// How a challenge is passed to Okta Verify.
struct LoopbackFastPassTests {
  /// An org that waits for Okta Verify, and its challenge.
  private func challenge() async throws -> (org: SimulatedOrg, challenge: LoopbackChallenge) {
    let org = SimulatedOrg(OrgScenario["device-challenge"], seed: 1)
    let state = try await org.client.start(org.configuration)
    let challenge = try require(state.response.deviceChallenge)
    return (org, try LoopbackChallenge(challenge, issuer: org.issuer))
  }

  @Test("The first address that responds gets the challenge, with the org as its origin")
  func delivered() async throws {
    let (org, challenge) = try await challenge()
    let log = RequestLog(SimulatedOktaVerify(of: SimulatedUser.demo.login, at: org))
    try await expectEqual(provider(log).pass(challenge), .delivered)
    await expectEqual(
      log.requests.map { "\($0.method) \($0.url.absoluteString)" },
      [
        "GET http://localhost:2000/probe", "GET http://localhost:6511/probe",
        "POST http://localhost:6511/challenge",
      ])
    for request in await log.requests {
      expectEqual(request.headers["Origin"], "https://demo.okta.example")
    }
    let body = try await require(log.requests.last?.json)
    expectEqual(body, ["challengeRequest": .string(challenge.request.revealed)])
  }

  @Test(
    "Another profile is skipped, and an error ends the search",
    arguments: [
      ([2000: .isOtherProgram, 6511: .isOfOtherProfile, 6512: .answers], .delivered),
      ([2000: .isOfOtherProfile, 6512: .isOfOtherProfile], .unreachable), ([:], .unreachable),
      ([6511: .fails(status: 500), 6512: .answers], .refused(status: 500)),
      ([6511: .fails(status: 403), 6512: .answers], .refused(status: 403)),
    ] as [([Int: SimulatedOktaVerify.Reaction], FastPassResult)])
  func reactions(ports: [Int: SimulatedOktaVerify.Reaction], result: FastPassResult) async throws {
    let (org, challenge) = try await challenge()
    let okta = SimulatedOktaVerify(of: SimulatedUser.demo.login, at: org, ports: ports)
    try await expectEqual(provider(okta).pass(challenge), result)
  }

  @Test(
    "Okta Verify that does not answer in time has stopped, and no program holds a sign-in for longer than one",
    .promise("fastpass-delay"))
  func silence() async throws {
    let (org, challenge) = try await self.challenge()
    let login = SimulatedUser.demo.login
    let okta = SimulatedOktaVerify(of: login, at: org, ports: [6511: .isSilent])
    let limits = Locked<[Duration]>([])
    let provider = LoopbackFastPass(transport: okta) { limit in
      limits.withLock { $0.append(limit) }
      // Only the time for the answer passes.
      if limit == LoopbackChallenge.answerTimeout { return }
      try await never()
    }
    try await expectEqual(provider.pass(challenge), .refused(status: nil))
    expectEqual(limits.withLock { $0.last }, .seconds(300))
    let silent = LoopbackFastPass(transport: SilentTransport()) { limit in
      if limit == LoopbackChallenge.totalTimeout { try await never() }
    }
    try await expectEqual(silent.pass(challenge), .unreachable)

    let programs = SimulatedOktaVerify(
      of: login, at: org, ports: [6511: .isOfOtherProfile, 6512: .isSilent])
    let last = LoopbackFastPass(transport: programs) { limit in
      if limit != LoopbackChallenge.totalTimeout { try await never() }
    }
    try await expectEqual(last.pass(challenge), .refused(status: nil))
  }

  @Test("Canceling the task ends the wait")
  func cancel() async throws {
    let (org, challenge) = try await challenge()
    let login = SimulatedUser.demo.login
    let okta = SimulatedOktaVerify(of: login, at: org, ports: [6511: .isSilent])
    let log = RequestLog(okta)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let provider = LoopbackFastPass(transport: log) { limit in
      if limit == LoopbackChallenge.answerTimeout { begin.finish() }
      try await never()
    }
    let task = Task { try await provider.pass(challenge) }
    for await _ in begun {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A provider whose limits of time do not pass.
  private func provider(_ transport: any Transport) -> LoopbackFastPass {
    LoopbackFastPass(transport: transport) { _ in try await never() }
  }
}

/// Waits until the task is canceled.
private func never() async throws {
  let stream = AsyncStream<Void> { _ in }
  for await _ in stream {}
  throw CancellationError()
}

/// A transport that never responds.
private struct SilentTransport: Transport {
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await never()
    throw CancellationError()
  }
}
