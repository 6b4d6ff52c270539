import IDX
import Testing

@Suite("Answers become the body that the form describes")
struct AnswerEncodingTests {
  @Test("Fixed values are copied as they are, whatever their type")
  func fixedValues() throws {
    let form = try IDXResponse.offering(
      fields: #"""
        {"name":"text","value":"007","mutable":false},{"name":"number","value":1.50,"mutable":false},
        {"name":"flag","value":false,"mutable":false},{"name":"none","value":null,"mutable":false},
        {"name":"list","value":[1,{"a":"b"}],"mutable":false},
        {"name":"object","value":{"b":1,"a":[]},"mutable":false}
        """#)
    #expect(
      try form.text()
        == #"{"text":"007","number":1.50,"flag":false,"none":null,"list":[1,{"a":"b"}],"object":{"b":1,"a":[]}}"#
    )
  }

  @Test("A fixed value is sent also where it is hidden, and where it is not required")
  func hiddenFixedValues() throws {
    let form = try IDXResponse.offering(
      fields: #"{"name":"a","value":"x","mutable":false,"visible":false,"required":false}"#)
    #expect(try form.text() == #"{"a":"x"}"#)
  }

  @Test("An answer cannot change a fixed value, and may repeat it")
  func changingFixedValues() throws {
    let form = try IDXResponse.offering(
      fields: #"{"name":"a","label":"A","value":"x","mutable":false}"#)
    #expect(
      form.problems(answering: ["a": "y"]) == [.init(path: "a", label: "A", reason: .notChangeable)]
    )
    #expect(form.faults(answering: ["a": .option(0)]) == [Fault("a", .notChangeable)])
    #expect(form.faults(answering: ["a": "X"]) == [Fault("a", .notChangeable)])
    #expect(try form.text(answering: ["a": "x"]) == #"{"a":"x"}"#)
    #expect(try form.text(answering: ["a": ""]) == #"{"a":"x"}"#)
  }

  @Test("A field that is fixed to nothing can be answered")
  func fixedWithoutValue() throws {
    let form = try IDXResponse.offering(fields: #"{"name":"a","mutable":false,"required":true}"#)
    #expect(form.faults() == [Fault("a", .missing)])
    #expect(try form.text(answering: ["a": "x"]) == #"{"a":"x"}"#)
  }

  @Test("A default is sent where nothing is answered, and gives way to an answer")
  func defaults() throws {
    let form = try IDXResponse.offering(
      fields:
        #"{"name":"a","value":"x","required":true},{"name":"b","value":true,"type":"boolean"}"#)
    #expect(try form.text() == #"{"a":"x","b":true}"#)
    #expect(try form.text(answering: ["a": "y", "b": false]) == #"{"a":"y","b":false}"#)
    #expect(try form.text(answering: ["a": ""]) == #"{"a":"x","b":true}"#)
  }

  @Test("A default of null is none")
  func nullDefault() throws {
    let form = try IDXResponse.offering(
      fields: #"{"name":"a","value":null,"required":true},{"name":"b","value":null}"#)
    #expect(form.faults() == [Fault("a", .missing)])
    #expect(try form.text(answering: ["a": "x"]) == #"{"a":"x"}"#)
  }

  @Test("What is neither answered nor required is left out")
  func optionalFields() throws {
    let form = try Fixture.form("02-identity-first/01-identify")
    let body = try form.body(answering: ["identifier": "amal"])
    #expect(body.object?.members.map(\.name) == ["identifier", "rememberMe", "stateHandle"])
    let other = try IDXResponse.offering(fields: #"{"name":"a"},{"name":"b","type":"boolean"}"#)
    #expect(try other.text() == "{}")
  }

  @Test("No text and null are no answers", arguments: ["", .value(.null)] as [Answer])
  func emptyAnswers(_ answer: Answer) throws {
    let form = try IDXResponse.offering(
      fields: #"{"name":"a","required":true},{"name":"b"},{"name":"c","type":"boolean"}"#)
    #expect(form.faults(answering: ["a": answer]) == [Fault("a", .missing)])
    let answers: Answers = ["a": " ", "b": answer, "c": answer, "nowhere": answer]
    #expect(try form.text(answering: answers) == #"{"a":" "}"#)
  }

  @Test("A nested form becomes a nested object with all of its fields")
  func nestedForms() throws {
    let form = try Fixture.form("07-phone-enroll/02-number")
    let body = try form.body(answering: [
      "authenticator.methodType": "voice", "authenticator.phoneNumber": "+94770000071",
    ])
    #expect(
      body["authenticator"]?.text
        == #"{"id":"autPHONE00000inv01","methodType":"voice","phoneNumber":"+94770000071"}"#)
    let deep = try IDXResponse.offering(
      fields: #"""
        {"name":"a","form":{"value":[{"name":"b","value":{"form":{"value":[
          {"name":"c","value":"1","mutable":false},{"name":"d"}]}}},{"name":"e"}]}}
        """#)
    #expect(
      try deep.text(answering: ["a.b.d": "2", "a.e": "3"])
        == #"{"a":{"b":{"c":"1","d":"2"},"e":"3"}}"#)
  }

  @Test("A nested form of which nothing is sent is left out, unless it is required")
  func emptyNestedForms() throws {
    let optional = try IDXResponse.offering(
      fields: #"{"name":"a","form":{"value":[{"name":"b"},{"name":"c"}]}}"#)
    #expect(try optional.text() == "{}")
    let required = try IDXResponse.offering(
      fields: #"{"name":"a","required":true,"form":{"value":[{"name":"b"},{"name":"c"}]}}"#)
    #expect(required.faults() == [Fault("a", .missing)])
    #expect(try required.text(answering: ["a.c": "x"]) == #"{"a":{"c":"x"}}"#)
  }

  @Test("Where one field alone can fill a required form, that field is missing")
  func onlyFieldOfRequiredForm() throws {
    let form = try Fixture.form("04-google-enroll/01-enroll")
    #expect(
      form.problems()
        == [.init(path: "credentials.passcode", label: "Code from the app", reason: .missing)])
  }

  @Test("What a nested form requires is missing, also where nothing says the form is required")
  func requiredInNestedForms() throws {
    let inner = #""form":{"value":[{"name":"b","required":true},{"name":"c"}]}"#
    let silent = try IDXResponse.offering(fields: #"{"name":"a",\#(inner)}"#)
    #expect(silent.faults() == [Fault("a.b", .missing)])
  }

  @Test(
    "A nested form that may be left out is, unless something in it is answered",
    arguments: ["false", #""false""#])
  func explicitlyOptionalNestedForms(_ flag: String) throws {
    let inner = #""form":{"value":[{"name":"b","required":true},{"name":"c"}]}"#
    let form = try IDXResponse.offering(fields: #"{"name":"a","required":\#(flag),\#(inner)}"#)
    #expect(try form.text() == "{}")
    #expect(form.faults(answering: ["a.c": "x"]) == [Fault("a.b", .missing)])
    #expect(try form.text(answering: ["a.b": "x"]) == #"{"a":{"b":"x"}}"#)
    #expect(try form.text(answering: ["a.b": "", "a.c": ""]) == "{}")
  }

  @Test("Fields of one name are merged into one object")
  func sameNames() throws {
    let form = try Fixture.form("17-profile-update/01-three-of-one-name")
    let body = try form.body(answering: [
      "userProfile.city": "Galle", "userProfile.shopName": "Corner", "userProfile.newsletter": true,
    ])
    #expect(body["userProfile"]?.text == #"{"city":"Galle","shopName":"Corner","newsletter":true}"#)
    #expect(body.object?.members.map(\.name) == ["userProfile", "stateHandle"])
    let least = try form.body(answering: ["userProfile.city": "Galle"])
    #expect(least["userProfile"]?.text == #"{"city":"Galle","newsletter":false}"#)
  }

  @Test("Objects of one name are merged level by level")
  func deepMerging() throws {
    let form = try IDXResponse.offering(
      fields: #"""
        {"name":"a","form":{"value":[{"name":"b","form":{"value":[{"name":"c","value":"1"}]}}]}},
        {"name":"a","form":{"value":[{"name":"b","form":{"value":[{"name":"d","value":"2"}]}},
          {"name":"e","value":"3"}]}},
        {"name":"f","value":"old"},{"name":"f","value":"new"}
        """#)
    #expect(try form.text() == #"{"a":{"b":{"c":"1","d":"2"},"e":"3"},"f":"new"}"#)
  }

  @Test("A name with dots is one member, not a path")
  func dottedNames() throws {
    let form = try Fixture.form("18-consent/02-granular")
    let body = try form.body(answering: [
      "consent": true, "optedScopes.orders.read": true, "optedScopes.orders": false,
    ])
    #expect(
      body["optedScopes"]?.text
        == #"{"openid":true,"orders.read":true,"orders.read.history":false,"orders":false}"#)
  }

  @Test(
    "A text is sent as a text, leading zeros and all",
    arguments: [
      ("004217", #""004217""#), (.value(4217), #""4217""#), (true, #""true""#),
      ("é\"\n", #""é\"\n""#),
      ("null", #""null""#),
    ] as [(Answer, String)])
  func texts(_ answer: Answer, _ expected: String) throws {
    for type in [#""type":"string","#, ""] {
      let form = try IDXResponse.offering(fields: #"{\#(type)"name":"a"}"#)
      #expect(try form.text(answering: ["a": answer]) == #"{"a":\#(expected)}"#)
    }
  }

  @Test(
    "A boolean is sent as a boolean",
    arguments: [(true, "true"), ("true", "true"), ("False", "false"), (false, "false")]
      as [(Answer, String)])
  func booleans(_ answer: Answer, _ expected: String) throws {
    let form = try IDXResponse.offering(fields: #"{"name":"a","type":"boolean"}"#)
    #expect(try form.text(answering: ["a": answer]) == #"{"a":\#(expected)}"#)
  }

  @Test("What is no boolean or no text is of the wrong type")
  func wrongTypes() throws {
    let form = try IDXResponse.offering(
      fields: #"{"name":"a","type":"boolean"},{"name":"b"},{"name":"c","type":"string"}"#)
    #expect(
      form.faults(answering: ["a": "yes", "b": .value(["x"]), "c": .value(["x": 1])])
        == [
          Fault("a", .wrongType(.boolean)), Fault("b", .wrongType(.string)),
          Fault("c", .wrongType(.string)),
        ])
    #expect(form.faults(answering: ["a": .value(1)]) == [Fault("a", .wrongType(.boolean))])
  }

  @Test("A type that is not known takes any value as it is")
  func unknownTypes() throws {
    let form = try IDXResponse.offering(fields: #"{"name":"a","type":"vector"}"#)
    #expect(try form.text(answering: ["a": .value([1, "x"])]) == #"{"a":[1,"x"]}"#)
  }

  @Test("The order of the body is that of the form")
  func order() throws {
    let form = try IDXResponse.offering(
      fields: #"{"name":"z"},{"name":"a"},{"name":"m","value":"1","mutable":false}"#)
    #expect(try form.text(answering: ["a": "2", "z": "3"]) == #"{"z":"3","a":"2","m":"1"}"#)
  }
}
