import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("Several credentials", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
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
  @discardableResult
  private func threeSignIns() async throws -> [Credential] {
    [
      try await home.signIn(at: shop), try await home.signIn(at: shop, as: .bob),
      try await home.signIn(at: school),
    ]
  }

  @Test("A list that IDX_FLOW_PROFILE limits says so, also if nothing is left")
  func limited() async throws {
    try await threeSignIns()
    try home.saveProfile("shop", for: shop)
    _ = try home.run("profile", "set", "own", "--issuer", "http://127.0.0.1:1", "--client-id", "c")
    let shop = try home.run("list", variables: ["IDX_FLOW_PROFILE": "shop"])
    expectEqual(shop.output.split(separator: "\n").count, 4)
    expectEqual(
      shop.errors,
      "Only credentials of the profile “shop” are listed, because IDX_FLOW_PROFILE is set.\n")
    let own = try home.run("list", variables: ["IDX_FLOW_PROFILE": "own"])
    own.expect(status: 0, own.output.isEmpty)
    expectPrefix(own.errors, "Nobody is signed in with the profile “own”.")
    expectContains(own.errors, "because IDX_FLOW_PROFILE is set.")
    try expectEqual(home.run("list", "--profile", "shop").errors, "")
  }

  @Test("A profile that names no org selects its own credentials, and not the current one")
  func profileWithoutOrg() async throws {
    try await threeSignIns()
    try home.saveProfile("own", for: shop)
    _ = try home.folder.file(
      "config/idx-flow/profiles.json", #"{"profiles": {"own": {"fastPass": "never"}}}"#)
    let end = try home.run("status", "--profile", "own")
    end.expect(status: 8)
    expectContains(end.errors, "Nobody is signed in with the profile “own”.")
  }

  @Test("list shows all credentials, or says that there are none, and a star marks the current one")
  func list() async throws {
    let none = try home.run("list")
    none.expect(status: 0, none.output.isEmpty)
    expectEqual(none.errors, "There are no credentials in the folder \(home.path).\n")
    try expectEqual(home.run("list", "--json").output, "[]\n")
    let saved = try await threeSignIns()
    let end = try home.run("list")
    end.expect(status: 0, end.errors.isEmpty)
    let lines = end.output.split(separator: "\n").map(String.init)
    let entries = stride(from: 0, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }
    expect(lines.count == 6 && entries.count == 3)
    func count(_ start: String, _ issuer: String) -> Int {
      entries.count { $0.hasPrefix("\(start)  until ") && $1.hasPrefix("    \(issuer)  ") }
    }
    expectEqual(count("* ada@example.com", school.issuer), 1)
    expectEqual(count("  bob@example.com", shop.issuer), 1)
    expectEqual(count("  ada@example.com", shop.issuer), 1)
    let printed = try home.run("list", "--json")
    let objects = try require(printed.json.array)
    expectEqual(
      objects.filter { $0["is_current"] == true }.map { $0["issuer"] }, [.string(school.issuer)])
    expectEqual(objects.count, 3)
    for credential in saved {
      expect(!printed.output.contains(credential.tokens.accessToken.revealed))
    }
  }

  @Test(
    "A credential is selected by user, issuer, app, or a combination; several are listed and not changed"
  )
  func choice() async throws {
    let saved = try await threeSignIns()
    func token(_ words: String...) throws -> String {
      let end = try home.run(["token"] + words)
      end.expect(status: 0, end.errors.isEmpty)
      return end.output
    }
    let tokens = saved.map { $0.tokens.accessToken.revealed + "\n" }
    try expectEqual(token(), tokens[2])
    try expectEqual(token("--user", "bob@example.com"), tokens[1])
    try expectEqual(token("--user", saved[1].id.subject ?? ""), tokens[1])
    try expectEqual(token("--issuer", school.issuer + "/"), tokens[2])
    try expectEqual(
      token(
        "--user=ada@example.com", "--issuer", shop.issuer, "--client-id", shop.org.clientID),
      tokens[0])
    let end = try home.run("signout", "--user", "ada@example.com")
    end.expect(status: 2, end.output.isEmpty)
    let lines = end.errors.split(separator: "\n").map(String.init)
    expectEqual(
      lines.first,
      "idx-flow: Several credentials match. Select one with --user, --profile, --issuer and "
        + "--client-id:")
    let places = [shop, school].map { "  ada@example.com  \($0.issuer)  \($0.org.clientID)" }
    expectEqual(Set(lines.dropFirst()), Set(places))
    try await expectEqual(Set(home.credentials()), Set(saved))
    expect(shop.paths.isEmpty && school.paths.isEmpty)
  }

  @Test("Two profiles with one app and user keep a credential each, and every command obeys them")
  func profiles() async throws {
    for (name, scope) in [("short", "openid profile"), ("long", "openid profile offline_access")] {
      let end = try home.run(home.signInArguments(at: shop, "--profile", name, "--scope", scope))
      end.expect(status: 0)
    }
    let saved = try await home.credentials()
    expectEqual(Set(saved.map(\.id.label)), ["short", "long"])
    let list = try home.run("list")
    expect(list.output.contains("(profile short)") && list.output.contains("(profile long)"))
    func hasRefreshToken(_ words: String..., variable: String = "") throws -> JSONValue? {
      try home.run(["status", "--json"] + words, variables: ["IDX_FLOW_PROFILE": variable])
        .json["has_refresh_token"]
    }
    try expectEqual(hasRefreshToken("--profile", "short"), false)
    try expectEqual(hasRefreshToken("--profile", "long"), true)
    try expectEqual(hasRefreshToken(variable: "short"), false)
    try expectEqual(hasRefreshToken("--profile", "long", variable: "short"), true)
    for words in [
      ["status"], ["whoami"], ["token"], ["api", "http://127.0.0.1:9/"], ["exec", "true"],
      ["refresh"], ["signout"], ["use"], ["list"],
      ["aws", "--role-arn", "arn:aws:iam::123456789012:role/a"],
    ] {
      let end = try home.run(words, variables: ["IDX_FLOW_PROFILE": "lnog"])
      end.expect(status: 2, end.errors.contains("Did you mean long?"), comment: "\(words)")
    }
    try home.run("signout", "--profile", "short").expect(status: 0)
    try await expectEqual(home.credentials().map(\.id.label), ["long"])
    let over = try home.run("token", "--profile", "short")
    over.expect(status: 8)
    expectContains(over.errors, "Nobody is signed in with the profile “short”.")
    expectContains(over.errors, "idx-flow signin --profile short")
  }

  @Test(
    "use changes the current credential, by a name or its beginning; a missing one has status 8")
  func use() async throws {
    try expectPrefix(home.run("use").errors, "idx-flow: You are not signed in: ")
    let saved = try await threeSignIns()
    let end = try home.run("use", "bob@example.com")
    end.expect(status: 0)
    expectEqual(
      end.output, "Current credential: bob@example.com  \(shop.issuer)  \(shop.org.clientID)\n")
    try await expectEqual(home.store.currentID(), saved[1].id)
    let unknown = try home.run("use", "eve@example.com", "--json")
    unknown.expect(status: 8)
    expectContains(unknown.errors, "No credential in the folder ")
    try expectEqual(unknown.json["exit_status"], 8)
    try home.run("use", "ada@example.com").expect(status: 2)
    let ada = try home.run("use", "ada@example.com", "--issuer", shop.issuer, "--json")
    try expectEqual(ada.json["issuer"], .string(shop.issuer))
    try await expectEqual(home.store.currentID(), saved[0].id)
    let nobody = try home.run("use")
    nobody.expect(status: 2)
    expectEqual(nobody.errors, "idx-flow: use needs a NAME: idx-flow use NAME [OPTION...]\n")
    try home.run("use", "BO").expect(status: 0)
    try await expectEqual(home.store.currentID(), saved[1].id)
    let several = try home.run("use", "a")
    several.expect(status: 2, several.errors.contains("Several credentials match."))
    try home.run("use", "a", "--issuer", school.issuer).expect(status: 0)
    try await expectEqual(home.store.currentID(), saved[2].id)
    // For other commands, the beginning is not enough.
    try home.run("token", "--user", "bob").expect(status: 8)
  }

  @Test(
    "At a terminal, use lets the person choose by number, by the beginning of a name, or with arrows",
    arguments: ["3\r", "bob\r", "\u{1B}[B\u{1B}[B\u{1B}[B\r"])
  func chooser(keys: String) async throws {
    let saved = try await threeSignIns()
    let terminal = try WatchedTerminal(columns: 60, rows: 20)
    let program = try home.program(["use"], input: terminal.path)
    let screen = try await terminal.see("Choose")
    expect(screen.text.contains("(current)") && screen.text.contains("ada@example.com"))
    try terminal.type(keys)
    expectEqual(program.end().status, 0)
    let third = saved.sorted(by: CredentialText.order)[2]
    try await expectEqual(home.store.currentID(), (keys == "bob\r" ? saved[1] : third).id)
  }

  @Test(
    "signout --all signs out everybody, or all that the options select, also if one server cannot be reached"
  )
  func everybody() async throws {
    try await threeSignIns()
    let one = try home.run("signout", "--all", "--issuer", school.issuer)
    one.expect(status: 0, one.output.split(separator: "\n").count == 1)
    expect(shop.paths.isEmpty && school.forms(to: "/revoke").count == 2)
    let rest = try home.run("signout", "--all", "--json")
    rest.expect(status: 0)
    let ends = try require(rest.json.array)
    expectEqual(ends.map { $0["user"] }, ["ada@example.com", "bob@example.com"])
    expect(ends.allSatisfy { $0["status"] == "signed_out" })
    expectEqual(shop.forms(to: "/revoke").count, 4)
    try await expectEmpty(home.store.entries())
    let nobody = try home.run("signout", "--all")
    nobody.expect(status: 0, nobody.output.isEmpty)
    expectPrefix(nobody.errors, "Nobody is signed in")
    try await threeSignIns()
    shop.stop()
    let unreachable = try home.run("signout", "--all")
    unreachable.expect(status: 6)
    expectEqual(unreachable.output.split(separator: "\n").count, 3)
    expectEqual(school.forms(to: "/revoke").count, 4)
    try await expectEmpty(home.store.entries())
  }
}
