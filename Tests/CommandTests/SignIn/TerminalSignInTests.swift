import Expectations
import IDXSimulatedOrg
import TerminalSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite(.tags(.startsPrograms), .fewPrograms) struct TerminalSignInTests {
  private let terminal: PseudoTerminal

  init() throws { terminal = try PseudoTerminal() }

  @Test("What is typed while the program still reads its settings is not shown")
  func early() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("settings.json")
    try require(mkfifo(pipe, 0o600) == 0)
    let before = terminal.settings
    let program = try Program(
      ["signin", "--config", pipe], environment: Program.plainTerminal, input: terminal.path)
    // Until somebody writes to the pipe, the program waits for it.
    try await terminal.waitForChange(from: before)
    expect(!terminal.settings.echoes)
    try terminal.type("hidden")
    let end = open(pipe, O_WRONLY)
    _ = write(end, "{}", 2)
    close(end)
    let shown = try await terminal.lines(until: "such as dev-1234.okta.com: ")
    expect(!shown.contains("hidden"))
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }

  @Test(
    "A signal to end cancels the sign-in, and the terminal echoes again", .promise("typed-secret"),
    arguments: [SIGTERM, SIGHUP, SIGINT])
  func terminated(signal: Int32) async throws {
    let program = try terminal.demo("--json")
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.lines(until: "Password: ")
    program.send(signal)
    let end = program.end()
    end.expect(status: 130)
    expectEqual(
      end.output,
      #"{"status":"failed","exit_status":130,"message":"Canceled.","messages":[]}"# + "\n")
    expect(terminal.settings.echoes)
  }

  @Test("A signal ends a sign-in that reads a pipe to which nobody writes")
  func idlePipe() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("settings.json")
    try require(mkfifo(pipe, 0o600) == 0)
    var writer: Int32 = -1
    defer { close(writer) }
    // Without a writer, the program cannot even open the pipe.
    for hasWriter in [false, true] {
      if hasWriter { writer = open(pipe, O_RDWR) }
      let before = terminal.settings
      let program = try Program(
        ["signin", "--config", pipe], environment: Program.plainTerminal, input: terminal.path)
      try await terminal.waitForChange(from: before)
      program.send(SIGTERM)
      program.end().expect(status: 130)
    }
  }

  @Test(
    "A second signal ends the program at once", .promise("second-signal"),
    arguments: [SIGINT, SIGTERM])
  func twice(signal: Int32) async throws {
    let server = try OrgServer()
    let program = try terminal.startSignIn(to: server)
    // The server does not answer the cancel before the program has ended.
    let hasEnded = AsyncStream.makeStream(of: Void.self)
    server.before("cancel") {
      program.send(signal)
      for await _ in hasEnded.stream {}
    }
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.lines(until: "Password: ")
    program.send(signal)
    let end = program.end()
    hasEnded.continuation.finish()
    end.expect(status: 130)
    // The program has no time left for words.
    expect(!end.errors.contains("Canceled"))
    expect(terminal.settings.echoes)
  }

  @Test(
    "After Ctrl-C or Ctrl-D at a question, the status is 130 and the terminal echoes again",
    arguments: [
      ("Username: ", "\u{4}"), ("Password: ", "\u{4}"), ("Password: ", "half a pass\u{3}"),
    ])
  func canceled(prompt: String, keys: String) async throws {
    let program = try terminal.demo()
    try await terminal.lines(until: "Username: ")
    if prompt != "Username: " {
      try terminal.type("ada@example.com\n")
      try await terminal.lines(until: prompt)
    }
    if prompt == "Password: " { expect(!terminal.settings.echoes) }
    try terminal.type(keys)
    let end = program.end()
    end.expect(status: 130, end.output.isEmpty)
    expectSuffix(end.errors, "\nidx-flow: Canceled.\n")
    expect(terminal.settings.echoes)
  }

  @Test(
    "What is typed while a slow server is waited for is never shown nor passed to the shell",
    .promise("typed-ahead"))
  func slowServer() async throws {
    let watched = try WatchedTerminal(columns: 60, rows: 20)
    let before = watched.pseudo.settings
    // The password is asked for on a page of its own.
    let server = try OrgServer(policy: SignInPolicy())
    let mayAnswer = AsyncStream.makeStream(of: Void.self)
    server.before("identify") { for await _ in mayAnswer.stream {} }
    let program = try watched.pseudo.startSignIn(to: server, variables: ["NO_COLOR": ""])
    try await watched.seeRow("Username: |")
    try watched.type("ada@example.com\r")
    try await watched.see("Contacting 127.0.0.1…")
    // The next question is hidden, and takes the line.
    try watched.type("Analytical-1843\rleft over\r")
    try await watched.pseudo.waitForInput(count: 26)
    mayAnswer.continuation.finish()
    let end = program.end()
    end.expect(status: 0, end.output == "Signed in as ada@example.com.\n")
    expectEqual(watched.pseudo.settings, before)
    try expectEqual(watched.pseudo.countReadyBytes(), 0)
    let screen = try await watched.see("the end") { !$0.marksPastes }
    for text in ["Analytical", "left"] {
      expect(!screen.wholeText.contains(text), "\(screen.wholeText)")
    }
    expectEmpty(screen.unknown)
  }

  @Test(
    "After a crash, or a signal that the program does not know, the terminal echoes again",
    .promise("typed-secret"), arguments: [SIGABRT, SIGSEGV, SIGUSR1])
  func crash(signal: Int32) async throws {
    let before = terminal.settings
    // The backtrace of the Swift runtime would take seconds, and a sanitizer would hide the signal.
    let program = try Program(
      ["signin", "--demo"],
      environment: [
        "TERM": "xterm", "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no",
        "ASAN_OPTIONS": "handle_segv=0", "TSAN_OPTIONS": "handle_segv=0",
      ],
      input: terminal.path)
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.lines(until: "Password: ")
    expect(!terminal.settings.echoes)
    program.send(signal)
    let end = program.end()
    expectEqual(end.signal, signal)
    expectEqual(terminal.settings, before)
  }

  @Test(
    "After too many wrong passwords, the command ends and says who can unlock the account",
    arguments: [
      (
        "password", 5, "idx", 7,
        "What to do: Wait before you try again. If the account is locked, it may open after some time, or an administrator of the org can unlock it."
      ),
      ("unlock", 5, "idx", 7, "run idx-flow signin --unlock with the same options"),
      // This protocol does not say that the account is locked, so the limit of attempts ends it.
      ("password", 10, "direct", 4, "an administrator of the org can unlock it."),
    ] as [(String, Int, String, Int32, String)])
  func locked(demo: String, wrongAnswers: Int, flow: String, status: Int32, remedy: String)
    async throws
  {
    let program = try terminal.demo(demo, "--flow", flow)
    try await terminal.answer("Username: ", "ada@example.com")
    for _ in 0..<wrongAnswers { try await terminal.answer("Password: ", "a guess") }
    let end = program.end()
    expectEqual(end.status, status)
    expectContains(end.errors, remedy)
    expectEqual(end.errors.contains("--unlock"), demo == "unlock")
  }

  @Test(
    "Without the programs for security keys, their step says what to install, and offers other ways"
  )
  func securityKey() async throws {
    let scenario = OrgScenario["passkey"]
    let server = try OrgServer(users: scenario.users, policy: scenario.policy)
    let program = try terminal.startSignIn(to: server, variables: ["PATH": "/nowhere"])
    try await terminal.signIn()
    let shown = try await terminal.lines(until: "Choose 1-")
    expectContains(
      shown.replacing("\n", with: " "), "fido2-token is not installed. Install fido2-tools")
    expectContains(shown, "Continue in the browser")
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }
}
