import Expectations
import IDXBase
import Testing

/// JSON values.
struct JSONValueTests {
  @Test("Each ASCII character is written so that it can be read, at any position of a text")
  func everyCharacter() throws {
    for code in UInt8(0)..<0x80 {
      for position in 0..<20 {
        var text = [UInt8](repeating: UInt8(ascii: "a"), count: 20)
        text[position] = code
        let value = JSONValue.string(String(decoding: text, as: UTF8.self))
        try expectEqual(JSONValue(parsing: value.bytes), value, "character \(code)")
        let isSafe = value.bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        expect(isSafe, "character \(code) at \(position)")
      }
    }
  }

  @Test(
    "Literals create values; an accessor for another kind, and a path that leads nowhere, are nil")
  func kinds() {
    let values: [JSONValue] = [nil, true, 7, "text", [1], ["a": 1]]
    expectEqual(values.map(\.bool), [nil, true, nil, nil, nil, nil])
    expectEqual(values.map(\.integer), [nil, nil, 7, nil, nil, nil])
    expectEqual(values.map(\.string), [nil, nil, nil, "text", nil, nil])
    expectEqual(values.map(\.array), [nil, nil, nil, nil, [1], nil])
    expectEqual(values.map { $0.object?.members.count }, [nil, nil, nil, nil, nil, 1])
    let nested: JSONValue = ["a": [["b": "c"]]]
    expectEqual(nested["a"]?[0]?["b"], "c")
    expectEqual(nested["a"]?[1], nil)
    expectEqual(nested["a"]?[-1], nil)
    expectEqual(nested["a"]?["b"], nil)
    expectEqual(nested[0], nil)
    expectEqual(nested["b"], nil)
    let value: JSONValue = ["text": "a", "list": [1, false, nil], "object": [:]]
    expectEqual(value.text, #"{"text":"a","list":[1,false,null],"object":{}}"#)
  }

  @Test("Setting a member replaces, adds or removes all with its name, and null is a value")
  func setting() throws {
    var object = try require(JSONValue(text: #"{"a":1,"b":2,"b":5}"#).object)
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    object["none"] = nil
    expectEqual(object["b"], nil)
    expectEqual(JSONValue.object(object).text, #"{"a":3,"c":4}"#)
    object["c"] = JSONValue.null
    expectEqual(object["c"], JSONValue.null)
    expectEqual(JSONValue.object(object).text, #"{"a":3,"c":null}"#)
  }

  @Test(
    "Writing escapes what must be escaped, and nothing else",
    arguments: [
      ("\"\\/", #""\"\\/""#), ("\n\r\t", #""\n\r\t""#),
      ("\u{0}\u{8}\u{1F}", #""\u0000\u0008\u001f""#),
      ("é😀\u{2028}\u{A0}", "\"é😀\u{2028}\u{A0}\""),
      ("\u{7F}\u{80}\u{9B}2J\u{9F}", #""\u007f\u0080\u009b2J\u009f""#),
    ])
  func writing(_ string: String, _ expected: String) throws {
    expectEqual(JSONValue.string(string).text, expected)
    try expectEqual(JSONValue(text: expected), .string(string))
    expectEqual(JSONValue.object(.init([.init(string, nil)])).text, "{\(expected):null}")
  }
}
