import Testing

@testable import IDXPrompt

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct TerminalTests {
  let pseudo: PseudoTerminal
  let terminal: InteractiveTerminal
  let before: PseudoTerminal.Settings

  init() throws {
    pseudo = try PseudoTerminal()
    terminal = try InteractiveTerminal(path: pseudo.path, environment: [:])
    before = pseudo.settings
  }

  /// Asks, and types once the prompt is there; the answer and all that was shown.
  private func ask(
    _ prompt: String, secret: Bool = false, typing keys: [UInt8], showing end: String
  ) async throws -> (line: InteractiveTerminal.Line, shown: String) {
    async let line = terminal.readLine(prompt: prompt, secret: secret)
    var shown = try await pseudo.shown(until: prompt)
    try pseudo.type(keys)
    shown += try await pseudo.shown(until: end)
    return (try await line, shown)
  }

  @Test("A typed line is echoed and comes back without its end")
  func visibleLine() async throws {
    let (line, shown) = try await ask("Name: ", typing: Array("alice\n".utf8), showing: "\r\n")
    #expect(line == .text("alice"))
    #expect(shown == "Name: alice\r\n")
    #expect(pseudo.settings == before)
    terminal.write("done\n")
    #expect(try await pseudo.shown(count: 6) == "done\r\n")
  }

  @Test("A secret is not shown, the end of its line is")
  func secretLine() async throws {
    async let answer = terminal.readLine(prompt: "Password: ", secret: true)
    #expect(try await pseudo.shown(until: "Password: ") == "Password: ")
    #expect(!pseudo.settings.echoes)
    try pseudo.type("hunter2\n")
    #expect(try await answer == .text("hunter2"))
    #expect(pseudo.settings == before)
    terminal.write("done\n")
    #expect(try await pseudo.shown(until: "done\r\n") == "\r\ndone\r\n")
  }

  @Test("An empty line is a line", arguments: [false, true])
  func emptyLine(secret: Bool) async throws {
    let (line, shown) = try await ask("> ", secret: secret, typing: [0x0A], showing: "\r\n")
    #expect(line == .text(""))
    #expect(shown == "> \r\n")
  }

  @Test("Ctrl-D on an empty line is the end of input, and a next line can be asked for")
  func endOfInput() async throws {
    for secret in [false, true] {
      let (line, shown) = try await ask("> ", secret: secret, typing: [0x04], showing: "\r\n")
      #expect(line == .endOfInput)
      #expect(shown == "> \r\n")
      #expect(pseudo.settings == before)
    }
    let (line, _) = try await ask("> ", typing: Array("on\n".utf8), showing: "\r\n")
    #expect(line == .text("on"))
  }

  @Test("Ctrl-D twice after text ends the line")
  func endOfInputAfterText() async throws {
    let (line, shown) = try await ask("> ", typing: Array("abc\u{4}\u{4}".utf8), showing: "\r\n")
    #expect(line == .text("abc"))
    #expect(shown == "> abc\r\n")
  }

  @Test(
    "What is typed is repaired and rid of control characters",
    arguments: [
      (Array("Žofie 日本 👩‍💻".utf8), "Žofie 日本 👩‍💻"),
      ([0x61, 0xFF, 0x62], "a\u{FFFD}b"),
      ([0x61, 0xC3], "a\u{FFFD}"),
      (Array("a\u{1}b\u{5}c".utf8), "abc"),
      (Array("le\u{1B}[Dft\u{1B}OA\u{1B}[1;5C".utf8), "left"),
      (Array("tab\tbed".utf8), "tabbed"),
      (Array("wrong\u{15}right".utf8), "right"),
    ])
  func odd(keys: [UInt8], expected: String) async throws {
    let (line, _) = try await ask("> ", secret: true, typing: keys + [0x0A], showing: "\r\n")
    #expect(line == .text(expected))
  }

  #if os(Linux)
    // macOS takes 1024 bytes to a line.
    @Test("A line of four thousand bytes comes whole")
    func longLine() async throws {
      let text = String(repeating: "0123456789", count: 400)
      let (line, shown) = try await ask("> ", typing: Array("\(text)\n".utf8), showing: "\r\n")
      #expect(line == .text(text))
      #expect(shown == "> \(text)\r\n")
    }
  #endif

  @Test("Lines pasted at once answer one question after another, each shown after its prompt")
  func pasted() async throws {
    async let first = terminal.readLine(prompt: "A: ")
    #expect(try await pseudo.shown(until: "A: ") == "A: ")
    try pseudo.type("one\ntwo\nthree\n")
    #expect(try await first == .text("one"))
    try await pseudo.waitForInput(count: 10)
    #expect(try await terminal.readLine(prompt: "B: ") == .text("two"))
    #expect(try await terminal.readLine(prompt: "C: ", secret: true) == .text("three"))
    let shown = try await pseudo.shown(until: "C: \r\n")
    #expect(shown == "one\r\ntwo\r\nthree\r\nB: two\r\nC: \r\n")
  }

  @Test("Who asks meanwhile is served afterwards")
  func turns() async throws {
    async let first = terminal.readLine(prompt: "A: ")
    #expect(try await pseudo.shown(until: "A: ") == "A: ")
    async let second = terminal.readLine(prompt: "B: ", secret: true)
    try pseudo.type("one\n")
    #expect(try await first == .text("one"))
    #expect(try await pseudo.shown(until: "B: ") == "one\r\nB: ")
    try pseudo.type("two\n")
    #expect(try await second == .text("two"))
    #expect(pseudo.settings == before)
  }

  @Test("A terminal left raw and without echo is asked as any other, and left as it was")
  func rawBefore() async throws {
    pseudo.change { $0.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ICANON)) }
    let raw = pseudo.settings
    let (line, shown) = try await ask("> ", typing: Array("ab\n".utf8), showing: "\r\n")
    #expect(line == .text("ab"))
    #expect(shown == "> ab\r\n")
    #expect(pseudo.settings == raw)
  }

  @Test("A terminal that hangs up is the end of input", arguments: [false, true])
  func hangUp(secret: Bool) async throws {
    var pseudo: PseudoTerminal? = try PseudoTerminal()
    let terminal = try InteractiveTerminal(path: #require(pseudo).path, environment: [:])
    let line = Task { try await terminal.readLine(prompt: "> ", secret: secret) }
    #expect(try await pseudo?.shown(until: "> ") == "> ")
    pseudo = nil
    #expect(try await line.value == .endOfInput)
    terminal.write("to nobody\n")
    #expect(try await terminal.readLine(prompt: "> ") == .endOfInput)
  }

  @Test("A long text arrives whole, however slowly it is shown")
  func longText() async throws {
    let text = (0..<20_000).map { "\($0);" }.joined()
    async let shown = pseudo.shown(count: text.utf8.count)
    terminal.write(text)
    #expect(try await shown == text)
  }

  @Test("The size is that of the window now")
  func size() {
    #expect(terminal.columns == 80)
    #expect(terminal.rows == 24)
    pseudo.resize(columns: 132, rows: 43)
    #expect(terminal.columns == 132)
    #expect(terminal.rows == 43)
    pseudo.resize(columns: 40, rows: 10)
    #expect(terminal.columns == 40)
  }

  @Test("What is no terminal is refused", arguments: ["/dev/null", "/dev/no-such-device", "/"])
  func noTerminal(path: String) {
    let error = #expect(throws: TerminalError.self) {
      try InteractiveTerminal(path: path, environment: [:])
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains(path) == true)
  }

  @Test("A line does not tell what was typed when it is printed")
  func lineDescription() {
    let line = InteractiveTerminal.Line.text("hunter2")
    var dumped = ""
    dump(line, to: &dumped)
    #expect(!"\(line) \(String(reflecting: line)) \(dumped)".contains("hunter2"))
  }
}
