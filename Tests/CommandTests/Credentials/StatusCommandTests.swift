import Expectations
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("idx-flow status and whoami", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct StatusCommandTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer()
  }

  @Test(
    "A sign-in is saved, and status shows all details of it, as lines or JSON, and no token",
    .promise("token-commands"))
  func saved() async throws {
    let signIn = try home.run(home.signInArguments(at: server))
    signIn.expect(status: 0, signIn.output == "Signed in as ada@example.com.\n")
    expectSuffix(signIn.errors, "Saved in the folder \(home.path).\nSee: idx-flow status\n")
    let asked = server.paths.count
    let status = try home.run("status")
    status.expect(status: 0, status.errors.isEmpty)
    let time = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \((?:58|59|60) min left\)/
    expectEqual(
      status.output.replacing(time, with: "TIME"),
      """
      user      ada@example.com
      issuer    \(server.issuer)
      access    until TIME, then refreshed
      profile   none

      """)
    let verbose = try home.run("status", "--verbose")
    verbose.expect(status: 0, verbose.errors.isEmpty)
    // No profile has the settings, so the commands name the org.
    let app = "--issuer \(server.issuer) --client-id \(server.org.clientID)"
    expectSuffix(
      verbose.output.replacing(/00u\w+/, with: "ID").replacing(/signed in .*/, with: "signed in"),
      """

      user ID   ID
      app       \(server.org.clientID)
      refresh   yes; to end it at the next sign-in: idx-flow signin \(app) --scope 'openid profile'
      scopes    openid profile offline_access
      signed in
      saved in  the folder \(home.path)

      """)
    let credential = try await require(home.credentials().first)
    let printed = try home.run("status", "--json")
    printed.expect(status: 0)
    let object = try printed.json
    expect(object["user"] == "ada@example.com" && object["is_valid"] == true)
    expect(object["issuer"] == .string(server.issuer) && object["has_refresh_token"] == true)
    expect(object["store"] == "file" && object["store_folder"] == .string(home.path))
    expectEqual(object["refused_at"], .null)
    expect(!printed.output.contains(credential.tokens.accessToken.revealed))
    expectEqual(server.paths.count, asked)
  }

  @Test("In a narrow window, lines are broken between words, and a command stays whole")
  func narrow() async throws {
    try await home.signIn(at: server)
    try home.saveProfile(for: server)
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 60, rows: 20)
    func status(_ variables: [String: String]) async throws -> String {
      let program = try home.program(
        ["status", "--verbose"], output: terminal.path, variables: variables)
      let text = try await terminal.lines(until: "\nsaved in")
      expectEqual(program.end().status, 0)
      return text
    }
    let text = try await status([:])
    let command = "idx-flow profile set default --scope 'openid profile'\n"
    expectContains(text, "refresh   yes; to end it at the next sign-in:\n       \(command)")
    expectEqual(text.split(separator: "\n").filter { $0.count > 60 }, [])
    // A break is read aloud as a pause.
    for variables in [["TERM": "dumb"], ["IDX_FLOW_ACCESSIBLE": "1"]] {
      try await expectContains(
        status(variables), "refresh   yes; to end it at the next sign-in: \(command)")
    }
  }

  @Test(
    "If nobody is signed in, every command has status 8, also with --json",
    arguments: ["status", "whoami", "token", "refresh", "signout"])
  func notSignedIn(command: String) throws {
    let end = try home.run(command, "--json")
    end.expect(status: 8)
    expectPrefix(
      end.errors, "idx-flow: You are not signed in: there are no credentials in the folder ")
    let object = try end.json
    expect(object["status"] == "failed" && object["exit_status"] == 8)
  }

  @Test("An expired credential is shown; it counts as signed in only if it can be refreshed")
  func expired() async throws {
    try await home.signIn(at: server, age: 4000)
    let lasting = try home.run("status")
    lasting.expect(status: 0)
    expect(lasting.output.contains(/\naccess    expired .*; refreshed when needed\n/))
    let other = try DataHome()
    try await other.signIn(at: server, scopes: ["openid", "profile"], age: 4000)
    try other.saveProfile(for: server)
    let over = try other.run("status", "--verbose")
    over.expect(status: 8)
    expect(over.output.contains(/\naccess    expired .*; sign in again: idx-flow signin\n/))
    expectContains(
      over.output,
      "\nrefresh   no; to stay signed in: "
        + "idx-flow profile set default --scope 'openid profile offline_access'\n")
    let token = try other.run("token")
    token.expect(status: 8, token.output.isEmpty)
    expect(token.errors.contains(/^idx-flow: The access token expired (at|on) [0-9: -]+\./))
    expectContains(token.errors, "There is no refresh token. Sign in again")
    expectSuffix(token.errors, "What to do: Sign in: idx-flow signin\n")
  }

  @Test(
    "whoami shows the server's claims, one on each line or as JSON, and has status 6 without the server"
  )
  func whoAmI() async throws {
    try await home.signIn(at: server)
    let text = try home.run("whoami")
    text.expect(status: 0, text.errors.isEmpty)
    expectContains(text.output, "\npreferred_username  ada@example.com\n")
    try expectEqual(home.run("whoami", "--json").json["given_name"], "Ada")
    expectEmpty(server.refreshTokens)
    expectEqual((["sub": "a", "longer": "b"] as JSONValue).claimLines, "sub     a\nlonger  b")
    let names = [String(repeating: "n", count: 100_000)] + (0..<500).map { "c\($0)" }
    let claims = JSONValue.object(JSONValue.Object(names.map { JSONValue.Object.Member($0, "x") }))
    expect(claims.claimLines.utf8.count < 200_000)
    server.stop()
    let end = try home.run("whoami")
    end.expect(status: 6, end.output.isEmpty)
    expectContains(end.errors, "127.0.0.1")
  }

  @Test(
    "An ended session has status 8, and its credential is never called valid again",
    .promise("refused-credential"))
  func ended() async throws {
    try home.saveProfile(for: server)
    let credential = try await home.signIn(at: server)
    try await server.org.tokenClient.revoke(.refresh, of: credential)
    let end = try home.run("whoami", "--json")
    end.expect(status: 8)
    expectContains(end.errors, "idx-flow: The session is over. Sign in again.")
    try expectEqual(end.json["exit_status"], 8)
    let saved = try await require(home.store.credential(credential.id))
    expect(saved.refusedAt != nil && saved.tokens == credential.tokens)
    let asked = server.paths.count
    let status = try home.run("status", "--json")
    status.expect(status: 8)
    let object = try status.json
    expect(object["is_valid"] == false && object["refused_at"]?.integer != nil)
    let text = try home.run("status", "--verbose").output
    expect(
      text.contains(/\naccess    refused by the server on .*; sign in again: idx-flow signin\n/))
    expectContains(text, "\nrefresh   no longer accepted\n")
    for kind in ["access", "id", "refresh"] {
      let token = try home.run("token", "--type", kind)
      token.expect(status: 8, token.output.isEmpty)
      expectEqual(
        token.errors,
        "idx-flow: The server no longer accepts the tokens. Sign in again.\n"
          + "What to do: Sign in: idx-flow signin\n")
    }
    expectEqual(server.paths.count, asked)
    // A new sign-in does not ask, and replaces it.
    try home.run(home.signInArguments(at: server)).expect(status: 0)
    try home.run("status").expect(status: 0)
  }

  @Test("status --check asks the server, and refreshes what has expired")
  func checked() async throws {
    let credential = try await home.signIn(at: server)
    let valid = try home.run("status", "--check")
    valid.expect(status: 0, valid.errors.isEmpty)
    expectEqual(server.paths.filter { $0.hasSuffix("/introspect") }.count, 2)
    try await home.age(credential, by: 4000)
    let expired = try home.run("status", "--check", "--json")
    expired.expect(status: 0, server.refreshTokens.count == 1)
    try expectEqual(expired.json["is_valid"], true)
    let newest = try await require(home.store.credential(credential.id))
    try await server.org.tokenClient.revoke(.refresh, of: newest)
    try home.run("status").expect(status: 0)
    let over = try home.run("status", "--check", "--json")
    over.expect(status: 8)
    expectEqual(over.errors, "idx-flow: The server no longer accepts the tokens. Sign in again.\n")
    try expectEqual(over.json["is_valid"], false)
    try home.run("status").expect(status: 8)
    server.stop()
    let other = try DataHome()
    try await other.store.save(newest)
    try await other.store.makeCurrent(newest.id)
    let unreachable = try other.run("status", "--check")
    unreachable.expect(status: 6, unreachable.output.isEmpty)
  }

  @Test(
    "--verbose writes each request to standard error, without secrets", .promise("token-commands"))
  func trace() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    let end = try home.run("whoami", "--verbose", "--json")
    end.expect(status: 0)
    let lines = end.errors.split(separator: "\n").map(String.init)
    expectEqual(
      lines.map { $0.replacing(/\d+ ms|request \S+/, with: "…") },
      [
        "trace: GET /oauth2/default/v1/keys 200, … …",
        "trace: POST /oauth2/default/v1/token 200, … …",
        "trace: GET /oauth2/default/v1/userinfo 200, … …",
      ])
    let newest = try await require(home.store.credential(credential.id))
    expect(newest.tokens.accessToken != credential.tokens.accessToken)
    for tokens in [credential.tokens, newest.tokens] {
      for kind in TokenKind.allCases {
        expect(!end.errors.contains(tokens[kind]?.revealed ?? "?"))
      }
    }
    try expect(end.json["sub"] != nil)
  }
}
