import Testing

@testable import IDXPrompt

@Suite struct TerminalCancellationTests {
  let pseudo: PseudoTerminal
  let terminal: InteractiveTerminal
  let before: PseudoTerminal.Settings

  init() throws {
    pseudo = try PseudoTerminal()
    terminal = try InteractiveTerminal(path: pseudo.path, environment: [:])
    before = pseudo.settings
  }

  @Test(
    "A cancelled task stops asking and leaves the terminal as it was", arguments: [false, true])
  func cancelled(secret: Bool) async throws {
    let asking = Task { [terminal] in try await terminal.readLine(prompt: "> ", secret: secret) }
    #expect(try await pseudo.shown(until: "> ") == "> ")
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    #expect(pseudo.settings == before)
    #expect(try await pseudo.shown(count: 2) == "\r\n")
  }

  @Test("What was half typed when the task was cancelled answers no other question")
  func halfTyped() async throws {
    let asking = Task { [terminal] in try await terminal.readLine(prompt: "A: ", secret: true) }
    #expect(try await pseudo.shown(until: "A: ") == "A: ")
    try pseudo.type("half")
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    async let next = terminal.readLine(prompt: "B: ", secret: true)
    #expect(try await pseudo.shown(until: "B: ") == "\r\nB: ")
    try pseudo.type("whole\n")
    #expect(try await next == .text("whole"))
  }

  @Test("A task that is cancelled already asks nothing")
  func cancelledBefore() async throws {
    let asking = Task { [terminal] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await terminal.readLine(prompt: "never: ")
    }
    await #expect(throws: CancellationError.self) { try await asking.value }
    terminal.write("next")
    #expect(try await pseudo.shown(until: "next") == "next")
  }

  @Test("A task that is cancelled while another asks does not wait for its turn")
  func cancelledInQueue() async throws {
    async let first = terminal.readLine(prompt: "A: ")
    #expect(try await pseudo.shown(until: "A: ") == "A: ")
    let second = Task { [terminal] in try await terminal.readLine(prompt: "B: ") }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    try pseudo.type("one\n")
    #expect(try await first == .text("one"))
    terminal.write("next")
    #expect(try await pseudo.shown(until: "next") == "one\r\nnext")
  }

  @Test("Cancelling at any moment ends in a line or in a cancellation, the terminal as it was")
  func cancelledWhenever() async throws {
    for round in 0..<50 {
      let asking = Task { [terminal] in
        try await terminal.readLine(prompt: "", secret: round % 2 == 0)
      }
      try pseudo.type("x\n")
      asking.cancel()
      switch await asking.result {
      case .success(let line): #expect(line == .text("x"))
      case .failure(let error): #expect(error is CancellationError)
      }
      #expect(pseudo.settings == before)
    }
  }
}
