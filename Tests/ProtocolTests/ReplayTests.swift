import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXRecording
import IDXScreens
import IDXTesting
import Testing

@Suite("A recording is played again")
struct ReplayTests {
  @Test(
    "A client that makes the same choices gets to the same end",
    arguments: RecordedPlay.cases)
  func everyScenario(test: RecordedPlay.Case) async throws {
    let play = try await RecordedPlay(test)
    let replay = try ReplayTransport(play.recording)
    #expect(replay.signInProtocol == test.signInProtocol)
    let outcome = try? await Self.run(replay, SharedSignIn.org(test.scenario))
    try await replay.finish()
    #expect(Self.kind(of: outcome) == Self.kind(of: play.outcome))
  }

  @Test("A request that differs is named, with its exchange")
  func changed() async throws {
    let play = try await RecordedPlay(Self.password)
    let recording = play.recording
    let changes: [(String, (inout Recording) -> Void)] = [
      ("has POST", { $0.exchanges.remove(at: 1) }),
      ("ends before", { $0.exchanges.removeLast() }),
      ("is missing", { $0.change("identifier", to: "username", at: 1) }),
      ("is not the value", { $0.change("stateHandle\":\"", to: "stateHandle\":\"x", at: 3) }),
    ]
    for (message, change) in changes {
      var changed = recording
      change(&changed)
      let replay = try ReplayTransport(changed)
      _ = try? await Self.run(replay, SharedSignIn.org(.password))
      let error = await #expect(throws: RecordingError.self) { try await replay.finish() }
      #expect(error?.exchange != nil || message == "ends before", "\(message)")
      #expect("\(error as Any)".contains(message), "\(error as Any)")
    }
  }

  @Test("A client that stops early is noticed")
  func early() async throws {
    let replay = try ReplayTransport(try await RecordedPlay(Self.password).recording)
    _ = try await replay.client.start(replay.configuration)
    let error = await #expect(throws: RecordingError.self) { try await replay.finish() }
    #expect(error?.exchange == 3)
  }

  @Test("A failure of the network is played too")
  func failure() async throws {
    var recording = try await RecordedPlay(Self.password).recording
    recording.exchanges[0].result = .failure(.timedOut, mayHaveArrived: true)
    let replay = try ReplayTransport(recording)
    let error = await #expect(throws: FlowError.self) {
      try await replay.client.start(replay.configuration)
    }
    #expect((error?.underlying as? TransportError)?.code == .timedOut)
  }

  private static let password = RecordedPlay.Case(signInProtocol: .idx, scenario: .password)

  private static func run(_ replay: ReplayTransport, _ org: SimulatedOrg) async throws -> Outcome {
    let person = ReplayedPerson(
      replay: replay, person: SimulatedPerson(of: org, passkeys: NoPasskey()))
    return try await FlowCoordinator(
      client: replay.signInProtocol.client(over: replay, now: { Date() }),
      handlers: .showing(Screens(canUsePasskeys: true), on: person), sleep: { _ in }
    ).run(replay.configuration)
  }

  private static func kind(of outcome: Outcome?) -> String {
    switch outcome {
    case .signedIn: "signed in"
    case .ended: "ended"
    case .cancelled: "cancelled"
    case nil: "failed"
    }
  }
}

extension Recording {
  /// Changes a text in the body of a response.
  fileprivate mutating func change(_ text: String, to other: String, at index: Int) {
    guard case .response(var response) = exchanges[index].result else { return }
    response.body = Array(
      String(decoding: response.body, as: UTF8.self).replacing(text, with: other).utf8)
    exchanges[index].result = .response(response)
  }
}

private struct ReplayedPerson: FrontEnd {
  let replay: ReplayTransport
  let person: SimulatedPerson

  func reply(to screen: Screen) async throws -> Reply {
    if let page = screen.page {
      return await replay.visit(page.url).map(Reply.returned)
        ?? .failed("The browser did not return.")
    }
    let reply = try await person.reply(to: screen) ?? .choose(screen.action.id)
    guard case .submit(let values) = reply else { return reply }
    // No org has sent the person a code.
    return .submit(values.mapValues { $0 == "1234" ? "123456" : $0 })
  }
}

/// Answers every request, because a replay does not check signatures.
private struct NoPasskey: PasskeyProvider {
  func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    PasskeyAttestation(clientData: [1], attestationObject: [1])
  }

  func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    PasskeyAssertion(clientData: [1], authenticatorData: [1], signature: [1])
  }
}
