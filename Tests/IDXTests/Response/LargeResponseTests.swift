import Testing

@testable import IDX

@Suite("Large responses", .timeLimit(.minutes(5)))
struct LargeResponseTests {
  private static let megabyte = 1 << 20

  /// One long authenticator, and a remediation that names it 40,000 times.
  private static func withReferences(keyPrefix: String = "k") -> [UInt8] {
    let key = keyPrefix + String(repeating: "k", count: megabyte)
    let paths = Array(repeating: #""$.currentAuthenticator""#, count: 40_000)
      .joined(separator: ",")
    return Array(
      """
      {"version":"1.0.0","currentAuthenticator":{"value":{"key":"\(key)"}},
       "remediation":{"value":[{"name":"a","relatesTo":[\(paths)]}]}}
      """.utf8)
  }

  @Test("Equal responses that were read separately are equal")
  func equality() throws {
    let one = try IDXResponse(parsing: Self.withReferences())
    let same = try IDXResponse(parsing: Self.withReferences())
    let other = try IDXResponse(parsing: Self.withReferences(keyPrefix: "q"))
    #expect(one == same && one.hashValue == same.hashValue)
    #expect(one.remediations == same.remediations)
    #expect(one != other && one.remediations != other.remediations)
  }

  @Test("An authenticator that is named many times is related once")
  func references() throws {
    let response = try IDXResponse(parsing: Self.withReferences())
    let authenticators = try #require(response.remediations.first).authenticators
    #expect(authenticators.compactMap(\.key).count == 1)
    #expect(authenticators == response.authenticators)
  }

  @Test("A form with very many fields can be answered")
  func fields() throws {
    let names = (0..<60_000).map { "f\($0)" }
    let fields = names.map { #"{"name":"\#($0)","value":1}"# }.joined(separator: ",")
    let text = #"{"version":"1","remediation":{"value":[{"name":"a","value":[\#(fields)]}]}}"#
    let form = try #require(try IDXResponse(parsing: text.utf8).remediations.first)
    #expect(try form.body(answering: [:]).object?.members.map(\.name) == names)
  }

  @Test("Fields with the same name are merged among many fields")
  func merged() throws {
    let others = (0..<50).map { #"{"name":"f\#($0)","value":1}"# }.joined(separator: ",")
    let text = """
      {"version":"1","remediation":{"value":[{"name":"a","value":[
       {"name":"o","form":{"value":[{"name":"x","value":1}]}},{"name":"s","value":1},\(others),
       {"name":"o","form":{"value":[{"name":"y","value":2}]}},{"name":"s","value":"last"}]}]}}
      """
    let form = try #require(try IDXResponse(parsing: text.utf8).remediations.first)
    let body = try form.body(answering: [:])
    #expect(body.object?.members.count == 52)
    #expect(body["o"] == ["x": 1, "y": 2] && body["s"] == "last" && body["f49"] == 1)
  }
}
