import Expectations
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import Embedding

/// A controller with the views of an app.
struct SignInControllerTests {
  private typealias Subject = SignInController.Question.Subject

  /// The views, and a person who uses them.
  private actor Person {
    private let org: SimulatedOrg
    private var passwords: [String?]
    private var codes: [String]
    private let choice: Int?
    private(set) var questions: [SignInController.Question] = []
    private(set) var choices: [[String]] = []

    /// After the codes, the person enters those of the app that is shown.
    init(
      _ org: SimulatedOrg, passwords: [String?] = [SimulatedUser.demo.password.revealed],
      codes: [String] = [], choosing choice: Int? = 0
    ) {
      (self.org, self.passwords, self.codes, self.choice) = (org, passwords, codes, choice)
    }

    var subjects: [Subject] { questions.map(\.subject) }

    func answer(_ question: SignInController.Question) -> String? {
      questions.append(question)
      switch question.subject {
      case .username: return login
      case .password: return passwords.removeFirst()
      case .code:
        return codes.isEmpty ? question.app?.uri?.totp?.code(at: org.now) : codes.removeFirst()
      }
    }

    func choose(_ names: [String]) -> Int? {
      choices.append(names)
      return choice
    }
  }

  private func signIn(_ org: SimulatedOrg, _ person: Person) async throws -> Outcome {
    try await SignInController(
      client: org.client, configuration: org.configuration, ask: { await person.answer($0) },
      choose: { await person.choose($0) }
    ).signIn()
  }

  @Test("Google Authenticator is set up with the key that is shown, after a wrong code")
  func enrollment() async throws {
    let org = SimulatedOrg(OrgScenario["enroll-google"])
    let person = Person(org, codes: ["12", "000000"])
    try await expect(signIn(org, person).credential != nil)
    await expectEqual(person.choices, [["Google Authenticator"]])
    let codes = await person.questions.filter {
      $0.subject == .code(authenticator: "Google Authenticator")
    }
    expectEqual(codes.count, 3)
    expect(codes.allSatisfy { $0.app?.keyInGroups?.isEmpty == false && $0.app?.qrCodePNG() != nil })
    expectEqual(codes.map(\.refusals.isEmpty), [true, false, false])
    expectEqual(await org.user(login)?.enrollments.map(\.authenticator), [.googleAuthenticator])
  }

  @Test(
    "A wrong password is reported with the server's words, and the right one signs in",
    arguments: SignInPolicy.Start.allCases)
  func password(start: SignInPolicy.Start) async throws {
    let org = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: start))
    let person = Person(org, passwords: ["wrong", SimulatedUser.demo.password.revealed])
    try await expectEqual(signIn(org, person).credential?.username, login)
    await expectEqual(person.subjects.prefix(2), [.username, .password])
    await expectEqual(person.subjects.count { $0 == .password }, 2)
    let refusals = await person.questions.flatMap(\.refusals)
    expectEqual(Set(refusals).count, 1)
    // A form with both does not say which of them is wrong.
    expectContains(
      refusals.first ?? "", start == .withPassword ? "username and password" : "password is wrong")
  }

  @Test("An optional enrollment is skipped")
  func skipping() async throws {
    let org = SimulatedOrg(.demo)
    let person = Person(org, choosing: nil)
    try await expect(signIn(org, person).credential != nil)
    await expectEqual(person.choices.count, 1)
  }

  @Test("Closing a view cancels, and so does closing a choice that cannot be skipped")
  func cancelled() async throws {
    let org = SimulatedOrg(OrgScenario["enroll-google"])
    for person in [Person(org, passwords: [nil]), Person(org, choosing: nil)] {
      try await expect(signIn(org, person).isCancelled)
    }
  }

  @Test("A step without a handler is named by the error")
  func otherStep() async throws {
    let org = SimulatedOrg(OrgScenario["keep-me-signed-in"])
    do {
      _ = try await signIn(org, Person(org))
      Issue.record("There is a handler.")
    } catch let error as FlowError {
      expectEqual(error.code, .noHandler)
      expectEqual(error.remediation, .keepMeSignedIn)
    }
  }
}
