import IDXBase
import IDX
import IDXFlow
import IDXPrompt
import Testing

@Suite struct ChoosingTests {
  private let response = JSONValue.response([.form("resend"), .form("skip")])

  private func choose(_ lines: String...) async throws -> (Reply, String) {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let step = try await Encounter.step(response)
    let choosing = Task {
      try await encounter.prompter.choose(step.response.remediations, at: step)
    }
    var shown = ""
    for line in lines {
      shown += try await encounter.shown(until: "[1-3]: ")
      try encounter.pseudo.type(line)
    }
    return (try await choosing.value, shown)
  }

  @Test("Forms are chosen by number or by name, the step's own among them")
  func forms() async throws {
    for line in ["1\n", "send it again\n"] {
      let (reply, shown) = try await choose(line)
      guard case .instead(let form) = reply else {
        Issue.record("another reply")
        return
      }
      #expect(form.name == .resend)
      #expect(
        shown == """
            1  Send it again
            2  Skip for now
            3  Quit
          Choose [1-3]: 
          """)
    }
  }

  @Test("Quit and Ctrl-D give the sign-in up", arguments: ["3\n", "quit\n", "\u{4}"])
  func quit(keys: String) async throws {
    guard case (.cancel, _) = try await choose(keys) else {
      Issue.record("another reply")
      return
    }
  }

  @Test("? lists the forms once more; what is no choice is said")
  func again() async throws {
    let (_, shown) = try await choose("?\n", "\n", "4\n", "2\n")
    #expect(
      shown == """
          1  Send it again
          2  Skip for now
          3  Quit
        Choose [1-3]: ?
          1  Send it again
          2  Skip for now
          3  Quit
        Choose [1-3]: 
          ✗ Type a number from 1 to 3.
        Choose [1-3]: 4
          ✗ Type a number from 1 to 3.
        Choose [1-3]: 
        """)
  }

  @Test("After a wait in vain it is said that nothing has happened")
  func overdue() async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let step = try await Encounter.step(response, timeLeft: .zero)
    let choosing = Task {
      try await encounter.prompter.choose(step.response.remediations, at: step)
    }
    let shown = try await encounter.shown(until: "[1-3]: ")
    #expect(shown.hasPrefix("Nothing has happened in time. Choose how to go on\n  1  Send it"))
    choosing.cancel()
    _ = await choosing.result
  }
}
