import Testing

@testable import IDXBase

@Suite("Printable text")
struct PrintableTextTests {
  @Test("A text within the limit stays the same", arguments: ["", "abcde", "äöüß€"])
  func short(_ text: String) {
    #expect(text.shortened(to: 5) == text)
  }

  @Test("A longer text is cut at the limit and marked")
  func long() {
    #expect("abcdef".shortened(to: 5) == "abcde…")
    #expect(String(repeating: "é", count: 1_000_000).shortened().unicodeScalars.count == 1001)
  }

  @Test("Marks above one letter count, so that a single character cannot be endless")
  func marks() {
    let text = "e" + String(repeating: "\u{301}", count: 5000)
    #expect(text.shortened(to: 100).unicodeScalars.count == 101)
  }

  @Test("A quoted text is cut after 100 scalars")
  func quoted() {
    #expect("a\u{202E}b".quotedBriefly == "“ab”")
    #expect(
      String(repeating: "a", count: 200).quotedBriefly
        == "“\(String(repeating: "a", count: 100))…”")
  }
}
