import Expectations
import Testing

@testable import IDXPrompt

struct KeyReaderTests {
  private func keys(_ text: String) -> [Key] {
    var reader = KeyReader()
    return reader.read(text.utf8)
  }

  private static func text(_ text: String) -> [Key] { text.unicodeScalars.map(Key.text) }

  @Test(
    "The keys of common terminals have their meaning",
    arguments: [
      ("\u{1}", .home), ("\u{5}", .end), ("\u{B}", .killToEnd), ("\u{15}", .killLine),
      ("\u{17}", .killWord), ("\u{4}", .endOfInput), ("\u{7F}", .backspace), ("\u{8}", .backspace),
      ("\r", .enter), ("\n", .enter), ("\u{10}", .up), ("\u{E}", .down),
      ("\u{1B}[A", .up), ("\u{1B}[B", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left),
      ("\u{1B}OA", .up), ("\u{1B}OD", .left), ("\u{1B}[H", .home), ("\u{1B}[F", .end),
      ("\u{1B}OH", .home), ("\u{1B}OF", .end), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home),
      ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("\u{1B}[3~", .delete),
      ("\u{1B}[1;5D", .wordLeft), ("\u{1B}[1;3C", .wordRight), ("\u{1B}[1;2D", .left),
      ("\u{1B}b", .wordLeft), ("\u{1B}f", .wordRight), ("\u{1B}d", .killNextWord),
      ("\u{1B}\u{7F}", .killWord), ("\u{1B}[3;5~", .killNextWord), ("\u{1B}OM", .enter),
    ] as [(String, Key)])
  func known(bytes: String, key: Key) {
    expectEqual(keys(bytes), [key])
    // However the bytes arrive.
    var reader = KeyReader()
    expectEqual(bytes.utf8.flatMap { reader.read([$0]) }, [key])
    expect(!reader.isIncomplete)
  }

  @Test(
    "Other keys and what terminals send by themselves are dropped",
    arguments: [
      "\u{1B}[5~", "\u{1B}[15~", "\u{1B}OP", "\u{1B}x", "\u{1B}[I", "\u{0}", "\u{7}", "\t",
      "\u{1B}]11;rgb:00/00/00\u{7}", "\u{1B}]11;rgb:00/00/00\u{1B}\\", "\u{1B}P1+r\u{1B}\\",
      "\u{1B}\u{1B}[5~", "\u{9B}", "\u{1B}[24;80R",
    ])
  func unknown(bytes: String) { expectEqual(keys("a\(bytes)b"), Self.text("ab")) }

  @Test(
    "Text is any Unicode, invalid bytes are replaced, and an Escape alone is dropped when nothing follows"
  )
  func unicode() {
    let text = "Žofie 日本 👩‍💻"
    expectEqual(keys(text), Self.text(text))
    var reader = KeyReader()
    expectEqual(Array(text.utf8).flatMap { reader.read([$0]) }, Self.text(text))
    expectEqual(reader.read([0x61, 0xFF, 0x62]), Self.text("a\u{FFFD}b"))
    expectEqual(reader.read([0xE6, 0x61]), Self.text("\u{FFFD}a"))
    expect(reader.read([0xC3]) == [] && reader.isIncomplete)
    expect(reader.flush() == Self.text("\u{FFFD}") && !reader.isIncomplete)

    var escaped = KeyReader()
    expect(escaped.read("\u{1B}".utf8) == [] && escaped.isIncomplete)
    expect(escaped.flush() == [] && !escaped.isIncomplete)
    expectEqual(escaped.read("b".utf8), Self.text("b"))
  }

  @Test(
    "Two characters for one line end are one Enter, and in pasted text only a line break is a key")
  func lineEnds() {
    expectEqual(
      keys("a\r\nb\n\nc\r\r"),
      Self.text("a") + [.enter] + Self.text("b") + [.enter, .enter]
        + Self.text("c") + [.enter, .enter])
    var reader = KeyReader()
    expectEqual(reader.read("\r".utf8), [.enter])
    expectEqual(reader.read("\nx".utf8), Self.text("x"))

    let pasted = "ada\u{15}?\u{1B}[D\u{4}\u{1B}OMx\ny"
    expectEqual(
      keys("\u{1B}[200~\(pasted)\u{1B}[201~\u{15}"),
      Self.text("ada?x") + [.enter] + Self.text("y") + [.killLine])
  }
}
