import IDXBase
import Testing

@Suite("JSON documents")
struct JSONDocumentTests {
  /// Texts of an object with the members `a`, one with the name, and `z`.
  static func texts(of name: String) -> [String] {
    [0, 1, 900, 990, 1001, 1002, 1003, 1008, 1009, 1100, 5000].flatMap { gap in
      ["", "\n"].map { start in
        let space = String(repeating: " ", count: gap)
        return #"{\#(start)"a": 1,\#(start)"\#(name)"\#(space):\#(space)[true, {"b": 2}],"z":3}"#
      }
    }
  }

  @Test(
    "Every name is read, however long or far from its value",
    arguments: [
      "", "b", String(repeating: "n", count: 61), String(repeating: "n", count: 62),
      String(repeating: "n", count: 63), String(repeating: "n", count: 64),
      String(repeating: "n", count: 1008), String(repeating: "n", count: 5000), "é", #"\u0062"#,
      #"\"\\"#,
    ])
  func names(name: String) throws {
    for text in Self.texts(of: name) {
      let document = try JSONDocument(parsing: Array(text.utf8))
      let members = Array(document.children(of: 0))
      let read = try JSONValue(parsing: "\"\(name)\"".utf8).string
      #expect(members.map(document.name(of:)) == ["a", read, "z"])
      #expect(members.map(document.range(of:)).map(\.count) == [1, 16, 1])
      #expect(document.member("z", of: 0) == members[2])
      #expect(document.member("z", of: 0, in: document.index(of: 0)) == members[2])
      #expect(document.member("a", of: 0, in: document.index(of: 0)) == members[0])
      #expect(document.children(of: members[1]).map(document.name(of:)) == ["", ""])
    }
  }

  @Test(
    "A member is found, however its name is written and however far it is from its value",
    arguments: ["method", #"m\u0065thod"#, #"\u006d\u0065\u0074\u0068\u006f\u0064"#])
  func member(name: String) throws {
    for text in Self.texts(of: name) {
      let document = try JSONDocument(parsing: Array(text.utf8))
      let member = Array(document.children(of: 0))[1]
      #expect(document.member("method", of: 0) == member)
      #expect(document.member("method", of: 0, in: document.index(of: 0)) == member)
      #expect(document.isNamed("method", member))
      #expect(document.member("metho", of: 0) == nil)
      #expect(document.member("methods", of: 0, in: document.index(of: 0)) == nil)
    }
  }

  @Test("The longest name that can be asked for is found, and names that begin like it are not")
  func longName() throws {
    let name: StaticString = "n1234567890123456789012345678901234567890123456789012345678901"
    #expect(name.utf8CodeUnitCount == 62)
    let document = try JSONDocument(
      parsing: Array(#"{"\#(name)23": 64, "\#(name)": 62, "\#(name)2": 63}"#.utf8))
    #expect(document.member(name, of: 0).flatMap(document.integer) == 62)
    #expect(
      document.member(name, of: 0, in: document.index(of: 0)).flatMap(document.integer) == 62)
  }
}
