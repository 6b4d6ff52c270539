import Expectations
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

/// The default profile is for one org, and somebody is signed in to another one.
@Suite("Commands lead back to the org of the credential", .tags(.startsPrograms), .fewPrograms)
struct OwnOrgTests {
  private let home: DataHome
  private let server: OrgServer
  private let other: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer()
    other = try OrgServer()
  }

  private var app: String { "--issuer \(server.issuer) --client-id \(server.org.clientID)" }

  @Test(
    "A credential without a profile is named with its org, its app and all scopes of the sign-in")
  func withoutProfile() async throws {
    try home.saveProfile(for: other)
    try await home.signIn(at: server, scopes: ["openid"], age: 4000)
    let token = try home.run("token")
    token.expect(status: 8)
    expectContains(token.errors, "What to do: Sign in: idx-flow signin \(app)\n")
    let status = try home.run("status")
    expectContains(status.output, "sign in again: idx-flow signin \(app)\n")
    try await home.signIn(at: server, scopes: ["openid", "profile"])
    let missing = try home.run("token", "--type", "refresh")
    missing.expect(status: 8)
    expectContains(
      missing.errors, "idx-flow signin \(app) --scope 'openid profile offline_access'\n")
  }

  @Test(
    "At a terminal, aws signs in to the org of the credential, and not to that of the default profile"
  )
  func aws() async throws {
    try home.saveProfile(for: other)
    try await home.signIn(at: server, scopes: ["openid"], age: 4000)
    let terminal = try PseudoTerminal()
    let program = try home.program(
      ["aws", "--role-arn", "arn:aws:iam::123456789012:role/R"], input: terminal.path)
    try await terminal.answer("[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    let shown = try await terminal.lines(until: "Username [ada@example.com]: ")
    expectContains(shown, "Your answers go to \(server.host)")
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
    expectEmpty(other.paths)
  }

  @Test("Two credentials of a person are told apart, and one of a removed profile can be used")
  func removed() async throws {
    try home.saveProfile(for: server)
    try home.saveProfile("work", for: server)
    for name in ["default", "work"] {
      let script = try home.signInArguments(at: server).suffix(2)
      let end = try home.run(["signin", "--force", "--profile", name] + script)
      end.expect(status: 0)
      let note = "To change back, run idx-flow use --profile default ada@example.com"
      if name == "work" { expectContains(end.errors, note) }
    }
    let used = try home.run("use", "--profile", "default")
    used.expect(status: 0)
    try await expectEqual(home.store.currentID()?.label, nil)
    try home.run("profile", "remove", "work").expect(status: 0)
    let status = try home.run("status", "--profile", "work")
    expectContains(status.output, "profile   work\n", "\(status.errors)")
    try home.run("signout", "--profile", "work").expect(status: 0)
    // What the org knows the computer by is left.
    let forgotten = try home.run("signout", "--forget-device", "--profile", "work")
    forgotten.expect(status: 0, forgotten.errors.contains("This computer is forgotten"))
    let gone = try home.run("status", "--profile", "work")
    gone.expect(status: 2, gone.errors.contains("There is no profile “work”"))
  }

  @Test("What a profile lacks is asked for once, and saved in it")
  func completed() async throws {
    let words = ["--issuer", server.issuer, "--client-id", server.org.clientID]
    try home.run(["profile", "set", "new"] + words).expect(status: 0)
    let terminal = try PseudoTerminal()
    let program = try home.program(
      ["signin", "--profile", "new", "--scope", "openid"], input: terminal.path)
    let shown = try await terminal.answer(
      "[http://127.0.0.1:8484/callback]: ", server.org.redirectURI)
    expectContains(shown, "Your answers are remembered with your first password or code.")
    try await terminal.signIn()
    let end = program.end()
    end.expect(status: 0)
    expectContains(end.errors, "Remembered in the profile “new”: redirectUri\n")
    try expectContains(home.run("profile", "show", "new").output, server.org.redirectURI)
  }

  @Test(
    "An issuer that is given, and that calls itself another one, is refused before the questions")
  func otherIssuer() throws {
    let server = try FixedServer([
      "/oauth2/default/.well-known/openid-configuration": FixedServer.response(
        "200 OK", #"{"issuer": "https://login.example"}"#)
    ])
    let terminal = try PseudoTerminal()
    let end = try home.run("signin", "--issuer", server.issuer, input: terminal.path)
    end.expect(status: 2, end.errors.contains("says that its issuer is https://login.example"))
    expectContains(end.errors, "use --issuer https://login.example\n")
  }

  @Test("If the variable chooses a profile, the command for the default one names it")
  func defaultProfile() throws {
    try home.saveProfile(for: server)
    let words = ["profile", "set", "default", "--scope", "openid"]
    let end = try home.run(words, variables: ["IDX_FLOW_PROFILE": "work"])
    expectContains(end.errors, "idx-flow signin --profile default\n")
    try expectContains(home.run(words).errors, "next sign-in: idx-flow signin\n")
  }

  @Test(
    "A mistyped profile selects nobody, whatever else is named",
    arguments: [
      ["signout"], ["signout", "--all"], ["list", "--json"], ["token"], ["use", "ada"],
    ])
  func mistyped(words: [String]) async throws {
    let credential = try await home.signIn(at: server)
    // `list` has no such option.
    for more in words[0] == "list" ? [[]] : [[], ["--issuer", server.issuer]] {
      let end = try home.run(words + ["--profile", "typo"] + more)
      end.expect(status: 2, end.errors.contains("There is no profile “typo”"))
    }
    try await expectEqual(home.credentials(), [credential])
  }

  @Test("If a profile has another org now, the commands name the org of the credential")
  func changedProfile() throws {
    try home.saveProfile("work", for: server)
    let script = try home.signInArguments(at: server).suffix(2)
    let signIn = try home.run(["signin", "--profile", "work"] + script)
    signIn.expect(status: 0)
    let change = try home.run("profile", "set", "work", "--issuer", other.issuer, "--force")
    change.expect(status: 0)
    let status = try home.run("status", "--verbose", "--user", "ada@example.com")
    expectContains(status.output, "idx-flow signin \(app) --scope ")
    // The profile is for nobody now, and no command may use the old org in its place.
    for variables in [[:], ["IDX_FLOW_PROFILE": "work"]] {
      let end = try home.run("status", variables: variables)
      end.expect(status: 8, end.errors.contains("Nobody is signed in with the profile “work”"))
    }
  }
}
