import IDXFlow
import IDXSimulatedOrg
import Testing

@Suite("Every scenario of the simulated org as plain HTML")
struct ScenarioTests {
  struct Case: CustomTestStringConvertible {
    let scenario: OrgScenario
    let signInProtocol: SignInProtocol

    var testDescription: String { "\(scenario.name), \(signInProtocol)" }

    static let all = SignInProtocol.all.flatMap { flow in
      OrgScenario.all(for: flow).map { Case(scenario: $0, signInProtocol: flow) }
    }
  }

  /// The scenarios that end without tokens, so that the page only offers to start over.
  private static let ends: Set = [
    "password-elsewhere", "unlock", "locked-shown", "register-verify-mail", "device-code",
    "activation-expired", "denied",
    "denied-final", "done",
  ]
  /// What the other protocols cannot do: ask for consent, and replace a password with DirectAuth.
  private static let otherEnds: Set = [
    "consent, direct", "consent, classic", "password-expired, direct",
  ]
  /// The scenarios in which nothing leads on: a locked account, and passkeys, which need JavaScript.
  private static let deadEnds: Set = ["locked", "passkey", "enroll-passkey"]

  @Test(
    "What is left out on a page is a problem of its control, which has the focus",
    arguments: Case.all.filter { $0.signInProtocol == .idx })
  func careless(example: Case) async throws {
    let browser = try PlainBrowser(example.scenario, example.signInProtocol)
    var person = PlainPerson(browser, example.scenario)
    person.isCareless = true
    _ = await person.signIn()
    #expect(person.lostProblems == [])
  }

  @Test("A person without JavaScript reaches the end", arguments: Case.all)
  func plain(example: Case) async throws {
    let browser = try PlainBrowser(example.scenario, example.signInProtocol)
    var person = PlainPerson(browser, example.scenario)
    let end = await person.signIn()
    let name = example.scenario.name
    let isEnd = Self.ends.contains(name) || Self.otherEnds.contains(example.testDescription)
    let expected: PlainPerson.End =
      isEnd ? .ended : Self.deadEnds.contains(name) ? .stuck : .signedIn
    #expect(
      end == expected,
      "\(person.trace.joined(separator: " → ")): \(browser.page.text.prefix(400))")
    #expect((10_000...20_000).contains(browser.heaviest))
  }
}
