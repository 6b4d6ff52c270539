import Expectations
import Testing

@testable import idx_flow

/// Texts in a narrow window.
struct PageTextTests {
  private let keepingCommands = CopiedCommands(commands: IDXFlowCommand.commands).kept

  @Test("A long line is broken between words, and a line that fits stays as it is")
  func broken() {
    expectEqual(PageText.broken("one  two", at: 20), "one  two")
    expectEqual(PageText.broken("one two three four", at: 10), "one two\nthree four")
    expectEqual(PageText.broken("title:\n  one two three", at: 10), "title:\n  one two\n  three")
    let address = "https://a.example/" + String(repeating: "x", count: 40)
    expectEqual(PageText.broken("see \(address)", at: 20), "see\n\(address)")
    // Two columns for each character.
    expectEqual(PageText.broken("日本語 です", at: 8), "日本語\nです")
  }

  @Test(
    "The second column of a long line continues under its beginning, or is below the first, or moves to the left"
  )
  func columns() {
    expectEqual(
      PageText.broken("access    until noon (2 h left)", at: 22),
      "access    until noon\n          (2 h left)")
    expectEqual(
      PageText.broken("preferred_username  Ada Byron", at: 20),
      "preferred_username\n      Ada Byron")
    expectEqual(
      PageText.broken("    https://a.example/b  0oa1", at: 24),
      "    https://a.example/b\n      0oa1")
    expectEqual(
      PageText.broken("refresh   no; see: https://a.example/bc", at: 24),
      "refresh   no; see:\n    https://a.example/bc")
    expectEqual(PageText.broken("    https://a.example/bc", at: 20), "https://a.example/bc")
    expectEqual(
      PageText.broken("iss  https://a.example/bc", at: 20), "iss\nhttps://a.example/bc")
    expectEqual(PageText.broken("kid  0123456789", at: 8), "kid  0123456789")
  }

  // A bar is where the line is broken.
  @Test(
    "A command is not broken, so that it can be copied, as far as its quotation marks end",
    arguments: [
      ("See:|idx-flow token --help", 12),
      ("Run idx-flow doctor|with the same|options.", 20),
      ("To change that, run|idx-flow profile set work --fast-pass ask.", 20),
      ("A profile has a name.|idx-flow profile lists|yours.", 24),
      ("idx-flow signin --force|melden Sie an", 24),
      ("no:|idx-flow signin --demo --scope 'openid profile'|and more words", 20),
      ("idx-flow use|'Ada and|more words", 12), ("idx-flow:|This is no|command.", 12),
      ("A key needs|apt-get install fido2-tools,|or brew install libfido2", 30),
      ("Or run this:|ssh -L 8484:127.0.0.1:8484 example.com", 20),
    ])
  func commands(lines: String, width: Int) {
    expectEqual(
      PageText.broken(lines.replacing("|", with: " "), at: width, keeping: keepingCommands),
      lines.replacing("|", with: "\n"))
  }
}
