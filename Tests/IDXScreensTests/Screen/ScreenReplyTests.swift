import Expectations
import Foundation
import IDX
import IDXBase
@testable import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Replies to screens.
struct ScreenReplyTests {
  private func screen(of fields: JSONValue..., previous: Answers? = nil) throws -> Screen {
    let form = Wire.form("other", fields)
    return Screen(
      try Wire.step(Wire.document([form]), attempt: previous == nil ? 1 : 2, previous: previous))
  }

  private func problems(_ screen: Screen, _ values: [String: Secret]) -> [String: String] {
    do { _ = try screen.answers(with: values) } catch { return error.problems }
    return [:]
  }

  private static let colors: JSONValue = [
    ["label": "Red", "value": "r"], ["label": "Green", "value": "g"],
  ]

  @Test(
    "An identity provider has its page, unless that must not be opened, and the return to it is understood"
  )
  func identityProvider() async throws {
    let org = SimulatedOrg(OrgScenario["idp"], seed: 1)
    let state = try await org.client.start(org.configuration)
    let screen = Screen(Step(state.response.remediations[0], state: state))
    let providers = screen.options.filter { $0.role == .identityProvider }
    expectEqual(providers.count, 2)
    let page = try require(providers.first?.page)
    expectEqual(page.scheme, "https")
    let back = try await require(org.visit(page, as: SimulatedUser.demo.login))
    guard case .resume = try screen.decision(on: .returned(back)) else {
      Issue.record("The return must be understood.")
      return
    }

    for (href, isLinked) in [
      ("https://idp.example/start", true), ("http://idp.example/start", false),
      ("https://localhost:8443/start", false),
    ] {
      let form: JSONValue = [
        "name": "redirect-idp", "type": "GOOGLE", "idp": ["id": "a", "name": "Google"],
        "href": .string(href), "method": "GET",
      ]
      let step = try Wire.step(Wire.document([Wire.form("identify"), form]))
      let option = Screen(step).options.first { $0.role == .identityProvider }
      expectEqual(option?.page?.absoluteString, isLinked ? href : nil)
    }
  }

  @Test("A default that is shown shortened is kept as it is")
  func longDefault() throws {
    let text = String(repeating: "long ", count: 100)
    let screen = try screen(of: ["name": "about", "value": .string(text)])
    let suggestion = try require(screen.inputs[0].suggestion)
    expect(suggestion.count < text.count)
    try expectEqual(screen.answers(with: ["about": Secret(suggestion)]), [:])
    try expectEqual(screen.answers(with: ["about": "short"]), ["about": "short"])
  }

  @Test("A refused field of an option that was not chosen does not send the answers again")
  func otherOption() throws {
    func option(_ name: String, _ more: JSONValue = [:]) -> JSONValue {
      let field = more.setting("name", .string(name)).setting("required", true)
      return ["label": .string(name), "value": ["form": ["value": [field]]]]
    }
    let choice: JSONValue = [
      "name": "way", "required": true,
      "options": [option("a"), option("b", ["messages": Wire.messages("wrong")])],
    ]
    let screen = try screen(of: choice, previous: ["way": .option(0), "way.a": "hunter2"])
    expect(!screen.inputs[0].isKept)
    expectEqual(ScreenQuestions(screen).next()?.id, "way")
  }

  @Test("A choice with spaces around its value can be chosen, and one without a name")
  func oddChoices() throws {
    let screen = try screen(
      of: ["name": "way", "required": true, "options": [["value": "Home "], ["value": " "]]])
    let ids = screen.inputs[0].choices.map(\.id)
    expect(Set(ids).count == 2 && !ids.contains { $0.trimmed().isEmpty })
    for (position, id) in ids.enumerated() {
      try expectEqual(screen.answers(with: ["way": Secret(id)]), ["way": .option(position)])
    }
  }

  @Test(
    "All problems are found at once, and what was entered stays, except secrets; spaces are no answer"
  )
  func allProblems() throws {
    let screen = try self.screen(
      of: ["name": "pin", "secret": true, "required": true, "minLength": 4],
      ["name": "color", "required": true, "options": Self.colors],
      ["name": "city", "required": true])
    let reply = Reply.submit(["pin": "1", "color": "blue", "city": "Paris"])
    let refusal = try #require(throws: InvalidReply.self) { try screen.decision(on: reply) }
    expectEqual(
      refusal.problems,
      [
        "pin": "It must have at least 4 characters.", "color": "Choose one of the options.",
      ])
    let again = screen.refused(reply, because: refusal)
    // A value that is none of the choices is not one to begin with.
    expectEqual(again.inputs.map(\.suggestion), [nil, nil, "Paris"])
    expectEqual(again.attempt, 2)

    let blank = try self.screen(
      of: ["name": "first", "required": true], ["name": "second", "required": false])
    expectEqual(problems(blank, ["first": " ", "second": " "]), ["first": "Enter an answer."])
  }

  @Test(
    "A phone number is sent without the signs between its digits",
    arguments: [
      ("+1 555 010 0142", "+15550100142"), ("+49 (30) 12-34", "+49301234"), ("call me", "call me"),
    ])
  func phoneNumber(typed: Secret, sent: Secret) throws {
    let screen = try screen(of: ["name": "phoneNumber", "label": "Number", "required": true])
    expectEqual(screen.inputs[0].contentType, .telephone)
    try expectEqual(screen.answers(with: ["phoneNumber": typed]), ["phoneNumber": .text(sent)])
  }

  @Test("A question with the answers yes and no asks for one of them")
  func yesOrNo() throws {
    let screen = try screen(of: ["name": "agree", "type": "boolean", "required": true])
    expectEqual(problems(screen, ["agree": "maybe"]), ["agree": "Answer yes or no."])
    expectEmpty(problems(screen, ["agree": "true"]))
    let again = screen.refused(.submit(["agree": "maybe"]), because: InvalidReply(message: nil))
    expectEqual(again.inputs[0].suggestion, nil)
  }

  @Test(
    "A code that may have letters is not refused for them, and has a keyboard with them",
    arguments: [nil, "alphanumeric"])
  func codeWithLetters(_ format: String?) throws {
    let field = (["name": "passcode", "label": "Enter code"] as JSONValue)
      .setting("format", format.map { JSONValue.string($0) })
    let form = Wire.form("challenge-authenticator", [field])
    let current: JSONValue = ["id": "a1", "key": "okta_email", "type": "email"]
    let screen = Screen(try Wire.step(Wire.document([form], [Wire.current(current)])))
    expectEqual(problems(screen, ["passcode": "q7wk5k5k5k"]).isEmpty, format != nil)
    expectEqual(screen.inputs[0].keyboard, format == nil ? .digits : .text)
  }

  @Test("A page and a passkey need their own replies, and one that was not requested is not sent")
  func elsewhere() throws {
    let issuer = try require(URL(string: "https://id.shop.example"))
    var screen = Screen(title: "", host: "", action: .main(.submit, ""))
    screen.passkey = .sign(
      PasskeyRequestOptions(site: "id.shop.example", issuer: issuer, challenge: [1]))
    let passkey = PasskeyAttestation(clientData: [1], attestationObject: [2])
    for reply in [Reply.submit([:]), .created(passkey)] {
      #expect(throws: InvalidReply.self) { try screen.decision(on: reply) }
    }
    screen.passkey = nil
    screen.page = Screen.Page(url: issuer, redirectURI: "com.example.shop:/callback")
    #expect(throws: InvalidReply.self) { try screen.decision(on: .submit([:])) }

    let other = try self.screen(of: ["name": "x"])
    let assertion = PasskeyAssertion(clientData: [1], authenticatorData: [2], signature: [3])
    #expect(throws: InvalidReply.self) { try other.decision(on: .signed(assertion)) }
    #expect(throws: InvalidReply.self) { try other.decision(on: .choose("gone")) }
  }

  @Test("A new password and its repetition have one problem, at the one to enter next")
  func repetition() throws {
    var screen = Screen(title: "", host: "", action: .main(.submit, ""))
    var again = Screen.Input(id: "again", kind: .secret, label: "Repeat it", isRequired: true)
    again.repeats = "new"
    screen.inputs = [
      Screen.Input(id: "new", kind: .secret, label: "New password", isRequired: true), again,
    ]
    for (values, problems) in [
      (["new": "", "again": "x"], ["new"]), (["new": "x", "again": "y"], ["new"]),
      (["new": "x", "again": ""], ["again"]),
    ] as [([Screen.Input.ID: Secret], [String])] {
      let refusal = #expect(throws: InvalidReply.self) { try screen.answers(with: values) }
      expectEqual(refusal?.problems.keys.sorted(), problems)
    }
  }
}
