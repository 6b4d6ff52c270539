import IDXBase
import Testing

@testable import IDXBase

@Suite("What is no JSON is an error that says why and where")
struct JSONErrorTests {
  @Test(
    "The reason and the byte",
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
    "Bytes that are not UTF-8 are refused, wherever they stand",
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xF0, 0x9F, 0x98], [0xFF], [0xE2, 0x82, 0x28], [0xF1, 0x80, 0x80, 0x28],
    ] as [[UInt8]])
  func encoding(_ bytes: [UInt8]) {
    let quoted = [0x22] + bytes + [0x22]
    #expect(throws: JSONError(reason: .notUTF8, offset: 1)) { try JSONValue(parsing: quoted) }
    #expect(throws: JSONError(reason: .notUTF8, offset: 0)) { try JSONValue(parsing: bytes) }
  }

  @Test("Characters of every length are UTF-8")
  func validEncoding() throws {
    let text = "\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{3FFFF}\u{10FFFF}"
    #expect(try JSONValue(text: "\"\(text)\"").string == text)
  }

  @Test(
    "Each reason is a sentence of its own",
    arguments: [
      .empty, .unexpectedEnd, .unexpectedByte(0x7D), .unexpectedByte(0x07), .trailingBytes,
      .notUTF8, .controlCharacter, .badEscape, .badNumber, .tooDeep, .tooLarge(5_000_000),
    ] as [JSONError.Reason])
  func sentences(_ reason: JSONError.Reason) {
    let text = JSONError(reason: reason, offset: 17).description
    #expect(text.hasPrefix("It is ") && text.hasSuffix("."))
    switch reason {
    case .empty: #expect(text == "It is empty.")
    case .unexpectedByte(0x7D): #expect(text.contains("“}” at byte 17"))
    case .unexpectedByte: #expect(text.contains("byte 0x7 at byte 17"))
    case .tooLarge: #expect(text.contains("5000000") && text.contains("4194304"))
    case .tooDeep: #expect(text.contains("128") && text.contains("17"))
    default: #expect(text.contains("17"))
    }
  }
}
