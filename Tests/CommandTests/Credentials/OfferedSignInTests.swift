import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

/// Commands that need tokens, and a person at a terminal who is not signed in.
@Suite(
  "A sign-in that is offered", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct OfferedSignInTests {
  private let home: DataHome
  private let server: OrgServer
  private let terminal: PseudoTerminal

  init() throws {
    (home, server) = (try DataHome(), try OrgServer())
    terminal = try PseudoTerminal()
    try home.saveProfile(for: server)
  }

  private func start(_ words: [String], _ variables: [String: String] = [:]) throws -> Program {
    try home.program(words, input: terminal.path, variables: variables)
  }

  @Test("token and exec sign in first, and their output is theirs alone")
  func signsIn() async throws {
    let token = try start(["token"])
    try await expectContains(terminal.signIn(), "You are not signed in")
    let first = token.end()
    first.expect(status: 0)
    let saved = try await home.credentials()
    expectEqual(first.output, (saved.first?.tokens.accessToken.revealed ?? "") + "\n")
    expectContains(first.errors, "Signed in as ada@example.com.")

    try await home.age(require(saved.first), by: 4000)
    let exec = try start(["exec", "--", "sh", "-c", "echo ${#ACCESS_TOKEN}; kill -PIPE $$"])
    let shown = try await terminal.signIn(at: "Username [ada@example.com]: ", as: "")
    expectContains(
      shown, "Your session is over: ada@example.com at \(server.host). To go on, sign in.")
    let second = exec.end()
    // A sign-in ignores this signal, and the program does not.
    expectEqual(second.signal, SIGPIPE)
    expect((Int(second.output.dropLast()) ?? 0) > 20)
  }

  @Test("Standard input is read once, also if a sign-in comes before the request")
  func input() async throws {
    try await home.signIn(at: server, scopes: ["openid"], age: 4000)
    let listener = try LoopbackServer { TransportResponse(status: 200, body: $0.body) }
    defer { listener.stop() }
    let program = try start(["api", "\(listener.address)/echo", "--input", "-"])
    // Below the end of the input, the terminal has more of it.
    try terminal.type("{\"color\": \"blue\"}\n\u{4}")
    try await terminal.signIn(at: "Username [ada@example.com]: ", as: "")
    let end = program.end()
    end.expect(status: 0)
    expectContains(end.output, "blue")
  }

  @Test("A page that was written is not written again after a sign-in")
  func pages() async throws {
    try await home.signIn(at: server)
    let listener = try LoopbackServer { request in
      TransportResponse(
        status: request.url.query == nil ? 200 : 401,
        headers: ["Link": "</items?page=2>; rel=\"next\""], body: Array("[1]".utf8))
    }
    defer { listener.stop() }
    await server.org.inject(.refused("invalid_grant"), at: "/token")
    let end = try start(["api", "\(listener.address)/items", "--paginate"]).end()
    end.expect(status: 8)
    expectEqual(end.output.components(separatedBy: "[1]").count, 2)
  }

  @Test("While a request takes long after a sign-in, other commands can offer one")
  func severalCommands() async throws {
    let gate = AsyncStream.makeStream(of: Void.self)
    let listener = try LoopbackServer { [stream = gate.stream] _ in
      for await _ in stream {}
      return TransportResponse(status: 200, body: Array("[]".utf8))
    }
    defer { listener.stop() }
    let api = try start(["api", "\(listener.address)/slow"])
    try await terminal.signIn()
    let other = try OrgServer(users: [.bob])
    try home.saveProfile("other", for: other)
    let second = try PseudoTerminal()
    let token = try home.program(["token", "--profile", "other"], input: second.path)
    try await second.answer("Username: ", "bob@example.com")
    try await second.answer("Password: ", SimulatedUser.bob.password.revealed)
    expectEqual(token.end().status, 0)
    gate.continuation.finish()
    let end = api.end()
    end.expect(status: 0, end.output == "[]")
  }

  @Test(
    "Nobody is asked with --no-input, without a terminal, if kubectl forbids it, or for a token that would not come"
  )
  func nobody() async throws {
    let info = #"{"spec": {"interactive": false}}"#
    let calls: [([String], String, [String: String])] = [
      (["token", "--no-input"], terminal.path, [:]),
      (["token"], "/dev/null", [:]),
      (["token", "--format", "kubernetes"], terminal.path, ["KUBERNETES_EXEC_INFO": info]),
    ]
    for (words, input, variables) in calls {
      let end = try home.run(words, input: input, variables: variables)
      end.expect(status: 8, end.output.isEmpty)
      expectContains(end.errors, "You are not signed in")
      expectContains(end.errors, "Sign in: idx-flow signin\n")
    }
    try await home.signIn(at: server, scopes: ["openid"])
    let end = try start(["token", "--type", "refresh"]).end()
    end.expect(status: 8, end.errors.contains("The server issued no refresh token."))
  }

  @Test("kubectl with interactiveMode IfAvailable gets a token after a sign-in")
  func kubectl() async throws {
    let info = #"{"spec": {"interactive": true}}"#
    let words = ["token", "--type", "id", "--format", "kubernetes"]
    let program = try start(words, ["KUBERNETES_EXEC_INFO": info])
    try await terminal.signIn()
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(end.json["kind"], "ExecCredential")
  }

  @Test("A sign-in on the way leaves the current credential and profile as they are")
  func current() async throws {
    let other = try OrgServer(users: [.bob])
    try home.saveProfile("other", for: other)
    let script = try home.folder.file("bob.json", DataHome.script(for: .bob))
    try home.run("signin", "--profile", "other", "--script", script).expect(status: 0)
    let program = try start(["token", "--profile", "default"])
    try await terminal.signIn()
    expectEqual(program.end().status, 0)
    try expectContains(home.run("status").output, "bob@example.com")
    try expectContains(home.run("profile", "show").output, other.issuer)
  }
}
