import IDX
import Testing

@Suite("Formats of texts")
struct FieldFormatTests {
  @Test(
    "Letters and digits of ASCII alone fit where that is the format",
    arguments: [
      ("Az09", true), ("a b", false), ("a-b", false), ("é", false), ("٣", false), ("a\n", false),
      ("@", false), ("[", false), ("`", false), ("{", false), ("/", false), (":", false),
    ])
  func alphanumeric(text: String, fits: Bool) throws {
    let form = try IDXResponse.offering(fields: #"{"name": "code", "format": "alphanumeric"}"#)
    #expect(form["code"]?.format == .alphanumeric)
    let faults = form.faults(answering: ["code": .text(text)])
    #expect(faults == (fits ? [] : [Fault("code", .notAlphanumeric)]))
  }

  @Test("A format that is unknown is kept by name, and not checked")
  func unknown() throws {
    let form = try IDXResponse.offering(fields: #"{"name": "code", "format": "morse"}"#)
    #expect(form["code"]?.format == "morse")
    #expect(form.faults(answering: ["code": "any thing!"]) == [])
  }

  @Test("Without a format, or with one that is no text, anything fits")
  func none() throws {
    for fields in [#"{"name": "code"}"#, #"{"name": "code", "format": 7}"#] {
      let form = try IDXResponse.offering(fields: fields)
      #expect(form["code"]?.format == nil)
      #expect(form.faults(answering: ["code": "é !"]) == [])
    }
  }

  @Test("Too short and of other characters are told together")
  func together() throws {
    let form = try IDXResponse.offering(
      fields: #"{"name": "code", "format": "alphanumeric", "minLength": 4}"#)
    #expect(
      form.faults(answering: ["code": "a!"])
        == [Fault("code", .tooShort(minimum: 4)), Fault("code", .notAlphanumeric)])
  }

  @Test("An option that stands for nothing is no choice")
  func emptyOption() throws {
    let form = try IDXResponse.offering(
      fields: #"""
        {"name": "method", "required": true,
         "options": [{"type": "voice"}, {"label": "SMS", "value": "sms"}, {"label": "Call"}]}
        """#)
    #expect(form["method"]?.choices.map(\.label) == ["SMS"])
    #expect(try form.text(answering: ["method": .option(0)]) == #"{"method":"sms"}"#)
    #expect(
      form.faults(answering: ["method": .optionNamed("Call")])
        == [Fault("method", .notAnOption(allowed: ["SMS"]))])
  }
}
