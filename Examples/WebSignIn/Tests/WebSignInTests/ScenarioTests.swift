import IDXTesting
import Testing

@Suite("Every scenario of the simulated org as plain HTML")
struct ScenarioTests {
  struct Case: CustomTestStringConvertible {
    let scenario: OrgScenario
    let signInProtocol: OrgScenario.SignInProtocol

    var testDescription: String { "\(scenario.name), \(signInProtocol)" }

    static let all = OrgScenario.SignInProtocol.allCases.flatMap { flow in
      OrgScenario.all(for: flow).map { Case(scenario: $0, signInProtocol: flow) }
    }
  }

  /// The scenarios that end without tokens.
  private static let ends: Set = [
    "unlock", "locked-shown", "register-verify-mail", "device-code", "activation-expired", "denied",
    "denied-final", "done",
  ]
  /// The scenarios in which nothing leads on: a locked account, a password that is changed elsewhere, and
  /// passkeys, which need JavaScript.
  private static let deadEnds: Set = ["locked", "password-elsewhere", "passkey", "enroll-passkey"]

  @Test("A person without JavaScript reaches the end", arguments: Case.all)
  func plain(example: Case) async throws {
    let browser = try PlainBrowser(example.scenario, example.signInProtocol)
    var person = PlainPerson(browser, example.scenario)
    let end = await person.signIn()
    let name = example.scenario.name
    let expected: PlainPerson.End =
      Self.ends.contains(name) ? .ended : Self.deadEnds.contains(name) ? .stuck : .signedIn
    #expect(
      end == expected,
      "\(person.trace.joined(separator: " → ")): \(browser.page.text.prefix(400))")
  }
}
