import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXTesting
import Testing

@testable import idx_flow

@Suite("Several credentials", .timeLimit(.minutes(2)))
struct SeveralCredentialsTests {
  private let home: DataHome
  private let shop: OrgServer
  private let school: OrgServer

  init() throws {
    home = try DataHome()
    shop = try OrgServer(users: [.demo, .bob])
    school = try OrgServer()
  }

  /// Saves three credentials; the last one, of Ada at the school, is the current one.
  private func threeSignIns() async throws -> [Credential] {
    [
      try await home.signIn(at: shop), try await home.signIn(at: shop, as: .bob),
      try await home.signIn(at: school),
    ]
  }

  @Test("list shows all credentials, and a star marks the current one")
  func list() async throws {
    let saved = try await threeSignIns()
    let end = try await home.run("list")
    #expect(end.status == 0 && end.errors.isEmpty)
    let lines = end.output.split(separator: "\n").map(String.init)
    let entries = stride(from: 0, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }
    #expect(lines.count == 6 && entries.count == 3)
    func count(_ start: String, _ issuer: String) -> Int {
      entries.count { $0.hasPrefix("\(start)  until ") && $1.hasPrefix("    \(issuer)  ") }
    }
    #expect(count("* ada@example.com", school.issuer) == 1)
    #expect(count("  bob@example.com", shop.issuer) == 1)
    #expect(count("  ada@example.com", shop.issuer) == 1)
    let json = try await home.run("list", "--json")
    let objects = try #require(try JSONValue(parsing: json.output.utf8).array)
    #expect(
      objects.filter { $0["is_current"] == true }.map { $0["issuer"] } == [.string(school.issuer)])
    #expect(objects.count == 3)
    for credential in saved {
      #expect(!json.output.contains(credential.tokens.accessToken.revealed))
    }
  }

  @Test("An empty list is reported, with status 0")
  func nothing() async throws {
    let end = try await home.run("list")
    #expect(end.status == 0 && end.output.isEmpty)
    #expect(end.errors == "There are no credentials in the folder \(home.path).\n")
    let json = try await home.run("list", "--json")
    #expect(json.output == "[]\n")
  }

  @Test("A credential is selected by user, issuer, app, or a combination")
  func choice() async throws {
    let saved = try await threeSignIns()
    func token(_ words: String...) async throws -> String {
      let end = try await home.program(["token"] + words).end()
      #expect(end.status == 0 && end.errors.isEmpty)
      return end.output
    }
    let tokens = saved.map { $0.tokens.accessToken.revealed + "\n" }
    #expect(try await token() == tokens[2])
    #expect(try await token("--user", "bob@example.com") == tokens[1])
    #expect(try await token("--user", saved[1].id.subject ?? "") == tokens[1])
    #expect(try await token("--issuer", school.issuer + "/") == tokens[2])
    #expect(
      try await token(
        "--user=ada@example.com", "--issuer", shop.issuer, "--client-id", shop.org.clientID)
        == tokens[0])
  }

  @Test("Several matching credentials are listed, with status 2, and not changed")
  func ambiguous() async throws {
    let saved = try await threeSignIns()
    let end = try await home.run("signout", "--user", "ada@example.com")
    #expect(end.status == 2 && end.output.isEmpty)
    let lines = end.errors.split(separator: "\n").map(String.init)
    #expect(
      lines.first
        == "idx-flow: Several credentials match. Select one with --user, --issuer and --client-id:")
    let places = [shop, school].map { "  ada@example.com  \($0.issuer)  \($0.org.clientID)" }
    #expect(Set(lines.dropFirst()) == Set(places))
    #expect(try await Set(home.credentials()) == Set(saved))
    #expect(shop.paths.isEmpty && school.paths.isEmpty)
  }

  @Test("use changes the current credential; a missing one has status 8")
  func use() async throws {
    let saved = try await threeSignIns()
    let end = try await home.run("use", "bob@example.com")
    #expect(end.status == 0)
    #expect(
      end.output == "Current credential: bob@example.com  \(shop.issuer)  \(shop.org.clientID)\n")
    #expect(try await home.store.currentID() == saved[1].id)
    let unknown = try await home.run("use", "eve@example.com", "--json")
    #expect(unknown.status == 8)
    #expect(unknown.errors.contains("No credential in the folder "))
    #expect(try JSONValue(parsing: unknown.output.utf8)["exit_status"] == 8)
    let both = try await home.run("use", "ada@example.com")
    #expect(both.status == 2)
    let json = try await home.run("use", "ada@example.com", "--issuer", shop.issuer, "--json")
    #expect(try JSONValue(parsing: json.output.utf8)["issuer"] == .string(shop.issuer))
    #expect(try await home.store.currentID() == saved[0].id)
    let nobody = try await home.run("use")
    #expect(nobody.status == 2)
  }
}

@Suite("A credential that cannot be read", .timeLimit(.minutes(2)))
struct UnreadableCredentialTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer(users: [.demo, .bob])
  }

  @Test(
    "It is named and not changed, with status 9",
    arguments: [
      ("{\"content\":", " is damaged and was not changed. Move it away and sign in again."),
      (#"{"version": 2}"#, "A newer version wrote "),
    ])
  func current(text: String, words: String) async throws {
    try await home.signIn(at: server)
    let file = try home.file()
    // Written in place, so that the mode of the file does not change.
    try Data(text.utf8).write(to: file, options: [])
    for command in ["token", "refresh", "signout"] {
      let end = try await home.run(command, "--json")
      #expect(end.status == 9)
      #expect(end.errors.contains(words) && end.errors.contains(file.lastPathComponent))
      #expect(try JSONValue(parsing: end.output.utf8)["exit_status"] == 9)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
    #expect(server.paths.isEmpty)
  }

  @Test("Other credentials are listed and can be used")
  func otherCredentials() async throws {
    try await home.signIn(at: server)
    let file = try home.file()
    try Data("?".utf8).write(to: file, options: [])
    let bob = try await home.signIn(at: server, as: .bob)
    let list = try await home.run("list")
    #expect(list.status == 9)
    #expect(list.output.hasPrefix("* bob@example.com  "))
    #expect(list.errors.contains("\(file.lastPathComponent) is damaged"))
    let token = try await home.run("token", "--user", "bob@example.com")
    #expect(token.status == 0)
    #expect(token.output == bob.tokens.accessToken.revealed + "\n")
  }
}
