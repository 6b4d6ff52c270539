import Expectations
import TerminalSupport
import Testing

@testable import IDXPrompt

struct WaitForKeyTests {
  let pseudo: PseudoTerminal
  let terminal: InteractiveTerminal
  let before: PseudoTerminal.Settings
  let ticks = AsyncStream.makeStream(of: Void.self)

  init() throws {
    pseudo = try PseudoTerminal()
    terminal = try InteractiveTerminal(
      path: pseudo.path, environment: ["TERM": "xterm", "LANG": "C.UTF-8"])
    before = pseudo.settings
  }

  private static func replaced(_ text: String) -> String { "\r\(text)\u{1B}[K" }

  /// Waits for a key, with a status line that shows the number of ticks.
  private func wait(orText: Bool = false) -> Task<InteractiveTerminal.Line, any Error> {
    Task { [terminal, ticks] in
      try await terminal.waitForKey(acceptsText: orText, ticks: ticks.stream) { tick, typed in
        "wait \(tick)" + (typed == 0 ? "" : ", \(typed) typed")
      }
    }
  }

  /// Waits until the line is shown and keys are accepted.
  private func begun() async throws {
    _ = try await pseudo.shown(until: Self.replaced("wait 0"))
    try await pseudo.waitForChange(from: before)
  }

  @Test(
    "? is returned at once, Enter is an empty text, Ctrl-D the end; other keys count if text is accepted",
    arguments: [
      ("?", false, .text("?")), ("\n", false, .text("")), ("\u{4}", false, .endOfInput),
      ("abc?\n", false, .text("?")), ("abc\n", false, .text("")),
      ("abc\u{4}", false, .endOfInput), ("\u{1B}[A\u{13}\n", false, .text("")),
      ("http://a:1/?\n", false, .text("?")),
      // A line is an answer, even an address with a question mark.
      ("http://127.0.0.1/cb?code=1\n", true, .text("http://127.0.0.1/cb?code=1")),
      ("?\n", true, .text("?")), ("x?\n", true, .text("?")), ("\n", true, .text("")),
      ("http://a\u{4}", true, .endOfInput),
    ] as [(String, Bool, InteractiveTerminal.Line)])
  func keys(
    typed: String, acceptsText: Bool, expected: InteractiveTerminal.Line
  ) async throws {
    let waiting = wait(orText: acceptsText)
    try await begun()
    try pseudo.type(typed)
    try await expectEqual(waiting.value, expected)
    terminal.write("next")
    try await expectEqual(pseudo.shown(until: "next"), Self.replaced("") + "next")
    expectEqual(pseudo.settings, before)
  }

  @Test("An Enter directly after ? is dropped, and answers no other question")
  func enter() async throws {
    let waiting = wait()
    try await begun()
    try pseudo.type("?\n")
    try await expectEqual(waiting.value, .text("?"))
    async let line = terminal.readLine(prompt: "> ", secret: true)
    _ = try await pseudo.shown(until: "> ")
    try pseudo.type("2\n")
    try await expectEqual(line, .text("2"))
  }

  @Test(
    "A wait that is cancelled at any moment restores the terminal, removes its line and drops typed text"
  )
  func cancelled() async throws {
    let waiting = wait()
    try await begun()
    try pseudo.type("half")
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    expectEqual(pseudo.settings, before)
    async let line = terminal.readLine(prompt: "> ")
    try await expectEqual(pseudo.shown(until: "> "), Self.replaced("") + "> ")
    try pseudo.type("whole\n")
    try await expectEqual(line, .text("whole"))

    for _ in 0..<30 {
      let waiting = wait()
      try pseudo.type("?\n")
      waiting.cancel()
      _ = await waiting.result
      expectEqual(pseudo.settings, before)
    }
  }

  @Test("Suspending removes the line and restores the terminal; resuming shows the line again")
  func suspended() async throws {
    let waiting = wait()
    try await begun()
    terminal.suspend()
    expectEqual(pseudo.settings, before)
    ticks.continuation.yield()
    terminal.write("shell\n")
    try await expectEqual(pseudo.shown(until: "shell\r\n"), Self.replaced("") + "shell\r\n")
    terminal.resume()
    expect(pseudo.settings != before)
    try await expectPrefix(pseudo.shown(until: "\u{1B}[K"), "\rwait ")
    try pseudo.type("\n")
    try await expectEqual(waiting.value, .text(""))
    expectEqual(pseudo.settings, before)
  }

  @Test("Each tick replaces the line, and text that is written appears above it")
  func updates() async throws {
    let waiting = wait()
    try await begun()
    terminal.write("news\n")
    let line = Self.replaced("wait 0")
    let shown = try await pseudo.shown(until: "news\r\n\(line)")
    expectSuffix(shown, "\(Self.replaced(""))news\r\n\(line)")

    for count in 1...3 {
      ticks.continuation.yield()
      let shown = try await pseudo.shown(until: Self.replaced("wait \(count)"))
      expectSuffix(shown, Self.replaced("wait \(count)"))
    }
    waiting.cancel()
    _ = await waiting.result
  }

  @Test("Without escape sequences, each status is a line of its own")
  func plain() async throws {
    let terminal = try InteractiveTerminal(path: pseudo.path, environment: ["TERM": "dumb"])
    let waiting = Task { [ticks] in
      try await terminal.waitForKey(ticks: ticks.stream) { tick, _ in
        tick % 2 == 0 ? "wait \(tick)" : nil
      }
    }
    try await expectEqual(pseudo.shown(until: "wait 0\r\n"), "wait 0\r\n")
    for _ in 1...4 { ticks.continuation.yield() }
    try await expectEqual(pseudo.shown(until: "4\r\n"), "wait 2\r\nwait 4\r\n")
    try pseudo.type("?\n")
    try await expectEqual(waiting.value, .text("?"))
    terminal.write("next")
    try await expectEqual(pseudo.shown(until: "next"), "next")
    expectEqual(pseudo.settings, before)
  }
}
