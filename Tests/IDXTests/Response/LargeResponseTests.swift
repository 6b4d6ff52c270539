import Expectations
import Testing

@testable import IDX

@Suite("Large responses", .timeLimit(.minutes(10)))
struct LargeResponseTests {
  private static let megabyte = 1 << 20

  /// One long authenticator, and a remediation that names it 19,000 times.
  private static func withReferences(keyPrefix: String = "k") -> [UInt8] {
    let key = keyPrefix + String(repeating: "k", count: megabyte)
    let paths = Array(repeating: #""$.currentAuthenticator""#, count: 19_000)
      .joined(separator: ",")
    return Array(
      """
      {"version":"1.0.0","currentAuthenticator":{"value":{"key":"\(key)"}},
       "remediation":{"value":[{"name":"a","relatesTo":[\(paths)]}]}}
      """.utf8)
  }

  @Test("Equal responses that name an authenticator many times are equal, and it is related once")
  func equality() throws {
    let one = try IDXResponse(parsing: Self.withReferences())
    let same = try IDXResponse(parsing: Self.withReferences())
    let other = try IDXResponse(parsing: Self.withReferences(keyPrefix: "q"))
    expect(one == same && one.hashValue == same.hashValue)
    expectEqual(one.remediations, same.remediations)
    expect(one != other && one.remediations != other.remediations)
    let response = try IDXResponse(parsing: Self.withReferences())
    let authenticators = try require(response.remediations.first).authenticators
    expectEqual(authenticators.compactMap(\.key).count, 1)
    expectEqual(authenticators, response.authenticators)
  }

  @Test("A form with very many fields can be answered, and those with the same name are merged")
  func fields() throws {
    let names = (0..<6_000).map { "f\($0)" }
    let fields = names.map { #"{"name":"\#($0)","value":1}"# }.joined(separator: ",")
    let text = #"{"version":"1","remediation":{"value":[{"name":"a","value":[\#(fields)]}]}}"#
    let form = try require(IDXResponse(parsing: text.utf8).remediations.first)
    try expectEqual(form.body(answering: [:]).object?.members.map(\.name), names)
    let others = (0..<50).map { #"{"name":"f\#($0)","value":1}"# }.joined(separator: ",")
    let sharing = """
      {"version":"1","remediation":{"value":[{"name":"a","value":[
       {"name":"o","form":{"value":[{"name":"x","value":1}]}},{"name":"s","value":1},\(others),
       {"name":"o","form":{"value":[{"name":"y","value":2}]}},{"name":"s","value":"last"}]}]}}
      """
    let shared = try require(IDXResponse(parsing: sharing.utf8).remediations.first)
    let body = try shared.body(answering: [:])
    expectEqual(body.object?.members.count, 52)
    expect(body["o"] == ["x": 1, "y": 2] && body["s"] == "last" && body["f49"] == 1)
  }

  /// A response with this number of JSON values.
  private static func values(_ count: Int) -> [UInt8] {
    let rest = Array(repeating: "0", count: count - 3).joined(separator: ",")
    return Array(#"{"version":"1.0.0","other":[\#(rest)]}"#.utf8)
  }

  @Test(
    "A response has at most 20,000 JSON values, and the error says the limit",
    .promise("response-limits"))
  func limit() throws {
    _ = try IDXResponse(parsing: Self.values(20_000))
    let error = try #require(throws: IDXResponseError.self) {
      _ = try IDXResponse(parsing: Self.values(20_001))
    }
    expectEqual(error.description, "It has 20001 JSON values; at most 20000 are read.")
  }

  @Test("The name of a field that is longer than 256 bytes counts as missing")
  func names() throws {
    // The path of every field below would repeat it.
    let forms = [256, 257].map { length in
      let name = String(repeating: "n", count: length)
      return #"{"name":"a","value":[{"name":"\#(name)","form":{"value":[{"name":"b"}]}}]}"#
    }
    let text = #"{"version":"1","remediation":{"value":[\#(forms.joined(separator: ","))]}}"#
    let response = try IDXResponse(parsing: text.utf8)
    expectEqual(response.remediations.map { $0.form.fields[0].name.utf8.count }, [256, 0])
    expectEqual(response.remediations.map { $0.form.inputs().count }, [1, 0])
  }

  @Test(
    "The first option is encoded once per answer, however deeply choices are nested",
    .timeLimit(.minutes(10)))
  func nestedChoices() throws {
    // No option fits, because each form requires a field without an answer.
    var form = #"{"value":[{"name":"r","required":true}]}"#
    var answers: Answers = [:]
    var path = "c"
    for _ in 0..<22 {
      form = #"""
        {"value":[{"name":"c","options":[{"label":"x","form":\#(form)}]},{"name":"r","required":true}]}
        """#
      answers[path] = .optionNamed("x")
      path += ".c"
    }
    let text =
      #"{"version":"1","remediation":{"value":[{"name":"a","value":[{"name":"o","form":\#(form)}]}]}}"#
    let remediation = try require(IDXResponse(parsing: text.utf8).remediations.first)
    let nested = Answers(
      Dictionary(uniqueKeysWithValues: answers.entries.map { ("o." + $0.key, $0.value) }))
    let error = try #require(throws: InvalidAnswers.self) {
      _ = try remediation.body(answering: nested)
    }
    expect(error.problems.count == 23 && error.problems.allSatisfy { $0.reason == .missing })
  }
}
