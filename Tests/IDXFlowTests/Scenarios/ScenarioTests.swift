import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Scenarios of the simulated org")
struct ScenarioTests {
  @Test(
    "A person reaches the end of each scenario, in different shapes of responses",
    .timeLimit(.minutes(5)), arguments: ScenarioCase.all,
    [[], [.optionsAsForms, .bareReferences, .flagsAsStrings, .unknownMembers]] as [ResponseShape])
  func scenario(scenario: ScenarioCase, shape: ResponseShape) async throws {
    let test = try TestSignIn(try #require(OrgScenario.named(scenario.name)), shape: shape)
    let (outcome, person) = try await test.run(
      scenario.replies(test), goal: scenario.goal, passkeys: scenario.passkeys)
    switch (outcome, scenario.end) {
    case (.signedIn(let signIn), .tokens):
      #expect(!signIn.credential.tokens.accessToken.revealed.isEmpty)
    case (.ended(let state), .message(let key)):
      #expect(state.response.allMessages.map(\.key) == [key])
    case (.cancelled, .cancelled(let unsupportedStep)):
      #expect(await person.unsupportedSteps.map(\.kind) == [unsupportedStep].compactMap(\.self))
    default: Issue.record("Unexpected end: \(outcome)")
    }
  }

  @Test("Every scenario has a case")
  func complete() {
    #expect(ScenarioCase.all.map(\.name).sorted() == OrgScenario.all.map(\.name).sorted())
  }

  @Test("In every shape of responses, all authenticators can be set up", arguments: 0..<16)
  func shapes(bits: Int) async throws {
    let test = try TestSignIn(
      .required(.googleAuthenticator, .email, .phone, .securityQuestion),
      shape: ResponseShape(rawValue: bits))
    let (outcome, person) = try await test.run([
      .login, .passcode("a guess"), .password,
      .authenticator(.googleAuthenticator), .passcode("000000"), .totp("credentials.passcode"),
      .authenticator(.email), test.sentCode(),
      .authenticator(.phone), .answer("authenticator.methodType", "sms"),
      .answer("authenticator.phoneNumber", "+15550100142"), test.sentCode(),
      .authenticator(.securityQuestion), .answer("credentials", .option(0)),
      .answer("credentials.questionKey", .option(1)), .answer("credentials.answer", "abc"),
      .answer("credentials.answer", "Loom Lane"),
    ])
    #expect(outcome.signIn?.user?.identifier == TestSignIn.login)
    #expect(await test.org.user(TestSignIn.login)?.enrollments.count == 4)
    let secret = await person.questions.first { $0.path == "credentials.passcode" }
    #expect(secret?.field.isSecret == true)
    #expect(await person.apps.first?.uri != nil)
  }
}
