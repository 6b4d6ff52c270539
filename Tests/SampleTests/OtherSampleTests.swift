import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXRecording
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Samples about protocols, errors and recordings", .timeLimit(.minutes(10)))
struct OtherSampleTests {
  @Test("IDXDirectAuth: a code or a push, without a password")
  func directAuth() async throws {
    for scenario in [OrgScenario["google"], OrgScenario["push"]] {
      let org = SimulatedOrg(scenario)
      let person = SimulatedPersonFrontEnd(org)
      let outcome = try await SampleTime.run(org) {
        try await signInWithDirectAuth(to: org.configuration, over: org, .showing(on: person))
      }
      expect(outcome.signIn != nil)
    }
  }

  @Test("IDXClassicAuth", arguments: Situation.all)
  func classic(situation: Situation) async throws {
    let org = situation.org
    let person = SimulatedPersonFrontEnd(org)
    let outcome = try await SampleTime.run(org) {
      try await signInWithClassicAPI(to: org.configuration, over: org, .showing(on: person))
    }
    expect(outcome.signIn != nil)
  }

  @Test("IDXBrowserAuth: a page in a browser")
  func browser() async throws {
    let org = SimulatedOrg(.demo)
    let person = SimulatedPersonFrontEnd(org)
    let outcome = try await signInWithBrowser(
      to: org.configuration, over: org, .showing(on: person))
    expect(outcome.signIn != nil)
  }

  @Test(
    "Errors: each end is told",
    arguments: [
      (OrgScenario["password"], "kept"), (OrgScenario["denied-final"], "shown"),
      (OrgScenario["register"], "back"),
      (OrgScenario["password-expired"], "shown and logged"),
    ] as [(OrgScenario, String)])
  func errors(scenario: OrgScenario, told: String) async throws {
    let org = SimulatedOrg(scenario)
    var handlers = Handlers.answering(
      ["identifier": .text(TestSignIn.login), "credentials.passcode": .text(TestSignIn.password)])
    if scenario.name == OrgScenario["register"].name { handlers.on(.identify) { _ in .cancel } }
    let log = Locked<[String]>([])
    try await signInAndSayHowItEnded(
      FlowCoordinator(client: org.client, handlers: handlers), org.configuration,
      keep: { _ in log.withLock { $0.append("kept") } },
      show: { texts in log.withLock { $0.append(texts.isEmpty ? "nothing" : "shown") } },
      goBack: { log.withLock { $0.append("back") } },
      log: { _ in log.withLock { $0.append("logged") } })
    expectEqual(log.withLock { $0.joined(separator: " and ") }, told)
  }

  @Test("Record and replay")
  func replay() async throws {
    let org = SimulatedOrg(.demo)
    let recorder = RecordingTransport(org)
    let person = ScriptedFrontEnd([
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
    ])
    let client = IDXClient(transport: recorder)
    let outcome = try await FlowCoordinator(client: client, handlers: .showing(on: person))
      .run(org.configuration)
    expect(outcome.signIn != nil)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(recorder.recording().json.bytes).write(to: file)
    try await signInThatWasRecorded(at: file)
  }
}

/// A simulated person as a front-end: waits until there is news if there is nothing to reply.
private struct SimulatedPersonFrontEnd: FrontEnd {
  private let person: SimulatedPerson

  init(_ org: SimulatedOrg) { person = SimulatedPerson(of: org) }

  func reply(to screen: Screen) async throws -> Reply {
    if let reply = try await person.reply(to: screen) { return reply }
    try await SampleTime.untilCanceled()
    return .cancel
  }
}
