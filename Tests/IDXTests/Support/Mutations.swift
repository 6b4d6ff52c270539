import IDX
import IDXBase

/// Changed copies of a JSON text: in each, one member is removed or one value is replaced.
struct Mutations {
  /// The text without white space, so that commas directly follow values.
  let bytes: [UInt8]
  private var values: [Range<Int>] = []
  private var members: [Range<Int>] = []

  init(of text: [UInt8]) throws {
    bytes = try JSONValue(parsing: text).bytes
    _ = scan(at: 0)
  }

  /// The number of mutations.
  var count: Int { members.count + values.count }

  /// The number of values that can be replaced; the last one is the whole text.
  var valueCount: Int { values.count }

  /// Whether a mutation replaces the whole text.
  func isWhole(_ index: Int) -> Bool { index == count - 1 }

  /// One mutation: first those that remove a member, then those that replace a value.
  subscript(index: Int) -> [UInt8] {
    if index < members.count { return removing(members[index]) }
    let position = index - members.count
    return replacing(values[position], Self.replacements[position % Self.replacements.count])
  }

  /// All replacements of one value.
  func replacements(of position: Int) -> [[UInt8]] {
    Self.replacements.map { replacing(values[position], $0) }
  }

  private static let replacements = [
    "null", "true", "-7", #""text""#, "[]", "{}", #"["text",7,{}]"#, #"{"value":[{}]}"#,
  ].map { Array($0.utf8) }

  private func replacing(_ range: Range<Int>, _ replacement: [UInt8]) -> [UInt8] {
    bytes[..<range.lowerBound] + replacement + bytes[range.upperBound...]
  }

  private func removing(_ member: Range<Int>) -> [UInt8] {
    let comma = UInt8(ascii: ",")
    var lower = member.lowerBound
    var upper = member.upperBound
    if bytes[upper] == comma { upper += 1 } else if bytes[lower - 1] == comma { lower -= 1 }
    return Array(bytes[..<lower] + bytes[upper...])
  }

  /// Records the positions of values and members. Returns the end of the value.
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
