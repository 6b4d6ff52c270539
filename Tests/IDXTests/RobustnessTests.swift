import IDXBase
import Testing

@testable import IDX

@Suite("Whatever the server sends, it is read or refused")
struct RobustnessTests {
  @Test("Each key removed once, each value retyped once", arguments: Fixture.names)
  func mutations(_ name: String) throws {
    let mutations = try Mutations(of: try Fixture(name).bytes)
    for index in 0..<mutations.count {
      let outcome = Outcome(of: mutations[index])
      #expect(
        outcome.isSound && outcome.isRead == !mutations.isWhole(index), "\(index): \(outcome)")
    }
  }

  @Test(
    "What an authenticator holds, each value of it in every type",
    arguments: [
      "04-google-enroll/01-enroll", "09-security-question/01-enroll", "10-push/02-pick-the-number",
      "12-passkey/02-challenge", "14-recovery/04-new-password",
    ])
  func authenticatorData(_ name: String) throws {
    let current = try #require(try Fixture.response(name).currentAuthenticator)
    let mutations = try Mutations(of: Array(current.raw.bytes))
    for position in 0..<mutations.valueCount {
      for bytes in mutations.retypings(of: position) {
        let text = String(decoding: bytes, as: UTF8.self)
        let response = try IDXResponse(
          text: #"{"version":"1","currentAuthenticator":{"value":\#(text)}}"#)
        #expect(response.authenticators.allSatisfy { $0.readEverything() > 0 })
      }
    }
  }

  @Test(
    "A response that is cut off anywhere is refused",
    arguments: ["21-ends/01-session-expired", "20-success/02-confidential-client"])
  func truncation(_ name: String) throws {
    let bytes = try JSONValue(parsing: try Fixture(name).bytes).bytes
    for length in 0..<bytes.count {
      #expect(throws: IDXResponseError.self, "after \(length) bytes") {
        try IDXResponse(parsing: bytes.prefix(length))
      }
    }
  }

  @Test("A byte that is changed anywhere does no harm")
  func changedBytes() throws {
    var bytes = try JSONValue(parsing: try Fixture("21-ends/01-session-expired").bytes).bytes
    for index in bytes.indices {
      let original = bytes[index]
      for byte in [0x00, 0x22, 0x2C, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8] {
        bytes[index] = byte
        #expect(Outcome(of: bytes).isSound, "byte \(index) being \(byte)")
      }
      bytes[index] = original
    }
  }

  @Test("Forms nested as deep as is read are walked to the end")
  func deepForms() throws {
    // Each level is a field, its form and the list in it: three levels of JSON.
    var field = #"{"name":"a","required":true}"#
    for _ in 0..<40 { field = #"{"name":"a","form":{"value":[\#(field)]}}"# }
    let form = try IDXResponse.offering(fields: field)
    let path = Array(repeating: "a", count: 41).joined(separator: ".")
    #expect(form[path]?.isRequired == true)
    #expect(form.faults() == [Fault(path, .missing)])
    #expect(try form.text(answering: Answers([path: "x"])).contains(#"{"a":"x"}"#))
    for _ in 0..<2 { field = #"{"name":"a","form":{"value":[\#(field)]}}"# }
    #expect(throws: IDXResponseError.self) { try IDXResponse.offering(fields: field) }
  }

  @Test("Values that merely look like forms, level upon level, are read in good time")
  func almostForms() throws {
    var value = "1"
    for _ in 0..<60 { value = #"{"form":0,"value":\#(value)}"# }
    let form = try IDXResponse.offering(fields: #"{"name":"a","value":\#(value)}"#)
    #expect(form["a"]?.value?["value"]?["form"] == 0)
    var nested = #"{"form":0,"value":1}"#
    for _ in 0..<20 { nested = #"{"form":{"value":[{"name":"a","value":\#(nested)}]},"form":0}"# }
    #expect(try IDXResponse.offering(fields: #"{"name":"a","value":\#(nested)}"#)["a"]?.form == nil)
  }
}
