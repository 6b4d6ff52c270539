import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXRecording
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import Testing

@Suite("Scenarios of the simulated org", .timeLimit(.minutes(10)))
struct ScenarioTests {
  private enum End: Equatable {
    case signedIn
    /// The sign-in ended without tokens, with a message with this key, or else this text.
    case ended(String)
    /// Nothing leads on, so the person cancelled.
    case cancelled
    case failed(FlowError.Code)
  }

  /// How scenarios end without tokens; those with a protocol, only in that protocol.
  private static let ends: [String: End] = [
    "unlock": .ended("oie.selfservice.unlock_user.success.message"),
    "unlock, classic": .ended("The account is unlocked."),
    "locked-shown": .ended("oie.selfservice.unlock_user.success.message"),
    "locked-shown, classic": .ended("The account is unlocked."),
    "locked": .cancelled,
    "register-verify-mail": .ended("idx.email.verification.required"),
    "activation-expired": .ended("idx.request.activation.email"),
    "password-expired, direct": .ended("The password has expired, and cannot be changed here."),
    "device-code": .ended("idx.device.activated"),
    // Only Identity Engine has steps after the authenticators.
    "consent, classic": .failed(.refused),
    "consent, direct": .failed(.refused),
    "denied": .ended("security.access_denied"),
    "denied, classic": .failed(.refused),
    "denied, direct": .ended("Access is denied. Contact your administrator."),
    "denied-final": .ended("security.access_denied"),
    "done": .ended("idx.transferred.to.new.tab"),
  ]

  private static let unusual: ResponseShape = [
    .optionsAsForms, .bareReferences, .flagsAsStrings, .unknownMembers, .untypedChoices,
    .transportsAsText,
  ]

  private static let cases = ScenarioCase.all.sample(every: 3)
  /// What is played in the unusual shape too, which only Identity Engine has.
  private static let unusualCases = Set(
    cases.filter { $0.signInProtocol == .idx }.sample(every: 2).map(\.testDescription))

  @Test(
    "A person plays each scenario to its purpose, in every protocol, also in an unusual shape of responses",
    arguments: cases)
  func everyProtocol(test: ScenarioCase) async throws {
    try await play(test)
    if Self.unusualCases.contains(test.testDescription) {
      try await play(test, shape: Self.unusual)
    }
  }

  private func play(_ test: ScenarioCase, shape: ResponseShape = []) async throws {
    let scenario = test.scenario
    let org = SharedSignIn.org(scenario, shape: shape)
    let person = PersonFrontEnd(
      SimulatedPerson(of: org, goal: scenario.goal, passkeys: SoftwareAuthenticator([.demo])))
    let coordinator = person.coordinator(with: await test.signInProtocol.client(of: org), at: org) {
      if case .received(let state) = $0 { Self.checkThatFormsCanBeAnswered(in: state) }
    }
    let end: End
    do {
      switch try await coordinator.run(org.configuration) {
      case .signedIn(let signIn):
        end = .signedIn
        expectEqual(signIn.credential.username, person.person.login)
      case .ended(let state):
        let message = state.response.allMessages.last
        end = .ended(message?.key?.rawValue ?? message?.text ?? "no message")
      case .cancelled: end = .cancelled
      }
    } catch let error as FlowError { end = .failed(error.code) }
    let expected = Self.ends[test.testDescription] ?? Self.ends[scenario.name] ?? .signedIn
    expectEqual(end, expected, "with shape \(shape)")

    let login = person.person.login
    let user = try await require(org.user(login))
    switch scenario.goal {
    case .register?: expect(!scenario.users.map(\.login).contains(login))
    case .recover?: expect(user.password != SimulatedUser.demo.password)
    default: break
    }
    if end == .signedIn || scenario.goal == .unlock { expectEqual(user.status, .active) }
    guard end == .signedIn, test.signInProtocol != .direct else { return }
    var wanted = Set(scenario.policy.required)
    // Duo needs a browser.
    if test.testDescription == "enroll-all, idx" {
      wanted.formUnion(scenario.policy.optional.filter { $0 != .duo })
    }
    expectEqual(wanted.subtracting(user.enrollments.map(\.authenticator)), [])
  }

  /// Every form must accept some answers to all its inputs.
  private static func checkThatFormsCanBeAnswered(in state: FlowState) {
    for form in state.response.allForms {
      var answers = Answers()
      while let input = form.form.inputs(answering: answers).first(where: {
        answers[$0.path] == nil
      }) {
        let isChoice = !input.field.choices.isEmpty
        let text = String(repeating: "1", count: max(input.field.minimumLength ?? 0, 4))
        answers[input.path] =
          isChoice ? .option(0) : input.field.type == .boolean ? true : .text(text)
      }
      #expect(throws: Never.self) { try form.body(answering: answers) }
    }
  }

  @Test("Names are unique")
  func names() {
    let names = OrgScenario.all.map(\.name)
    expectEqual(Set(names).count, names.count)
    expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    expectEqual(OrgScenario.named("push-number")?.policy.factors.matchesNumbers, true)
    expect(OrgScenario.named("nothing") == nil)
  }
}

/// A scenario in a protocol.
struct ScenarioCase: Sendable, CustomTestStringConvertible {
  let signInProtocol: SignInProtocol
  let scenario: OrgScenario

  static let all = SignInProtocol.all.flatMap { signInProtocol in
    OrgScenario.all(for: signInProtocol).map {
      ScenarioCase(signInProtocol: signInProtocol, scenario: $0)
    }
  }

  var testDescription: String { "\(scenario.name), \(signInProtocol)" }
}
