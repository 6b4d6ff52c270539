import Expectations
import IDXPrompt
import TerminalSupport
import Testing

/// What a person sees while the program waits for a server.
struct ContactingTests {
  /// A request that is answered when the test says so.
  private struct Server: Sendable {
    private let answers = AsyncStream.makeStream(of: Void.self)

    /// Starts a request.
    func request(_ session: WatchedSession) -> Task<Void, Never> {
      Task {
        await session.frontEnd.contacting("dev.example") {
          for await _ in answers.stream { return }
        }
      }
    }

    func answer() { answers.continuation.yield() }
  }

  @Test(
    "After half a second, not before, the host is named beside a spinner, until the answer arrives")
  func spinner() async throws {
    let session = try WatchedSession()
    let server = Server()
    let request = server.request(session)
    session.tick(6)
    try await session.watched.see("⠦ Contacting dev.example…")
    session.tick()
    let screen = try await session.watched.see("⠧ Contacting dev.example…")
    expectEqual(screen.text.split(separator: "\n").count, 1)
    server.answer()
    await request.value
    session.terminal.write("done\n")
    try await expectEqual(session.watched.see("done").wholeText, "done")

    let fast = try WatchedSession()
    fast.tick(5)
    await fast.frontEnd.contacting("dev.example") {}
    fast.terminal.write("done\n")
    let nothing = try await fast.watched.see("done")
    expect(nothing.wholeText == "done" && nothing.changes == 0)
  }

  @Test("While a question is asked, nothing is shown about the server")
  func question() async throws {
    let session = try WatchedSession()
    let server = Server()
    async let line = session.terminal.readLine(prompt: "Code: ")
    try await session.watched.seeRow("Code: |")
    let poll = server.request(session)
    session.tick(20)
    try await session.watched.type("1", seeing: "Code: 1|")
    server.answer()
    await poll.value
    try session.watched.type("\n")
    try await expectEqual(line, .text("1"))
    try await expectEqual(session.watched.seeRow("|").wholeText, "Code: 1")
  }

  @Test(
    "In accessible mode it is one line, which stays, for all requests until something else is shown"
  )
  func accessible() async throws {
    let environment = FrontEndSession.animated.merging(["IDX_FLOW_ACCESSIBLE": "1"]) { $1 }
    let session = try WatchedSession(environment: environment)
    for _ in 0..<2 {
      let server = Server()
      let request = server.request(session)
      session.tick(20)
      try await session.watched.see("Contacting dev.example…")
      server.answer()
      await request.value
    }
    session.terminal.write("done\n")
    let screen = try await session.watched.see("done")
    expectEqual(screen.wholeText, "Contacting dev.example…\ndone")
    expectEqual(screen.changes, 0)
  }
}
