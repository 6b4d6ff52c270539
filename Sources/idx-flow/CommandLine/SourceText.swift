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
    if let outer, let range = range(ofMember: outer, after: start) { start = range.upperBound }
    guard let range = range(ofMember: member, after: start) else { return name }
    return "\(name), \(position(of: range.lowerBound - bytes.startIndex)),"
  }

  /// The first text in JSON or in a property list that is this name.
  private func range(ofMember name: String, after start: Data.Index) -> Range<Data.Index>? {
    let texts = [JSONValue.string(name).text, "<key>\(name)</key>"]
    return texts.lazy.compactMap { bytes.range(of: Data($0.utf8), in: start..<bytes.endIndex) }
      .first
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
