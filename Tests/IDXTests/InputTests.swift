import IDX
import Testing

@Suite("What a person fills in")
struct InputTests {
  @Test("Nested forms are opened, in server order, and what is fixed or hidden is left out")
  func nested() throws {
    let form = try IDXResponse.offering(
      fields: """
        {"name": "identifier"},
        {"name": "credentials", "form": {"value": [{"name": "passcode"}, {"name": "totp"}]}},
        {"name": "hidden", "visible": false}, {"name": "default", "visible": false, "value": 1},
        {"name": "needed", "visible": false, "required": true}, {"label": "nameless"},
        {"name": "stateHandle", "value": "02.sh", "mutable": false, "required": true}
        """)
    #expect(
      form.form.inputs().map(\.path)
        == ["identifier", "credentials.passcode", "credentials.totp", "needed"])
    #expect(Set(form.form.inputs().map(\.id)).count == 4)
  }

  @Test("The inputs of an option follow once it is chosen")
  func options() throws {
    let form = try Fixture.form("22-choose-challenge/01-everything")
    #expect(form.form.inputs().map(\.path) == ["authenticator"])
    #expect(
      form.form.inputs(answering: ["authenticator": .authenticator(.oktaVerify)]).map(\.path)
        == ["authenticator", "authenticator.methodType"])
    #expect(
      form.form.inputs(answering: ["authenticator": .authenticator(.googleAuthenticator)])
        .map(\.path) == ["authenticator"])
  }

  @Test("Every fixture can be answered at the paths of its inputs, or says what is wrong by them")
  func fixtures() throws {
    for name in Fixture.names {
      for form in try Fixture.response(name).allForms {
        for input in form.form.inputs() { #expect(form[input.path] != nil) }
      }
    }
  }
}
