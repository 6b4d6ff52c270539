import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("The questions of a form")
struct InterviewTests {
  @Test("What is fixed, hidden or nameless is not asked; everything else is, in order")
  func whatIsAsked() async throws {
    let document = Wire.document(
      of: ["name": "fixed", "value": "x", "mutable": false, "required": true],
      ["name": "hidden", "visible": false],
      ["name": "hiddenDefault", "visible": false, "required": true, "value": "x"],
      ["label": "nameless"],
      ["name": "first", "required": true],
      ["name": "optional"],
      ["name": "nested", "type": "object", "form": ["value": [["name": "inner"]]]],
      ["name": "flag", "type": "boolean"],
      ["name": "hiddenFlag", "type": "boolean", "required": true, "visible": false])
    let (decision, person) = try await Wire.decide(
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

  @Test("A question says how it is to be answered")
  func kinds() async throws {
    let document = Wire.document(
      of: ["name": "text"], ["name": "secret", "secret": true, "required": false],
      ["name": "flag", "type": "boolean"],
      [
        "name": "choice",
        "options": [["label": "One", "value": "1"], ["label": "Two", "value": "2"]],
      ])
    let names = ["text", "secret", "flag", "choice"]
    let (_, person) = try await Wire.decide(Wire.step(document), names.map(ScriptedReply.nothing))
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

  @Test("What a form asks alone is needed, where the server does not say otherwise")
  func needed() async throws {
    let alone = Wire.document(of: ["name": "code"])
    let (_, person) = try await Wire.decide(Wire.step(alone), [.answer("code", "1")])
    #expect(await person.questions.map(\.isRequired) == [true])
    let optional = Wire.document(of: ["name": "code", "required": false])
    let (_, other) = try await Wire.decide(Wire.step(optional), [.nothing("code")])
    #expect(await other.questions.map(\.isRequired) == [false])
  }

  @Test("What has a default, or stands in an object that may be left out, is not needed")
  func notNeeded() async throws {
    let choice: JSONValue = [
      "name": "method", "value": "sms",
      "options": [["label": "SMS", "value": "sms"], ["label": "Call", "value": "voice"]],
    ]
    let optional: JSONValue = [
      "name": "profile", "required": false,
      "form": ["value": [["name": "pin", "secret": true]]],
    ]
    let beside: JSONValue = ["name": "profile", "form": ["value": [["name": "nickname"]]]]
    for (fields, path) in [
      ([choice], "method"), ([optional], "profile.pin"),
      ([["name": "x", "required": true], beside], "profile.nickname"),
    ] as [([JSONValue], String)] {
      let document = Wire.document([Wire.form("a-new-step", fields)])
      let replies: [ScriptedReply] =
        (fields.count > 1 ? [.answer("x", "1")] : []) + [.nothing(path)]
      let (_, person) = try await Wire.decide(Wire.step(document), replies)
      #expect(await person.questions.last?.isRequired == false)
    }
  }

  @Test("A field without a type whose default is a yes or no is asked as one")
  func untypedFlag() async throws {
    let document = Wire.document(of: ["name": "news", "value": false])
    let (decision, person) = try await Wire.decide(Wire.step(document), [.answer("news", true)])
    guard case .confirmation = await person.questions[0].kind else {
      Issue.record("It is asked as text")
      return
    }
    #expect(decision.answers == ["news": true])
  }

  @Test("The key of an app is shown also where a step for a browser stands before its own")
  func keyBehindRedirect() async throws {
    let document = Wire.document(
      [
        Wire.form("redirect-idp", method: "GET"),
        Wire.form(
          "enroll-authenticator", [["name": "passcode"]],
          [("relatesTo", ["$.currentAuthenticator"])]),
      ],
      [
        (
          "currentAuthenticator",
          [
            "type": "object",
            "value": [
              "key": "google_otp", "contextualData": ["sharedSecret": "JBSWY3DPEHPK3PXP"],
            ],
          ]
        )
      ])
    let state = try Wire.state(document)
    let person = ScriptedPrompter([.answer("passcode", "123456")])
    _ = try await FormHandler(prompter: person)
      .decide(Step(state.response.remediations[1], state: state))
    #expect(await person.apps.count == 1)
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
    let (_, person) = try await Wire.decide(
      Wire.step(document), [.answer("credentials.passcode", "hunter2")])
    guard case .secret = await person.questions[0].kind else {
      Issue.record("The password would be shown")
      return
    }
  }

  @Test("A default is proposed and kept, but not one that is secret")
  func defaults() async throws {
    let document = Wire.document(
      of: ["name": "zone", "required": true, "value": "Europe/Berlin"],
      ["name": "pin", "required": true, "secret": true, "value": "1843"])
    let step = try Wire.step(document)
    let (decision, person) = try await Wire.decide(step, [.nothing("zone"), .nothing("pin")])
    #expect(await person.questions.map(\.suggestion) == ["Europe/Berlin", nil])
    let body = try step.remediation.body(answering: #require(decision.answers))
    #expect(body["zone"] == "Europe/Berlin")
    #expect(body["pin"] == "1843")
  }

  @Test("An answer is checked by the form's rules before anything is sent")
  func validation() async throws {
    let document = Wire.document(
      of: ["name": "pin", "label": "PIN", "required": true, "minLength": 4, "maxLength": 6],
      ["name": "color", "required": true, "options": [["label": "Red", "value": "r"]]])
    let (decision, person) = try await Wire.decide(
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
    let document = Wire.document(
      of: [
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
    let (decision, _) = try await Wire.decide(
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
    let document = Wire.document(
      of: ["name": "first", "required": true],
      ["name": "second", "required": true, "messages": Wire.messages("taken")],
      ["name": "third", "required": true])
    let step = try Wire.step(
      document, attempt: 2, previous: ["first": "1", "second": "2", "third": "3"],
      problems: [.init(path: "third", label: nil, reason: .tooShort(minimum: 2))])
    let (decision, person) = try await Wire.decide(
      step, [.answer("second", "two"), .answer("third", "three")])
    #expect(decision.answers == ["first": "1", "second": "two", "third": "three"])
    #expect(await person.questions.map(\.problem?.reason) == [nil, .tooShort(minimum: 2)])
  }

  @Test("A refused choice is asked for again with the fields of the new option alone")
  func refusedChoice() async throws {
    let document = Wire.document(
      of: [
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
    let (decision, _) = try await Wire.decide(
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
    let (_, person) = try await Wire.decide(
      step, [.answer("identifier", "ada"), .answer("pin", "2")])
    #expect(await person.questions.map(\.suggestion) == ["ada", nil])
  }
}

extension Decision {
  /// The answers to the step's own form; nil for any other decision.
  fileprivate var answers: Answers? {
    if case .submit(let answers, nil) = self { answers } else { nil }
  }
}
