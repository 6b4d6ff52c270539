import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// The questions of a form.
struct FormQuestionsTests {
  /// The decision about the first form of a document, and the questions.
  private func decide(
    _ document: JSONValue, _ replies: ScriptedReply..., attempt: Int = 1, previous: Answers? = nil,
    problems: [InvalidAnswers.Problem] = []
  ) async throws -> (answers: Answers?, questions: [Screen.Input]) {
    let step = try Wire.step(document, attempt: attempt, previous: previous, problems: problems)
    let (decision, person) = try await Wire.decide(step, replies)
    return (decision.answers, await person.questions.map(\.input))
  }

  // MARK: Which questions

  private static let colors: JSONValue = [
    ["label": "Red", "value": "r"], ["label": "Green", "value": "g"],
  ]

  @Test("Fixed, hidden and nameless fields are not asked for; all others are, in order")
  func fields() async throws {
    let (answers, questions) = try await decide(
      Wire.document(
        of: ["name": "fixed", "value": "x", "mutable": false, "required": true],
        ["name": "hidden", "visible": false],
        ["name": "hiddenDefault", "visible": false, "required": true, "value": "x"],
        ["label": "nameless"],
        ["name": "first", "required": true],
        ["name": "optional"],
        ["name": "nested", "type": "object", "form": ["value": [["name": "inner"]]]],
        ["name": "flag", "type": "boolean"],
        ["name": "hiddenFlag", "type": "boolean", "required": true, "visible": false]),
      .answer("first", "1"), .nothing("optional"), .answer("nested.inner", "2"),
      .answer("flag", true), .answer("hiddenFlag", false))
    expectEqual(answers, ["first": "1", "nested.inner": "2", "flag": true, "hiddenFlag": false])
    expectEqual(questions.map(\.id), ["first", "optional", "nested.inner", "flag", "hiddenFlag"])
  }

  @Test("The kind of a question follows from the type of the field, or from its default")
  func kinds() async throws {
    let choice: JSONValue = [
      "name": "choice",
      "options": [["label": "One", "value": "1"], ["label": "Two", "value": "2"]],
    ]
    let (_, questions) = try await decide(
      Wire.document(
        of: ["name": "text"], ["name": "secret", "secret": true, "required": false],
        ["name": "flag", "type": "boolean"], choice),
      .nothing("text"), .nothing("secret"), .nothing("flag"), .nothing("choice"))
    expectEqual(questions.prefix(3).map(\.kind), [.text, .secret, .toggle])
    expectEqual(questions[3].choices.map(\.label), ["One", "Two"])

    let (answers, flags) = try await decide(
      Wire.document(of: ["name": "news", "value": false]), .answer("news", true))
    expectEqual(flags.map(\.kind), [.toggle])
    expectEqual(answers, ["news": true])
  }

  @Test("The key of an app is shown, also if its form is not the first one")
  func keyAtLaterForm() async throws {
    let about: (String, JSONValue) = ("relatesTo", ["$.currentAuthenticator"])
    let data: JSONValue = ["sharedSecret": "JBSWY3DPEHPK3PXP"]
    let state = try Wire.state(
      Wire.document(
        [
          Wire.form("redirect-idp", method: "GET"),
          Wire.form("enroll-authenticator", [["name": "passcode"]], [about]),
        ],
        [Wire.current(["key": "google_otp", "contextualData": data])]))
    let (_, person) = try await Wire.decide(
      Step(state.response.remediations[1], state: state), [.answer("passcode", "123456")])
    await expectEqual(person.apps.count, 1)
  }

  // MARK: Required answers and defaults

  @Test(
    "The only question is required, but not one with a default or in an optional object"
  )
  func onlyQuestion() async throws {
    let choice: JSONValue = [
      "name": "method", "value": "sms",
      "options": [["label": "SMS", "value": "sms"], ["label": "Call", "value": "voice"]],
    ]
    let object: JSONValue = [
      "name": "profile", "required": false,
      "form": ["value": [["name": "pin", "secret": true]]],
    ]
    let beside: JSONValue = ["name": "profile", "form": ["value": [["name": "nickname"]]]]
    let questions = [
      try await decide(Wire.document(of: ["name": "code"]), .answer("code", "1")).questions,
      try await decide(
        Wire.document(of: ["name": "code", "required": false]), .nothing("code")
      ).questions,
      try await decide(Wire.document(of: choice), .nothing("method")).questions,
      try await decide(Wire.document(of: object), .nothing("profile.pin")).questions,
      try await decide(
        Wire.document(of: ["name": "x", "required": true], beside), .answer("x", "1"),
        .nothing("profile.nickname")
      ).questions,
    ]
    expectEqual(questions.map { $0.last?.isRequired }, [true, false, false, false, false])
  }

  @Test("A default is suggested and kept, but a secret default is not suggested")
  func defaults() async throws {
    let document = Wire.document(
      of: ["name": "zone", "required": true, "value": "Europe/Berlin"],
      ["name": "pin", "required": true, "secret": true, "value": "1843"])
    let (answers, questions) = try await decide(document, .nothing("zone"), .nothing("pin"))
    expectEqual(questions.map(\.suggestion), ["Europe/Berlin", nil])
    let body = try Wire.step(document).remediation.body(answering: require(answers))
    expectEqual(body["zone"], "Europe/Berlin")
    expectEqual(body["pin"], "1843")
  }

  // MARK: Checks and repeated questions

  @Test("An answer is checked by the rules of the form before anything is sent")
  func checks() async throws {
    let (answers, questions) = try await decide(
      Wire.document(
        of: ["name": "pin", "label": "PIN", "required": true, "minLength": 4, "maxLength": 6],
        ["name": "color", "required": true, "options": Self.colors]),
      .nothing("PIN"), .answer("PIN", "1"), .answer("PIN", "1234567"), .answer("PIN", "12345"),
      .answer("color", "blue"), .answer("color", .optionNamed("Red")))
    expectEqual(answers, ["pin": "12345", "color": .option(0)])
    expectEqual(
      questions.map(\.problem),
      [
        nil, "Enter an answer.", "It must have at least 4 characters.",
        "It must have at most 6 characters.", nil, "Choose one of the options.",
      ])
  }

  @Test("A front-end that never answers a required question reaches the limit")
  func noAnswers() async throws {
    let server = StubServer(document: Wire.document(of: ["name": "code", "required": true]))
    let frontEnd = ClosureFrontEnd(asking: { .submit([:]) })
    let error = try await requireError(FlowError.self) {
      try await server.run(.showing(on: frontEnd))
    }
    expectEqual(error.code, .limitReached)
  }

  /// A field with two options that have a field each.
  private static func channel(_ more: JSONValue = [:]) -> JSONValue {
    func option(_ label: String, _ name: String) -> JSONValue {
      let field: JSONValue = ["name": .string(name), "required": true]
      return ["label": .string(label), "value": ["form": ["value": [field]]]]
    }
    return more.setting("name", "channel")
      .setting("options", [option("Mail", "address"), option("Phone", "number")])
  }

  @Test("The fields of a chosen option are asked for next")
  func optionFields() async throws {
    let (answers, _) = try await decide(
      Wire.document(of: Self.channel(), ["name": "after", "required": true]),
      .answer("channel", .option(1)), .answer("channel.number", "+15550100142"),
      .answer("after", "x"))
    expectEqual(answers, ["channel": .option(1), "channel.number": "+15550100142", "after": "x"])
  }

  @Test(
    "Only what was refused is asked for again: fields, a choice with its fields, or the form"
  )
  func refusedFields() async throws {
    let (answers, questions) = try await decide(
      Wire.document(
        of: ["name": "first", "required": true],
        ["name": "second", "required": true, "messages": Wire.messages("taken")],
        ["name": "third", "required": true]),
      .answer("second", "two"), .answer("third", "three"), attempt: 2,
      previous: ["first": "1", "second": "2", "third": "3"],
      problems: [.init(path: "third", label: nil, reason: .tooShort(minimum: 2))])
    expectEqual(answers, ["first": "1", "second": "two", "third": "three"])
    expectEqual(questions.map(\.problem), ["Words.", "It must have at least 2 characters."])

    let (choice, _) = try await decide(
      Wire.document(
        of: Self.channel(["messages": Wire.messages("not.now")]),
        ["name": "kept", "required": true]),
      .answer("channel", .option(1)), .answer("channel.number", "+15550100142"), attempt: 2,
      previous: ["channel": .option(0), "channel.address": "a@b.example", "kept": "x"])
    expectEqual(choice, ["channel": .option(1), "channel.number": "+15550100142", "kept": "x"])

    let (_, all) = try await decide(
      Wire.document(
        [Wire.form("identify", [["name": "identifier", "required": true], ["name": "pin"]])],
        [("messages", Wire.messages("errors.E0000004"))]),
      .answer("identifier", "ada"), .answer("pin", "2"), attempt: 2,
      previous: ["identifier": "ada", "pin": "1"])
    expectEqual(all.map(\.suggestion), ["ada", nil])
  }
}
