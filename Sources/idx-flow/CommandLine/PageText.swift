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
        line.columns > width ? columns(of: line, at: width) ?? [String(line)] : [String(line)]
      }.joined(separator: "\n")
    }.joined(separator: "\n\n") + end
  }

  /// The text with lines of at most this width, unless a single word is longer.
  ///
  /// `keeping` puts no-break spaces into a line where it must not be broken.
  static func broken(_ text: String, at width: Int, keeping kept: (String) -> String = { $0 })
    -> String
  {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
      // The columns of a table stay as they are if they fit.
      guard line.columns > width else { return [String(line)] }
      let kept = kept(String(line))
      return columns(of: kept[...], at: width) ?? wrapped(kept[...], to: width)
    }.joined(separator: "\n")
  }

  /// A line with two columns, of which the second continues under its beginning; nil for any other line.
  private static func columns(of line: Substring, at width: Int) -> [String]? {
    guard let second = line.firstMatch(of: /^ *\S.*?  +(?=\S)/) else { return nil }
    let (first, rest) = (second.0, line[second.range.upperBound...])
    let start = rest.prefix { $0 != " " }.columns
    // In a narrow window the second column is below the first.
    guard first.columns * 3 <= width * 2, first.columns + start <= width || start > width else {
      return wrapped(first, to: width) + wrapped("      " + rest, to: width)
    }
    return wrapped(rest, after: String(first), to: width)
  }

  /// The lines of a line, after the spaces at its beginning.
  private static func wrapped(_ line: Substring, to width: Int) -> [String] {
    wrapped(line, after: String(line.prefix { $0 == " " }), to: width)
  }

  private static func wrapped(_ text: Substring, after prefix: String, to width: Int) -> [String] {
    TextWrapper(width: width).lines(of: String(text), prefix: prefix).map { line in
      // A long word moves to the left, if it fits there.
      let excess = line.columns - width
      return excess > 0 && line.prefix { $0 == " " }.count >= excess
        ? String(line.dropFirst(excess)) : line
    }
  }
}

/// Rows with two columns, the second of which starts two spaces after the longest text of the first.
func twoColumns(_ rows: [(String, String)]) -> String {
  let width = (rows.map(\.0.count).max() ?? 0) + 2
  return rows.map { $0.0.padding(toLength: width, withPad: " ", startingAt: 0) + $0.1 }
    .joined(separator: "\n")
}
