import Expectations
import Testing

@testable import IDXBase

struct TextSanitizerTests {
  private let sanitizer = TextSanitizer()

  @Test(
    "Escape sequences, also incomplete and malformed ones, are removed, and the text around them stays",
    arguments: [
      ("\u{1B}[31mred\u{1B}[0m", "red"),
      ("\u{9B}31mred", "red"),
      ("a\u{1B}[38;2;1;2;3mb", "ab"),
      ("a\u{1B}[?25lb", "ab"),
      ("a\u{1B}[2 qb", "ab"),
      ("a\u{1B}[2J\u{1B}[Hb", "ab"),
      ("a\u{1B}]0;title\u{07}b", "ab"),
      ("a\u{1B}]8;;https://evil.example\u{1B}\\link\u{1B}]8;;\u{1B}\\b", "alinkb"),
      ("a\u{9D}52;c;AAAA\u{9C}b", "ab"),
      ("a\u{1B}P1$r0m\u{1B}\\b", "ab"),
      ("a\u{90}q#0\u{9C}b", "ab"),
      ("a\u{1B}_apc\u{1B}\\b", "ab"),
      ("a\u{1B}^pm\u{1B}\\b", "ab"),
      ("a\u{1B}Xsos\u{1B}\\b", "ab"),
      ("a\u{1B}(0b", "ab"),
      ("a\u{1B}#8b", "ab"),
      ("a\u{1B}cb", "ab"),
      ("a\u{1B}7b\u{1B}8", "ab"),
      ("a\u{1B}Mb", "ab"),
      ("a\u{1B}OPb", "ab"),
      ("a\u{1B}\u{1B}[31mb", "ab"),
      ("a\u{1B}éb", "aéb"),
      // These are incomplete or malformed.
      ("a\u{1B}", "a"), ("a\u{1B}[", "a"), ("a\u{1B}[31", "a"), ("a\u{1B}[31;", "a"),
      ("a\u{1B}(", "a"), ("a\u{9B}", "a"), ("a\u{1B}O", "a"), ("a\u{1B}]", "a"),
      ("a\u{1B}]0;title", "a0;title"), ("a\u{1B}]0;x\u{1B}[31mb", "a0;xb"),
      ("a\u{1B}]0;x\nb", "a0;x\nb"), ("a\u{1B}]0;x\nb\u{7}c", "a0;x\nbc"),
      ("a\u{1B}Pq\u{1B}", "aq"), ("a\u{1B}[3\nb", "a\nb"),
      ("a\u{1B}[3\u{1B}[4mb", "ab"), ("a\u{1B}[3éb", "aéb"),
    ])
  func sequences(text: String, expected: String) {
    expectEqual(sanitizer.clean(text), expected)
  }

  @Test("Control characters and invisible ones are removed, or become spaces and line feeds")
  func controls() throws {
    // The text after a character must not be able to begin a sequence.
    let invisible =
      [0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F]
      + Array(0x202A...0x202E) + Array(0x2060...0x206F)
      + [0x3164, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFA, 0xFFFB, 0xE0001, 0xE0041, 0xE007F]
    for value in Array(0..<0x20) + Array(0x7F..<0xA0) + invisible {
      let scalar = try require(Unicode.Scalar(UInt32(value)))
      let expected =
        switch value {
        case 0x09: "a é"
        case 0x0A...0x0D, 0x85: "a\né"
        default: "aé"
        }
      expectEqual(sanitizer.clean("a\(Character(scalar))é"), expected, "\(value)")
    }
  }

  @Test(
    "Text of any script and emoji stays, without joiners and selectors that have no base character")
  func kept() {
    for text in [
      "", "plain", "Žofie Nováková", "日本語テキスト", "שלום", "مرحبا", "می‌خواهم", "क्‍ष", "👩‍💻 ❤️ 🏳️‍🌈",
      "a\nb\n\nc", "e\u{301}",
    ] {
      expectEqual(sanitizer.clean(text), text)
    }
    expectEqual(sanitizer.clean("a\u{200D}b\u{200C}c"), "abc")
    expectEqual(sanitizer.clean("é\u{200D}\u{200D}\u{200C}b"), "é\u{200D}b")
    expectEqual(sanitizer.clean("\u{FE0F}\u{200D}a"), "a")
  }

  @Test(
    "Line breaks of every kind are line feeds, or single spaces in one line",
    arguments: ["\n", "\r\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"])
  func lineBreaks(lineBreak: String) {
    let text = "a\(lineBreak)b\(lineBreak)\(lineBreak)c\(lineBreak)"
    expectEqual(sanitizer.clean(text), "a\nb\n\nc\n")
    expectEqual(TextSanitizer(oneLine: true).clean(text), "a b c")
  }

  @Test(
    "Random text has no control characters after cleaning, and cleaning is idempotent",
    .promise("terminal-text"))
  func random() {
    var generator = Generator(state: 42)
    let pieces: [String] =
      [
        "\u{1B}", "\u{9B}", "[", "]", "P", "\\", "\u{9C}", "\u{07}", ";", "3", "m", "O", "(", "a",
        "é", "\n", "\r", "\u{202E}", "\u{200D}", "\u{FE0F}", "👩", "\u{E0041}", "\u{301}", "\0",
      ]
    for _ in 0..<2_000 {
      let text = (0..<12).map { _ in pieces[generator.below(pieces.count)] }.joined()
      check(text)
      let bytes = (0..<40).map { _ in UInt8(generator.below(256)) }
      check(String(decoding: bytes, as: UTF8.self))
    }
  }

  private func check(_ text: String) {
    let shown = text.debugDescription
    for sanitizer in [TextSanitizer(), TextSanitizer(oneLine: true)] {
      let clean = sanitizer.clean(text)
      let harmful = clean.unicodeScalars.contains { scalar in
        let isControl = scalar.properties.generalCategory == .control
        return isControl && (scalar != "\n" || sanitizer.oneLine)
          || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      }
      expect(!harmful, shown)
      expectEqual(sanitizer.clean(clean), clean, shown)
    }
  }
}

/// A generator with the same sequence in each run (xorshift).
private struct Generator {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }
}
