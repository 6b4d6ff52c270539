import IDXBase
import IDX
import IDXTesting
import Testing

@testable import idx_flow

@Suite("idx-flow status and whoami", .timeLimit(.minutes(2)))
struct StatusCommandTests {
  private let home: Home
  private let server: OrgServer

  init() throws {
    home = try Home()
    server = try OrgServer()
  }

  @Test("A sign-in is kept, and status tells who, where, until when, for what and where it is kept")
  func kept() async throws {
    let signIn = try await home.program(home.signInWords(at: server)).end()
    #expect(signIn.status == 0)
    #expect(signIn.output == "Signed in as ada@example.com.\n")
    #expect(signIn.errors.hasSuffix("Kept in the folder \(home.path). See: idx-flow status\n"))
    let asked = server.paths.count
    let status = try await home.run("status")
    #expect(status.status == 0 && status.errors.isEmpty)
    let lines = status.output.split(separator: "\n").map(String.init)
    #expect(lines[0].contains(/^user      ada@example\.com \(00u\w+\)$/))
    #expect(lines[1] == "issuer    \(server.issuer)")
    #expect(lines[2] == "app       \(server.org.clientID)")
    #expect(
      lines[3].contains(
        /^access    until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \((?:58|59|60) min left\)$/))
    #expect(lines[4] == "refresh   yes")
    #expect(lines[5] == "scopes    openid profile offline_access")
    #expect(lines[6].hasPrefix("signed in "))
    #expect(lines[7] == "kept in   the folder \(home.path)")
    #expect(server.paths.count == asked)
  }

  @Test("Its JSON tells the same, and holds no token")
  func json() async throws {
    let credential = try await home.signIn(at: server)
    let end = try await home.run("status", "--json")
    #expect(end.status == 0)
    let object = try JSONValue(parsing: end.output.utf8)
    #expect(object["user"] == "ada@example.com" && object["is_valid"] == true)
    #expect(object["issuer"] == .string(server.issuer))
    #expect(object["has_refresh_token"] == true)
    #expect(object["store"] == .string("the folder \(home.path)"))
    #expect(!end.output.contains(credential.tokens.accessToken.revealed))
  }

  @Test(
    "Where nobody is signed in every command ends with status 8, in JSON too",
    arguments: ["status", "whoami", "token", "refresh", "signout"])
  func nobody(command: String) async throws {
    let end = try await home.run(command, "--json")
    #expect(end.status == 8)
    #expect(end.errors.hasPrefix("idx-flow: Nobody is signed in: there is nothing in the folder "))
    let object = try JSONValue(parsing: end.output.utf8)
    #expect(object["status"] == "failed" && object["exit_status"] == 8)
  }

  @Test("An expired credential is told of; only one that can be refreshed counts as signed in")
  func expired() async throws {
    try await home.signIn(at: server, age: 4000)
    let lasting = try await home.run("status")
    #expect(lasting.status == 0)
    #expect(lasting.output.contains(/\naccess    expired .*; refreshed when it is needed\n/))
    let other = try Home()
    try await other.signIn(at: server, scopes: ["openid", "profile"], age: 4000)
    let over = try await other.run("status")
    #expect(over.status == 8)
    #expect(over.output.contains(/\naccess    expired .*; sign in again\n/))
    #expect(over.output.contains("\nrefresh   no; ask for the scope offline_access to have it\n"))
    let token = try await other.run("token")
    #expect(token.status == 8 && token.output.isEmpty)
    #expect(token.errors.contains("There is no refresh token. Sign in again"))
  }

  @Test("whoami tells what the server says, a claim on each line, or as it came")
  func whoAmI() async throws {
    try await home.signIn(at: server)
    let text = try await home.run("whoami")
    #expect(text.status == 0 && text.errors.isEmpty)
    #expect(text.output.contains("\npreferred_username  ada@example.com\n"))
    let json = try await home.run("whoami", "--json")
    #expect(json.status == 0)
    #expect(try JSONValue(parsing: json.output.utf8)["given_name"] == "Ada")
    #expect(server.refreshTokens.isEmpty)
  }

  @Test("whoami refreshes what has expired, and what was revoked elsewhere")
  func renewed() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    let expired = try await home.run("whoami")
    #expect(expired.status == 0 && server.refreshTokens.count == 1)
    let newer = try #require(try await home.store.credential(credential.id))
    #expect(newer.tokens.accessToken != credential.tokens.accessToken)
    try await server.org.tokenClient.revoke(.access, of: newer)
    let revoked = try await home.run("whoami")
    #expect(revoked.status == 0 && revoked.output.contains("ada@example.com"))
    #expect(server.refreshTokens.count == 2)
  }

  @Test("Where the session is over it says so with status 8, and what is kept stays")
  func over() async throws {
    let credential = try await home.signIn(at: server)
    try await server.org.tokenClient.revoke(.refresh, of: credential)
    let end = try await home.run("whoami", "--json")
    #expect(end.status == 8)
    #expect(end.errors.contains("idx-flow: The session is over. Sign in again."))
    #expect(try JSONValue(parsing: end.output.utf8)["exit_status"] == 8)
    #expect(try await home.store.credential(credential.id) == credential)
  }

  @Test("Where the server is not reached whoami ends with status 6")
  func dead() async throws {
    try await home.signIn(at: server)
    server.stop()
    let end = try await home.run("whoami")
    #expect(end.status == 6 && end.output.isEmpty)
    #expect(end.errors.contains("127.0.0.1"))
  }
}
