import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Asking a person")
struct BuiltInHandlersTests {
  private func decide(
    _ step: Step, _ replies: [ScriptedReply]
  ) async throws -> (Decision, ScriptedPrompter) {
    let person = ScriptedPrompter(replies)
    let decision = try await FormHandler(prompter: person).decide(step)
    try await person.finish()
    return (decision, person)
  }

  private func form(_ fields: JSON..., name: String = "a-new-step") -> JSON {
    Wire.document([Wire.form(name, fields)])
  }

  @Test("What is fixed, hidden or nameless is not asked; everything else is, in order")
  func whatIsAsked() async throws {
    let document = form(
      ["name": "fixed", "value": "x", "mutable": false, "required": true],
      ["name": "hidden", "visible": false],
      ["name": "hiddenDefault", "visible": false, "required": true, "value": "x"],
      ["label": "nameless"],
      ["name": "first", "required": true],
      ["name": "optional"],
      ["name": "nested", "type": "object", "form": ["value": [["name": "inner"]]]],
      ["name": "flag", "type": "boolean"],
      ["name": "hiddenFlag", "type": "boolean", "required": true, "visible": false])
    let (decision, person) = try await decide(
      Wire.step(document),
      [
        .answer("first", "1"), .nothing("optional"), .answer("nested.inner", "2"),
        .answer("flag", true), .answer("hiddenFlag", false),
      ])
    #expect(
      decision.answers
        == ["first": "1", "nested.inner": "2", "flag": true, "hiddenFlag": false])
    #expect(await person.asked == ["first", "optional", "nested.inner", "flag", "hiddenFlag"])
  }

  @Test("“Remember me” is not asked")
  func rememberMe() async throws {
    let world = try World()
    let person = world.person([.login, .password])
    _ = try await world.signIn([], person: person)
    #expect(await person.asked == ["identifier", "credentials.passcode"])
  }

  @Test("A question says how it is to be answered")
  func kinds() async throws {
    let document = form(
      ["name": "text"], ["name": "secret", "secret": true], ["name": "flag", "type": "boolean"],
      [
        "name": "choice",
        "options": [["label": "One", "value": "1"], ["label": "Two", "value": "2"]],
      ])
    let names = ["text", "secret", "flag", "choice"]
    let (_, person) = try await decide(Wire.step(document), names.map(ScriptedReply.nothing))
    let kinds = await person.questions.map(\.kind)
    guard case .text = kinds[0], case .secret = kinds[1], case .confirmation = kinds[2],
      case .choice(let options, let beside) = kinds[3]
    else {
      Issue.record("The kinds are \(kinds)")
      return
    }
    #expect(options.map(\.label) == ["One", "Two"])
    #expect(beside.isEmpty)
  }

  @Test("A password is asked for in secret, also where the server does not mark it")
  func unmarkedPassword() async throws {
    let document = Wire.document(
      [
        Wire.form(
          "challenge-authenticator",
          [["name": "credentials", "form": ["value": [["name": "passcode"]]]]])
      ],
      [
        (
          "currentAuthenticator",
          ["type": "object", "value": ["id": "aut1", "key": "okta_password", "type": "password"]]
        )
      ])
    let (_, person) = try await decide(
      Wire.step(document), [.answer("credentials.passcode", "hunter2")])
    guard case .secret = await person.questions[0].kind else {
      Issue.record("The password would be shown")
      return
    }
  }

  @Test("A default is proposed and kept, but not one that is secret")
  func defaults() async throws {
    let document = form(
      ["name": "zone", "required": true, "value": "Europe/Berlin"],
      ["name": "pin", "required": true, "secret": true, "value": "1843"])
    let step = try Wire.step(document)
    let (decision, person) = try await decide(step, [.nothing("zone"), .nothing("pin")])
    #expect(await person.questions.map(\.suggestion) == ["Europe/Berlin", nil])
    let body = try step.remediation.body(answering: #require(decision.answers))
    #expect(body["zone"] == "Europe/Berlin")
    #expect(body["pin"] == "1843")
  }

  @Test("An answer is checked by the form's rules before anything is sent")
  func validation() async throws {
    let document = form(
      ["name": "pin", "label": "PIN", "required": true, "minLength": 4, "maxLength": 6],
      ["name": "color", "required": true, "options": [["label": "Red", "value": "r"]]])
    let (decision, person) = try await decide(
      Wire.step(document),
      [
        .nothing("PIN"), .answer("PIN", "1"), .answer("PIN", "1234567"), .answer("PIN", "12345"),
        .answer("color", "blue"), .answer("color", .optionNamed("Red")),
      ])
    #expect(decision.answers == ["pin": "12345", "color": .optionNamed("Red")])
    #expect(
      await person.questions.map(\.problem?.reason) == [
        nil, .missing, .tooShort(minimum: 4), .tooLong(maximum: 6), nil,
        .notAnOption(allowed: ["Red"]),
      ])
  }

  @Test("Choosing an option asks its fields next, before those that follow")
  func optionFields() async throws {
    let document = form(
      [
        "name": "channel",
        "options": [
          [
            "label": "Mail", "value": ["form": ["value": [["name": "address", "required": true]]]],
          ],
          [
            "label": "Phone", "value": ["form": ["value": [["name": "number", "required": true]]]],
          ],
        ],
      ], ["name": "after", "required": true])
    let (decision, _) = try await decide(
      Wire.step(document),
      [
        .answer("channel", .option(1)), .answer("channel.number", "+15550100142"),
        .answer("after", "x"),
      ])
    #expect(
      decision.answers
        == ["channel": .option(1), "channel.number": "+15550100142", "after": "x"])
  }

  @Test("Only the fields that were refused are asked for again")
  func refusedFields() async throws {
    let document = form(
      ["name": "first", "required": true],
      ["name": "second", "required": true, "messages": Wire.messages("taken")],
      ["name": "third", "required": true])
    let step = try Wire.step(
      document, attempt: 2, previous: ["first": "1", "second": "2", "third": "3"],
      problems: [.init(path: "third", label: nil, reason: .tooShort(minimum: 2))])
    let (decision, person) = try await decide(
      step, [.answer("second", "two"), .answer("third", "three")])
    #expect(decision.answers == ["first": "1", "second": "two", "third": "three"])
    #expect(await person.questions.map(\.problem?.reason) == [nil, .tooShort(minimum: 2)])
  }

  @Test("A refused choice is asked for again with the fields of the new option alone")
  func refusedChoice() async throws {
    let document = form(
      [
        "name": "channel", "messages": Wire.messages("not.now"),
        "options": [
          [
            "label": "Mail", "value": ["form": ["value": [["name": "address", "required": true]]]],
          ],
          [
            "label": "Phone", "value": ["form": ["value": [["name": "number", "required": true]]]],
          ],
        ],
      ], ["name": "kept", "required": true])
    let step = try Wire.step(
      document, attempt: 2,
      previous: ["channel": .option(0), "channel.address": "a@b.example", "kept": "x"])
    let (decision, _) = try await decide(
      step, [.answer("channel", .option(1)), .answer("channel.number", "+15550100142")])
    #expect(
      decision.answers
        == ["channel": .option(1), "channel.number": "+15550100142", "kept": "x"])
  }

  @Test("Everything is asked for again where the server refuses the whole")
  func refusedWhole() async throws {
    let document = Wire.document(
      [Wire.form("identify", [["name": "identifier", "required": true], ["name": "pin"]])],
      [("messages", Wire.messages("errors.E0000004"))])
    let step = try Wire.step(document, attempt: 2, previous: ["identifier": "ada", "pin": "1"])
    let (_, person) = try await decide(step, [.answer("identifier", "ada"), .answer("pin", "2")])
    #expect(await person.questions.map(\.suggestion) == ["ada", nil])
  }

  @Test(
    "A form that no person can fill in is declined, and nothing is shown",
    arguments: [
      Wire.form("challenge-webauthn", [["name": "signature", "required": true, "visible": false]]),
      Wire.form(
        "challenge-webauthn",
        [
          [
            "name": "credentials",
            "form": ["value": [["name": "signature", "required": true, "visible": false]]],
          ]
        ]),
      Wire.form("redirect-idp", method: "GET"),
    ])
  func declined(form: JSON) async throws {
    let (decision, person) = try await decide(Wire.step(Wire.document([form])), [])
    guard case .decline = decision else {
      Issue.record("It decides \(decision)")
      return
    }
    #expect(await person.notices.isEmpty)
  }

  @Test("A step that nobody foresaw is answered through its form")
  func unknownStep() async throws {
    let first = form(
      ["name": "petName", "required": true], ["name": "ok", "type": "boolean", "required": true],
      name: "a-step-of-next-year")
    let line = RecordingTransport(StubServer(document: first))
    let person = ScriptedPrompter([.answer("petName", "Turing"), .answer("ok", true)])
    let coordinator = Coordinator(
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
      step.alternatives.map(\.name) == [.selectAuthenticatorEnroll, .skip, .cancel, .resend])
  }

  @Test("Polls, browsers' forms and the end of a sign-in are no alternatives")
  func noAlternatives() async throws {
    let document = Wire.document(
      [
        Wire.form("challenge-authenticator"), Wire.form("challenge-poll"),
        Wire.form("redirect-idp", method: "GET"), Wire.form("launch", href: ""),
        Wire.form("recover-here"),
      ], [("context", Wire.form("context")), ("cancel", Wire.form("cancel"))])
    let names = try Wire.step(document).alternatives.map(\.name)
    #expect(!names.contains("challenge-poll"))
    #expect(!names.contains("redirect-idp"))
    #expect(!names.contains("context"))
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
    let (choice, _) = try await decide(step, [.instead("a", "second")])
    guard case .choose(let form) = choice, form.name == "second" else {
      Issue.record("It decides \(choice)")
      return
    }
    let (sent, _) = try await decide(step, [.instead("a", "third")])
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

extension Decision {
  /// The answers to the step's own form; nil for any other decision.
  fileprivate var answers: Answers? {
    if case .submit(let answers, nil) = self { answers } else { nil }
  }
}
