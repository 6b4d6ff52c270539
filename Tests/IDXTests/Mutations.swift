import IDXBase
import IDX

/// A JSON text with each key removed once, and each value retyped once.
struct Mutations {
  /// The text without white space, so that commas stand where they are looked for.
  let bytes: [UInt8]
  private var values: [Range<Int>] = []
  private var members: [Range<Int>] = []

  init(of text: [UInt8]) throws {
    bytes = try JSONValue(parsing: text).bytes
    _ = scan(at: 0)
  }

  /// How many there are.
  var count: Int { members.count + values.count }

  /// How many values may be retyped, the whole text being the last.
  var valueCount: Int { values.count }

  /// Whether a mutation replaces the whole text.
  func isWhole(_ index: Int) -> Bool { index == count - 1 }

  /// One of them: first the keys removed, then the values retyped.
  subscript(index: Int) -> [UInt8] {
    if index < members.count { return removing(members[index]) }
    let position = index - members.count
    return retyping(values[position], Self.replacements[position % Self.replacements.count])
  }

  /// All retypings of one value.
  func retypings(of position: Int) -> [[UInt8]] {
    Self.replacements.map { retyping(values[position], $0) }
  }

  private static let replacements = [
    "null", "true", "-7", #""text""#, "[]", "{}", #"["text",7,{}]"#, #"{"value":[{}]}"#,
  ].map { Array($0.utf8) }

  private func retyping(_ range: Range<Int>, _ replacement: [UInt8]) -> [UInt8] {
    bytes[..<range.lowerBound] + replacement + bytes[range.upperBound...]
  }

  private func removing(_ member: Range<Int>) -> [UInt8] {
    let comma = UInt8(ascii: ",")
    var lower = member.lowerBound
    var upper = member.upperBound
    if bytes[upper] == comma { upper += 1 } else if bytes[lower - 1] == comma { lower -= 1 }
    return Array(bytes[..<lower] + bytes[upper...])
  }

  /// Notes where values and members stand; the text is known to be JSON. Returns where a value ends.
  private mutating func scan(at start: Int) -> Int {
    var index = start
    switch bytes[start] {
    case UInt8(ascii: "{"):
      index += 1
      while bytes[index] != UInt8(ascii: "}") {
        if bytes[index] == UInt8(ascii: ",") { index += 1 }
        let name = index
        index = scan(at: endOfString(at: index) + 1)
        members.append(name..<index)
      }
      index += 1
    case UInt8(ascii: "["):
      index += 1
      while bytes[index] != UInt8(ascii: "]") {
        if bytes[index] == UInt8(ascii: ",") { index += 1 }
        index = scan(at: index)
      }
      index += 1
    case UInt8(ascii: "\""): index = endOfString(at: index)
    default:
      let ends = Set(",]}".utf8)
      while index < bytes.count, !ends.contains(bytes[index]) { index += 1 }
    }
    values.append(start..<index)
    return index
  }

  private func endOfString(at start: Int) -> Int {
    var index = start + 1
    while bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index + 1
  }
}
