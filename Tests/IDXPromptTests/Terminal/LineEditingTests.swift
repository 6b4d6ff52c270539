import Expectations
import TerminalSupport
import Testing

@testable import IDXPrompt

/// What a person sees while a line is edited.
struct LineEditingTests {
  /// A question at a terminal.
  private struct Question {
    let watched: WatchedTerminal
    let terminal: InteractiveTerminal
    let line: Task<InteractiveTerminal.Line, any Error>
  }

  /// Asks a question and waits until its row is there.
  private func ask(
    _ prompt: String = "Name: ", secret: Bool = false, columns: Int = 80, rows: Int = 24,
    environment: [String: String] = FrontEndSession.animated, seeing row: String = "Name: |"
  ) async throws -> Question {
    let watched = try WatchedTerminal(columns: columns, rows: rows)
    let terminal = try InteractiveTerminal(path: watched.path, environment: environment)
    let line = Task { try await terminal.readLine(prompt: prompt, secret: secret) }
    try await watched.seeRow(row)
    return Question(watched: watched, terminal: terminal, line: line)
  }

  @Test(
    "The row shows the text and the cursor after each key, also on a simple terminal",
    arguments: [FrontEndSession.animated, ["TERM": "dumb"]])
  func row(environment: [String: String]) async throws {
    let question = try await ask(environment: environment)
    let watched = question.watched
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
      try await watched.type(keys, seeing: row)
    }
    try watched.type("\r")
    try await expectEqual(question.line.value, .text("ada"))
    try await expectEqual(watched.seeRow("|").text, "Name: ada")
    expectEmpty(watched.screen.unknown)
  }

  @Test("A secret is edited with the same keys, and nothing of it is shown")
  func secret() async throws {
    let question = try await ask("Password: ", secret: true, seeing: "Password: |")
    try question.watched.type("wrong\u{15}hnter2\u{1B}[H\u{1B}[Cu\u{5}!\u{7F}\n")
    try await expectEqual(question.line.value, .text("hunter2"))
    try await expectEqual(question.watched.seeRow("|").wholeText, "Password: ••••••••")
  }

  @Test("A text that is longer than the row scrolls, and stays complete")
  func scrolling() async throws {
    let question = try await ask(columns: 24, rows: 5)
    for (keys, row) in [
      ("0123456789abcdefghijklmn", "Name: …89abcdefghijklmn|"),
      ("\u{1}", "Name: |0123456789abcdef…"), ("\u{5}\u{17}xyz", "Name: xyz|"),
    ] {
      try await question.watched.type(keys, seeing: row)
    }
    try question.watched.type("\n")
    try await expectEqual(question.line.value, .text("xyz"))
  }

  @Test("A prompt that is too long for the window is wrapped, with room for the text")
  func longPrompt() async throws {
    let question = try await ask(
      "Which teacher did you like best of all at school? ", columns: 30, rows: 8, seeing: "  |")
    let screen = try await question.watched.type("Ada", seeing: "  Ada|")
    expectEqual(screen.text, "Which teacher did you like\nbest of all at school?\n  Ada")
    try question.watched.type("\n")
    try await expectEqual(question.line.value, .text("Ada"))
  }

  @Test("When the window is resized, the row is drawn again, and nothing is left behind")
  func resizing() async throws {
    let question = try await ask(columns: 60, rows: 10)
    question.terminal.write("Above\n")
    let text = "abcdefghijklmnopqrstuvwxyz0123456789"
    try await question.watched.type(text, seeing: "Name: \(text)|")
    for (columns, row) in [(30, "Name: …opqrstuvwxyz0123456789|"), (60, "Name: \(text)|")] {
      question.watched.resize(columns: columns, rows: 10)
      question.terminal.resized()
      let screen = try await question.watched.seeRow(row)
      expectEqual(screen.text, "Above\n" + row.dropLast())
    }
    try question.watched.type("\n")
    try await expectEqual(question.line.value, .text(text))
  }

  @Test("When the window is resized, nothing of an older status remains")
  func resizedStatus() async throws {
    let watched = try WatchedTerminal(columns: 40, rows: 10)
    let terminal = try InteractiveTerminal(
      path: watched.path, environment: FrontEndSession.animated)
    terminal.write("Above\n")
    let ticks = AsyncStream.makeStream(of: Void.self)
    async let key = terminal.waitForKey(ticks: ticks.stream) { tick, _ in
      terminal.style.dim(tick == 0 ? "Waiting for somebody else" : "Waiting")
    }
    try await watched.see("Waiting for somebody else")
    watched.resize(columns: 12, rows: 10)
    terminal.resized()
    ticks.continuation.yield()
    let left = try await watched.see("the status") { $0.cursorRow.hasPrefix("Waiting") }
    expectEqual(left.text.trimmed(), "Above\nWaiting")
    try watched.type("\r")
    try await expectEqual(key, .text(""))
  }

  @Test("Text that is written meanwhile appears above the question")
  func above() async throws {
    let question = try await ask()
    try await question.watched.type("ad", seeing: "Name: ad|")
    question.terminal.write("news\n")
    try await question.watched.see("news")
    try await expectEqual(question.watched.seeRow("Name: ad|").text, "news\nName: ad")
    try question.watched.type("a\n")
    try await expectEqual(question.line.value, .text("ada"))
  }

  @Test("Up recalls the earlier visible answers, never a secret")
  func history() async throws {
    let watched = try WatchedTerminal()
    let terminal = try InteractiveTerminal(
      path: watched.path, environment: FrontEndSession.animated)
    terminal.begin()
    for (prompt, keys, text) in [
      ("A: ", "one", "one"), ("B: ", "two", "two"),
      // An earlier answer cannot be recalled as a secret.
      ("S: ", "\u{1B}[Asecret", "secret"),
    ] {
      let line = Task {
        prompt == "S: "
          ? try await terminal.readLine(prompt: prompt, secret: true)
          : try await terminal.readLine(
            prompt: prompt, lines: nil, isRemembered: true, dropNotice: "")
      }
      try await watched.seeRow("\(prompt)|")
      try watched.type("\(keys)\n")
      try await expectEqual(line.value, .text(text))
    }
    async let last = terminal.readLine(prompt: "C: ")
    try await watched.seeRow("C: |")
    for row in ["C: two|", "C: one|", "C: |"] {
      try await watched.type("\u{1B}[A", seeing: row)
    }
    try watched.type("\u{1B}[B\n")
    try await expectEqual(last, .text("one"))
  }
}
