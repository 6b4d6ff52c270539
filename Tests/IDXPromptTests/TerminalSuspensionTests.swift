import Testing

@testable import IDXPrompt

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct TerminalSuspensionTests {
  let pseudo: PseudoTerminal
  let terminal: InteractiveTerminal
  let before: PseudoTerminal.Settings

  init() throws {
    pseudo = try PseudoTerminal()
    terminal = try InteractiveTerminal(path: pseudo.path, environment: [:])
    before = pseudo.settings
  }

  @Test("Suspended over a secret the terminal echoes; resumed it asks anew and does not")
  func suspendedOverSecret() async throws {
    async let answer = terminal.readLine(prompt: "Password: ", secret: true)
    #expect(try await pseudo.shown(until: "Password: ") == "Password: ")
    for _ in 0..<3 {
      terminal.suspend()
      #expect(pseudo.settings == before)
      terminal.resume()
      #expect(!pseudo.settings.echoes)
      #expect(try await pseudo.shown(until: "Password: ") == "\rPassword: ")
    }
    try pseudo.type("hunter2\n")
    #expect(try await answer == .text("hunter2"))
    #expect(try await pseudo.shown(count: 2) == "\r\n")
    #expect(pseudo.settings == before)
  }

  @Test("What was half typed is not left for the shell, nor does it come back")
  func halfTyped() async throws {
    async let answer = terminal.readLine(prompt: "Password: ", secret: true)
    #expect(try await pseudo.shown(until: "Password: ") == "Password: ")
    try pseudo.type("half")
    terminal.suspend()
    terminal.resume()
    try pseudo.type("whole\n")
    #expect(try await answer == .text("whole"))
  }

  @Test("Continued without having been suspended it sets the mode and asks anew")
  func continued() async throws {
    async let answer = terminal.readLine(prompt: "Password: ", secret: true)
    #expect(try await pseudo.shown(until: "Password: ") == "Password: ")
    pseudo.change { $0.c_lflag |= tcflag_t(ECHO) }
    terminal.resume()
    #expect(!pseudo.settings.echoes)
    #expect(try await pseudo.shown(until: "Password: ") == "\rPassword: ")
    try pseudo.type("pw\n")
    #expect(try await answer == .text("pw"))
    #expect(pseudo.settings == before)
  }

  @Test("The mode that the person set while it was suspended is the one to go back to")
  func changedMeanwhile() async throws {
    async let answer = terminal.readLine(prompt: "> ", secret: true)
    #expect(try await pseudo.shown(until: "> ") == "> ")
    terminal.suspend()
    pseudo.change { $0.c_iflag |= tcflag_t(IXANY) }
    let changed = pseudo.settings
    terminal.resume()
    try pseudo.type("pw\n")
    #expect(try await answer == .text("pw"))
    #expect(changed != before)
    #expect(pseudo.settings == changed)
  }

  @Test("Cancelled while suspended the terminal stays as the shell has it")
  func cancelledWhileSuspended() async throws {
    let asking = Task { [terminal] in try await terminal.readLine(prompt: "> ", secret: true) }
    #expect(try await pseudo.shown(until: "> ") == "> ")
    terminal.suspend()
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    terminal.resume()
    #expect(pseudo.settings == before)
    terminal.write("next")
    #expect(try await pseudo.shown(until: "next") == "\r\nnext")
  }

  @Test("Without a question neither does anything")
  func idle() async throws {
    terminal.suspend()
    terminal.suspend()
    terminal.resume()
    #expect(pseudo.settings == before)
    terminal.write("next")
    #expect(try await pseudo.shown(until: "next") == "next")
  }

  @Test("A question that comes while it is suspended is asked on resuming")
  func askedWhileSuspended() async throws {
    terminal.suspend()
    async let answer = terminal.readLine(prompt: "> ", secret: true)
    try pseudo.type("pw\n")
    terminal.resume()
    #expect(try await answer == .text("pw"))
    #expect(pseudo.settings == before)
  }
}
