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
  private let home: DataHome

  init() throws {
    terminal = try PseudoTerminal()
    home = try DataHome()
  }

  private func signIn(_ words: String...) throws -> Program { try signIn(words) }

  private func signIn(_ words: [String]) throws -> Program {
    try home.program(["signin"] + words, input: terminal.path)
  }

  /// Answers the questions for the org and its app.
  private func enterSettings(of server: OrgServer, ending: String = "") async throws {
    try await terminal.answer(Self.org, server.issuer + ending)
    try await enterApp(of: server)
  }

  /// Answers the questions for the app.
  private func enterApp(of server: OrgServer) async throws {
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer(Self.redirectURI, server.org.redirectURI)
  }

  private func finish(_ program: Program) async throws -> Program.End {
    try await terminal.answer(Self.stay, "n")
    try await terminal.signIn()
    return program.end()
  }

  private static let org = "such as dev-1234.okta.com: "
  private static let redirectURI = "[http://127.0.0.1:8484/callback]: "
  private static let stay = "Stay signed in on this computer? [Y/n]: "

  private func profile(_ name: String = "default") throws -> JSONValue? {
    let file = URL(fileURLWithPath: home.folder.path("config/idx-flow/profiles.json"))
    return try JSONValue(parsing: Data(contentsOf: file))["profiles"]?[name]
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
    try await terminal.answer(Self.redirectURI, "callback")
    try await terminal.lines(until: "„callback“ ist keine URI wie com.example.app:/callback.")
    try terminal.type("\u{3}")
    expectEqual(first.end().status, 130)
  }

  @Test("A name that no profile has sets up a new one, and may be the name of an org")
  func named() async throws {
    let server = try OrgServer()
    let program = try signIn("acme")
    let shown = try await terminal.answer("Do you mean https://acme.okta.com? [y/N]: ", "")
    expectContains(shown, "There is no profile “acme” yet: your answers set it up.")
    try await enterSettings(of: server)
    let end = try await finish(program)
    end.expect(status: 0)
    try expectEqual(profile("acme")?["issuer"]?.string, server.issuer)
    // The only profile needs no name, and an address finds it too.
    for words in [
      [], ["acme"], [server.issuer], ["-p", "acme"], [String(server.issuer.dropFirst(7))],
    ] {
      let again = try signIn(words)
      try await terminal.answer("Sign in again? [y/N]: ", "")
      expectEqual(again.end().output, "Still signed in as ada@example.com.\n")
    }
  }

  @Test("Missing settings are asked for, checked, and remembered for the next sign-in")
  func remembered() async throws {
    let server = try OrgServer()
    let first = try signIn()
    try await enterSettings(of: server, ending: "/")
    try await terminal.lines(until: Self.stay)
    // For the client ID, and for the redirect URI. The question uses what the server has said.
    expectEqual(server.paths.count { $0.hasSuffix("/interact") }, 2)
    expectEqual(server.paths.count { $0.contains("/.well-known/") }, 1)
    try terminal.type("n\n")
    try await terminal.signIn()
    let end = first.end()
    end.expect(status: 0)
    expectContains(end.errors, "Remembered as the profile “default” in ")
    let saved = try profile()
    expectEqual(saved?["issuer"]?.string, server.issuer)
    expectEqual(saved?["clientId"]?.string, server.org.clientID)
    expectEqual(saved?["redirectUri"]?.string, server.org.redirectURI)
    expectEqual(saved?["scopes"], "openid profile")
    expectEqual(saved?["username"], "ada@example.com")
    expectEqual(saved?.object?.members.count, 5)

    let second = try signIn("--force")
    let shown = try await terminal.signIn(at: "Username [ada@example.com]: ", as: "")
    expectContains(shown, "(set in the profile default)")
    expectEqual(second.end().status, 0)

    let status = try home.run("status", "--profile", "default")
    expect(status.output.contains("ada@example.com") && status.status == 0)
    let unknown = try home.run("status", "--profile", "defalt")
    expect(unknown.errors.contains("Did you mean default?") && unknown.status == 2)
  }

  @Test(
    "Settings that were typed are kept with a password, also a wrong one, but not if the person stops before: the org may be mistyped"
  )
  func wrongPassword() async throws {
    let mistyped = try OrgServer(policy: SignInPolicy(start: .identityFirst))
    let program = try signIn()
    try await enterSettings(of: mistyped)
    try await terminal.answer(Self.stay, "n")
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.lines(until: ": ")
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
    expect((try? profile()) == nil)
    let server = try OrgServer()
    let first = try signIn()
    try await enterSettings(of: server)
    try await terminal.answer(Self.stay, "n")
    // Nothing has come of the settings yet.
    try await terminal.lines(until: "Username: ")
    expect((try? profile()) == nil)
    try terminal.type("ada@example.com\n")
    try await terminal.answer("Password: ", "a guess")
    try await terminal.lines(until: "Password: ")
    try terminal.type("\u{3}")
    let end = first.end()
    end.expect(status: 130)
    expectContains(end.errors, "Remembered as the profile “default” in ")
    try expectEqual(profile()?["issuer"]?.string, server.issuer)

    let second = try signIn()
    try await terminal.signIn()
    expectEqual(second.end().status, 0)
  }

  @Test("An org that does not know the scope is not asked about, after one more try without it")
  func unknownScope() async throws {
    let server = try LoopbackServer()
    let org = SimulatedOrg(
      issuer: "\(server.address)/oauth2/default",
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
    try await terminal.answer(Self.org, org.issuer.absoluteString)
    try await terminal.answer("Client ID: ", org.clientID)
    try await terminal.answer(Self.redirectURI, org.redirectURI)
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
    try await terminal.answer(Self.redirectURI, "not a uri")
    try await terminal.answer(Self.redirectURI, "com.example.wrong:/callback")
    let shown = try await terminal.lines(until: Self.redirectURI)
    expectContains(shown, "com.example.wrong:/callback is not registered")
    try terminal.type("\u{3}")
    let first = canceled.end()
    first.expect(status: 130)
    expect(!FileManager.default.fileExists(atPath: home.folder.path("config")))
    let program = try signIn("--issuer", server.issuer)
    try await terminal.answer("Client ID: ", "0oaWrong")
    let wrongID = try await terminal.answer("\nClient ID: ", server.org.clientID)
    expectContains(wrongID, "has no active app with the client ID 0oaWrong.")
    expectContains(wrongID, "Applications > your app > General")
    try await terminal.answer(Self.redirectURI, server.org.redirectURI)
    let end = try await finish(program)
    end.expect(status: 0)
  }

  @Test("? explains a question, b goes back, and an org on this computer needs no scheme")
  func helpAndBack() async throws {
    let server = try OrgServer()
    let program = try signIn()
    try await terminal.answer(Self.org, "b")
    try await expectContains(terminal.answer(Self.org, "?"), "This is the first question.")
    let help = try await terminal.answer(
      Self.org, String(server.issuer.dropFirst("http://".count)))
    expectContains(help, "Authorization Servers")
    try await terminal.answer("Client ID: ", "b")
    // What was typed is proposed again.
    try await terminal.answer("[\(server.issuer)]: ", "")
    try await enterApp(of: server)
    try await expectEqual(finish(program).status, 0)
  }

  @Test("Who wants to stay signed in gets a refresh token, and ? explains the question")
  func stays() async throws {
    let server = try OrgServer()
    let program = try signIn(server.options)
    try await terminal.answer(Self.stay, "?")
    try await expectContains(terminal.answer(Self.stay, ""), "idx-flow signout")
    try await terminal.signIn()
    expectEqual(program.end().status, 0)
    let scopes = "openid profile offline_access"
    try expectEqual(profile()?["scopes"], .string(scopes))
    expectEqual(server.forms(to: "/interact").last?["scope"], scopes)
    let status = try home.run("status", "--verbose")
    let command = "idx-flow profile set default --scope 'openid profile'"
    expectContains(status.output, "refresh   yes; to end it at the next sign-in: \(command)\n")
    let changed = try home.run("profile", "set", "default", "--scope", "openid profile")
    changed.expect(status: 0, changed.output.contains("scopes       openid profile\n"))
  }

  @Test("A new name is asked about if there are other profiles, and it may be a mistake")
  func mistyped() async throws {
    let server = try OrgServer()
    try home.saveProfile("work", for: server)
    let program = try signIn("--profile", "wrok")
    let shown = try await terminal.answer("Set up a new profile “wrok”? [y/N]: ", "")
    expectContains(shown, "There is no profile “wrok”. Did you mean work?")
    expectEqual(program.end().status, 130)
  }

  @Test(
    "A mistake in the org ends the sign-in with the remedy, and nobody is asked to stay signed in",
    arguments: [true, false])
  func otherMistake(isTyped: Bool) async throws {
    let server = try OrgServer()
    await server.org.misconfigure(.grantTypeDisabled)
    let program = try signIn(isTyped ? ["--issuer", server.issuer] : server.options)
    if isTyped { try await terminal.answer("Client ID: ", server.org.clientID) }
    let shown = try await terminal.answer("Choose 1-3: ", "3")
    expect(!shown.contains("Stay signed in"))
    // A report would not help against a setting of the org.
    let end = program.end()
    end.expect(status: 2)
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
    try await terminal.answer(Self.redirectURI, server.org.redirectURI)
    try await terminal.answer(Self.stay, "y")
    let shown = try await terminal.lines(until: "Paste the address: ")
    let line = try require(shown.split(separator: "\n").last { $0.hasPrefix("http://127") })
    let page = try require(URL(string: String(line)))
    try terminal.type("\(try await require(server.org.visit(page)).absoluteString)\n")
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(profile()?["flow"], "browser")
  }

  @Test("For the org's own page, the app is checked too, and a wrong setting is asked for again")
  func hosted() async throws {
    let server = try OrgServer(policy: SignInPolicy(start: .withPassword))
    await server.org.misconfigure(.interactionCodeDisabled)
    await server.org.changeRequests { $0.signInPage = OrgSignInPage() }
    let program = try signIn("--issuer", server.issuer)
    try await terminal.answer("Client ID: ", server.org.clientID)
    try await terminal.answer("Choose 1-3: ", "1")
    try await terminal.answer(Self.redirectURI, "http://127.0.0.1:8484/callback")
    try await terminal.lines(until: "✗ The redirect URI")
    try await terminal.answer(Self.redirectURI, server.org.redirectURI)
    let end = try await finish(program)
    end.expect(status: 0)
    try expectEqual(profile()?["flow"], "hosted")
  }
}
