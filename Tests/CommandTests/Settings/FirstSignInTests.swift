import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("The first sign-in at a terminal", .tags(.startsPrograms), .fewPrograms)
struct FirstSignInTests {
  private let terminal: PseudoTerminal
  private let home: TemporaryFolder

  init() throws {
    terminal = try PseudoTerminal()
    home = try TemporaryFolder()
  }

  private func signIn(_ words: String...) throws -> Program {
    try Program(
      ["signin"] + words,
      environment: [
        "XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data"),
        "NO_COLOR": "1", "TERM": "xterm", "LANG": "C.UTF-8",
      ], input: terminal.path)
  }

  private func finish(_ program: Program) async throws -> Program.End {
    try await terminal.answer(Self.stay, "n")
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.answer("Password: ", "Analytical-1843")
    return program.end()
  }

  private static let stay = "Stay signed in on this computer? [Y/n]: "

  private func profiles() throws -> JSONValue {
    try JSONValue(
      parsing: Data(contentsOf: URL(fileURLWithPath: home.path("config/idx-flow/profiles.json"))))
  }

  @Test("A word that is no address is asked for again, in the language of the person")
  func noAddress() async throws {
    let server = try OrgServer()
    let first = try signIn("--lang", "de")
    try await terminal.answer("dev-1234.okta.com: ", "work")
    try await terminal.answer("Meinen Sie https://work.okta.com? [J/n]: ", "n")
    try await terminal.lines(until: "„work“ kann kein Aussteller sein.")
    try await terminal.answer("dev-1234.okta.com: ", server.issuer)
    try await terminal.answer("Client-ID: ", server.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", "callback")
    try await terminal.lines(until: "„callback“ ist keine URI wie com.example.app:/callback.")
    try terminal.type("\u{3}")
    expectEqual(first.end().status, 130)
  }

  @Test("A name that no profile has sets up a new one, and may be the name of an org")
  func named() async throws {
    let server = try OrgServer()
    let program = try signIn("acme")
    let shown = try await terminal.answer("Do you mean https://acme.okta.com? [y/N]: ", "")
    try await terminal.answer("such as dev-1234.okta.com: ", server.issuer)
    expectContains(shown, "There is no profile “acme” yet: your answers set it up.")
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    let end = try await finish(program)
    expectEqual(end.status, 0, "\(end.errors)")
    try expectEqual(profiles()["profiles"]?["acme"]?["issuer"]?.string, server.issuer)
    // The only profile needs no name, and an address finds it too.
    for words in [
      [], ["acme"], [server.issuer], ["-p", "acme"], [String(server.issuer.dropFirst(7))],
    ] {
      let again = try Program(
        ["signin"] + words,
        environment: [
          "XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data"),
          "NO_COLOR": "1", "TERM": "xterm", "LANG": "C.UTF-8",
        ], input: terminal.path)
      try await terminal.answer("Sign in again? [y/N]: ", "")
      expectEqual(again.end().output, "Still signed in as ada@example.com.\n")
    }
  }

  @Test("Missing settings are asked for, checked, and remembered for the next sign-in")
  func remembered() async throws {
    let server = try OrgServer()
    let first = try signIn()
    try await terminal.answer("such as dev-1234.okta.com: ", server.issuer + "/")
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    try await terminal.lines(until: Self.stay)
    // For the client ID, and for the redirect URI. The question uses what the server has said.
    expectEqual(server.paths.count { $0.hasSuffix("/interact") }, 2)
    expectEqual(server.paths.count { $0.contains("/.well-known/") }, 1)
    try terminal.type("n\n")
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.answer("Password: ", "Analytical-1843")
    let end = first.end()
    expectEqual(end.status, 0, "\(end.errors)")
    expectContains(end.errors, "Remembered as the profile “default” in ")
    let saved = try profiles()["profiles"]?["default"]
    expectEqual(saved?["issuer"]?.string, server.issuer)
    expectEqual(saved?["clientId"]?.string, server.org.clientID)
    expectEqual(saved?["redirectUri"]?.string, server.org.redirectURI)
    expectEqual(saved?["scopes"], "openid profile")
    expectEqual(saved?["username"], "ada@example.com")
    expectEqual(saved?.object?.members.count, 5)

    let second = try signIn("--force")
    let shown = try await terminal.answer("Username [ada@example.com]: ", "")
    expectContains(shown, "(set in the profile default)")
    try await terminal.answer("Password: ", "Analytical-1843")
    expectEqual(second.end().status, 0)

    let own = ["XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data")]
    let status = try Program.run(["status", "--profile", "default"], environment: own)
    expect(status.output.contains("ada@example.com") && status.status == 0)
    let unknown = try Program.run(["status", "--profile", "defalt"], environment: own)
    expect(unknown.errors.contains("Did you mean default?") && unknown.status == 2)
  }

  @Test(
    "Settings that were typed are kept with a password, also a wrong one, but not if the person stops before: the org may be mistyped"
  )
  func wrongPassword() async throws {
    let mistyped = try OrgServer(policy: SignInPolicy(start: .identityFirst))
    let program = try signIn()
    try await terminal.answer("such as dev-1234.okta.com: ", mistyped.issuer)
    try await terminal.answer("Client ID: ", mistyped.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", mistyped.org.redirectURI)
    try await terminal.answer(Self.stay, "n")
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.lines(until: ": ")
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
    #expect(throws: (any Error).self) { try profiles() }
    let server = try OrgServer()
    let first = try signIn()
    try await terminal.answer("such as dev-1234.okta.com: ", server.issuer)
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    try await terminal.answer(Self.stay, "n")
    // Nothing has come of the settings yet.
    try await terminal.lines(until: "Username: ")
    #expect(throws: (any Error).self) { try profiles() }
    try terminal.type("ada@example.com\n")
    try await terminal.answer("Password: ", "a guess")
    try await terminal.lines(until: "Password: ")
    try terminal.type("\u{3}")
    let end = first.end()
    expectEqual(end.status, 130)
    expectContains(end.errors, "Remembered as the profile “default” in ")
    try expectEqual(profiles()["profiles"]?["default"]?["issuer"]?.string, server.issuer)

    let second = try signIn()
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.answer("Password: ", "Analytical-1843")
    expectEqual(second.end().status, 0)
  }

  @Test("An org that does not know the scope is not asked about, after one more try without it")
  func unknownScope() async throws {
    let server = try LoopbackServer()
    let org = SimulatedOrg(
      issuer: "http://127.0.0.1:\(server.port)/oauth2/default",
      redirectURIs: ["com.example.demo:/callback"], users: [.demo],
      policy: SignInPolicy(start: .withPassword))
    let refusal = FixedServer.response("400 Bad Request", #"{"error": "invalid_scope"}"#)
    server.start { request in
      let body = String(decoding: request.body, as: UTF8.self)
      if request.url.path.hasSuffix("/interact"), body.contains("offline_access") {
        return Array(refusal.utf8)
      }
      return (try? await org.send(request)).map(OrgServer.bytes)
    }
    let program = try signIn()
    try await terminal.answer("such as dev-1234.okta.com: ", org.issuer.absoluteString)
    try await terminal.answer("Client ID: ", org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", org.redirectURI)
    let shown = try await terminal.lines(until: "Username: ")
    expect(!shown.contains("Stay signed in") && !shown.contains("scope"))
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }

  @Test(
    "A wrong answer is explained with a remedy and asked for again, and nothing is remembered after Ctrl-C"
  )
  func corrected() async throws {
    let server = try OrgServer()
    let canceled = try signIn("--issuer", server.issuer, "--client-id", server.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", "not a uri")
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", "com.example.wrong:/callback")
    let shown = try await terminal.lines(until: "[http://127.0.0.1:8484/callback]: ")
    expectContains(shown, "com.example.wrong:/callback is not registered")
    try terminal.type("\u{3}")
    let first = canceled.end()
    expectEqual(first.status, 130)
    expect(!FileManager.default.fileExists(atPath: home.path("config")))
    let program = try signIn("--issuer", server.issuer)
    try await terminal.answer("Client ID: ", "0oaWrong")
    let wrongID = try await terminal.answer("\nClient ID: ", server.org.clientID)
    expectContains(wrongID, "has no active app with the client ID 0oaWrong.")
    expectContains(wrongID, "Applications > your app > General")
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    let end = try await finish(program)
    expectEqual(end.status, 0, "\(end.errors)")
  }

  @Test("? explains a question, b goes back, and an org on this computer needs no scheme")
  func helpAndBack() async throws {
    let server = try OrgServer()
    let program = try signIn()
    let question = "such as dev-1234.okta.com: "
    try await terminal.answer(question, "b")
    try await expectContains(terminal.answer(question, "?"), "This is the first question.")
    let help = try await terminal.answer(
      question, String(server.issuer.dropFirst("http://".count)))
    expectContains(help, "Authorization Servers")
    try await terminal.answer("Client ID: ", "b")
    // What was typed is proposed again.
    try await terminal.answer("[\(server.issuer)]: ", "")
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    try await expectEqual(finish(program).status, 0)
  }

  @Test("Who wants to stay signed in gets a refresh token, and ? explains the question")
  func stays() async throws {
    let server = try OrgServer()
    let program = try signIn(
      "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
      server.org.redirectURI)
    try await terminal.answer(Self.stay, "?")
    try await expectContains(terminal.answer(Self.stay, ""), "idx-flow signout")
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.answer("Password: ", "Analytical-1843")
    expectEqual(program.end().status, 0)
    let scopes = "openid profile offline_access"
    try expectEqual(profiles()["profiles"]?["default"]?["scopes"], .string(scopes))
    expectEqual(server.forms(to: "/interact").last?["scope"], scopes)
    let own = ["XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data")]
    let status = try Program.run(["status", "--verbose"], environment: own)
    let command = "idx-flow profile set default --scope 'openid profile'"
    expectContains(status.output, "refresh   yes; to end it at the next sign-in: \(command)\n")
    let changed = try Program.run(
      ["profile", "set", "default", "--scope", "openid profile"], environment: own)
    expect(changed.status == 0 && changed.output.contains("scopes       openid profile\n"))
  }

  @Test("A new name is asked about if there are other profiles, and it may be a mistake")
  func mistyped() async throws {
    let server = try OrgServer()
    let own = ["XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data")]
    _ = try Program.run(
      ["profile", "set", "work", "--issuer", server.issuer, "--client-id", server.org.clientID],
      environment: own)
    let program = try signIn("--profile", "wrok")
    let shown = try await terminal.answer("Set up a new profile “wrok”? [y/N]: ", "")
    expectContains(shown, "There is no profile “wrok”. Did you mean work?")
    expectEqual(program.end().status, 130)
  }

  @Test("An org that does not list refresh tokens is not asked about")
  func cannotStay() async throws {
    let server = try OrgServer()
    await server.org.misconfigure(.grantTypeDisabled)
    let program = try signIn(
      "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
      server.org.redirectURI)
    let shown = try await terminal.answer("Choose 1-3: ", "3")
    expect(!shown.contains("Stay signed in"))
    // A report would not help against a setting of the org.
    expectEqual(program.end().status, 2)
  }

  @Test("A mistake that was not typed now ends the program with the remedy")
  func otherMistake() async throws {
    let server = try OrgServer()
    await server.org.misconfigure(.grantTypeDisabled)
    let program = try signIn("--issuer", server.issuer)
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("Choose 1-3: ", "3")
    let end = program.end()
    expectEqual(end.status, 2)
    expectContains(end.errors, "may not use the grant type Interaction Code.")
    expectContains(end.errors, "What to do: In the Admin Console, open")
  }

  @Test("An app without the interaction code is set up for the browser, and the profile says so")
  func browser() async throws {
    let server = try OrgServer()
    await server.org.misconfigure(.interactionCodeDisabled)
    let program = try signIn("--issuer", server.issuer)
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("Choose 1-3: ", "2")
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    try await terminal.answer(Self.stay, "y")
    let shown = try await terminal.lines(until: "Paste the address: ")
    let line = try require(shown.split(separator: "\n").last { $0.hasPrefix("http://127") })
    let page = try require(URL(string: String(line)))
    try terminal.type("\(try await require(server.org.visit(page)).absoluteString)\n")
    let end = program.end()
    expectEqual(end.status, 0, "\(end.errors)")
    try expectEqual(profiles()["profiles"]?["default"]?["flow"], "browser")
  }

  @Test("For the org's own page, the app is checked too, and a wrong setting is asked for again")
  func hosted() async throws {
    let server = try OrgServer(policy: SignInPolicy(start: .withPassword))
    await server.org.misconfigure(.interactionCodeDisabled)
    await server.org.changeRequests { $0.signInPage = OrgSignInPage() }
    let program = try signIn("--issuer", server.issuer)
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("Choose 1-3: ", "1")
    try await terminal.answer(
      "[http://127.0.0.1:8484/callback]: ", "http://127.0.0.1:8484/callback")
    try await terminal.lines(until: "✗ The redirect URI")
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    let end = try await finish(program)
    expectEqual(end.status, 0, "\(end.errors)")
    try expectEqual(profiles()["profiles"]?["default"]?["flow"], "hosted")
  }

  @Test("Without a terminal, nothing is asked and all missing settings are named")
  func script() throws {
    let end = try Program.run(
      ["signin", "--json"], environment: ["XDG_CONFIG_HOME": home.path("config")])
    expectEqual(end.status, 2)
    let result = try JSONValue(parsing: end.output.utf8)
    expectEqual(result["code"], "settings_missing")
    for name in ["--issuer", "--client-id", "--redirect-uri"] {
      expectEqual(result["message"]?.string?.contains(name), true)
    }
  }
}
