import Expectations
import Testing

@testable import IDXPrompt

struct TerminalStyleTests {
  @Test(
    "Color depends on NO_COLOR and TERM",
    arguments: [
      (["TERM": "xterm"], true),
      (["TERM": "xterm", "NO_COLOR": ""], true),
      (["TERM": "xterm", "NO_COLOR": "0"], false),
      (["TERM": "xterm", "NO_COLOR": "1"], false),
      (["TERM": "linux"], true),
      (["TERM": "dumb"], false),
      (["TERM": ""], false),
      ([:], false),
    ])
  func color(environment: [String: String], expected: Bool) {
    expectEqual(TerminalStyle(environment: environment).usesColor, expected)
  }

  @Test(
    "Symbols depend on the locale and TERM",
    arguments: [
      (["TERM": "xterm", "LANG": "en_US.UTF-8"], true),
      (["TERM": "xterm", "LANG": "cs_CZ.utf8"], true),
      (["TERM": "xterm", "LC_ALL": "", "LC_CTYPE": "UTF-8", "LANG": "C"], true),
      (["TERM": "xterm", "LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
      (["TERM": "xterm", "LC_CTYPE": "en_US.ISO-8859-1", "LANG": "en_US.UTF-8"], false),
      (["TERM": "xterm"], false),
      (["TERM": "dumb", "LANG": "en_US.UTF-8"], false),
      (["TERM": "linux", "LANG": "en_US.UTF-8"], false),
      (["LANG": "en_US.UTF-8"], false),
      (["TERM": "xterm", "LANG": "en_US.UTF-8", "NO_COLOR": "1"], true),
    ])
  func symbols(environment: [String: String], expected: Bool) {
    let style = TerminalStyle(environment: environment)
    expectEqual(style.usesUnicode, expected)
    let symbols = [
      style.check, style.cross, style.warning, style.ellipsis,
    ]
    expectEqual(symbols, (expected ? ["✓", "✗", "!", "…"] : ["ok", "x", "!", "..."]))
  }

  @Test("Styles are switched off again and can be nested; without color, text is not changed")
  func styles() {
    let style = TerminalStyle(usesColor: true, usesUnicode: true)
    expectEqual(style.red("x"), "\u{1B}[31mx\u{1B}[39m")
    expectEqual(style.bold(style.green("x")), "\u{1B}[1m\u{1B}[32mx\u{1B}[39m\u{1B}[22m")
    expectEqual(style.dim(""), "")

    let plain = TerminalStyle(usesColor: false, usesUnicode: true)
    for styled in [
      plain.bold("x"), plain.dim("x"), plain.red("x"), plain.green("x"),
      plain.yellow("x"), plain.cyan("x"),
    ] {
      expectEqual(styled, "x")
    }
  }
}
