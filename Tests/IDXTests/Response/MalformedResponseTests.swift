import Expectations
import Foundation
import IDX
import Testing

@testable import IDXBase

/// Responses that cannot be read.
struct MalformedResponseTests {
  @Test(
    "Text that is not an IDX response, or is damaged in any member, is refused with a reason",
    arguments: [
      ("[]", IDXResponseError.notAnObject), ("\"version\"", .notAnObject), ("null", .notAnObject),
      ("{}", .notIDX(names: [])),
      (
        #"{"error":"invalid_request","error_description":"No."}"#,
        .notIDX(names: ["error", "error_description"])
      ),
      (
        #"{"errorCode":"E0000047","errorSummary":"Slow down."}"#,
        .notIDX(names: ["errorCode", "errorSummary"])
      ),
      (
        #"{"version":"1","x":{"y":[01]}}"#,
        .notJSON(JSONError(reason: .unexpectedByte(0x31), offset: 26))
      ),
    ])
  func notIDX(_ text: String, _ expected: IDXResponseError) {
    #expect(throws: expected) { try IDXResponse(text: text) }
    expectSuffix(expected.description, ".")
    if case .notIDX(let names) = expected {
      expect(names.allSatisfy(expected.description.contains))
      expectContains(expected.description, "stateHandle")
    }
  }

  @Test("A response that is nested too deeply or too long is refused", .promise("response-limits"))
  func limits() {
    let levels = String(repeating: "[", count: 128)
    let closing = String(repeating: "]", count: 128)
    let deep = #"{"version":"1.0.0","x":\#(levels)\#(closing)}"#
    #expect(throws: IDXResponseError.notJSON(JSONError(reason: .tooDeep, offset: 150))) {
      try IDXResponse(text: deep)
    }
    let long = [UInt8](repeating: 0x20, count: JSONValue.maximumSize + 9)
    let tooLarge = JSONError(reason: .tooLarge(long.count), offset: JSONValue.maximumSize)
    #expect(throws: IDXResponseError.notJSON(tooLarge)) { try IDXResponse(parsing: long) }
    expectEqual(IDXResponseError.notJSON(tooLarge).description, tooLarge.description)
  }
}

/// Tolerated deviations.
struct ToleranceTests {
  @Test(
    "A flag can be written as a string; any other value counts as missing",
    arguments: [
      ("true", true), ("false", false), (#""true""#, true), (#""FALSE""#, false),
      (#""yes""#, nil), ("1", nil), ("null", nil), ("[true]", nil), (#"{"value":true}"#, nil),
    ])
  func flags(_ text: String, _ value: Bool?) throws {
    let form = try Remediation.with(
      fields:
        #"{"name":"f","required":\#(text),"visible":\#(text),"mutable":\#(text),"secret":\#(text)}"#
    )
    let field = try require(form["f"])
    expectEqual(field.isRequired, value ?? false)
    expectEqual(field.isVisible, value ?? true)
    expectEqual(field.isMutable, value ?? true)
    expectEqual(field.isSecret, value ?? false)
  }

  @Test(
    "Flags written as strings affect the body like booleans, and a field without a name is not sent"
  )
  func flagsInABody() throws {
    let form = try Fixture.form("23-odd-shapes/01-flags-and-names")
    expectEqual(form["tracking"]?.isFixed, true)
    expectEqual(form["tracking"]?.isVisible, false)
    expectEqual(form["credentials.passcode"]?.isSecret, true)
    expectEqual(form["locale"]?.isRequired, false)
    try expectEqual(
      form.text(answering: ["identifier": "amal"]),
      #"{"identifier":"amal","tracking":7.50,"locale":"si_LK","#
        + #""stateHandle":"02.Dm23qWv7LrXc4TnBz9KsPy3HgJt6FdMe8RuAi1o"}"#)

    expectContains(form.form.fields.map(\.name), "")
    expectEqual(form.form.fields[1].label, "A field without a name")
    expectEqual(form.faults(), [Fault("identifier", .missing)])
  }

  @Test("Unknown names, types and members can be read, and unknown forms can be answered")
  func unknown() throws {
    let response = try Fixture.response("23-odd-shapes/03-unknown")
    expectEqual(response.intent, "TELEPORTATION")
    expectEqual(response.remediations.map(\.name.rawValue), ["teleport-authenticator", ""])
    let form = try require(response["teleport-authenticator"])
    expectEqual(form.raw["colour"], "teal")
    expectEqual(form["coordinates"]?.type, "vector")
    expectEqual(form["coordinates"]?.raw["precision"], 9)
    let gate = try require(response.currentAuthenticator)
    expect(gate.key == "star_gate" && gate.type == "gate" && gate.methods == ["dial"])
    expectEqual(gate.raw["glyphs"], [1, 2, 3])
    expectEqual(response.raw["uiDisplay"]?["value"]?["buttonLabel"], "Dial")
    expectEqual(response.raw["nothing"], nil)
    let body = try form.body(answering: [
      "coordinates": .value([1, 2, 3]), "cargo.crew.size": "0144",
    ])
    expectEqual(body["coordinates"], [1, 2, 3])
    expectEqual(body["cargo"], ["crew.size": "0144", "captain": "Nilufar"])
    let action = try require(response.action("beam-up"))
    expectEqual(action.href, "https://demo.okta.example/idp/idx/beam-up")
    try expectEqual(action.body(answering: [:]).object?.members.map(\.name), ["stateHandle"])
  }

  @Test("Stray elements of lists are skipped")
  func strayElements() throws {
    let odd = try Fixture.response("23-odd-shapes/02-references")
    expectEqual(odd.currentAuthenticator?.methods, ["otp", "totp"])
    expectEqual(odd.currentAuthenticator?.key, nil)
    expectEqual(odd.currentAuthenticator?.type, "app")
    expectEqual(
      odd["device-challenge-poll"]?.authenticators.map(\.container), [.authenticatorChallenge])
    expectEqual(
      odd["launch-authenticator"]?.authenticators.map(\.container), [.authenticatorChallenge])
  }

  @Test(
    "Any member can have any type",
    arguments: ["null", "7", "true", #""text""#, "[]", "{}", "[[1]]", #"{"value":7}"#])
  func types(_ odd: String) throws {
    let response = try IDXResponse(
      text: #"""
        {"version":\#(odd),"stateHandle":\#(odd),"expiresAt":\#(odd),"intent":\#(odd),
         "messages":\#(odd),"remediation":\#(odd),"user":\#(odd),"app":\#(odd),"cancel":\#(odd),
         "authenticators":\#(odd),"currentAuthenticator":\#(odd),
         "successWithInteractionCode":\#(odd)}
        """#)
    expectEmpty(response.remediations)
    expectEmpty(response.messages)
    expectEmpty(response.authenticators)
    expect(response.user == nil && response.application == nil && response.issue == nil)
    expectEmpty(response.actions)
  }

  @Test("If a name occurs twice, also written with escapes, the last member counts")
  func duplicates() throws {
    let response = try IDXResponse(
      text: #"""
        {"stateHandle":"02old","st\u0061teHandle":"02new","\u0076ersion":"1.0.0",
         "remediation":{"value":[{"name":"old"}]},
         "remediation":{"value":[{"name":"a","name":"new","value":[{"name":"x"}],
           "value":[{"name":"y"},{"name":"z"}],"relatesTo":["$.authenticators.value[0]"]}]},
         "authenticators":{"value":[{"key":"old"}]},"authenticators":{"value":[{"key":"new"}]}}
        """#)
    expectEqual(response.stateHandle, "02new")
    expectEqual(response.version, "1.0.0")
    expectEqual(response.remediations.map(\.name), ["new"])
    expectEqual(response.remediations.first?.form.fields.map(\.name), ["y", "z"])
    expectEqual(response.raw["stateHandle"], "02new")
    expectEqual(response.authenticators.map(\.key), ["new"])
    expectEqual(response.currentAuthenticator?.key, "new")
  }

  @Test("A remediation without name, address and form is kept")
  func bareRemediation() throws {
    let response = try IDXResponse(text: #"{"remediation":{"value":[{}]}}"#)
    let form = try require(response.remediations.first)
    expect(form.name == "" && form.href == nil && form.method == nil && form.form.fields.isEmpty)
    try expectEqual(form.text(), "{}")
    expect(!response.isTerminal)
  }

  @Test("The expiration time of a step is a date, or only a text if it is not valid")
  func expiry() throws {
    let response = try Fixture.response("02-identity-first/01-identify")
    expectEqual(response.expiresAt, Date(timeIntervalSince1970: 1_930_385_700))
    let odd = try Fixture.response("23-odd-shapes/01-flags-and-names")
    expectEqual(odd.expiresAt, nil)
    expectEqual(odd.expiresAtText, "2031-13-04 at ten")
    try expectEqual(IDXResponse(text: #"{"version":"1","expiresAt":7}"#).expiresAtText, nil)
  }
}
