import Expectations
import Foundation
import IDX
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("Signing in again", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct SignInAgainTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer(users: [.demo, .bob])
  }

  @Test("A script needs --force, with status 3 and before any request")
  func script() async throws {
    let credential = try await home.signIn(at: server)
    let end = try home.run(home.signInArguments(at: server, "--json"))
    end.expect(status: 3)
    expectPrefix(end.errors, "idx-flow: You are signed in as ada@example.com at 127.0.0.1:")
    expectSuffix(end.errors, " To sign in again, use --force.\n")
    try expectEqual(end.json["exit_status"], 3)
    expectEmpty(server.paths)
    try await expectEqual(home.credentials(), [credential])
  }

  @Test(
    "A credential that expired, and that cannot be refreshed or is not any more, does not count")
  func ended() async throws {
    try await home.signIn(at: server, scopes: ["openid"], age: 4000)
    let expired = try home.run(home.signInArguments(at: server))
    expired.expect(status: 0)
    try await home.signIn(at: server, age: 4000)
    await server.org.inject(.refused("invalid_grant"), at: "/token")
    let end = try home.run(home.signInArguments(at: server))
    end.expect(status: 0)
    expectContains(end.output, "Signed in as ada@example.com.")
    // One that is refreshed counts.
    try await home.age(require(home.credentials().first), by: 4000)
    let again = try home.run(home.signInArguments(at: server))
    again.expect(status: 3)
    expectContains(again.errors, "You are signed in as ada@example.com")
  }

  @Test("Ctrl-C while tokens are refreshed loses none of the new ones")
  func interrupted() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    let terminal = try PseudoTerminal()
    // While the server works on its answer.
    server.before("token") { try? terminal.type("\u{3}") }
    let end = try home.run(
      ["signin", "--scope", "openid profile"] + server.options, input: terminal.path)
    end.expect(status: 130)
    let saved = try await home.store.credential(credential.id)
    expect(
      saved?.tokens.refreshToken != nil
        && saved?.tokens.refreshToken != credential.tokens.refreshToken)
    try home.run("refresh").expect(status: 0)
  }

  @Test("New tokens that cannot be saved are revoked, as by other commands")
  func unsaved() async throws {
    try await home.signIn(at: server, age: 4000)
    server.before("token") { [path = home.path + "/credentials"] in
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let end = try home.run(home.signInArguments(at: server))
    end.expect(status: 9)
    expectContains(end.errors, "The server has already replaced the old tokens, so sign in again")
    expectEqual(server.forms(to: "/revoke").count, 2)
  }

  @Test("With --force, new tokens replace those of the same user only, and are the current ones")
  func force() async throws {
    let old = try await home.signIn(at: server)
    let end = try home.run(home.signInArguments(at: server, "--force", "--json"))
    end.expect(status: 0)
    let renewed = try await home.credentials()
    let ada = try require(renewed.first)
    expect(renewed.map(\.id) == [old.id] && ada.tokens != old.tokens)
    try expectEqual(end.json["store_folder"], .string(home.path))
    expect(!end.output.contains(ada.tokens.accessToken.revealed))
    let other = try home.run(home.signInArguments(at: server, as: .bob, "--force"))
    other.expect(status: 0, other.output == "Signed in as bob@example.com.\n")
    let saved = try await home.credentials()
    expect(saved.count == 2 && saved.contains(ada))
    let current = try await home.store.currentID()
    expect(current != nil && current != ada.id)
  }

  @Test("--no-store does not ask, prints the tokens as JSON, and saves nothing")
  func noStore() async throws {
    let credential = try await home.signIn(at: server)
    let end = try home.run(home.signInArguments(at: server, "--no-store"))
    end.expect(status: 0)
    let object = try end.json
    let token = try require(object["access_token"]?.string)
    expect(object["refresh_token"]?.string != nil && object["id_token"]?.string != nil)
    expect(object["store"] == nil && !end.errors.contains(token))
    try await expectEqual(home.credentials(), [credential])
  }

  @Test("At a terminal it asks: n, Ctrl-C and Ctrl-D keep the credential, y signs in again")
  func asked() async throws {
    let words = ["signin", "--scope", "openid profile"] + server.options
    let old = try await home.signIn(at: server)
    let terminal = try PseudoTerminal()
    let keeping = try home.program(words, input: terminal.path)
    let question = try await terminal.lines(until: "Sign in again? [y/N]: ")
    expectPrefix(question, "You are signed in as ada@example.com at 127.0.0.1:")
    try terminal.type("n\n")
    let saved = keeping.end()
    saved.expect(status: 0, saved.output == "Still signed in as ada@example.com.\n")
    for key in ["\u{3}", "\u{4}"] {
      let program = try home.program(words, input: terminal.path)
      try await terminal.lines(until: "Sign in again? [y/N]: ")
      try terminal.type(key)
      let end = program.end()
      end.expect(status: 130, end.output.isEmpty)
    }
    expectEmpty(server.paths)
    try await expectEqual(home.credentials(), [old])
    let renewing = try home.program(words, input: terminal.path)
    try await terminal.answer("Sign in again? [y/N]: ", "y")
    try await terminal.signIn()
    let renewed = renewing.end()
    renewed.expect(status: 0, renewed.output == "Signed in as ada@example.com.\n")
    try await expect(home.store.credential(old.id)?.tokens != old.tokens)
  }

  @Test(
    "Tokens that can be neither printed nor saved are revoked; if they are saved, the sign-in is not undone",
    .promise("lost-tokens"))
  func lostOutput() async throws {
    let words = try home.signInArguments(at: server)
    let end = try home.run(words + ["--no-store"], output: "/dev/full")
    end.expect(status: 1)
    expectContains(end.errors, "The output cannot be written")
    expectContains(end.errors, "The new tokens were revoked.")
    let piped = try home.program(words + ["--no-store"], outputIsClosed: true).end()
    piped.expect(status: 1, piped.errors.contains("The new tokens were revoked."))
    expectEqual(server.forms(to: "/revoke").count, 4)
    let saved = try home.run(words, output: "/dev/full")
    saved.expect(status: 1)
    expectContains(saved.errors, "You are signed in, and the tokens are saved.")
    try await expectEqual(home.credentials().count, 1)
    expectEqual(server.forms(to: "/revoke").count, 4)
  }

  @Test(
    "A wrong ID token fails the sign-in; the check is named, no token is printed, and nothing is saved",
    .promise("id-token"),
    arguments: [
      (.changedSignature, "The signature of the ID token", 1),
      (.wrongKey, "The signature of the ID token", 1), (.wrongAudience, "is for the client", 1),
      (.wrongNonce, "nonce", 1), (.algorithmNone, "“none”", 1),
      // This clock may be wrong.
      (.expired, "The ID token was refused. The ID token expired", 2),
    ] as [(IDTokenFlaw, String, Int32)])
  func wrongIDToken(flaw: IDTokenFlaw, word: String, status: Int32) async throws {
    await server.org.changeTokens { $0.idTokenFlaw = flaw }
    let end = try home.run(home.signInArguments(at: server, "--no-store"))
    expectEqual(end.status, status)
    if status == 1 { expectContains(end.errors, "\nidx-flow: The ID token was refused. The ") }
    expectContains(end.errors, word)
    let object = try end.json
    expect(object["status"] == "failed" && object["exit_status"]?.integer == Int(status))
    expectEqual(end.errors.contains("What to do: Set the clock of this computer"), status == 2)
    expect(object["access_token"] == nil && !(end.output + end.errors).contains("eyJ"))
    let saving = try home.run(home.signInArguments(at: server))
    expect(saving.status == status && saving.output.isEmpty)
    try await expectEmpty(home.store.entries())
    try await expectEqual(home.store.currentID(), nil)
  }
}
