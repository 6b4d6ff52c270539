/// The screen of a terminal as a person sees it, after the output of a program.
///
/// It knows the sequences that idx-flow writes: characters of one and two columns, combining characters,
/// line ends, backspace, colors, erasing, and moves of the cursor. Anything else is in ``unknown``. Like
/// most terminals, it wraps long rows, and wraps them again when the size of the window changes.
package struct TerminalScreen: Sendable {
  private struct Row {
    /// A cell has a character, or is empty behind one of two columns.
    var cells: [String] = []
    /// Whether the text continues in the next row, without a line end.
    var continues = false

    var text: String {
      var text = cells.joined()
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
  }

  package private(set) var columns: Int
  package private(set) var rows: Int
  /// Sequences that the program should not write.
  package private(set) var unknown: [String] = []
  /// Whether pasted text is marked.
  package private(set) var marksPastes = false
  /// How often something that was on the screen was erased or overwritten.
  package private(set) var changes = 0

  private var lines = [Row()]
  private var cursor = (row: 0, column: 0)
  private var bytes: [UInt8] = []

  package init(columns: Int = 80, rows: Int = 24) {
    (self.columns, self.rows) = (columns, rows)
  }

  // MARK: What the person sees

  /// The rows in the window, without spaces at their ends and without empty rows at the end.
  package var text: String { text(of: lines.dropFirst(top)) }

  /// All rows since the start, also those that have left the window.
  package var wholeText: String { text(of: lines[...]) }

  /// The row of the cursor, with `|` at the cursor.
  package var cursorRow: String {
    let cells = lines[cursor.row].cells
    let before = cells.prefix(cursor.column).joined()
    let missing = String(repeating: " ", count: max(cursor.column - cells.count, 0))
    var after = cells.dropFirst(cursor.column).joined()
    while after.hasSuffix(" ") { after.removeLast() }
    return before + missing + "|" + after
  }

  private var top: Int { max(lines.count - rows, 0) }

  private func text(of rows: ArraySlice<Row>) -> String {
    var texts = rows.map(\.text)
    while texts.last == "" { texts.removeLast() }
    return texts.joined(separator: "\n")
  }

  // MARK: Output

  /// Shows a byte of the program's output.
  package mutating func show(_ byte: UInt8) {
    bytes.append(byte)
    guard let length = length(of: bytes), bytes.count >= length else { return }
    let output = String(decoding: bytes, as: UTF8.self)
    bytes = []
    show(output)
  }

  package mutating func show(text: String) { for byte in text.utf8 { show(byte) } }

  /// The length of the character or sequence that begins with these bytes; nil if that is not known yet.
  private func length(of bytes: [UInt8]) -> Int? {
    switch bytes[0] {
    case 0x1B:
      guard bytes.count > 1 else { return nil }
      guard bytes[1] == UInt8(ascii: "[") else { return 2 }
      guard bytes.count > 2 else { return nil }
      return (0x40...0x7E).contains(bytes[bytes.count - 1]) ? bytes.count : nil
    case 0xC0...0xDF: return 2
    case 0xE0...0xEF: return 3
    case 0xF0...: return 4
    default: return 1
    }
  }

  private mutating func show(_ output: String) {
    switch output {
    case "\r": cursor.column = 0
    case "\n": newLine()
    case "\u{8}": cursor.column = max(min(cursor.column, columns) - 1, 0)
    case "\u{7}": break
    default:
      if output.hasPrefix("\u{1B}[") { return sequence(output) }
      guard let scalar = output.unicodeScalars.first, scalar.value >= 0x20 else {
        return unknown.append(output)
      }
      put(scalar)
    }
  }

  private mutating func newLine() {
    cursor.row += 1
    if cursor.row == lines.count { lines.append(Row()) }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = Self.width(of: scalar)
    if width == 0 {
      var column = min(cursor.column, lines[cursor.row].cells.count) - 1
      while column > 0, lines[cursor.row].cells[column].isEmpty { column -= 1 }
      if column >= 0 { lines[cursor.row].cells[column].unicodeScalars.append(scalar) }
      return
    }
    if cursor.column + width > columns {
      lines[cursor.row].continues = true
      cursor.column = 0
      newLine()
    }
    set(String(scalar), at: cursor.column)
    if width == 2 { set("", at: cursor.column + 1) }
    cursor.column += width
  }

  private mutating func set(_ cell: String, at column: Int) {
    let missing = column + 1 - lines[cursor.row].cells.count
    if missing > 0 {
      lines[cursor.row].cells += Array(repeating: " ", count: missing)
    } else if lines[cursor.row].cells[column] != cell {
      changes += 1
    }
    lines[cursor.row].cells[column] = cell
  }

  private mutating func sequence(_ text: String) {
    let body = text.dropFirst(2).dropLast()
    let number = Int(body) ?? 0
    switch (text.last, body) {
    case ("m", _): break
    case ("A", _): cursor.row = max(cursor.row - max(number, 1), top)
    case ("B", _): cursor.row = min(cursor.row + max(number, 1), lines.count - 1)
    case ("C", _): cursor.column = min(cursor.column + max(number, 1), columns - 1)
    case ("D", _): cursor.column = max(min(cursor.column, columns - 1) - max(number, 1), 0)
    case ("G", _): cursor.column = max(number, 1) - 1
    case ("K", ""), ("K", "0"): eraseRest()
    case ("J", ""), ("J", "0"):
      eraseRest()
      if cursor.row + 1 < lines.count { lines.removeSubrange((cursor.row + 1)...) }
    case ("h", "?2004"): marksPastes = true
    case ("l", "?2004"): marksPastes = false
    case ("h", "?25"), ("l", "?25"): break
    default: unknown.append(text)
    }
  }

  private mutating func eraseRest() {
    let cells = lines[cursor.row].cells
    if cells.dropFirst(cursor.column).contains(where: { $0 != " " }) { changes += 1 }
    lines[cursor.row].cells = Array(cells.prefix(cursor.column))
    lines[cursor.row].continues = false
  }

  /// The columns of a character, independent of the code under test.
  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }

  // MARK: Resizing

  /// Changes the size of the window.
  package mutating func resize(columns: Int, rows: Int) {
    var wrapped: [Row] = []
    var newCursor = cursor
    var line: [String] = []
    var cursorInLine: Int?
    for (index, row) in lines.enumerated() {
      if index == cursor.row { cursorInLine = line.count + cursor.column }
      line += row.cells
      if row.continues { continue }
      let start = wrapped.count
      wrapped += Self.wrap(line, columns)
      if let position = cursorInLine {
        newCursor = (start + position / columns, position % columns)
        while wrapped.count <= newCursor.row { wrapped.append(Row()) }
      }
      (line, cursorInLine) = ([], nil)
    }
    (lines, cursor, self.columns, self.rows) = (wrapped, newCursor, columns, rows)
  }

  private static func wrap(_ cells: [String], _ columns: Int) -> [Row] {
    guard cells.count > columns else { return [Row(cells: cells)] }
    return stride(from: 0, to: cells.count, by: columns).map { start in
      let end = min(start + columns, cells.count)
      return Row(cells: Array(cells[start..<end]), continues: end < cells.count)
    }
  }
}
