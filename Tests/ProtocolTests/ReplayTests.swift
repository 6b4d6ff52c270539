import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXRecording
import IDXSimulatedOrg
import IDXTesting
import Testing

/// A recording is played again.
struct ReplayTests {
  @Test(
    "A request that differs is named, with its exchange, and so are another choice and another host"
  )
  func changed() async throws {
    let recording = try await RecordedPlay(Self.password).recording
    let changes: [(ending: String, message: String, change: @Sendable (String) -> String)] = [
      (
        "/identify", "“other” is not a field",
        { "{\"other\":1," + $0.dropFirst() }
      ),
      (
        "/identify", "“stateHandle” is fixed",
        { $0.replacing("\"stateHandle\":\"", with: "\"stateHandle\":\"x") }
      ),
      (
        "/identify", "“identifier” is missing",
        { $0.replacing("\"identifier\"", with: "\"rememberMe\"") }
      ),
      (
        "/token", "verifier does not fit",
        { $0.replacing("code_verifier=", with: "code_verifier=x") }
      ),
      (
        "/interact", "“client_id” is not the value",
        { $0.replacing("client_id=", with: "client_id=x") }
      ),
    ]
    for (ending, message, change) in changes {
      let replay = try ReplayTransport(recording)
      let changing = ChangingTransport(other: replay, ending: ending, change: change)
      _ = try? await replay.run(OrgScenario["password"], over: changing)
      let error = await #expect(throws: RecordingError.self) { try await replay.finish() }
      expectEqual(error?.exchange, try recording.number(of: ending))
      expectEqual(error?.message.contains(message), true, "\(error.debugDescription)")
    }
    let test = ScenarioCase(signInProtocol: .idx, scenario: .demo)
    let longer = try await RecordedPlay(test).recording
    let index = try require(
      longer.exchanges.firstIndex { $0.request.url.path.hasSuffix("/credential/enroll") })
    var other = longer
    other.exchanges[index].request.body = Array(
      String(decoding: other.exchanges[index].request.body, as: UTF8.self)
        .replacing("\"id\":\"", with: "\"id\":\"x").utf8)
    var elsewhere = longer
    let url = try require(URL(string: "https://evil.example/idp/idx/credential/enroll"))
    elsewhere.exchanges[index].request.url = url
    for (recording, message) in [(other, "another choice"), (elsewhere, "evil.example")] {
      let replay = try ReplayTransport(recording)
      _ = try? await replay.run(test.scenario)
      let error = await #expect(throws: RecordingError.self) { try await replay.finish() }
      expectEqual(error?.exchange, index + 1)
      expectEqual(error?.message.contains(message), true)
    }
  }

  @Test("A recording without a request of a sign-in cannot be played")
  func onlyKeys() async throws {
    var recording = try await RecordedPlay(Self.password).recording
    recording.exchanges = recording.exchanges.filter { $0.request.method == "GET" }
    expect(!recording.exchanges.isEmpty)
    #expect(throws: RecordingError.self) { try ReplayTransport(recording) }
  }

  @Test("A client that stops early is noticed")
  func early() async throws {
    let recording = try await RecordedPlay(Self.password).recording
    let replay = try ReplayTransport(recording)
    _ = try await replay.client.start(replay.configuration)
    let error = await #expect(throws: RecordingError.self) { try await replay.finish() }
    expectEqual(error?.exchange, try recording.number(of: "/identify"))
  }

  @Test("A failure of the network is played too")
  func failure() async throws {
    var recording = try await RecordedPlay(Self.password).recording
    recording.exchanges[0].result = .failure(
      .init(.timedOut, mayHaveArrived: true))
    let replay = try ReplayTransport(recording)
    let error = await #expect(throws: FlowError.self) {
      try await replay.client.start(replay.configuration)
    }
    expectEqual((error?.underlying as? TransportError)?.code, .timedOut)
  }

  private static let password = ScenarioCase(
    signInProtocol: .idx, scenario: OrgScenario["password"])
}

extension Recording {
  /// The number of the first exchange with a path that ends so; keys are fetched at any time, so it varies.
  fileprivate func number(of ending: String) throws -> Int {
    try require(exchanges.firstIndex { $0.request.url.path.hasSuffix(ending) }) + 1
  }
}

extension ReplayTransport {
  /// Signs in like a person of the org, who makes the same choices as when it was recorded.
  func run(
    _ scenario: OrgScenario, over transport: (any Transport)? = nil
  ) async throws -> Outcome {
    let org = SharedSignIn.org(scenario)
    let person = PersonFrontEnd(
      SimulatedPerson(of: org, goal: scenario.goal, passkeys: ReplayPasskeys()), replay: self)
    let client = signInProtocol.client(
      over: transport ?? self, TokenClient(transport: transport ?? self))
    return try await person.coordinator(with: client, at: org).run(configuration)
  }
}

/// Changes the body of the requests to an address.
private struct ChangingTransport: Transport {
  let other: ReplayTransport
  let ending: String
  let change: @Sendable (String) -> String

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    if request.url.path.hasSuffix(ending) {
      request.body = Array(change(String(decoding: request.body, as: UTF8.self)).utf8)
    }
    return try await other.send(request)
  }
}
