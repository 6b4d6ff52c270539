import IDXBase

/// The text of a line while it is edited, as a value: keys go in, the text and the cursor come out.
struct LineEditor: Sendable {
  /// The text before the cursor.
  private(set) var before = ""
  /// The text after the cursor.
  private(set) var after = ""

  /// The lines to which Up and Down change the text: earlier answers or choices.
  private let lines: [String]
  /// The line that is shown; the number of lines for the text that was typed.
  private var position: Int
  private var typed = ""

  /// Longer text is dropped: no answer needs it, and each key would take longer.
  private static let limit = 1 << 16

  /// Starts with an empty line.
  ///
  /// Up goes to the last of the `lines`, Down to the first.
  init(lines: [String] = []) {
    self.lines = lines
    position = lines.count
  }

  /// The whole text.
  var text: String { before + after }

  /// Changes the text; returns the line if the key ends it.
  mutating func press(_ key: Key) -> InteractiveTerminal.Line? {
    switch key {
    case .enter: return .text(text)
    case .endOfInput where text.isEmpty: return .endOfInput
    case .text(let scalar):
      if before.utf8.count < Self.limit { before.unicodeScalars.append(scalar) }
    case .endOfInput, .delete: after = String(after.dropFirst())
    case .backspace: before = String(before.dropLast())
    case .left: move(left: 1)
    case .right: move(right: 1)
    case .wordLeft: move(left: before.count - startOfWord)
    case .wordRight: move(right: endOfWord)
    case .home: move(left: before.count)
    case .end: move(right: after.count)
    case .killToEnd: after = ""
    case .killLine: before = ""
    case .killWord: before = String(before.prefix(startOfWord))
    case .killNextWord: after = String(after.dropFirst(endOfWord))
    case .up: recall(-1)
    case .down: recall(1)
    }
    return nil
  }

  private mutating func move(left count: Int) {
    after = before.suffix(count) + after
    before = String(before.dropLast(count))
  }

  private mutating func move(right count: Int) {
    before += after.prefix(count)
    after = String(after.dropFirst(count))
  }

  /// The position of the word before the cursor.
  private var startOfWord: Int {
    var characters = Array(before)
    while let last = characters.last, !last.isPartOfWord { characters.removeLast() }
    while let last = characters.last, last.isPartOfWord { characters.removeLast() }
    return characters.count
  }

  /// The number of characters to the end of the word after the cursor.
  private var endOfWord: Int {
    let rest = after.drop { !$0.isPartOfWord }.drop(while: \.isPartOfWord)
    return after.count - rest.count
  }

  private mutating func recall(_ step: Int) {
    guard !lines.isEmpty else { return }
    if position == lines.count { typed = text }
    position = (position + step + lines.count + 1) % (lines.count + 1)
    (before, after) = (position == lines.count ? typed : lines[position], "")
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}

// The text can be a password.
extension LineEditor: Redacted {
  /// The number of characters.
  var description: String { "a line of \(text.count) characters" }
}
