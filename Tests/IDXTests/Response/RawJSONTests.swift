import Expectations
import Testing

@testable import IDX

/// Raw JSON.
struct RawJSONTests {
  private func response(_ members: String) throws -> RawJSON {
    try IDXResponse(parsing: #"{"version":"1.0.0",\#(members)}"#.utf8).raw
  }

  @Test("A member is found by its exact name of any length, even if it is written with escapes")
  func names() throws {
    let raw = try response(
      #""na\u006de":1,"names":2,"nam":3,"NAME":4,"":5,"na\"me":6,"\uD83D\uDE00":7,"méthode":8"#)
    expectEqual(raw.integer("name"), 1)
    expectEqual(raw.integer("nam"), 3)
    expectEqual(raw.integer("na"), nil)
    expectEqual(raw.integer(""), 5)
    expectEqual(raw.integer("méthode"), 8)
    expectEqual(raw["na\"me"]?.integer, 6)
    expectEqual(raw["😀"]?.integer, 7)
    expectEqual(raw.json.object?.members.map(\.name).contains("names"), true)
    for length in [15, 16, 509, 510, 511, 512, 1023, 70_000] {
      let name = String(repeating: "n", count: length)
      let raw = try response(#""\#(name)":1,"\#(name)x":2,"n":3"#)
      expectEqual(raw[name]?.integer, 1)
      expectEqual(raw[name + "x"]?.integer, 2)
      expectEqual(raw.integer("n"), 3)
    }
  }

  @Test("If a name occurs twice, the last member counts, even if its type differs")
  func twice() throws {
    let raw = try response(#""a":1,"b":{"a":9},"a":"two","\u0061":{"c":3}"#)
    expect(raw.integer("a") == nil && raw.string("a") == nil)
    expectEqual(raw.member("a")?.integer("c"), 3)
  }

  @Test("The bytes of a value are exactly its own, without what is around it")
  func bytes() throws {
    let raw = try response(
      #""a": [ ] , "b":{ } ,"c" : [1, [ {"d":"}" } ] ,{} ] , "e": -1.5e3 , "f":"\"]" "#)
    let texts = ["a", "b", "c", "e", "f"].map { (name: StaticString) in
      raw.member(name).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
    expectEqual(texts, ["[ ]", "{ }", #"[1, [ {"d":"}" } ] ,{} ]"#, "-1.5e3", #""\"]""#])
    let surrounded = "\u{FEFF} \r\n\t" + #"{ "version" : "1" }"# + "\n          \t "
    let whole = try IDXResponse(parsing: surrounded.utf8).raw
    expectEqual(String(decoding: whole.bytes, as: UTF8.self), #"{ "version" : "1" }"#)
  }

  @Test(
    "Strings of every length are read completely, with escapes at any position", arguments: 0..<40)
  func lengths(length: Int) throws {
    let plain = String(repeating: "x", count: length)
    for (written, expected) in [
      ("", ""), (#"\""#, "\""), (#"\\"#, "\\"), ("é", "é"), (#"\n"#, "\n"),
    ] {
      let text = plain + written + plain
      try expectEqual(response(#""a":"\#(text)""#).string("a"), plain + expected + plain)
      #expect(throws: IDXResponseError.self) { try response(#""a":"\#(plain)\#u{1}\#(plain)""#) }
    }
  }

  @Test("Forms are equal if their bytes and their related authenticators are equal")
  func equality() throws {
    func form(_ key: String, _ path: String, spaces: String = "") throws -> Remediation {
      let text = """
        {"currentAuthenticator":{"value":{"key":"\(key)"}},"remediation":{"value":[
         {"name":"a","value":[{"name":"b","options":[{"relatesTo":"\(path)"}]}]\(spaces)}]}}
        """
      return try require(IDXResponse(parsing: text.utf8).remediations.first)
    }
    let path = "$.currentAuthenticator"
    try expectEqual(form("x", path), form("x", path))
    try expectEqual(form("x", path).hashValue, form("x", path).hashValue)
    try expect(form("x", path) != form("y", path))
    try expectEqual(form("x", "$.nothing"), form("y", "$.nothing"))
    try expect(form("x", path) != form("x", path, spaces: " "))
    try expectEqual(form("x", path).form.fields, form("x", path).form.fields)
    try expect(form("x", path).form != form("y", path).form)
  }
}
