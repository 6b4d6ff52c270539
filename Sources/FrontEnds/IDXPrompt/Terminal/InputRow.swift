/// The row of the window with a prompt and the text that is typed, and the output that draws it.
///
/// The text scrolls within the row, so that a long one never continues on the next row: rows that wrapped
/// could not be drawn again after the window was resized. Only characters and backspaces are written, so
/// that every terminal can show it.
struct InputRow: Sendable {
  /// The text before the input, narrower than the window.
  private(set) var prompt = ""
  /// The part of the text that is on the screen, with marks where it continues.
  private var shown = ""
  /// The columns of the screen before the cursor, without the prompt.
  private var cursor = 0
  /// The first character on the screen.
  private var start = 0

  private let marks: (left: String, right: String)

  init(style: TerminalStyle) {
    marks = style.usesUnicode ? ("…", "…") : ("<", ">")
  }

  /// Starts a row and returns the rows before it, because a long prompt takes several.
  ///
  /// At least a few columns are left for the text.
  mutating func begin(_ prompt: String, columns: Int) -> [String] {
    (shown, cursor, start) = ("", 0, 0)
    self.prompt = prompt
    let room = min(16, columns / 3)
    guard prompt.columns + room > columns else { return [] }
    let end = prompt.hasSuffix(" ") ? " " : ""
    var rows = TextWrapper(width: max(columns - 1, 1)).lines(of: prompt)
    if let last = rows.last, last.columns + room <= columns {
      self.prompt = last + end
      rows.removeLast()
    } else {
      self.prompt = "  "
    }
    return rows
  }

  /// The columns of what is on the screen, and those before the cursor.
  var width: (total: Int, beforeCursor: Int) {
    (prompt.columns + shown.columns, prompt.columns + cursor)
  }

  /// Draws the whole row, from its first column, on an empty row.
  mutating func redraw(_ editor: LineEditor, columns: Int) -> String {
    (shown, cursor) = ("", 0)
    return prompt + update(editor, columns: columns)
  }

  /// Draws what has changed since the last time.
  mutating func update(_ editor: LineEditor, columns: Int) -> String {
    let (text, target) = visible(editor, room: room(in: columns))
    return draw(text, cursorAt: target)
  }

  /// The columns for the text.
  private func room(in columns: Int) -> Int { max(columns - 1 - prompt.columns, 4) }

  /// Draws a text in place of the one on the screen, with the cursor behind so many columns.
  private mutating func draw(_ text: String, cursorAt target: Int) -> String {
    defer { (shown, cursor) = (text, target) }
    guard text != shown else { return Self.moved(in: text, from: cursor, to: target) }
    let common = zip(text, shown).prefix { $0 == $1 }.map(\.0)
    let kept = String(common)
    var output = Self.moved(in: kept, from: cursor, to: kept.columns)
    output += text.dropFirst(common.count)
    let rest = max(shown.columns - text.columns, 0)
    output += String(repeating: " ", count: rest)
    output += String(repeating: "\u{8}", count: rest + text.columns - target)
    return output
  }

  /// Draws the row as it stays on the screen: the start of the text, and the cursor behind it.
  mutating func finish(_ editor: LineEditor, columns: Int) -> String {
    let text = editor.text
    if text.columns <= room(in: columns) { return draw(text, cursorAt: text.columns) }
    var atStart = editor
    _ = atStart.press(.home)
    let output = update(atStart, columns: columns)
    return output + Self.moved(in: shown, from: cursor, to: shown.columns)
  }

  /// Moves the cursor between two columns of a text that is on the screen.
  private static func moved(in text: String, from: Int, to: Int) -> String {
    guard to > from else { return String(repeating: "\u{8}", count: from - to) }
    var column = 0
    var passed = ""
    for character in text {
      if column >= from, column < to { passed.append(character) }
      column += character.columns
    }
    return passed
  }

  /// The part of the text that fits, and the columns before the cursor.
  private mutating func visible(_ editor: LineEditor, room: Int) -> (String, cursor: Int) {
    let characters = Array(editor.before) + Array(editor.after)
    let target = min(editor.before.count, characters.count)
    func columns(_ range: Range<Int>) -> Int { characters[range].reduce(0) { $0 + $1.columns } }
    guard columns(0..<characters.count) > room else {
      start = 0
      return (editor.text, editor.before.columns)
    }
    if target <= start { start = max(target - room / 3, 0) }
    var before = columns(start..<target)
    while before > room - 2 {
      before -= characters[start].columns
      start += 1
    }
    // After a deletion, the row is filled again from the left.
    var rest = columns(start..<characters.count)
    while start > 0, rest + characters[start - 1].columns < room {
      start -= 1
      rest += characters[start].columns
      before += start < target ? characters[start].columns : 0
    }
    var text = start > 0 ? marks.left : ""
    before += text.columns
    for (index, character) in characters.enumerated().dropFirst(start) {
      let isLast = index == characters.count - 1
      guard text.columns + character.columns + (isLast ? 0 : 1) <= room else {
        text += marks.right
        break
      }
      text.append(character)
    }
    // A wide character before the cursor may have had to give way to the mark.
    return (text, min(before, text.columns))
  }
}
