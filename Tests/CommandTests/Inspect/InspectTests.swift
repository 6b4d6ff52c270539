import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import idx_flow

@Suite(.tags(.startsPrograms), .fewPrograms) struct InspectTests {
  private static let challenge = """
    {"version": "1.0.0", "stateHandle": "02.hidden", "intent": "LOGIN",
     "expiresAt": "2030-01-01T00:05:00.000Z",
     "messages": {"value": [{"class": "INFO", "message": "Hello \\u001b[2Jthere.",
       "i18n": {"key": "greeting"}}]},
     "remediation": {"value": [
       {"name": "challenge-authenticator", "method": "POST", "href": "https://o.example/a",
        "accepts": "application/json", "relatesTo": ["$.currentAuthenticator"],
        "value": [
          {"name": "credentials", "type": "object", "required": true, "form": {"value": [
            {"name": "passcode", "label": "Code", "required": true, "secret": true,
             "messages": {"value": [{"class": "ERROR", "message": "Wrong."}]}}]}},
          {"name": "stateHandle", "value": "02.hidden", "mutable": false, "visible": false}]},
       {"name": "redirect-idp", "method": "GET", "href": "https://o.example/idp"},
       {"name": "challenge-poll", "method": "POST", "href": "https://o.example/poll",
        "refresh": 4000,
        "value": [{"name": "pick", "options": [{"label": "One", "value": 1}]}]}]},
     "currentAuthenticator": {"value": {"type": "app", "key": "google_otp",
       "displayName": "Google Authenticator", "methods": [{"type": "otp"}],
       "contextualData": {"sharedSecret": "JBSWY3DP"}}},
     "user": {"value": {"identifier": "ada@example.com"}},
     "app": {"value": {"label": "Shop"}},
     "cancel": {"name": "cancel", "method": "POST", "href": "https://o.example/cancel"}}
    """

  @Test(
    "The tree shows the forms without handles, secrets and control characters, and says which names are new"
  )
  func tree() throws {
    let response = try IDXResponse(parsing: Self.challenge.utf8)
    expectEqual(
      ResponseTree(response: response).text(titled: "a\u{1B}[2J.json"),
      """
      a.json
        intent LOGIN, expires 2030-01-01T00:05:00.000Z, user ada@example.com, app Shop
        INFO: Hello there. [greeting]
        challenge-authenticator with Google Authenticator
          credentials (object, required)
            passcode “Code” (required, secret)
              ERROR: Wrong.
        redirect-idp, in a browser
        challenge-poll, polled every 4 s
          pick
            - One
        also: cancel
        currentAuthenticator: Google Authenticator by otp
      """)
    let newer = try IDXResponse(
      parsing: """
        {"version": "1.0.0", "remediation": {"value": [{"name": "share-location", "value": []}]},
         "authenticators": {"value": [{"key": "smart_ring", "type": "app", "displayName": "Ring"}]}}
        """.utf8)
    expectEqual(
      ResponseTree(response: newer).text(titled: "a.json"),
      """
      a.json
        share-location, in a browser; new: this version does not know the name
        authenticators[0]: Ring; new: this version does not know the name
      """)
  }

  @Test("The summary contains everything, or omits fixed values")
  func summary() throws {
    let response = try IDXResponse(parsing: Self.challenge.utf8)
    let whole = ResponseSummary(response).json
    expectEqual(whole["remediations"]?[0]?["fields"]?[1]?["value"], "02.hidden")
    expectEqual(whole["remediations"]?[2]?["refresh"], 4000)
    expectEqual(whole["remediations"]?[2]?["fields"]?[0]?["options"]?[0]?["value"], 1)
    expectEqual(whole["messages"]?[0]?["text"], "Hello \u{1B}[2Jthere.")
    expectEqual(whole["authenticators"]?[0]?["sharedSecret"], "JBSWY3DP")
    expectEqual(whole["actions"], ["cancel"])
    expect(whole["app"] == "Shop" && whole["user"] == "ada@example.com")
    expect(whole["expiresAt"] == "2030-01-01T00:05:00.000Z" && whole["intent"] == "LOGIN")
    let safe = try report(of: response)
    expectEqual(safe["remediations"]?[0]?["fields"]?[1]?["value"], .null)
  }

  @Test(
    "The report of a failure has the lines of menus, so that a script can choose between equal labels"
  )
  func menuLines() throws {
    let text = """
      {"remediation": {"value": [{"name": "select-authenticator-authenticate", "href": "https://o.example/", "value": [
         {"name": "authenticator", "type": "object", "options": [
           {"label": "Phone", "relatesTo": "$.authenticatorEnrollments.value[0]",
            "value": {"form": {"value": [{"name": "id", "value": "a", "mutable": false},
              {"name": "methodType", "options": [{"label": "Call", "value": "voice"}]}]}}},
           {"label": "Phone", "relatesTo": "$.authenticatorEnrollments.value[0]"},
           {"label": "Phone", "relatesTo": "$.authenticatorEnrollments.value[1]",
            "value": {"form": {"value": [{"name": "id", "value": "b", "mutable": false},
              {"name": "methodType", "options": [{"label": "SMS", "value": "sms"}]}]}}},
           {"label": "Password", "value": "p"}]}]}]},
       "authenticatorEnrollments": {"value": [
         {"key": "phone_number", "type": "phone", "displayName": "Phone", "profile": {"phoneNumber": "+1 XXX-XXX-1111"}},
         {"key": "phone_number", "type": "phone", "displayName": "Phone", "profile": {"phoneNumber": "+1 XXX-XXX-2222"}}]}}
      """
    let response = try IDXResponse(parsing: text.utf8)
    let safe = try report(of: response)
    let options = safe["remediations"]?[0]?["fields"]?[0]?["options"]
    expectEqual(options?[0]?["line"], "Phone (+1 XXX-XXX-1111)")
    // Without a value, it is no choice.
    expect(options?[1]?["value"] == .null && options?[1]?["line"] == nil)
    expectEqual(options?[2]?["line"], "Phone (+1 XXX-XXX-2222)")
    expect(options?[3]?["label"] == "Password" && options?[3]?["line"] == nil)
    for option in [options?[0], options?[2]] {
      expect(option?["fields"]?[1]?["options"]?[0]?["line"] == nil)
    }
    let whole = ResponseSummary(response).json
    expectEqual(whole["remediations"]?[0]?["fields"]?[0]?["options"]?[0]?["line"], nil)
  }

  /// The summary in the report of a sign-in that failed at a response.
  private func report(of response: IDXResponse) throws -> JSONValue {
    let start = FlowState.Start(
      .idx,
      try FlowConfiguration(
        issuer: "https://o.example", clientID: "0oa", redirectURI: "com.example:/callback"),
      interactionHandle: "ih", pkce: PKCE(), redirectState: "state", nonce: "nonce")
    let state = FlowState(start, response: response, status: 200, requestID: nil)
    return ResponseSummary(reporting: state).json
  }

  @Test(
    "Each of several files, or standard input, is shown or reported, as a tree or a line of JSON; the status is that of the first failure"
  )
  func several() throws {
    let folder = try TemporaryFolder()
    let good = try folder.file("good.json", #"{"version": "1.0.0", "intent": "LOGIN"}"#)
    let empty = try folder.file("empty.json", "{}")
    let text = try folder.file("text.json", "<html>")
    let none = folder.path("none.json")
    let end = try Program.run(["inspect", good, empty, text, none, folder.url.path, good])
    end.expect(status: 1)
    expectEqual(end.output, "\(good)\n  intent LOGIN\n\(good)\n  intent LOGIN\n")
    let complaints = end.errors.split(separator: "\n")
    try require(complaints.count == 4)
    expectPrefix(complaints[0], "\(empty): It is not an IDX response")
    expectPrefix(complaints[1], "\(text): It is not JSON")
    expectEqual(complaints[2], "\(none): It cannot be read. The file does not exist.")
    expectEqual(complaints[3], "\(folder.url.path): It cannot be read: is a directory.")
    try Program.run(["inspect", none, empty]).expect(status: 2)
    let input = try Program.run(["inspect", "-"], input: good)
    expectEqual(input.output, "-\n  intent LOGIN\n")
    input.expect(status: 0, input.errors.isEmpty)
    let whole = try folder.file("whole.json", Self.challenge)
    let bad = try folder.file("bad.json", "[1,")
    let json = try Program.run(["inspect", "--format=json", whole, bad, none, whole])
    json.expect(status: 1, json.errors.isEmpty)
    let lines = try json.output.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
    try require(lines.count == 4)
    expectEqual(lines[0], lines[3])
    expectEqual(
      lines[0], ResponseSummary(try IDXResponse(parsing: Self.challenge.utf8)).json)
    expectEqual(lines[1]["file"], .string(bad))
    expectEqual(lines[1]["error"]?.string?.hasPrefix("It is not JSON"), true)
    expectEqual(
      lines[2], ["file": .string(none), "error": "It cannot be read. The file does not exist."])
  }

  @Test(
    "Without fixed values, the query of an address, which may contain a token, and the default of a secret are omitted"
  )
  func addresses() throws {
    let text = """
      {"version": "1.0.0", "remediation": {"value": [{"name": "redirect-idp", "method": "GET",
        "href": "https://o.example/sso/idps/0oa1?stateToken=02.hidden"}]}}
      """
    let summary = try report(of: IDXResponse(parsing: text.utf8))
    expectEqual(summary["remediations"]?[0]?["href"], "https://o.example/sso/idps/0oa1")
    let form = """
      {"remediation": {"value": [{"name": "a", "value": [
        {"name": "passcode", "secret": true, "value": "hunter2"}]}]}}
      """
    try expect(!report(of: IDXResponse(parsing: form.utf8)).text.contains("hunter2"))
  }

  @Test("In the report of a failure, texts and lists are short", .promise("screen-limits"))
  func flood() throws {
    let text = String(repeating: "n", count: 3000)
    let option = #"{"label": "\#(text)", "value": "\#(text)"}"#
    let field =
      #"{"name": "\#(text)", "label": "\#(text)", "type": "\#(text)", "value": "\#(text)"}"#
    func list(_ entry: String) -> String {
      Array(repeating: entry, count: 150).joined(separator: ",")
    }
    let json = """
      {"remediation": {"value": [
        {"name": "\(text)", "method": "\(text)", "href": "https://o.example/\(text)", "accepts": "\(text)",
          "value": [{"name": "a", "options": [\(list(option))]}, \(list(field))]},
        \(list(#"{"name": "a"}"#))]}}
      """
    let response = try IDXResponse(parsing: json.utf8)
    let forms = try report(of: response)["remediations"]
    expectEqual(forms?.array?.count, 100)
    expectEqual(forms?[0]?["fields"]?.array?.count, 100)
    expectEqual(forms?[0]?["fields"]?[0]?["options"]?.array?.count, 100)
    expectEqual(forms?[0]?["name"]?.string, String(text.prefix(200)) + "…")
    expect(!(forms?.text.contains(text.prefix(201)) ?? true))
    let whole = ResponseSummary(response).json["remediations"]
    expect(whole?.array?.count == 151 && whole?[0]?["name"]?.string == text)
  }
}
