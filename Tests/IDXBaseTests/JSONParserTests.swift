import IDXBase
import Testing

@testable import IDXBase

@Suite("JSON is read as it was written")
struct JSONParserTests {
  @Test(
    "A number keeps its digits",
    arguments: ["0", "-0", "7", "-12.50e3", "1E+2", "0.10", "123456789012345678901234567890"])
  func numbers(_ literal: String) throws {
    let value = try JSONValue(text: " \(literal)\n")
    guard case .number(let number) = value else {
      Issue.record("\(value) is no number")
      return
    }
    #expect(number.literal == literal)
    #expect(value.text == literal)
    #expect(number.double == Double(literal))
  }

  @Test(
    "Only a whole number that fits is an integer",
    arguments: [
      ("42", 42), ("-7", -7), ("9223372036854775807", .max), ("9223372036854775808", nil),
      ("1.0", nil), ("1e3", nil), ("\"1\"", nil),
    ])
  func integers(_ text: String, _ expected: Int?) throws {
    #expect(try JSONValue(text: text).integer == expected)
  }

  @Test(
    "Escapes are undone",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
      (#""\ud83d\ude00!""#, "😀!"), (#""a\u0000b""#, "a\u{0}b"), (#""naïve 😀""#, "naïve 😀"),
      (#""""#, ""),
    ])
  func escapes(_ text: String, _ expected: String) throws {
    #expect(try JSONValue(text: text).string == expected)
  }

  @Test(
    "Half of a surrogate pair becomes a replacement character",
    arguments: [
      (#""\ud83d""#, "\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"),
      (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
      (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\n""#, "\u{FFFD}\n"),
    ])
  func surrogates(_ text: String, _ expected: String) throws {
    #expect(try JSONValue(text: text).string == expected)
  }

  @Test("Members keep their order, and the last of one name counts")
  func members() throws {
    let value = try JSONValue(text: #"{"b":1,"a":2,"b":3}"#)
    #expect(value.object?.members.map(\.name) == ["b", "a", "b"])
    #expect(value["b"] == 3)
    #expect(value.text == #"{"b":1,"a":2,"b":3}"#)
  }

  @Test("A member's name may be written with escapes")
  func escapedName() throws {
    #expect(try JSONValue(text: #"{"n\u0061me":true}"#)["name"] == true)
  }

  @Test("White space stands anywhere between values")
  func whiteSpace() throws {
    let value = try JSONValue(text: "\t{ \"a\" :\r\n[ 1 , null ] }\n ")
    #expect(value == ["a": [1, nil]])
  }

  @Test("A byte order mark is passed over, and only one at the start")
  func byteOrderMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try JSONValue(parsing: mark + Array("[]".utf8)) == [])
    #expect(throws: JSONError.self) { try JSONValue(parsing: mark + mark + Array("[]".utf8)) }
    #expect(throws: JSONError(reason: .empty, offset: 3)) { try JSONValue(parsing: mark) }
  }

  @Test("128 levels are read, 129 are not", arguments: [("[", "]"), (#"{"a":"#, "}")])
  func depth(_ opening: String, _ closing: String) throws {
    func nested(_ levels: Int) -> [UInt8] {
      let core = opening == "[" ? "" : "1"
      return Array(
        (String(repeating: opening, count: levels) + core
          + String(repeating: closing, count: levels)).utf8)
    }
    let deepest = nested(128)
    #expect(try JSONValue(parsing: deepest).bytes == deepest)
    #expect(throws: JSONError(reason: .tooDeep, offset: opening.utf8.count * 128)) {
      try JSONValue(parsing: nested(129))
    }
  }

  @Test("The depth counts levels, not values")
  func siblings() throws {
    let text = "[" + Array(repeating: "[{}]", count: 200).joined(separator: ",") + "]"
    #expect(try JSONValue(text: text).array?.count == 200)
  }

  @Test("4 MiB are read, one byte more is not")
  func size() throws {
    let longest = [UInt8](repeating: 0x20, count: JSONValue.maximumSize - 1) + [0x37]
    #expect(try JSONValue(parsing: longest) == 7)
    let size = JSONValue.maximumSize + 1
    #expect(throws: JSONError(reason: .tooLarge(size), offset: JSONValue.maximumSize)) {
      try JSONValue(parsing: longest + [0x20])
    }
  }
}

extension JSONValue {
  init(text: String) throws(JSONError) { try self.init(parsing: text.utf8) }
}
