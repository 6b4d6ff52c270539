import Expectations
import Testing

@testable import IDXPrompt

struct LineEditorTests {
  /// The text with `|` at the cursor, after the keys.
  private func edit(_ typed: String, _ keys: Key..., lines: [String] = []) -> String {
    var editor = LineEditor(lines: lines)
    for scalar in typed.unicodeScalars { _ = editor.press(.text(scalar)) }
    for key in keys { expectEqual(editor.press(key), nil) }
    return "\(editor.before)|\(editor.after)"
  }

  @Test(
    "Keys move the cursor and change the text, by whole characters and by words of letters and digits"
  )
  func keys() {
    expectEqual(edit("abc"), "abc|")
    expectEqual(edit("abc", .left, .left), "a|bc")
    expectEqual(edit("abc", .left, .right, .right), "abc|")
    expectEqual(edit("abc", .home, .left, .text("x")), "x|abc")
    expectEqual(edit("abc", .home, .end), "abc|")
    expectEqual(edit("abc", .backspace), "ab|")
    expectEqual(edit("abc", .home, .backspace), "|abc")
    expectEqual(edit("abc", .left, .delete, .delete), "ab|")
    expectEqual(edit("abc", .home, .endOfInput), "|bc")
    expectEqual(edit("abc", .left, .killToEnd), "ab|")
    expectEqual(edit("abc", .left, .killLine), "|c")

    expectEqual(edit("e\u{301}日👩‍💻", .left), "e\u{301}日|👩‍💻")
    expectEqual(edit("e\u{301}日👩‍💻", .backspace, .backspace), "e\u{301}|")
    expectEqual(edit("e\u{301}", .backspace), "|")
    expectEqual(edit("ex", .left, .text("\u{301}")), "e\u{301}|x")

    expectEqual(edit("ada.b@example.com", .wordLeft), "ada.b@example.|com")
    expectEqual(edit("ada b  ", .wordLeft, .wordLeft), "|ada b  ")
    expectEqual(edit("ada b", .home, .wordRight), "ada| b")
    expectEqual(edit("ada b", .home, .wordRight, .wordRight, .wordRight), "ada b|")
    expectEqual(edit("one two  ", .killWord), "one |")
    expectEqual(edit("one two", .home, .killNextWord), "| two")
  }

  @Test(
    "A row of characters of any width is drawn at any width of the window",
    arguments: [4, 5, 9, 16])
  func rows(columns: Int) {
    let kinds: [Unicode.Scalar] = ["a", "中", "\u{200B}", "\u{200E}", "\u{301}", "🙂"]
    // Texts of four characters of these kinds, after enough others to fill the row.
    for number in (0..<1296).sample(every: 5) {
      var (editor, rest) = (LineEditor(), number)
      for _ in 0..<columns { _ = editor.press(.text("b")) }
      var row = InputRow(style: TerminalStyle(usesColor: false, usesUnicode: true))
      _ = row.begin("?", columns: columns)
      for _ in 0..<4 {
        _ = editor.press(.text(kinds[rest % 6]))
        rest /= 6
        _ = row.update(editor, columns: columns)
        expect(row.width.beforeCursor <= row.width.total)
      }
      for key in [Key.left, .left, .home, .end, .backspace] {
        _ = editor.press(key)
        _ = row.update(editor, columns: columns)
      }
      _ = row.redraw(editor, columns: columns) + row.finish(editor, columns: columns)
    }
  }

  @Test("Enter returns the whole text, Ctrl-D the end of the input on an empty line only")
  func results() {
    var editor = LineEditor()
    expectEqual(editor.press(.endOfInput), .endOfInput)
    for scalar in "ab".unicodeScalars { _ = editor.press(.text(scalar)) }
    expectEqual(editor.press(.left), nil)
    expectEqual(editor.press(.enter), .text("ab"))
  }

  @Test("Up and Down go through the lines in a circle, with the typed text between them")
  func lines() {
    let lines = ["one", "two"]
    expectEqual(edit("x", .up, lines: lines), "two|")
    expectEqual(edit("x", .up, .up, lines: lines), "one|")
    expectEqual(edit("x", .up, .up, .up, lines: lines), "x|")
    expectEqual(edit("x", .down, lines: lines), "one|")
    expectEqual(edit("x", .up, .down, lines: lines), "x|")
    expectEqual(edit("x", .up, .down), "x|")
  }

  @Test("A printed editor or line does not contain the text")
  func description() {
    var editor = LineEditor()
    _ = editor.press(.text("s"))
    expectEqual("\(editor)", "a line of 1 characters")

    let line = InteractiveTerminal.Line.text("hunter2")
    var dumped = ""
    dump(line, to: &dumped)
    expect(!"\(line) \(String(reflecting: line)) \(dumped)".contains("hunter2"))
  }
}
