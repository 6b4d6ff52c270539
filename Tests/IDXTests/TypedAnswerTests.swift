import IDX
import Testing

@Suite("An answer keeps the type that the form means")
struct TypedAnswerTests {
  @Test("A yes or no whose options are written as texts is sent as a boolean")
  func booleanOptions() throws {
    let form = try IDXResponse.offering(
      fields: """
        {"name": "pet", "type": "boolean", "options": [{"label": "display", "value": {
          "type": "object", "value": {"inputType": "radio", "options": [
            {"label": "Yes", "value": "true"}, {"label": "No", "value": "false"}]}}}]}
        """)
    for answer: Answer in [true, "true", .option(0), .optionNamed("Yes")] {
      #expect(try form.body(answering: ["pet": answer])["pet"] == true)
    }
    #expect(try form.body(answering: ["pet": .option(1)])["pet"] == false)
  }

  @Test("Options that stand for themselves are sent as the server wrote them, also for a yes or no")
  func plainBooleanOptions() throws {
    let form = try Fixture.form("26-more-consent/03-written-as-texts")
    for answer: Answer in [true, "true", .option(0), .optionNamed("Allow")] {
      #expect(try form.body(answering: ["consent": answer])["consent"] == "true")
    }
    #expect(try form.body(answering: ["consent": false])["consent"] == "false")
  }

  @Test("A field without a type is what its default is")
  func untyped() throws {
    let form = try IDXResponse.offering(
      fields: """
        {"name": "remember", "value": false}, {"name": "count", "value": 5}, {"name": "code"}
        """)
    let body = try form.body(answering: ["remember": "true", "count": .value(6), "code": .value(7)])
    #expect(body["remember"] == true)
    #expect(body["count"] == 6)
    #expect(try form.body(answering: ["count": "42"])["count"] == 42)
    #expect(body["code"] == "7")
  }

  @Test("Options nested twenty deep are told apart by the innermost answer")
  func deepOptions() throws {
    var fields = #"{"name": "leaf", "required": true}"#
    for _ in 0..<20 {
      let inner = #"{"value": {"form": {"value": [\#(fields)]}}}"#
      let other = #"{"value": {"form": {"value": [{"name": "other"}]}}}"#
      fields = #"{"name": "x", "options": [\#(other), \#(inner)]}"#
    }
    let form = try IDXResponse.offering(fields: fields)
    let path = String(repeating: "x.", count: 20) + "leaf"
    var value = try form.body(answering: Answers([path: "found"]))["x"]
    for _ in 1..<20 { value = value?["x"] }
    #expect(value?["leaf"] == "found")
  }

  @Test("A text known at run time, and an authenticator, are answers")
  func conveniences() {
    let text = "typed"
    #expect(Answer.text(text) == "typed")
    #expect(Answer.authenticator(.email) == .optionNamed("okta_email"))
  }
}
