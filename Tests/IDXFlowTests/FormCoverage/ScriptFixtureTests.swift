import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import SignInSupport
import Testing

/// An entry of a script for a fixture, and what it must send.
struct ScriptedAnswer: Sendable, CustomTestStringConvertible {
  let fixture: String
  let entry: JSONValue
  /// Values by path that the body must contain.
  let sent: [String: JSONValue]

  init(_ fixture: String, _ entry: JSONValue, sends sent: [String: JSONValue] = [:]) {
    self.fixture = fixture
    self.entry = entry
    self.sent = sent
  }

  var testDescription: String { "\(fixture), \(entry.text)" }

  static let all: [ScriptedAnswer] = [
    ScriptedAnswer(
      "10-push/02-pick-the-number",
      [
        "step": "select-authenticator-authenticate", "choose": "okta_verify",
        "fields": ["authenticator.methodType": "totp"],
      ], sends: ["authenticator.methodType": "totp"]),
    ScriptedAnswer(
      "10-push/02-pick-the-number",
      ["step": "select-authenticator-authenticate", "choose": "Type a code"],
      sends: ["authenticator.methodType": "totp"]),
    ScriptedAnswer(
      "10-push/02-pick-the-number", ["step": "challenge-poll"], sends: ["autoChallenge": true]),
    ScriptedAnswer(
      "10-push/02-pick-the-number",
      ["step": "challenge-poll", "fields": ["autoChallenge": "false"]],
      sends: ["autoChallenge": false]),
    ScriptedAnswer(
      "24-okta-verify-by-text/01-where-to-send",
      ["step": "select-enrollment-channel", "choose": "A link by mail"],
      sends: ["authenticator.channel": "email", "authenticator.id": "autVERIFY00000inv01"]),
    ScriptedAnswer(
      "24-okta-verify-by-text/02-text-sent", ["step": "resend"],
      sends: ["phoneNumber": "+15550100199"]),
    ScriptedAnswer(
      "24-okta-verify-by-text/02-text-sent",
      [
        "step": "select-authenticator-enroll", "choose": "app",
        "fields": ["authenticator.channel": "qrcode"],
      ], sends: ["authenticator.channel": "qrcode"]),
    ScriptedAnswer("02-identity-first/02-password", ["step": "recover"]),
    ScriptedAnswer(
      "26-more-consent/02-link-in-a-mail",
      ["step": "email-challenge-consent", "choose": "Refuse"], sends: ["consent": false]),
    ScriptedAnswer(
      "26-more-consent/03-written-as-texts", ["step": "consent", "fields": ["consent": true]],
      sends: ["consent": "true"]),
    ScriptedAnswer(
      "31-duo/02-challenge",
      ["step": "challenge-authenticator", "fields": ["credentials.signatureData": "TX"]],
      sends: ["credentials.signatureData": "TX"]),
    ScriptedAnswer(
      "34-captcha/01-identify",
      [
        "step": "identify",
        "fields": ["identifier": "ada@shop.example", "captchaVerify.captchaToken": "solved"],
      ], sends: ["captchaVerify.captchaId": "capINVENTED34"]),
    ScriptedAnswer(
      "35-next-token/02-the-next-one",
      ["step": "challenge-authenticator", "fields": ["credentials.passcode": 123456]],
      sends: ["credentials.passcode": "123456", "credentials.clientData": "aperera"]),
  ]
}

/// Scripts for the fixtures.
struct ScriptFixtureTests {
  @Test("An entry leads to a body that the form accepts", arguments: ScriptedAnswer.all)
  func entry(_ answer: ScriptedAnswer) async throws {
    let state = try Self.state(answer.fixture)
    let script = try Script(parsing: JSONValue.array([answer.entry]).bytes)
    let handler = ScriptHandler(script)
    let (form, answers) = try await Self.submission(of: handler, at: state)
    expectEqual(form.name.rawValue, answer.entry["step"]?.string)
    let body = try form.body(answering: answers)
    expectEqual(BodyCheck(of: body, against: form.raw.json).problems, [])
    for (path, value) in answer.sent {
      let found = path.split(separator: ".").reduce(Optional(body)) { $0?[String($1)] }
      expectEqual(found, value, "\(path)")
    }
  }

  @Test(
    "Of several options with one label, the one with the fields is chosen",
    arguments: [("pin", "e2"), ("word", "e3")])
  func sameLabels(field: String, enrollment: String) async throws {
    func option(_ id: String, _ more: JSONValue...) -> JSONValue {
      let fixed: JSONValue = ["name": "enrollmentId", "value": .string(id), "mutable": false]
      return ["label": "Phone", "form": ["value": .array([fixed] + more)]]
    }
    let options: [JSONValue] = [
      option("e1"), option("e2", ["name": "pin", "required": true]),
      option("e3", ["name": "word", "required": "true"]),
    ]
    let state = try Wire.state(
      Wire.document(of: ["name": "authenticator", "options": .array(options)]))
    let entry: JSONValue = [
      "step": "a-new-step", "choose": "Phone",
      "fields": .object(JSONValue.Object([JSONValue.Object.Member("authenticator.\(field)", "7")])),
    ]
    let handler = ScriptHandler(try Script(parsing: JSONValue.array([entry]).bytes))
    let (form, answers) = try await Self.submission(of: handler, at: state)
    let body = try form.body(answering: answers)
    expectEqual(body["authenticator"]?["enrollmentId"], .string(enrollment))
    expectEqual(BodyCheck(of: body, against: form.raw.json).problems, [])
  }

  private static func state(_ fixture: String) throws -> FlowState {
    let url = FormCoverage.fixtures.appendingPathComponent("\(fixture).json")
    return try Wire.state(JSONValue(parsing: Data(contentsOf: url)))
  }

  private static func submission(
    of handler: ScriptHandler, at state: FlowState
  ) async throws -> (Remediation, Answers) {
    let first = try require(state.response.remediations.first)
    switch try await handler.decide(Step(first, state: state)) {
    case .submit(let answers, let form?): return (form, answers)
    case .poll(let form?): return (form, [:])
    default: throw GeneratorError(description: "nothing is sent")
    }
  }
}
