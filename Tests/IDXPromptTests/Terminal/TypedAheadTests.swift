import Expectations
import TerminalSupport
import Testing

@testable import IDXPrompt

/// Text that is typed when there is no question.
struct TypedAheadTests {
  let watched: WatchedTerminal
  let terminal: InteractiveTerminal
  let before: PseudoTerminal.Settings

  init() throws {
    watched = try WatchedTerminal()
    before = watched.pseudo.settings
    terminal = try InteractiveTerminal(
      path: watched.path, environment: FrontEndSession.animated)
  }

  /// Types text, and waits until the program could read it.
  private func typeAhead(_ text: String) async throws {
    try watched.type(text)
    try await watched.pseudo.waitForInput(count: text.utf8.count)
  }

  /// Asks a question that shows its answer, and types the answer.
  private func ask(_ prompt: String, typing keys: String) async throws -> InteractiveTerminal.Line {
    let line = Task { [terminal] in
      try await terminal.readLine(prompt: prompt, lines: [], dropNotice: "Dropped.\n")
    }
    try await watched.seeRow("\(prompt)|")
    try watched.type(keys)
    return try await line.value
  }

  @Test(
    "Between questions nothing that is typed is shown, and what is left does not reach the shell",
    .promise("typed-ahead"))
  func hidden() async throws {
    terminal.begin()
    expect(!watched.pseudo.settings.echoes)
    try await typeAhead("hunter2\n")
    terminal.write("Signed in.\n")
    try await expectEqual(watched.see("Signed in.").wholeText, "Signed in.")
    terminal.end()
    expectEqual(watched.pseudo.settings, before)
    try expectEqual(watched.pseudo.countReadyBytes(), 0)
  }

  @Test("It answers a question whose answer is hidden, line by line, and the rest begins the next")
  func secret() async throws {
    terminal.begin()
    try await typeAhead("hunter2\nagain\nha")
    try await expectEqual(terminal.readLine(prompt: "Password: ", secret: true), .text("hunter2"))
    try await expectEqual(terminal.readLine(prompt: "Repeat: ", secret: true), .text("again"))
    async let last = terminal.readLine(prompt: "More: ", secret: true)
    try await watched.seeRow("More: |")
    try watched.type("lf\n")
    try await expectEqual(last, .text("half"))
    try await expectEqual(
      watched.seeRow("|").wholeText, "Password: ••••••••\nRepeat: ••••••••\nMore: ••••••••")
    terminal.end()
  }

  @Test(
    "A question that shows its answer drops it and says so, but an Enter alone without a word",
    .promise("typed-ahead"))
  func visible() async throws {
    for (typed, shown) in [
      ("\n\n", "Username: ada"), ("hunter2\nhun", "Username: ada\nDropped.\nUsername: ada"),
    ] {
      terminal.begin()
      try await typeAhead(typed)
      try await expectEqual(ask("Username: ", typing: "ada\n"), .text("ada"))
      try await expectEqual(watched.seeRow("|").wholeText, shown)
      terminal.end()
    }
  }

  @Test(
    "Of a pasted username and password, the password answers the password only",
    .promise("typed-ahead"))
  func pasted() async throws {
    terminal.begin()
    try await expectEqual(watched.see("marks") { $0.marksPastes }.text, "")
    let pasted = "\u{1B}[200~ada\nhunter2\nmore\u{1B}[201~"
    try await expectEqual(ask("Username: ", typing: pasted), .text("ada"))
    try await expectEqual(terminal.readLine(prompt: "Password: ", secret: true), .text("hunter2"))
    try await expectEqual(ask("Code: ", typing: "1\n"), .text("1"))
    try await expectEqual(
      watched.seeRow("|").wholeText, "Username: ada\nPassword: ••••••••\nDropped.\nCode: 1")
    terminal.end()
    try await expect(watched.see("no marks") { !$0.marksPastes }.unknown.isEmpty)
  }

  @Test("Suspending between questions restores the terminal and drops what was typed")
  func suspended() async throws {
    terminal.begin()
    try await typeAhead("hunter2\n")
    terminal.suspend()
    expectEqual(watched.pseudo.settings, before)
    try expectEqual(watched.pseudo.countReadyBytes(), 0)
    try await watched.see("no marks") { !$0.marksPastes }
    terminal.resume()
    expect(!watched.pseudo.settings.echoes)
    try await watched.see("marks") { $0.marksPastes }
    terminal.end()
    expectEqual(watched.pseudo.settings, before)
  }
}
