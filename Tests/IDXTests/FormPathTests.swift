import IDX
import Testing

@Suite("Fields are found by dotted path")
struct FormPathTests {
  @Test(
    "A path leads into nested forms and into the forms of options",
    arguments: [
      ("01-password/01-identify-with-password", "credentials.passcode", "Password"),
      ("07-phone-enroll/02-number", "authenticator.phoneNumber", "Phone number"),
      ("07-phone-enroll/01-one-form", "authenticator.phoneNumber", "Phone number"),
      ("09-security-question/01-enroll", "credentials.answer", "Answer"),
      ("18-consent/02-granular", "optedScopes.orders.read", "See your orders"),
      ("18-consent/02-granular", "optedScopes.orders.read.history", "See old orders"),
      ("18-consent/02-granular", "optedScopes.orders", "Change your orders"),
      ("23-odd-shapes/03-unknown", "cargo.crew.size", "Crew"),
    ])
  func paths(_ fixture: String, _ path: String, _ label: String) throws {
    #expect(try Fixture.form(fixture)[path]?.label == label)
  }

  @Test(
    "A path that leads nowhere is nil",
    arguments: [
      "passcode", "credentials.", ".credentials", "credentials.passcode.x", "credentials..passcode",
      "credentialsXpasscode", "credential", "Credentials.passcode", "", ".", "identifier.passcode",
    ])
  func noPath(_ path: String) throws {
    #expect(try Fixture.form("01-password/01-identify-with-password")[path] == nil)
  }

  @Test("A name with dots and nested names may make one path, and all fields of it are found")
  func ambiguity() throws {
    let form = try IDXResponse.offering(
      fields: #"""
        {"name":"a.b","label":"dotted"},
        {"name":"a","form":{"value":[{"name":"b","label":"nested"}]}},
        {"name":"a","form":{"value":[{"name":"b","label":"second"}]},
         "options":[{"value":{"form":{"value":[{"name":"b","label":"option"}]}}}]}
        """#)
    #expect(
      form.form.fields(at: "a.b").map(\.label) == ["dotted", "nested", "second", "option"])
    #expect(form["a.b"]?.label == "dotted")
    #expect(form.form.fields(at: "a").count == 2)
  }

  @Test("Several fields of one name in one form are all kept, in order")
  func sameNames() throws {
    let form = try Fixture.form("17-profile-update/01-three-of-one-name")
    #expect(form.form.fields.map(\.name).filter { $0 == "userProfile" }.count == 3)
    #expect(form["userProfile.city"]?.label == "City")
    #expect(form["userProfile.shopName"]?.label == "Name of your shop")
    #expect(form["userProfile.newsletter"]?.type == .boolean)
  }

  @Test("A nested form stands under form, or under value")
  func twoPlaces() throws {
    let inner = #"{"value":[{"name":"b","label":"found"}]}"#
    let form = try IDXResponse.offering(
      fields: #"""
        {"name":"x","form":\#(inner)},{"name":"y","value":{"form":\#(inner)}},
        {"name":"z","options":[{"form":\#(inner)}]},
        {"name":"w","options":[{"value":{"form":\#(inner)}}]}
        """#)
    for path in ["x.b", "y.b", "z.b", "w.b"] { #expect(form[path]?.label == "found", "\(path)") }
    #expect(form["y"]?.value == nil)
    #expect(form["w"]?.options.first?.value == nil)
  }

  @Test("An object that holds no form is a plain value")
  func plainObject() throws {
    let form = try IDXResponse.offering(fields: #"{"name":"a","value":{"type":"x","value":[1]}}"#)
    #expect(form["a"]?.form == nil)
    #expect(form["a"]?.value == ["type": "x", "value": [1]])
  }

  @Test("The choices of a profile attribute stand inside what describes how to show them")
  func wrappedChoices() throws {
    let form = try Fixture.form("16-registration/01-profile")
    let tea = try #require(form["userProfile.favouriteTea"])
    #expect(tea.options.count == 1)
    #expect(tea.choices.map(\.label) == ["Black", "Green", "White"])
    #expect(tea.choices.map(\.value) == ["black", "green", "white"])
    #expect(form["userProfile.country"]?.choices.isEmpty == true)
    #expect(form["userProfile.wholesale"]?.choices.isEmpty == true)
  }
}
