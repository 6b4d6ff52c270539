import Expectations
import TerminalSupport
import Testing

@testable import IDXPrompt

/// What a person sees while a line is edited.
struct LineEditingTests {
  private func terminal(
    _ watched: WatchedTerminal, _ environment: [String: String] = FrontEndSession.animated
  ) throws -> InteractiveTerminal {
    try InteractiveTerminal(path: watched.path, environment: environment)
  }

  @Test(
    "The row shows the text and the cursor after each key, also on a simple terminal",
    arguments: [FrontEndSession.animated, ["TERM": "dumb"]])
  func row(environment: [String: String]) async throws {
    let watched = try WatchedTerminal()
    let terminal = try terminal(watched, environment)
    async let line = terminal.readLine(prompt: "Name: ")
    try await watched.seeRow("Name: |")
    for (keys, row) in [
      ("ada lovelace", "Name: ada lovelace|"), ("\u{1B}[D\u{1B}[D", "Name: ada lovela|ce"),
      ("\u{8}", "Name: ada lovel|ce"), ("\u{1B}[3~", "Name: ada lovel|e"),
      ("a", "Name: ada lovela|e"), ("\u{5}c", "Name: ada lovelaec|"),
      ("\u{1}", "Name: |ada lovelaec"),
      ("X", "Name: X|ada lovelaec"), ("\u{1B}f", "Name: Xada| lovelaec"),
      ("\u{B}", "Name: Xada|"), ("日本", "Name: Xada日本|"), ("\u{1B}[D", "Name: Xada日|本"),
      ("e\u{301}", "Name: Xada日e\u{301}|本"), ("\u{7F}", "Name: Xada日|本"),
      ("\u{17}", "Name: |本"), ("\u{5}\u{15}", "Name: |"), ("ada", "Name: ada|"),
    ] {
      try watched.type(keys)
      try await watched.seeRow(row)
    }
    try watched.type("\r")
    try await expectEqual(line, .text("ada"))
    try await expectEqual(watched.seeRow("|").text, "Name: ada")
    expectEmpty(watched.screen.unknown)
  }

  @Test("A secret is edited with the same keys, and nothing of it is shown")
  func secret() async throws {
    let watched = try WatchedTerminal()
    let terminal = try terminal(watched)
    async let line = terminal.readLine(prompt: "Password: ", secret: true)
    try await watched.seeRow("Password: |")
    try watched.type("wrong\u{15}hnter2\u{1B}[H\u{1B}[Cu\u{5}!\u{7F}\n")
    try await expectEqual(line, .text("hunter2"))
    try await expectEqual(watched.seeRow("|").wholeText, "Password: ••••••••")
  }

  @Test("A text that is longer than the row scrolls, and stays complete")
  func scrolling() async throws {
    let watched = try WatchedTerminal(columns: 24, rows: 5)
    let terminal = try terminal(watched)
    async let line = terminal.readLine(prompt: "Name: ")
    try await watched.seeRow("Name: |")
    try watched.type("0123456789abcdefghijklmn")
    try await watched.seeRow("Name: …89abcdefghijklmn|")
    try watched.type("\u{1}")
    try await watched.seeRow("Name: |0123456789abcdef…")
    try watched.type("\u{5}\u{17}xyz")
    try await watched.seeRow("Name: xyz|")
    try watched.type("\n")
    try await expectEqual(line, .text("xyz"))
  }

  @Test("A prompt that is too long for the window is wrapped, with room for the text")
  func longPrompt() async throws {
    let watched = try WatchedTerminal(columns: 30, rows: 8)
    let terminal = try terminal(watched)
    async let line = terminal.readLine(prompt: "Which teacher did you like best of all at school? ")
    try await watched.seeRow("  |")
    try watched.type("Ada")
    let screen = try await watched.seeRow("  Ada|")
    expectEqual(screen.text, "Which teacher did you like\nbest of all at school?\n  Ada")
    try watched.type("\n")
    try await expectEqual(line, .text("Ada"))
  }

  @Test(
    "When the window is resized, the row or the status is drawn anew, and nothing is left behind")
  func resizing() async throws {
    let watched = try WatchedTerminal(columns: 60, rows: 10)
    let terminal = try self.terminal(watched)
    terminal.write("Above\n")
    async let line = terminal.readLine(prompt: "Name: ")
    try await watched.seeRow("Name: |")
    let text = "abcdefghijklmnopqrstuvwxyz0123456789"
    try watched.type(text)
    try await watched.seeRow("Name: \(text)|")
    for (columns, row) in [(30, "Name: …opqrstuvwxyz0123456789|"), (60, "Name: \(text)|")] {
      watched.resize(columns: columns, rows: 10)
      terminal.resized()
      let screen = try await watched.seeRow(row)
      expectEqual(screen.text, "Above\n" + row.dropLast())
    }
    try watched.type("\n")
    try await expectEqual(line, .text(text))

    let narrow = try WatchedTerminal(columns: 40, rows: 10)
    let other = try self.terminal(narrow)
    other.write("Above\n")
    let ticks = AsyncStream.makeStream(of: Void.self)
    async let key = other.waitForKey(ticks: ticks.stream) { [style = other.style] tick, _ in
      style.dim(tick == 0 ? "Waiting for somebody else" : "Waiting")
    }
    try await narrow.see("Waiting for somebody else")
    narrow.resize(columns: 12, rows: 10)
    other.resized()
    ticks.continuation.yield()
    let left = try await narrow.see("the status") { $0.cursorRow.hasPrefix("Waiting") }
    expectEqual(left.text.trimmed(), "Above\nWaiting")
    try narrow.type("\r")
    try await expectEqual(key, .text(""))
  }

  @Test("Text that is written meanwhile appears above the question")
  func above() async throws {
    let watched = try WatchedTerminal()
    let terminal = try terminal(watched)
    async let line = terminal.readLine(prompt: "Name: ")
    try await watched.seeRow("Name: |")
    try watched.type("ad")
    try await watched.seeRow("Name: ad|")
    terminal.write("news\n")
    try await watched.see("news")
    try await expectEqual(watched.seeRow("Name: ad|").text, "news\nName: ad")
    try watched.type("a\n")
    try await expectEqual(line, .text("ada"))
  }

  @Test("Up recalls the earlier visible answers, never a secret")
  func history() async throws {
    let watched = try WatchedTerminal()
    let terminal = try terminal(watched)
    terminal.begin()
    for (prompt, text) in [("A: ", "one"), ("B: ", "two")] {
      async let line = terminal.readLine(
        prompt: prompt, lines: nil, isRemembered: true, dropNotice: "")
      try await watched.seeRow("\(prompt)|")
      try watched.type("\(text)\n")
      try await expectEqual(line, .text(text))
    }
    async let secret = terminal.readLine(prompt: "S: ", secret: true)
    try await watched.seeRow("S: |")
    // Nor can earlier answers be recalled as a secret.
    try watched.type("\u{1B}[Asecret\n")
    try await expectEqual(secret, .text("secret"))
    async let last = terminal.readLine(prompt: "C: ")
    try await watched.seeRow("C: |")
    for row in ["C: two|", "C: one|", "C: |"] {
      try watched.type("\u{1B}[A")
      try await watched.seeRow(row)
    }
    try watched.type("\u{1B}[B\n")
    try await expectEqual(last, .text("one"))
    terminal.end()
  }
}
