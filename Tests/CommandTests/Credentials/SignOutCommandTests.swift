import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

@testable import idx_flow

@Suite("idx-flow signout", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct SignOutCommandTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer()
  }

  @Test("Both tokens are revoked and the credential is deleted", .promise("sign-out-revokes"))
  func both() async throws {
    let tokens = try await home.signIn(at: server).tokens
    let end = try home.run("signout")
    end.expect(status: 0, end.errors.isEmpty)
    expectEqual(
      end.output,
      "Signed out ada@example.com: revoked the refresh token and the access token, "
        + "deleted the credential.\n")
    let forms = server.forms(to: "/revoke")
    expectEqual(forms.map { $0["token_type_hint"] }, ["refresh_token", "access_token"])
    expectEqual(
      forms.map { $0["token"] }, [tokens.refreshToken?.revealed, tokens.accessToken.revealed])
    try await expectEmpty(home.store.entries())
    try home.run("status").expect(status: 8)
  }

  @Test(
    "If tokens cannot be revoked, they are named, and the credential is still deleted, with status 4 or 6",
    .promise("sign-out-revokes"))
  func unreachableServer() async throws {
    try await home.signIn(at: server)
    await server.org.inject(.refused("invalid_client"), at: "/revoke")
    let end = try home.run("signout", "--json")
    // It has given tokens to the app, so it knows the app.
    end.expect(status: 4)
    expectContains(end.errors, "The server does not let this app revoke its tokens: ")
    let object = try end.json
    expect(object["status"] == "signed_out" && object["user"] == "ada@example.com")
    expectEqual(object["revoked"], ["access_token"])
    expectEqual(object["not_revoked"], ["refresh_token"])
    try await expectEmpty(home.store.entries())
    let tokens = try await home.signIn(at: server).tokens
    server.stop()
    let unreachable = try home.run("signout")
    unreachable.expect(status: 6)
    expectEqual(
      unreachable.output, "Signed out ada@example.com: revoked no tokens, deleted the credential.\n"
    )
    for kind in ["refresh", "access"] {
      expectContains(
        unreachable.errors, "The \(kind) token could not be revoked and is valid until it expires: "
      )
    }
    expect(!unreachable.errors.contains(tokens.refreshToken?.revealed ?? "?"))
    try await expectEmpty(home.store.entries())
  }

  @Test(
    "The only credential that is left becomes the current one; of several, each is named with the command for it"
  )
  func other() async throws {
    let server = try OrgServer(users: [.demo, .bob])
    let bob = try await home.signIn(at: server, as: .bob)
    try await home.signIn(at: server)
    let end = try home.run("signout")
    end.expect(status: 0, end.output.hasPrefix("Signed out ada@example.com: "))
    expectPrefix(end.errors, "Still signed in, and the current one now:\n  bob@example.com  ")
    try await expectEqual(home.credentials(), [bob])
    try home.run("status").expect(status: 0)
    try await expectEqual(home.store.currentID(), bob.id)
    try home.run("signout", "--user", "bob@example.com").expect(status: 0)
    try await expectEmpty(home.store.entries())
    let (several, another) = (try OrgServer(users: [.demo, .bob]), try OrgServer())
    try await home.signIn(at: another)
    try await home.signIn(at: several, as: .bob)
    try await home.signIn(at: several)
    let last = try home.run("signout")
    let commands = last.errors.matches(of: #/\n    (idx-flow use .*)/#).map { String($0.1) }
    expectEqual(commands.count, 2)
    try await expectEqual(home.store.currentID(), nil)
    for command in commands {
      let words = command.split(separator: " ").dropFirst().map(String.init)
      try home.run(words).expect(status: 0)
    }
    try home.run("status").expect(status: 0)
  }

  @Test(
    "A suggested command quotes the username for the shell", .promise("suggested-command"),
    arguments: [("$(id) 'x'", #" '$(id) '\''x'\'''"#), ("--store=file", " -- '--store=file'")])
  func quoted(name: String, words: String) async throws {
    let issuer = try require(URL(string: "https://a.example"))
    for (subject, username) in [("s", name), ("z", "zoe")] {
      try await home.store.save(
        Credential(
          id: Credential.ID(issuer: issuer, clientID: "c", subject: subject), username: username,
          tokens: Tokens(accessToken: "at"), receivedAt: Date()))
    }
    let end = try home.run("status")
    expectSuffix(end.errors, "make one the current one: idx-flow use\(words)\n")
  }
}
