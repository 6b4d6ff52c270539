import Foundation
import IDXBase

/// A file that a person wrote, for messages about a place in it.
struct SourceText {
  /// The name of the file, for messages.
  let name: String
  let bytes: Data

  /// The line and the column of a byte, as editors number them: `line 3, column 12`.
  func position(of offset: Int) -> String {
    let before = bytes.prefix(offset)
    let line = before.split(separator: 0x0A, omittingEmptySubsequences: false)
    let column = String(decoding: line.last ?? Data(), as: UTF8.self).count + 1
    return "line \(line.count), column \(column)"
  }

  /// What is wrong with the text, after its position.
  func problem(_ error: JSONError) -> String {
    "\(position(of: error.offset).capitalizedFirst): \(error)".sanitized
  }

  /// The file and the position of the first member with a name, inside of a member with the name `outer`; only the file
  /// if it is not found.
  func place(ofMember member: String, in outer: String? = nil) -> String {
    var start = bytes.startIndex
    if let outer {
      guard let range = range(ofMember: outer, after: start) else { return name }
      start = range.upperBound
    }
    guard let range = range(ofMember: member, after: start) else { return name }
    return "\(name), \(position(of: range.lowerBound - bytes.startIndex))"
  }

  /// The first member of JSON, or key of a property list, with this name.
  private func range(ofMember name: String, after start: Data.Index) -> Range<Data.Index>? {
    let text = Data(JSONValue.string(name).text.utf8)
    var next = start
    while let range = bytes.range(of: text, in: next..<bytes.endIndex) {
      // A value can have the same text.
      let after = bytes[range.upperBound...].first { !" \n\r\t".utf8.contains($0) }
      if after == UInt8(ascii: ":") { return range }
      next = range.upperBound
    }
    return bytes.range(of: Data("<key>\(name)</key>".utf8), in: start..<bytes.endIndex)
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
