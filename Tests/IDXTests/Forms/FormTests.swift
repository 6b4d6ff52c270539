import Expectations
import IDX
import Testing

/// Forms.
struct FormTests {
  @Test(
    "A path leads into nested forms and into the forms of options, or finds no field",
    arguments: [
      ("01-password/01-identify-with-password", "credentials.passcode", "Password"),
      ("07-phone-enroll/02-number", "authenticator.phoneNumber", "Phone number"),
      ("07-phone-enroll/01-one-form", "authenticator.phoneNumber", "Phone number"),
      ("09-security-question/01-enroll", "credentials.answer", "Answer"),
      ("18-consent/02-granular", "optedScopes.orders.read", "See your orders"),
      ("18-consent/02-granular", "optedScopes.orders.read.history", "See old orders"),
      ("18-consent/02-granular", "optedScopes.orders", "Change your orders"),
      ("23-odd-shapes/03-unknown", "cargo.crew.size", "Crew"),
    ]
      + [
        "passcode", "credentials.", ".credentials", "credentials.passcode.x",
        "credentials..passcode", "credentialsXpasscode", "credential", "Credentials.passcode", "",
        ".", "identifier.passcode",
      ].map { ("01-password/01-identify-with-password", $0, nil) } as [(String, String, String?)])
  func paths(_ fixture: String, _ path: String, _ label: String?) throws {
    let field = try Fixture.form(fixture)[path]
    expectEqual(field?.label, label)
    expectEqual(field == nil, label == nil)
  }

  @Test("All fields with the same name, or whose names make the same path, are found in order")
  func ambiguity() throws {
    let form = try Remediation.with(
      fields: #"""
        {"name":"a.b","label":"dotted"},
        {"name":"a","form":{"value":[{"name":"b","label":"nested"}]}},
        {"name":"a","form":{"value":[{"name":"b","label":"second"}]},
         "options":[{"value":{"form":{"value":[{"name":"b","label":"option"}]}}}]}
        """#)
    expectEqual(form.form.fields(at: "a.b").map(\.label), ["dotted", "nested", "second", "option"])
    expectEqual(form["a.b"]?.label, "dotted")
    expectEqual(form.form.fields(at: "a").count, 2)
  }

  @Test("A nested form is under form or under value, and an object without a form is a plain value")
  func twoPlaces() throws {
    let inner = #"{"value":[{"name":"b","label":"found"}]}"#
    let form = try Remediation.with(
      fields: #"""
        {"name":"x","form":\#(inner)},{"name":"y","value":{"form":\#(inner)}},
        {"name":"z","options":[{"form":\#(inner)}]},
        {"name":"w","options":[{"value":{"form":\#(inner)}}]}
        """#)
    for path in ["x.b", "y.b", "z.b", "w.b"] { expectEqual(form[path]?.label, "found", "\(path)") }
    expectEqual(form["y"]?.value, nil)
    expectEqual(form["w"]?.options.first?.value, nil)
    let plain = try Remediation.with(fields: #"{"name":"a","value":{"type":"x","value":[1]}}"#)
    expectEqual(plain["a"]?.form, nil)
    expectEqual(plain["a"]?.value, ["type": "x", "value": [1]])
  }

  @Test(
    "Inputs include those of nested forms and chosen options, in server order, without fixed and hidden fields"
  )
  func inputs() throws {
    let form = try Remediation.with(
      fields: """
        {"name": "identifier"},
        {"name": "credentials", "form": {"value": [{"name": "passcode"}, {"name": "totp"}]}},
        {"name": "hidden", "visible": false}, {"name": "default", "visible": false, "value": 1},
        {"name": "needed", "visible": false, "required": true}, {"label": "nameless"},
        {"name": "stateHandle", "value": "02.sh", "mutable": false, "required": true}
        """)
    expectEqual(
      form.form.inputs().map(\.path),
      ["identifier", "credentials.passcode", "credentials.totp", "needed"])
    expectEqual(Set(form.form.inputs().map(\.id)).count, 4)
    let choice = try Fixture.form("22-choose-challenge/01-everything")
    expectEqual(choice.form.inputs().map(\.path), ["authenticator"])
    expectEqual(
      choice.form.inputs(answering: ["authenticator": .authenticator(.oktaVerify)]).map(\.path),
      ["authenticator", "authenticator.methodType"])
    expectEqual(
      choice.form.inputs(answering: ["authenticator": .authenticator(.googleAuthenticator)])
        .map(\.path), ["authenticator"])
  }

  @Test(
    "The handle is never asked for, and goes back as it is, also if the form does not hide it",
    arguments: [#""value": "02.sh""#, #""value": "02.sh", "visible": true, "mutable": true"#])
  func visibleHandle(members: String) throws {
    let form = try Remediation.with(
      fields: """
        {"name": "code"}, {"name": "stateHandle", "label": "Handle", "required": true, \(members)}
        """)
    expectEqual(form.form.inputs().map(\.path), ["code"])
    try expectEqual(form.body(answering: ["code": "1"]), ["code": "1", "stateHandle": "02.sh"])
    expectEqual(
      form.faults(answering: ["code": "1", "stateHandle": "02.other"]),
      [Fault("stateHandle", .notChangeable)])
    let empty = try Remediation.with(
      fields: #"{"name": "code"}, {"name": "stateHandle", "required": true}"#)
    expectEqual(empty.form.inputs().map(\.path), ["code"])
  }
}
