import Foundation
import IDXPrompt

/// A text of the program itself, such as its help.
enum PageText {
  /// The text for a window of this width.
  ///
  /// Paragraphs are filled again. The second column of a table continues under its beginning. Commands, which
  /// are copied, stay on their line.
  static func fitted(_ text: String, to width: Int) -> String {
    let wrapper = TextWrapper(width: width)
    let end = text.hasSuffix("\n") ? "\n" : ""
    return text.dropLast(end.count).split(separator: "\n\n").map { paragraph -> String in
      let lines = paragraph.split(separator: "\n")
      guard lines.contains(where: { $0.count > width }) else {
        return lines.joined(separator: "\n")
      }
      if !lines.contains(where: { $0.hasPrefix(" ") || $0.hasPrefix("Usage:") }) {
        return wrapper.lines(of: lines.joined(separator: " ")).joined(separator: "\n")
      }
      return lines.flatMap { line -> [String] in
        guard line.count > width, let second = line.firstMatch(of: /^ *\S.*?  +(?=\S)/) else {
          return [String(line)]
        }
        let (first, rest) = (String(second.0), String(line[second.range.upperBound...]))
        // In a narrow window the second column is below the first.
        guard first.count * 3 <= width * 2 else {
          return [first] + wrapper.lines(of: rest, prefix: "      ")
        }
        return wrapper.lines(of: rest, prefix: first)
      }.joined(separator: "\n")
    }.joined(separator: "\n\n") + end
  }
}

/// Rows with two columns, the second of which starts two spaces after the longest text of the first.
func twoColumns(_ rows: [(String, String)]) -> String {
  let width = (rows.map(\.0.count).max() ?? 0) + 2
  return rows.map { $0.0.padding(toLength: width, withPad: " ", startingAt: 0) + $0.1 }
    .joined(separator: "\n")
}
