import Expectations
import Foundation
import TerminalSupport
import Testing

@testable import IDXPrompt

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct TerminalTests {
  let pseudo: PseudoTerminal
  let terminal: InteractiveTerminal
  let before: PseudoTerminal.Settings

  init() throws {
    pseudo = try PseudoTerminal()
    terminal = try InteractiveTerminal(path: pseudo.path, environment: [:])
    before = pseudo.settings
  }

  /// Starts to read a line.
  private func read(
    _ prompt: String, secret: Bool = false
  ) -> Task<InteractiveTerminal.Line, any Error> {
    Task { [terminal] in try await terminal.readLine(prompt: prompt, secret: secret) }
  }

  /// Starts to read a line, and waits for the prompt.
  private func begin(
    _ prompt: String, secret: Bool = false
  ) async throws -> Task<InteractiveTerminal.Line, any Error> {
    let line = read(prompt, secret: secret)
    try await expectEqual(pseudo.shown(until: prompt), prompt)
    return line
  }

  /// Reads a line and types the keys at the prompt; returns the line and the output after the prompt.
  private func ask(
    _ prompt: String, secret: Bool = false, typing keys: [UInt8]
  ) async throws -> (line: InteractiveTerminal.Line, shown: String) {
    let line = try await begin(prompt, secret: secret)
    try pseudo.type(keys)
    let shown = try await pseudo.shown(until: "\r\n")
    return (try await line.value, shown)
  }

  // MARK: Reading

  @Test("A typed line is echoed and returned without its line feed, also by a terminal in raw mode")
  func visibleLine() async throws {
    let (line, shown) = try await ask("Name: ", typing: Array("alice\n".utf8))
    expectEqual(line, .text("alice"))
    expectEqual(shown, "alice\r\n")
    expectEqual(pseudo.settings, before)
    terminal.write("done\n")
    try await expectEqual(pseudo.shown(count: 6), "done\r\n")

    pseudo.change { $0.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ICANON)) }
    let raw = pseudo.settings
    let (rawLine, rawShown) = try await ask("> ", typing: Array("ab\n".utf8))
    expectEqual(rawLine, .text("ab"))
    expectEqual(rawShown, "ab\r\n")
    expectEqual(pseudo.settings, raw)
  }

  @Test(
    "An empty line is returned; Ctrl-D on one is the end of input, and another line can be read")
  func endOfInput() async throws {
    for secret in [false, true] {
      for (key, expected) in [(0x0A, .text("")), (0x04, .endOfInput)]
        as [(UInt8, InteractiveTerminal.Line)]
      {
        let (line, shown) = try await ask("> ", secret: secret, typing: [key])
        expectEqual(line, expected)
        expectEqual(shown, "\r\n")
      }
      expectEqual(pseudo.settings, before)
    }
    let (line, _) = try await ask("> ", typing: Array("on\n".utf8))
    expectEqual(line, .text("on"))
  }

  @Test(
    "Typed text is valid UTF-8 without control characters",
    arguments: [
      (Array("Žofie 日本 👩‍💻".utf8), "Žofie 日本 👩‍💻"),
      ([0x61, 0xFF, 0x62], "a\u{FFFD}b"),
      ([0x61, 0xC3], "a\u{FFFD}"),
      (Array("a\u{0}b\u{1B}[5~c".utf8), "abc"),
      (Array("tab\tbed".utf8), "tabbed"),
      (Array("wrong\u{15}right".utf8), "right"),
    ])
  func cleaned(keys: [UInt8], expected: String) async throws {
    let (line, _) = try await ask("> ", secret: true, typing: keys + [0x0A])
    expectEqual(line, .text(expected))
  }

  @Test("A line of many thousand bytes is read completely, and its start stays on the screen")
  func longLine() async throws {
    let text = String(repeating: "0123456789", count: 2000)
    let line = try await begin("> ")
    for _ in 0..<20 {
      try pseudo.type(String(text.prefix(1000)))
      try await pseudo.waitUntilRead()
    }
    try pseudo.type("\n")
    try await expectEqual(line.value, .text(text))
    let row = String(text.prefix(76)) + ">"
    try await expectSuffix(pseudo.shown(until: "\r\n"), row + "\r\n")
  }

  @Test("Concurrent reads are served in turn")
  func concurrentReads() async throws {
    let first = try await begin("A: ")
    let second = read("B: ", secret: true)
    try pseudo.type("one\n")
    try await expectEqual(first.value, .text("one"))
    try await expectEqual(pseudo.shown(until: "B: "), "one\r\nB: ")
    try pseudo.type("two\n")
    try await expectEqual(second.value, .text("two"))
    expectEqual(pseudo.settings, before)
  }

  @Test(
    "A terminal that hangs up is the end of input, also for a wait", arguments: [false, true, nil])
  func hangUp(secret: Bool?) async throws {
    var pseudo: PseudoTerminal? = try PseudoTerminal()
    let terminal = try InteractiveTerminal(path: require(pseudo).path, environment: [:])
    let line = Task { () async throws -> InteractiveTerminal.Line in
      if let secret { return try await terminal.readLine(prompt: "> ", secret: secret) }
      return try await terminal.waitForKey(ticks: AsyncStream { nil }) { _, _ in "> " }
    }
    try await expectEqual(pseudo?.shown(until: "> "), "> ")
    pseudo = nil
    try await expectEqual(line.value, .endOfInput)
    terminal.write("to nobody\n")
    try await expectEqual(terminal.readLine(prompt: "> "), .endOfInput)
  }

  @Test("A long text is written completely to a slow terminal")
  func longText() async throws {
    let text = (0..<20_000).map { "\($0);" }.joined()
    async let shown = pseudo.shown(count: text.utf8.count)
    // Blocks until the text is read, so it gets a thread of its own: those of tasks have to read it.
    Thread.detachNewThread { [terminal] in terminal.write(text) }
    try await expectEqual(shown, text)
  }

  @Test("The size is the current size of the window")
  func size() {
    expect(terminal.columns == 80 && terminal.rows == 24)
    pseudo.resize(columns: 132, rows: 43)
    expect(terminal.columns == 132 && terminal.rows == 43)
  }

  @Test(
    "A file that is not a terminal is refused",
    arguments: ["/dev/null", "/dev/no-such-device", "/"])
  func noTerminal(path: String) {
    let error = #expect(throws: TerminalError.self) {
      try InteractiveTerminal(path: path, environment: [:])
    }
    expectEqual(error?.code, .unavailable)
    expectEqual(error?.message.contains(path), true)
  }

  // MARK: Cancelling

  @Test(
    "A cancelled task stops reading and restores the terminal; what was typed answers no other question"
  )
  func halfTypedBeforeCancelling() async throws {
    for secret in [false, true] {
      let asking = try await begin("> ", secret: secret)
      asking.cancel()
      await #expect(throws: CancellationError.self) { try await asking.value }
      expectEqual(pseudo.settings, before)
      try await expectEqual(pseudo.shown(count: 2), "\r\n")
    }
    let asking = try await begin("A: ", secret: true)
    try pseudo.type("half")
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    let next = read("B: ", secret: true)
    try await expectEqual(pseudo.shown(until: "B: "), "\r\nB: ")
    try pseudo.type("whole\n")
    try await expectEqual(next.value, .text("whole"))
  }

  @Test(
    "A task that is cancelled before it asks, or while another one asks, does not wait for its turn"
  )
  func cancelledInQueue() async throws {
    let first = try await begin("A: ")
    let second = read("B: ")
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    try pseudo.type("one\n")
    try await expectEqual(first.value, .text("one"))
    terminal.write("next")
    try await expectEqual(pseudo.shown(until: "next"), "one\r\nnext")

    let asking = Task { [terminal] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await terminal.readLine(prompt: "never: ")
    }
    await #expect(throws: CancellationError.self) { try await asking.value }
    terminal.write("next")
    try await expectEqual(pseudo.shown(until: "next"), "next")
  }

  @Test("Cancelling at any moment returns a line or throws, and restores the terminal")
  func cancelledWhenever() async throws {
    for round in 0..<50 {
      let asking = read("", secret: round % 2 == 0)
      try pseudo.type("x\n")
      asking.cancel()
      switch await asking.result {
      case .success(let line): expectEqual(line, .text("x"))
      case .failure(let error): expect(error is CancellationError)
      }
      expectEqual(pseudo.settings, before)
    }
  }

  // MARK: Suspending

  @Test(
    "Suspending a question for a secret turns echo on, and resuming turns it off, drops what was typed and asks again",
    .promise("typed-secret"))
  func suspendedOverSecret() async throws {
    let answer = try await begin("Password: ", secret: true)
    expect(!pseudo.settings.echoes)
    for _ in 0..<3 {
      terminal.suspend()
      expectEqual(pseudo.settings, before)
      terminal.resume()
      expect(!pseudo.settings.echoes)
      try await expectEqual(pseudo.shown(until: "Password: "), "\rPassword: ")
    }
    try pseudo.type("hunter2\n")
    try await expectEqual(answer.value, .text("hunter2"))
    expectEqual(pseudo.settings, before)
    terminal.write("done\n")
    // Nothing of the secret, but its line feed.
    try await expectEqual(pseudo.shown(until: "done\r\n"), "\r\ndone\r\n")

    let second = try await begin("Password: ", secret: true)
    try pseudo.type("half")
    terminal.suspend()
    terminal.resume()
    try pseudo.type("whole\n")
    try await expectEqual(second.value, .text("whole"))
  }

  @Test("A visible line that was typed before suspending is shown again, and can be continued")
  func halfTypedLine() async throws {
    let answer = try await begin("Username: ")
    try pseudo.type("ada@ex")
    _ = try await pseudo.shown(until: "ada@ex")
    for _ in 0..<3 {
      terminal.suspend()
      terminal.resume()
      _ = try await pseudo.shown(until: "ada@ex")
    }
    try pseudo.type("ample\n")
    try await expectEqual(answer.value, .text("ada@example"))
    expectEqual(pseudo.settings, before)
  }

  @Test("Resuming without suspending sets the mode and asks again")
  func continued() async throws {
    let answer = try await begin("Password: ", secret: true)
    pseudo.change { $0.c_lflag |= tcflag_t(ECHO) }
    terminal.resume()
    expect(!pseudo.settings.echoes)
    try await expectEqual(pseudo.shown(until: "Password: "), "\rPassword: ")
    try pseudo.type("pw\n")
    try await expectEqual(answer.value, .text("pw"))
    expectEqual(pseudo.settings, before)
  }

  @Test(
    "A mode that was set while suspended is restored at the end; a cancellation meanwhile changes none"
  )
  func changedMeanwhile() async throws {
    let answer = try await begin("> ", secret: true)
    terminal.suspend()
    pseudo.change { $0.c_iflag |= tcflag_t(IXANY) }
    let changed = pseudo.settings
    terminal.resume()
    try pseudo.type("pw\n")
    try await expectEqual(answer.value, .text("pw"))
    try await expectEqual(pseudo.shown(until: "\r\n"), "\r> \r\n")
    expect(changed != before)
    expectEqual(pseudo.settings, changed)

    let asking = try await begin("> ", secret: true)
    terminal.suspend()
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    terminal.resume()
    expectEqual(pseudo.settings, changed)
    terminal.write("next")
    try await expectEqual(pseudo.shown(until: "next"), "\r\nnext")
  }

  @Test(
    "Without a question, suspending does nothing; one that begins meanwhile is asked on resuming")
  func idle() async throws {
    terminal.suspend()
    terminal.suspend()
    terminal.resume()
    expectEqual(pseudo.settings, before)
    terminal.write("next")
    try await expectEqual(pseudo.shown(until: "next"), "next")

    terminal.suspend()
    let answer = read("> ", secret: true)
    try pseudo.type("pw\n")
    terminal.resume()
    try await expectEqual(answer.value, .text("pw"))
    expectEqual(pseudo.settings, before)
  }
}
