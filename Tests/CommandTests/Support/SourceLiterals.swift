/// The string literals of a Swift source, each as a ``Sentence`` would name it: with `{1}` for the first value. Those
/// inside of values are there too.
struct SourceLiterals {
  /// A literal, with those that are added to it by `+`.
  struct Literal {
    var text: String
    /// The source before it.
    let before: Substring
    fileprivate var values: Int
    fileprivate var end: Substring.Index
  }

  /// Those outside of values, and those inside.
  private var outer: [Literal] = []
  private var inner: [Literal] = []

  var all: [Literal] { outer + inner }

  init(_ source: String) {
    var rest = source[...]
    while let character = rest.first {
      if rest.hasPrefix("//") {
        rest = rest[(rest.firstIndex(of: "\n") ?? rest.endIndex)...]
      } else if character == "\"" {
        let before = source[..<rest.startIndex]
        let (text, values) = literal(&rest, in: source)
        add(Literal(text: text, before: before, values: values, end: rest.startIndex), in: source)
      } else {
        rest.removeFirst()
      }
    }
  }

  private mutating func add(_ new: Literal, in source: String) {
    guard let last = outer.last,
      source[last.end..<new.before.endIndex].contains("+"),
      source[last.end..<new.before.endIndex].allSatisfy({ $0 == "+" || $0.isWhitespace })
    else { return outer.append(new) }
    var text = new.text
    for number in stride(from: new.values, to: 0, by: -1) {
      text = text.replacing("{\(number)}", with: "{\(number + last.values)}")
    }
    outer[outer.count - 1].text += text
    outer[outer.count - 1].values += new.values
    outer[outer.count - 1].end = new.end
  }

  /// Reads a literal from its first quote to its last one.
  private mutating func literal(
    _ rest: inout Substring, in source: String
  ) -> (text: String, values: Int) {
    let isMultiline = rest.hasPrefix("\"\"\"")
    let quotes = isMultiline ? "\"\"\"" : "\""
    rest.removeFirst(quotes.count)
    var text = ""
    var values = 0
    while !rest.isEmpty, !rest.hasPrefix(quotes) {
      if rest.hasPrefix("\\(") {
        rest.removeFirst(2)
        readValue(&rest, in: source)
        values += 1
        text += "{\(values)}"
      } else if rest.hasPrefix("\\") {
        text += Self.escape(rest.dropFirst().first)
        rest.removeFirst(2)
      } else {
        text.append(rest.removeFirst())
      }
    }
    rest.removeFirst(quotes.count)
    return (isMultiline ? Self.unindented(text) : text, values)
  }

  /// Reads the literals in the value of an interpolation, to its closing parenthesis.
  private mutating func readValue(_ rest: inout Substring, in source: String) {
    var depth = 1
    while depth > 0, let character = rest.first {
      if character == "\"" {
        let before = source[..<rest.startIndex]
        let (text, values) = literal(&rest, in: source)
        inner.append(Literal(text: text, before: before, values: values, end: rest.startIndex))
        continue
      }
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      rest.removeFirst()
    }
  }

  /// A mark for the end of a line that continues on the next one.
  private static let continuation: Character = "\u{1}"

  private static func escape(_ character: Character?) -> String {
    switch character {
    case "n": "\n"
    case "\n": "\(continuation)\n"
    case let other?: String(other)
    case nil: ""
    }
  }

  private static func unindented(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    let indent = lines.last?.count ?? 0
    return lines.dropLast().map { $0.dropFirst(indent) }.joined(separator: "\n")
      .replacing("\(continuation)\n", with: "")
  }
}
