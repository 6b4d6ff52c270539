import Expectations
import Foundation
import Testing

@testable import IDXBase

/// Reading JSON.
struct JSONReaderTests {
  @Test("A number keeps its digits, and is an integer only if it is whole and fits into an Int")
  func numbers() throws {
    for (text, integer) in [
      ("0", 0), ("-0", 0), ("7", 7), ("-12.50e3", nil), ("1E+2", nil), ("0.10", nil),
      ("123456789012345678901234567890", nil), ("42", 42), ("-7", -7),
      ("9223372036854775807", .max), ("9223372036854775808", nil), ("1.0", nil), ("1e3", nil),
    ] as [(String, Int?)] {
      let value = try JSONValue(text: " \(text)\n")
      guard case .number(let number) = value else {
        Issue.record("\(value) is not a number")
        continue
      }
      expectEqual(number.literal, text)
      expectEqual(value.text, text)
      expectEqual(number.double, Double(text))
      expectEqual(value.integer, integer, "\(text)")
    }
    try expectEqual(JSONValue(text: "\"1\"").integer, nil)
  }

  @Test(
    "A text is read with its escapes, and half of a surrogate pair becomes a replacement character",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
      (#""\ud83d\ude00!""#, "😀!"), (#""a\u0000b""#, "a\u{0}b"), (#""naïve 😀""#, "naïve 😀"),
      (#""""#, ""), (#""\ud83d""#, "\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"),
      (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
      (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\n""#, "\u{FFFD}\n"),
      // Characters of every length in UTF-8.
      (
        "\"\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{3FFFF}\u{10FFFF}\"",
        "\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{3FFFF}\u{10FFFF}"
      ),
    ])
  func escapes(_ text: String, _ expected: String) throws {
    try expectEqual(JSONValue(text: text).string, expected)
  }

  @Test("Members keep their order, and the last one with a name, also written with escapes, counts")
  func members() throws {
    let value = try JSONValue(text: #"{"b":1,"a":2,"\u0062":3}"#)
    expectEqual(value.object?.members.map(\.name), ["b", "a", "b"])
    expectEqual(value["b"], 3)
    expectEqual(value.text, #"{"b":1,"a":2,"b":3}"#)
  }

  @Test("White space between all values, and one byte order mark at the start, are skipped")
  func whiteSpace() throws {
    let value = try JSONValue(text: "\t{ \"a\" :\r\n[ 1 , null ] }\n ")
    expectEqual(value, ["a": [1, nil]])
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    try expectEqual(JSONValue(parsing: mark + Array("[]".utf8)), [])
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
    try expectEqual(JSONValue(parsing: deepest).bytes, deepest)
    #expect(throws: JSONError(reason: .tooDeep, offset: opening.utf8.count * 128)) {
      try JSONValue(parsing: nested(129))
    }
    // Levels count, not values.
    let text = "[" + Array(repeating: "[{}]", count: 200).joined(separator: ",") + "]"
    try expectEqual(JSONValue(text: text).array?.count, 200)
  }

  @Test("4 MiB are read, one byte more is not")
  func size() throws {
    let longest = [UInt8](repeating: 0x20, count: JSONValue.maximumSize - 1) + [0x37]
    try expectEqual(JSONValue(parsing: longest), 7)
    let size = JSONValue.maximumSize + 1
    #expect(throws: JSONError(reason: .tooLarge(size), offset: JSONValue.maximumSize)) {
      try JSONValue(parsing: longest + [0x20])
    }
  }

  @Test(
    "Text that is not JSON is refused with a reason and a position",
    arguments: [
      ("", .empty, 0), (" \n\t", .empty, 3),
      ("[1", .unexpectedEnd, 2), ("{", .unexpectedEnd, 1), ("\"abc", .unexpectedEnd, 4),
      (#""ab\"#, .unexpectedEnd, 4), (#""\u12"#, .unexpectedEnd, 5), ("tru", .unexpectedEnd, 3),
      ("[1,", .unexpectedEnd, 3), (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5),
      ("[1,]", .unexpectedByte(0x5D), 3), (#"{"a":1,}"#, .unexpectedByte(0x7D), 7),
      ("[,1]", .unexpectedByte(0x2C), 1), ("{a:1}", .unexpectedByte(0x61), 1),
      (#"{"a" 1}"#, .unexpectedByte(0x31), 5), ("[1 2]", .unexpectedByte(0x32), 3),
      ("'a'", .unexpectedByte(0x27), 0), ("+1", .unexpectedByte(0x2B), 0),
      ("nUll", .unexpectedByte(0x55), 1), ("\u{0}", .unexpectedByte(0), 0),
      ("[\u{1}]", .unexpectedByte(1), 1), ("NaN", .unexpectedByte(0x4E), 0),
      ("1 2", .trailingBytes, 2), ("{}]", .trailingBytes, 2), ("01", .trailingBytes, 1),
      ("\"a\nb\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1),
      (#""\x""#, .badEscape, 1), (#"["a\u12G4"]"#, .badEscape, 3),
      ("-", .badNumber, 0), ("[1.]", .badNumber, 1), ("1e+", .badNumber, 0), (".5", nil, 0),
    ] as [(String, JSONError.Reason?, Int)])
  func reasons(_ text: String, _ reason: JSONError.Reason?, _ offset: Int) {
    let expected = JSONError(reason: reason ?? .unexpectedByte(0x2E), offset: offset)
    #expect(throws: expected) { try JSONValue(text: text) }
  }

  @Test(
    "Bytes that are not UTF-8 are refused, inside and outside of strings",
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xF0, 0x9F, 0x98], [0xFF], [0xE2, 0x82, 0x28], [0xF1, 0x80, 0x80, 0x28],
    ] as [[UInt8]])
  func encoding(_ bytes: [UInt8]) {
    let quoted = [0x22] + bytes + [0x22]
    #expect(throws: JSONError(reason: .notUTF8, offset: 1)) { try JSONValue(parsing: quoted) }
    #expect(throws: JSONError(reason: .notUTF8, offset: 0)) { try JSONValue(parsing: bytes) }
    // They are reported before a mistake of the grammar.
    for length in 0..<24 {
      let text = [UInt8]("[\"".utf8) + [UInt8](repeating: 0x61, count: length) + bytes
      for end in ["\"]", "\"", "", "\" 1]", "\"] aaaaaaaaaaaa"] {
        #expect(throws: JSONError(reason: .notUTF8, offset: 2 + length)) {
          try JSONValue(parsing: text + end.utf8)
        }
      }
    }
  }

  @Test("A text with many combining marks in a row, which takes long to compare, is refused or cut")
  func combiningMarks() throws {
    let marks = { (count: Int) in String(repeating: "\u{316}\u{301}", count: count / 2) }
    try expectEqual(JSONValue(parsing: "\"e\(marks(30))\"".utf8).string?.unicodeScalars.count, 31)
    #expect(throws: JSONError.self) { try JSONValue(parsing: "\"e\(marks(32))\"".utf8) }
    // Marks on different letters are no long row.
    let words = String(repeating: "e\(marks(20))", count: 50)
    try expectEqual(JSONValue(parsing: "\"\(words)\"".utf8).string, words)
    // Escapes are read later, when nothing can be refused any more.
    let escaped = String(repeating: "\\u0316\u{301}", count: 50_000)
    let read = try require(JSONValue(parsing: "\"e\(escaped)\"".utf8).string)
    expectEqual(read.unicodeScalars.count, 31)
  }

  @Test(
    "Each reason has its own sentence",
    arguments: [
      .empty, .unexpectedEnd, .unexpectedByte(0x7D), .unexpectedByte(0x07), .trailingBytes,
      .notUTF8, .controlCharacter, .badEscape, .badNumber, .tooDeep, .tooLarge(5_000_000),
    ] as [JSONError.Reason])
  func sentences(_ reason: JSONError.Reason) {
    let text = JSONError(reason: reason, offset: 17).description
    expect(text.hasPrefix("It is ") && text.hasSuffix("."))
    switch reason {
    case .empty: expectEqual(text, "It is empty.")
    case .unexpectedByte(0x7D): expectContains(text, "“}” at byte 17")
    case .unexpectedByte: expectContains(text, "byte 0x7 at byte 17")
    case .tooLarge: expect(text.contains("5000000") && text.contains("4194304"))
    case .tooDeep: expect(text.contains("128") && text.contains("17"))
    default: expectContains(text, "17")
    }
  }
}

extension JSONValue {
  init(text: String) throws(JSONError) { try self.init(parsing: text.utf8) }
}

// The files are not part of this package. Set IDX_JSON_TEST_SUITE to their folder to run these tests.
private let folder = ProcessInfo.processInfo.environment["IDX_JSON_TEST_SUITE"]

@Suite(
  "JSON test suite", .enabled(if: folder != nil, "IDX_JSON_TEST_SUITE is not set"))
struct JSONTestSuiteTests {
  @Test("Every valid file is read and written unchanged, and every invalid one is refused")
  func files() throws {
    let valid = try files(startingWith: "y_"), invalid = try files(startingWith: "n_")
    for file in valid {
      #expect(throws: Never.self, "\(file.name)") {
        let value = try JSONValue(parsing: file.bytes)
        try expectEqual(JSONValue(parsing: value.bytes), value)
      }
    }
    for file in invalid {
      #expect(throws: JSONError.self, "\(file.name)") { try JSONValue(parsing: file.bytes) }
    }
    // These may be accepted or refused, but must not crash the reader.
    let either = try files(startingWith: "i_")
    for file in either { _ = try? JSONValue(parsing: file.bytes) }
    expect(!valid.isEmpty && !invalid.isEmpty && !either.isEmpty)
  }

  private func files(startingWith prefix: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = try require(folder)
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasPrefix(prefix) }
      .map { name in
        let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
        return (name, Array(try Data(contentsOf: url)))
      }
  }
}
