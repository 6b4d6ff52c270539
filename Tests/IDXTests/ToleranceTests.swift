import IDX
import Testing

@Suite("What is merely odd is tolerated")
struct ToleranceTests {
  @Test(
    "A flag may be written as a string; anything else is as if it were not there",
    arguments: [
      ("true", true), ("false", false), (#""true""#, true), (#""FALSE""#, false),
      (#""yes""#, nil), ("1", nil), ("null", nil), ("[true]", nil), (#"{"value":true}"#, nil),
    ])
  func flags(_ text: String, _ value: Bool?) throws {
    let form = try IDXResponse.offering(
      fields:
        #"{"name":"f","required":\#(text),"visible":\#(text),"mutable":\#(text),"secret":\#(text)}"#
    )
    let field = try #require(form["f"])
    #expect(field.isRequired == value ?? false)
    #expect(field.isVisible == value ?? true)
    #expect(field.isMutable == value ?? true)
    #expect(field.isSecret == value ?? false)
  }

  @Test("Flags written as strings rule the body as booleans do")
  func flagsInABody() throws {
    let form = try Fixture.form("23-odd-shapes/01-flags-and-names")
    #expect(form["tracking"]?.isFixed == true)
    #expect(form["tracking"]?.isVisible == false)
    #expect(form["credentials.passcode"]?.isSecret == true)
    #expect(form["locale"]?.isRequired == false)
    #expect(
      try form.text(answering: ["identifier": "amal"])
        == #"{"identifier":"amal","tracking":7.50,"locale":"si_LK","#
        + #""stateHandle":"02.Dm23qWv7LrXc4TnBz9KsPy3HgJt6FdMe8RuAi1o"}"#)
  }

  @Test("A field without a name is kept, and sent nowhere")
  func namelessField() throws {
    let form = try Fixture.form("23-odd-shapes/01-flags-and-names")
    #expect(form.form.fields.map(\.name).contains(""))
    #expect(form.form.fields[1].label == "A field without a name")
    #expect(form.faults() == [Fault("identifier", .missing)])
  }

  @Test("Names, types and members that are not known survive and can be read")
  func unknown() throws {
    let response = try Fixture.response("23-odd-shapes/03-unknown")
    #expect(response.intent == "TELEPORTATION")
    #expect(response.remediations.map(\.name.rawValue) == ["teleport-authenticator", ""])
    let form = try #require(response["teleport-authenticator"])
    #expect(form.raw["colour"] == "teal")
    #expect(form["coordinates"]?.type == "vector")
    #expect(form["coordinates"]?.raw["precision"] == 9)
    let gate = try #require(response.currentAuthenticator)
    #expect(gate.key == "star_gate" && gate.type == "gate" && gate.methods == ["dial"])
    #expect(gate.raw["glyphs"] == [1, 2, 3])
    #expect(response.raw["uiDisplay"]?["value"]?["buttonLabel"] == "Dial")
    #expect(response.raw["nothing"] == nil)
  }

  @Test("A remediation and an action that are not known can be answered")
  func unknownForms() throws {
    let response = try Fixture.response("23-odd-shapes/03-unknown")
    let form = try #require(response["teleport-authenticator"])
    let body = try form.body(answering: [
      "coordinates": .value([1, 2, 3]), "cargo.crew.size": "0144",
    ])
    #expect(body["coordinates"] == [1, 2, 3])
    #expect(body["cargo"] == ["crew.size": "0144", "captain": "Nilufar"])
    let action = try #require(response.action("beam-up"))
    #expect(action.href == "https://demo.okta.example/idp/idx/beam-up")
    #expect(try action.body(answering: [:]).object?.members.map(\.name) == ["stateHandle"])
  }

  @Test("Stray elements of lists are passed over, and the rest is kept")
  func strayElements() throws {
    let odd = try Fixture.response("23-odd-shapes/02-references")
    #expect(odd.currentAuthenticator?.methods == ["otp", "totp"])
    #expect(odd.currentAuthenticator?.key == nil)
    #expect(odd.currentAuthenticator?.type == "app")
    #expect(
      odd["device-challenge-poll"]?.authenticators.map(\.container) == [.authenticatorChallenge])
    #expect(
      odd["launch-authenticator"]?.authenticators.map(\.container) == [.authenticatorChallenge])
  }

  @Test(
    "Any member may be of any type",
    arguments: ["null", "7", "true", #""text""#, "[]", "{}", "[[1]]", #"{"value":7}"#])
  func types(_ odd: String) throws {
    let response = try IDXResponse(
      text: #"""
        {"version":\#(odd),"stateHandle":\#(odd),"expiresAt":\#(odd),"intent":\#(odd),
         "messages":\#(odd),"remediation":\#(odd),"user":\#(odd),"app":\#(odd),"cancel":\#(odd),
         "authenticators":\#(odd),"currentAuthenticator":\#(odd),
         "successWithInteractionCode":\#(odd)}
        """#)
    #expect(response.remediations.isEmpty)
    #expect(response.messages.isEmpty)
    #expect(response.authenticators.isEmpty)
    #expect(response.user == nil && response.application == nil && response.issue == nil)
    #expect(response.actions.isEmpty)
  }

  @Test("The last of two members of one name counts")
  func duplicates() throws {
    let response = try IDXResponse(
      text: #"""
        {"stateHandle":"02old","stateHandle":"02new","remediation":{"value":[{"name":"old"}]},
         "remediation":{"value":[{"name":"a","name":"new","value":[{"name":"x"}],
           "value":[{"name":"y"},{"name":"z"}]}]}}
        """#)
    #expect(response.stateHandle == "02new")
    #expect(response.remediations.map(\.name) == ["new"])
    #expect(response.remediations.first?.form.fields.map(\.name) == ["y", "z"])
    #expect(response.raw["stateHandle"] == "02new")
  }

  @Test("A remediation without name, address and form is kept")
  func bareRemediation() throws {
    let response = try IDXResponse(text: #"{"remediation":{"value":[{}]}}"#)
    let form = try #require(response.remediations.first)
    #expect(form.name == "" && form.href == nil && form.method == nil && form.form.fields.isEmpty)
    #expect(try form.text() == "{}")
    #expect(!response.isTerminal)
  }
}
