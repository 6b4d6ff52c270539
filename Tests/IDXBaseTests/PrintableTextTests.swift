import Expectations
import Testing

@testable import IDXBase

/// Printable text.
struct PrintableTextTests {
  @Test("A text beyond the limit, or with more than 20 line breaks, is cut and marked")
  func shortened() {
    for text in ["", "abcde", "äöüß€"] { expectEqual(text.shortened(to: 5), text) }
    expectEqual("abcdef".shortened(to: 5), "abcde…")
    expectEqual(String(repeating: "é", count: 1_000_000).shortened().unicodeScalars.count, 1001)
    for lineBreak in ["\n", "\u{2028}", "\u{85}"] {
      let text = String(repeating: "a\(lineBreak)", count: 100)
      expectEqual(text.shortened(), String(text.prefix(41)) + "…")
    }
    // Marks above one letter count, so that a single character cannot be endless.
    let text = "e" + String(repeating: "\u{301}", count: 5000)
    expectEqual(text.shortened(to: 100).unicodeScalars.count, 101)
  }

  @Test(
    "A text is one word of a shell, quoted only if it needs that",
    arguments: [
      ("ada@example.com", "ada@example.com"), ("/tmp/a-b_c", "/tmp/a-b_c"), ("", "''"),
      ("a b", "'a b'"), ("$(id)", "'$(id)'"), ("a'; id", #"'a'\''; id'"#), ("=id", "'=id'"),
      ("~root", "'~root'"), ("a\u{1B}[2Jb\nc", "'a[2Jbc'"), ("ädä", "'ädä'"),
      ("x'\u{301};id;'\u{301}", "'x'\\''\u{301};id;'\\''\u{301}'"),
    ])
  func shellWord(_ text: String, _ word: String) {
    expectEqual(text.shellWord, word)
  }

  @Test("A quoted text is cut after 100 scalars")
  func quoted() {
    expectEqual("a\u{202E}b".quotedBriefly, "“ab”")
    expectEqual(
      String(repeating: "a", count: 200).quotedBriefly, "“\(String(repeating: "a", count: 100))…”")
  }
}
