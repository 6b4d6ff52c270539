import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXStorage
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("Failures of the store", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct StoreFailureTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer(users: [.demo, .bob])
  }

  private func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Damages the file of the current credential, or creates a damaged one.
  private func damageCurrent() throws { _ = try home.folder.file("idx-flow/current", "damaged") }

  @Test(
    "A store that cannot be written to is reported before any request, with status 9",
    arguments: ["", "/credentials", "/locks", "/current"])
  func known(place: String) throws {
    if !place.isEmpty {
      try FileManager.default.createDirectory(
        atPath: home.path, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let path = try home.folder.file("idx-flow" + place, "?")
    let end = try home.run(home.signInArguments(at: server, "--force", "--json"))
    end.expect(status: 9)
    expectContains(end.errors, path)
    try expectEqual(end.json["exit_status"], 9)
    expectEmpty(server.paths)
  }

  @Test(
    "If saving fails after the sign-in, or would overwrite a damaged credential, the tokens are revoked, with status 9"
  )
  func late() async throws {
    server.before("token") { try? setMode(0o755, of: home.path) }
    let end = try home.run(home.signInArguments(at: server))
    end.expect(status: 9, end.output.isEmpty)
    expectContains(end.errors, "The tokens cannot be saved. The new tokens were revoked. ")
    expectContains(end.errors, "Run: chmod 700 \(home.path)")
    expectEqual(
      server.forms(to: "/revoke").map { $0["token_type_hint"] }, ["refresh_token", "access_token"])
    try setMode(0o700, of: home.path)
    try await expectEmpty(home.store.entries())
    try await home.signIn(at: server)
    let file = try home.file()
    try Data("?".utf8).write(to: file, options: [])
    let refused = try home.run(home.signInArguments(at: server))
    refused.expect(status: 9, refused.output.isEmpty)
    expectContains(refused.errors, "The tokens cannot be saved. The new tokens were revoked. ")
    expectContains(refused.errors, "\(file.lastPathComponent) is damaged")
    try expectEqual(String(contentsOf: file, encoding: .utf8), "?")
    expectEqual(server.forms(to: "/revoke").count, 4)
  }

  @Test("A credential that cannot become the current one is still saved, and not revoked")
  func notCurrent() throws {
    server.before("token") { try? damageCurrent() }
    let end = try home.run(home.signInArguments(at: server))
    end.expect(status: 9, end.output.isEmpty)
    expectContains(end.errors, "the tokens are saved, but they are not the current credential. ")
    expectContains(end.errors, "current is damaged")
    expectEmpty(server.forms(to: "/revoke"))
    try home.run("token", "--user", "ada@example.com").expect(status: 0)
  }

  @Test(
    "A damaged credential, or file of the current one, is set aside with its content, by signout or at a question"
  )
  func setAside() async throws {
    for isAsked in [false, true] {
      let home = try DataHome()
      try await home.signIn(at: server)
      let file = try home.file()
      try Data("damaged".utf8).write(to: file)
      if isAsked {
        try home.saveProfile(for: server)
        let terminal = try PseudoTerminal()
        let program = try home.program(["signin"], input: terminal.path)
        let shown = try await terminal.answer("Rename the damaged file? [Y/n]: ", "")
        expectContains(shown, "is damaged")
        try await terminal.signIn()
        expectEqual(program.end().status, 0)
        try await expectEqual(home.credentials().count, 1)
      } else {
        let end = try home.run("signout", "--damaged")
        expectEqual(end.output, "Set aside: \(file.path).damaged-1\n")
        try expectEqual(home.run("signout", "--damaged").output, "No credential is damaged.\n")
      }
      try expectEqual(String(contentsOfFile: file.path + ".damaged-1", encoding: .utf8), "damaged")
    }
    try await home.signIn(at: server)
    try damageCurrent()
    let token = try home.run("token")
    token.expect(status: 9)
    expectContains(token.errors, "idx-flow signout --damaged renames it")
    try expectEqual(
      home.run("signout", "--damaged").output, "Set aside: \(home.path)/current.damaged-1\n")
    // The only credential is used without it.
    try home.run("token").expect(status: 0)

    try damageCurrent()
    try home.saveProfile(for: server)
    let nobody = try home.run("signin", "--force")
    nobody.expect(status: 9, nobody.errors.contains("current is damaged"))
    let terminal = try PseudoTerminal()
    let program = try home.program(["signin", "--force"], input: terminal.path)
    try await terminal.answer("Rename the damaged file? [Y/n]: ", "")
    try await terminal.signIn()
    expectEqual(program.end().status, 0)
    try home.run("token").expect(status: 0)
  }

  @Test(
    "A credential that cannot be read is named and not changed, with status 9",
    arguments: [
      ("{\"content\":", " is damaged and was not changed. Move it away and sign in again."),
      (#"{"version": 4}"#, "A newer version wrote "),
    ])
  func unreadable(text: String, words: String) async throws {
    try await home.signIn(at: server)
    let file = try home.file()
    // Written in place, so that the mode of the file does not change.
    try Data(text.utf8).write(to: file, options: [])
    for command in ["token", "refresh", "signout"] {
      let end = try home.run(command, "--json")
      end.expect(status: 9)
      expect(end.errors.contains(words) && end.errors.contains(file.lastPathComponent))
      try expectEqual(end.json["exit_status"], 9)
    }
    try expectEqual(String(contentsOf: file, encoding: .utf8), text)
    expectEmpty(server.paths)
  }

  @Test("A credential that cannot be read does not stop the use of others")
  func otherCredentials() async throws {
    try await home.signIn(at: server)
    let file = try home.file()
    try Data("?".utf8).write(to: file, options: [])
    let bob = try await home.signIn(at: server, as: .bob)
    let list = try home.run("list")
    list.expect(status: 9, list.output.hasPrefix("* bob@example.com  "))
    expectContains(list.errors, "\(file.lastPathComponent) is damaged")
    let token = try home.run("token", "--user", "bob@example.com")
    token.expect(status: 0, token.output == bob.tokens.accessToken.revealed + "\n")
  }

  @Test("No refresh token is used if the new one could not be saved")
  func refresh() async throws {
    let credential = try await home.signIn(at: server, age: 4000)
    let locks = home.path + "/locks"
    try FileManager.default.removeItem(atPath: locks)
    try Data().write(to: URL(filePath: locks))
    let end = try home.run("token")
    end.expect(status: 9, end.output.isEmpty)
    expectContains(end.errors, locks)
    expectEmpty(server.paths)
    try await expectEqual(home.store.credential(credential.id), credential)
  }

  @Test(
    "If new tokens cannot be saved after the server has replaced the old ones, they are revoked, and the person is asked to sign in again",
    .promise("lost-tokens")
  )
  func replaced() async throws {
    for (rotation, isReplaced) in [
      (OrgTokenRules.RefreshRotation.rotating(grace: 0), true), (.fixed, false),
    ] {
      try await home.signIn(at: server, age: 4000)
      await server.org.changeTokens { $0.refreshRotation = rotation }
      let folder = home.path + "/credentials"
      server.before("token") { try? setMode(0o755, of: folder) }
      let count = server.forms(to: "/revoke").count
      let end = try home.run("token")
      end.expect(status: 9, end.output.isEmpty)
      expectContains(end.errors, "Run: chmod 700 \(folder)")
      let command = "idx-flow signin --issuer \(server.issuer) --client-id \(server.org.clientID)"
      expectEqual(end.errors.contains("sign in again: \(command). "), isReplaced)
      expectEqual(server.forms(to: "/revoke").count - count, isReplaced ? 2 : 0)
      try setMode(0o700, of: folder)
    }
  }

  @Test(
    "New tokens are saved although nobody reads the lines of --verbose", .promise("lost-tokens"))
  func unreadErrors() async throws {
    let credential = try await home.signIn(at: server)
    let refresh = "'\(Program.products.path)/idx-flow' refresh --verbose 2>&1"
    let end = try Program.run(
      ["-c", refresh], of: "/bin/sh", environment: ["XDG_DATA_HOME": home.folder.url.path],
      outputIsClosed: true)
    // The result ends the command, after everything else.
    expect(end.signal == SIGPIPE || end.status == 128 + SIGPIPE, "\(end)")
    let saved = try await require(home.store.credential(credential.id))
    expect(saved.tokens.accessToken != credential.tokens.accessToken)
    try home.run("signout").expect(status: 0)
  }

  @Test(
    "If other users can access the folder, every command has status 9, says which command to run, and sends nothing"
  )
  func insecure() throws {
    try FileManager.default.createDirectory(
      atPath: home.path, withIntermediateDirectories: false)
    try setMode(0o755, of: home.path)
    let commands = [
      ["status"], ["whoami"], ["token"], ["refresh"], ["signout"], ["list"], ["use", "ada"],
      try home.signInArguments(at: server, "--force"),
    ]
    for words in commands {
      let end = try home.run(words + ["--json"])
      end.expect(status: 9, comment: "\(words)")
      expectSuffix(end.errors, "Run: chmod 700 \(home.path)\n")
      let object = try end.json
      expect(object["status"] == "failed" && object["exit_status"] == 9)
      expectEqual(object["code"], "insecure")
    }
    expectEmpty(server.paths)
  }
}

struct CredentialSaverTests {
  /// Accepts every request to revoke a token.
  private actor RevocationServer: Transport {
    private(set) var sent: [String] = []

    func send(_ request: TransportRequest) -> TransportResponse {
      sent.append(request.url.lastPathComponent)
      return TransportResponse(status: 200)
    }
  }

  private func credential(of username: String) throws -> Credential {
    let issuer = try require(URL(string: "https://id.shop.example"))
    return Credential(
      id: Credential.ID(issuer: issuer, clientID: "0oaShop", subject: nil), username: username,
      tokens: Tokens(accessToken: Secret("of \(username)"), refreshToken: "another"),
      receivedAt: Date())
  }

  @Test(
    "Without an ID token, a credential does not replace one of another user, and its tokens are revoked"
  )
  func collision() async throws {
    let server = RevocationServer()
    let store = MemoryCredentialStore()
    let saver = CredentialSaver(store: store, client: TokenClient(transport: server), label: nil)
    let ada = try credential(of: "ada")
    try await saver.save(ada)
    await #expect(throws: CredentialStoreError.self) {
      try await saver.save(credential(of: "bob"))
    }
    await expectEqual(server.sent, ["revoke", "revoke"])
    await expectEqual(store.credential(ada.id), ada)
    try await saver.save(credential(of: "Ada"))
    await expectEqual(store.credential(ada.id)?.username, "Ada")
  }
}
