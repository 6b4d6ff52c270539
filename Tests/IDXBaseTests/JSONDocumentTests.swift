import Expectations
import IDXBase
import Testing

/// JSON documents.
struct JSONDocumentTests {
  /// Texts of an object with the members `a`, one with the name, and `z`.
  ///
  /// The value begins at all small distances from the name, and at some large ones.
  static func texts(of name: String) -> [String] {
    let gaps = Array(0...70) + [125, 126, 127, 500, 1000, 1023, 1024, 5000]
    return gaps.flatMap { gap in
      let space = String(repeating: " ", count: gap)
      return [space + ":", ":" + space, ":\n" + space].map { colon in
        #"{"a": 1,"\#(name)"\#(colon)[true, {"b": 2}],"z":3}"#
      }
    }
  }

  @Test(
    "Every name is read, however long or far from its value",
    arguments: [
      "", "b", String(repeating: "n", count: 31), String(repeating: "n", count: 60),
      String(repeating: "n", count: 61), String(repeating: "n", count: 62),
      String(repeating: "n", count: 63), String(repeating: "n", count: 64),
      String(repeating: "n", count: 5000), "é", "\u{212A}", #"\u0062"#, #"\"\\"#,
    ])
  func names(name: String) throws {
    for text in Self.texts(of: name) {
      let document = try JSONDocument(parsing: Array(text.utf8))
      let members = Array(document.children(of: 0))
      let read = try JSONValue(parsing: "\"\(name)\"".utf8).string
      expect(members.map(document.name(of:)) == ["a", read, "z"])
      expect(members.map(document.range(of:)).map(\.count) == [1, 16, 1])
      expect(document.member("z", of: 0) == members[2])
      expect(document.member("z", of: 0, in: document.index(of: 0)) == members[2])
      expect(document.member("a", of: 0, in: document.index(of: 0)) == members[0])
      expect(document.children(of: members[1]).map(document.name(of:)) == ["", ""])
    }
  }

  @Test(
    "A member is found, however its name is written and however far it is from its value",
    arguments: ["method", #"m\u0065thod"#, #"\u006d\u0065\u0074\u0068\u006f\u0064"#])
  func member(name: String) throws {
    for text in Self.texts(of: name) {
      let document = try JSONDocument(parsing: Array(text.utf8))
      let member = Array(document.children(of: 0))[1]
      expect(document.member("method", of: 0) == member)
      expect(document.member("method", of: 0, in: document.index(of: 0)) == member)
      expect(document.isNamed("method", member))
      expect(document.member("metho", of: 0) == nil)
      expect(document.member("methods", of: 0, in: document.index(of: 0)) == nil)
    }
  }

  @Test(
    "The longest name is found, and names that begin like another one or only look the same are others"
  )
  func longName() throws {
    let name: StaticString = "n123456789012345678901234567890123456789012345678901234567890"
    expect(name.utf8CodeUnitCount == 61)
    for colon in [":", ": ", ":  "] {
      let text = #"{"\#(name)12"\#(colon)63, "\#(name)"\#(colon)61, "\#(name)1"\#(colon)62}"#
      let document = try JSONDocument(parsing: Array(text.utf8))
      expect(document.member(name, of: 0).flatMap(document.integer) == 61)
      expect(
        document.member(name, of: 0, in: document.index(of: 0)).flatMap(document.integer) == 61)
    }
    for space in ["", String(repeating: " ", count: 100)] {
      // U+212A, the sign for kelvin, is canonically equal to K.
      let document = try JSONDocument(parsing: Array("{\"\u{212A}ey\":\(space)1}".utf8))
      expect(document.member("Key", of: 0) == nil)
    }
  }
}
