import Expectations
import Foundation
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Plays a scenario with its hints, and checks each response.
struct ScenarioPlayer {
  var client: OrgClient
  let user: SimulatedUser
  /// The method to choose for Okta Verify.
  var method = "push"
  var seen: [String] = []

  private var org: SimulatedOrg { client.org }

  /// Plays until the sign-in is complete.
  mutating func walk() async throws {
    for _ in 1...80 where !client.isDone {
      try client.checkEveryFormCanBeAnswered()
      try await step()
      #expect(client.status == 200 || client.messageKeys == ["errors.E0000113"])
    }
    #expect(client.isDone)
  }

  private mutating func step() async throws {
    let response = try client.read()
    let form = try #require(response.remediations.first)
    if seen.last != form.name.rawValue { seen.append(form.name.rawValue) }
    switch form.name {
    case .identify:
      try await client.signIn(user.login, user.password.revealed)
    case .challengePoll, .enrollPoll:
      org.advance(by: 4)
      try await client.fill(form.name)
    case .resend: try await client.fill(form.name)
    default:
      var answers = Answers()
      let key = form.authenticators.first?.key
      while let input = form.form.inputs(answering: answers).first(where: {
        answers[$0.path] == nil
      }) {
        answers[input.path] = try await answer(to: input, of: key)
      }
      try await client.fill(form.name, answers)
    }
  }

  private func answer(to input: Remediation.Input, of key: IDXAuthenticator.Key?) async throws
    -> Answer
  {
    switch input.field.name {
    case "methodType":
      let values = input.field.choices.compactMap { $0.value?.string }
      return values.contains(method) ? .text(method) : .option(0)
    case "phoneNumber": return "+15550100188"
    case "credentialId": return .text(user.symantecCredentialID)
    case "clientData": return "ada"
    case "answer": return "Algebraic patterns"
    case "autoChallenge": return true
    case "nextPasscode":
      return .text(try #require(await org.code(of: "symantec_vip", for: user.login, ahead: 1)))
    case _ where !input.field.choices.isEmpty: return .option(0)
    default: break
    }
    guard let key else { return "1234" }
    if let code = await org.code(of: key, for: user.login) { return .text(code) }
    return .text(await org.mailbox.messages.last?.code ?? "1234")
  }
}

@Suite("Scenarios about authenticators")
struct FactorScenarioTests {
  @Test("Each scenario can be played with its hints", arguments: OrgScenario.factors)
  func walk(scenario: OrgScenario) async throws {
    let start = Date(timeIntervalSince1970: 1_900_000_000)
    let org = SimulatedOrg(scenario, seed: 3, clock: { start })
    let user = try #require(scenario.users.first)
    var player = ScenarioPlayer(client: try await OrgClient(org), user: user)
    if scenario.name == "okta-verify-code" { player.method = "totp" }
    try await player.walk()
  }

  @Test(
    "Each scenario can be played in another response shape",
    arguments: [OrgScenario.severalFactors, .automaticPush, .everyEnrollment, .rejectedPush])
  func shapes(scenario: OrgScenario) async throws {
    let start = Date(timeIntervalSince1970: 1_900_000_000)
    let shape: ResponseShape = [
      .flagsAsStrings, .bareReferences, .optionsAsForms, .unknownMembers,
    ]
    let org = SimulatedOrg(scenario, shape: shape, seed: 3, clock: { start })
    let user = try #require(scenario.users.first)
    var player = ScenarioPlayer(client: try await OrgClient(org), user: user)
    try await player.walk()
  }

  @Test("All authenticators can be set up in one sign-in")
  func everything() async throws {
    let start = Date(timeIntervalSince1970: 1_900_000_000)
    let scenario = OrgScenario.everyEnrollment
    let org = SimulatedOrg(scenario, seed: 3, clock: { start })
    var player = ScenarioPlayer(
      client: try await OrgClient(org), user: try #require(scenario.users.first))
    try await player.walk()
    let user = try #require(await org.user("ada@example.com"))
    expectEqual(user.enrollments.map(\.authenticator), scenario.policy.optional)
  }

  @Test("Names are unique")
  func names() {
    let names = OrgScenario.all.map(\.name)
    expectEqual(Set(names).count, names.count)
    #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    expectEqual(OrgScenario.named("push-number")?.policy.factors.matchesNumbers, true)
    #expect(OrgScenario.named("nothing") == nil)
  }
}
