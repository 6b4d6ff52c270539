import Foundation
import IDX
@testable import IDXBase
import Testing

@Suite("Bytes that are no response, and odd ones that are")
struct ResponseErrorTests {
  @Test(
    "What is JSON but no IDX response says so",
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
    ])
  func notIDX(_ text: String, _ expected: IDXResponseError) {
    #expect(throws: expected) { try IDXResponse(text: text) }
    #expect(expected.description.hasSuffix("."))
    if case .notIDX(let names) = expected {
      #expect(names.allSatisfy(expected.description.contains))
      #expect(expected.description.contains("stateHandle"))
    }
  }

  @Test("A response that is too deep or too long is refused")
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
    #expect(IDXResponseError.notJSON(tooLarge).description == tooLarge.description)
  }

  @Test("Damage in a part that is not modelled is found all the same")
  func unmodelledParts() {
    #expect(throws: IDXResponseError.self) {
      try IDXResponse(text: #"{"version":"1","x":{"y":[01]}}"#)
    }
  }

  @Test("The names of members may be written with escapes")
  func escapedNames() throws {
    let response = try IDXResponse(text: #"{"st\u0061teHandle":"02inv","\u0076ersion":"1.0.0"}"#)
    #expect(response.stateHandle == "02inv")
    #expect(response.version == "1.0.0")
  }

  @Test("What is written reads back as the same value", arguments: Fixture.names)
  func roundTrip(_ name: String) throws {
    let value = try JSONValue(parsing: try Fixture(name).bytes)
    #expect(try JSONValue(parsing: value.bytes) == value)
  }

  @Test("The expiry of a step is a date, or text where it is none")
  func expiry() throws {
    let response = try Fixture.response("02-identity-first/01-identify")
    #expect(response.expiresAt == Date(timeIntervalSince1970: 1_930_385_700))
    let odd = try Fixture.response("23-odd-shapes/01-flags-and-names")
    #expect(odd.expiresAt == nil)
    #expect(odd.expiresAtText == "2031-13-04 at ten")
    #expect(try IDXResponse(text: #"{"version":"1","expiresAt":7}"#).expiresAtText == nil)
  }
}
