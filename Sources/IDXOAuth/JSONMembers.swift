#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON object in UTF-8 of which no name stands twice.
///
/// A decoder takes one of two members of the same name and passes over the other, and which it is
/// differs from decoder to decoder: what one program checked, another would not read. Objects within
/// are not looked into.
struct JSONMembers: Sendable {
  private let text: [UInt8]

  /// Nil where the text is something else.
  init?(_ text: [UInt8]) {
    // Foundation would read UTF-16 and UTF-32 too, in which zeros or a mark tell the encoding.
    guard text.first(where: { !Self.spaces.contains($0) }) == UInt8(ascii: "{"),
      !text.contains(0), String(decoding: text, as: UTF8.self).utf8.elementsEqual(text),
      let names = try? JSONDecoder().decode([String].self, from: Data(Self.names(in: text))),
      Set(names.map { Array($0.utf8) }).count == names.count
    else { return nil }
    self.text = text
  }

  /// Reads the object; nil where it is not of this shape, or no JSON.
  func decode<Value: Decodable>(_ type: Value.Type) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text))
  }

  private static let spaces = Array(" \t\r\n".utf8)

  /// The names of the outermost object as an array, of any text whose strings end.
  private static func names(in text: [UInt8]) -> [UInt8] {
    var names: [ArraySlice<UInt8>] = []
    var depth = 0
    var expectsName = false
    var position = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        let start = position
        position = end(ofStringAt: start, in: text)
        if depth == 1, expectsName { names.append(text[start..<position]) }
        expectsName = false
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        expectsName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","): expectsName = depth == 1
      default: break
      }
      position += 1
    }
    return Array("[".utf8) + names.joined(separator: Array(",".utf8)) + Array("]".utf8)
  }

  /// The position after a string's closing quote, or after the text where there is none.
  private static func end(ofStringAt start: Int, in text: [UInt8]) -> Int {
    var position = start + 1
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""): return position + 1
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    return text.count
  }
}
