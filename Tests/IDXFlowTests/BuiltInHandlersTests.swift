import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Asking a person")
struct BuiltInHandlersTests {
  @Test("“Remember me” is not asked")
  func rememberMe() async throws {
    let world = try World()
    let person = world.person([.login, .password])
    _ = try await world.signIn([], person: person)
    #expect(await person.asked == ["identifier", "credentials.passcode"])
  }

  @Test("A step that nobody foresaw is answered through its form")
  func unknownStep() async throws {
    let first = Wire.document(
      of: ["name": "petName", "required": true],
      ["name": "ok", "type": "boolean", "required": true],
      name: "a-step-of-next-year")
    let line = RecordingTransport(StubServer(document: first))
    let person = ScriptedPrompter([.answer("petName", "Turing"), .answer("ok", true)])
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: .asking(person))
    #expect(try await coordinator.run(Wire.configuration()).end != nil)
    try await person.finish()
    #expect(await line.requests.last?.json == ["petName": "Turing", "ok": true])
  }

  @Test("The alternatives are what else can be sent, and starting over")
  func alternatives() async throws {
    let world = try World(.optional(.email, .googleAuthenticator))
    let state = try await world.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .optionNamed("okta_email")],
      from: world.pastPassword())
    let step = Step(state.response.remediations[0], state: state)
    #expect(
      step.alternatives.map(\.name) == [.selectAuthenticatorEnroll, .skip, .resend, .cancel])
  }

  @Test("Polls, what no person can do and the end of a sign-in are no alternatives")
  func noAlternatives() async throws {
    let document = Wire.document(
      [
        Wire.form("challenge-authenticator"), Wire.form("challenge-poll"),
        Wire.form("redirect-idp", method: "GET"), Wire.form("launch", href: ""),
        Wire.form("recover-here"), Wire.form("launch-authenticator"),
      ], [("context", Wire.form("context")), ("cancel", Wire.form("cancel"))])
    let names = try Wire.step(document).alternatives.map(\.name)
    #expect(!names.contains("challenge-poll"))
    #expect(!names.contains("launch"))
    #expect(!names.contains("launch-authenticator"))
    #expect(!names.contains("context"))
    #expect(names.contains("redirect-idp"))
    #expect(names.contains("recover-here"))
    #expect(names.contains(.cancel))
  }

  @Test(
    "Skipping stands beside the options only where the server offers it",
    arguments: [
      (SignInPolicy.optional(.email), [Remediation.Name.skip]), (.required(.email), []),
    ])
  func skipBeside(policy: SignInPolicy, names: [Remediation.Name]) async throws {
    let world = try World(policy)
    let person = world.person([.login, .password, .cancel("authenticator")])
    _ = try await world.signIn([], person: person)
    guard case .choice(_, let beside) = await person.questions.last?.kind else {
      Issue.record("Nothing is to be chosen")
      return
    }
    #expect(beside.map(\.name) == names)
  }

  @Test("An alternative that has questions is asked; one without is sent at once")
  func instead() async throws {
    let document = Wire.document(
      [
        Wire.form("first", [["name": "a", "required": true]]),
        Wire.form("second", [["name": "b", "required": true]]),
        Wire.form("third", [["name": "stateHandle", "value": "h", "mutable": false]]),
      ])
    let step = try Wire.step(document)
    let (choice, _) = try await Wire.decide(step, [.instead("a", "second")])
    guard case .choose(let form) = choice, form.name == "second" else {
      Issue.record("It decides \(choice)")
      return
    }
    let (sent, _) = try await Wire.decide(step, [.instead("a", "third")])
    guard case .submit(let answers, let form?) = sent, form.name == "third" else {
      Issue.record("It decides \(sent)")
      return
    }
    #expect(answers == [:])
  }

  @Test("An app for which the server sends an image alone is shown that image")
  func imageAlone() async throws {
    let document = Wire.document(
      [Wire.form("enroll-authenticator", [["name": "passcode", "required": true]])],
      [
        (
          "currentAuthenticator",
          [
            "type": "object",
            "value": [
              "id": "aut1", "key": "google_otp", "displayName": "An app",
              "contextualData": ["qrcode": ["href": "data:image/png;base64,AAEC"]],
            ],
          ]
        )
      ])
    let person = ScriptedPrompter([.answer("passcode", "123456")])
    _ = try await EnrollAuthenticatorHandler(prompter: person).decide(Wire.step(document))
    let app = try #require(await person.apps.first)
    #expect(app.uri == nil)
    #expect(app.name == "An app")
    #expect(app.image?.bytes == [0, 1, 2])
  }
}
