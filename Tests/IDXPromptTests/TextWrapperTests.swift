import Expectations
import Testing

@testable import IDXPrompt

struct TextWrapperTests {
  private static let green = "\u{1B}[32m✓\u{1B}[0m \u{1B}[1mdone\u{1B}[0m"

  @Test(
    "Text breaks at spaces, within the width",
    arguments: [
      ("", 10, [""]),
      ("one", 10, ["one"]),
      ("one two three", 7, ["one two", "three"]),
      ("one two three", 8, ["one two", "three"]),
      ("one  two", 20, ["one two"]),
      ("a\nb c\n\nd", 20, ["a", "b c", "", "d"]),
      ("see https://example.com/activate now", 12, ["see", "https://example.com/activate", "now"]),
      ("日本語テキスト", 6, ["日本語", "テキス", "ト"]),
      ("ab日本cd", 4, ["ab日", "本cd"]),
      ("zażółć gęślą", 6, ["zażółć", "gęślą"]),
      ("any", 0, ["any"]),
      ("run one\u{A0}two now", 5, ["run", "one two", "now"]),
      // Colors take no columns.
      (Self.green, 6, [Self.green]),
    ])
  func wraps(text: String, width: Int, expected: [String]) {
    expectEqual(TextWrapper(width: width).lines(of: text), expected)
  }

  @Test("Lines after the first are indented by the width of the prefix")
  func hanging() {
    let wrapper = TextWrapper(width: 9)
    expectEqual(wrapper.lines(of: "one two three", prefix: "• "), ["• one two", "  three"])
    expectEqual(wrapper.lines(of: "one\n\ntwo", prefix: "! "), ["! one", "", "  two"])
    let styled = wrapper.lines(
      of: "one two three", prefix: "x ", styledPrefix: "\u{1B}[31mx\u{1B}[39m ")
    expectEqual(styled, ["\u{1B}[31mx\u{1B}[39m one two", "  three"])
  }

  @Test(
    "Columns are counted as on a terminal",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("日本", 4), ("한글", 4),
      ("ＡＢ", 4), ("ｱｲ", 2), ("👩‍💻", 2), ("❤️", 2), ("✓", 1), ("•", 1), ("█▀▄", 3), ("🇨🇿", 2),
      (Self.green, 6),
    ])
  func columns(text: String, expected: Int) {
    expectEqual(text.columns, expected)
  }
}
