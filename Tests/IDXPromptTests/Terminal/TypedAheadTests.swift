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

  private func askVisible(_ prompt: String) async throws -> InteractiveTerminal.Line {
    try await terminal.readLine(prompt: prompt, lines: [], dropNotice: "Dropped.\n")
  }

  @Test(
    "Between questions nothing that is typed is shown, and what is left does not reach the shell",
    .promise("typed-ahead"))
  func hidden() async throws {
    terminal.begin()
    expect(!watched.pseudo.settings.echoes)
    try watched.type("hunter2\n")
    try await watched.pseudo.waitForInput(count: 8)
    terminal.write("Signed in.\n")
    try await expectEqual(watched.see("Signed in.").wholeText, "Signed in.")
    terminal.end()
    expectEqual(watched.pseudo.settings, before)
    try expectEqual(watched.pseudo.countReadyBytes(), 0)
  }

  @Test("It answers a question whose answer is hidden, line by line, and the rest begins the next")
  func secret() async throws {
    terminal.begin()
    try watched.type("hunter2\nagain\nha")
    try await watched.pseudo.waitForInput(count: 16)
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
    terminal.begin()
    try watched.type("\n\n")
    try await watched.pseudo.waitForInput(count: 2)
    async let line = askVisible("Username: ")
    try await watched.seeRow("Username: |")
    try watched.type("ada\n")
    try await expectEqual(line, .text("ada"))
    try await expectEqual(watched.seeRow("|").wholeText, "Username: ada")
    terminal.end()

    terminal.begin()
    try watched.type("hunter2\nhun")
    try await watched.pseudo.waitForInput(count: 11)
    async let second = askVisible("Username: ")
    try await watched.seeRow("Username: |")
    try watched.type("ada\n")
    try await expectEqual(second, .text("ada"))
    try await expectEqual(watched.seeRow("|").wholeText, "Username: ada\nDropped.\nUsername: ada")
    terminal.end()
  }

  @Test(
    "Of a pasted username and password, the password answers the password only",
    .promise("typed-ahead"))
  func pasted() async throws {
    terminal.begin()
    try await expectEqual(watched.see("marks") { $0.marksPastes }.text, "")
    async let name = askVisible("Username: ")
    try await watched.seeRow("Username: |")
    try watched.type("\u{1B}[200~ada\nhunter2\nmore\u{1B}[201~")
    try await expectEqual(name, .text("ada"))
    try await expectEqual(terminal.readLine(prompt: "Password: ", secret: true), .text("hunter2"))
    async let code = askVisible("Code: ")
    try await watched.seeRow("Code: |")
    try watched.type("1\n")
    try await expectEqual(code, .text("1"))
    try await expectEqual(
      watched.seeRow("|").wholeText, "Username: ada\nPassword: ••••••••\nDropped.\nCode: 1")
    terminal.end()
    try await expect(watched.see("no marks") { !$0.marksPastes }.unknown.isEmpty)
  }

  @Test("Suspending between questions restores the terminal and drops what was typed")
  func suspended() async throws {
    terminal.begin()
    try watched.type("hunter2\n")
    try await watched.pseudo.waitForInput(count: 8)
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
