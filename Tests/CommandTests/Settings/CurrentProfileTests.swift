import Expectations
import Foundation
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

/// The profile and the credential that commands use if none is named: one choice for all of them.
@Suite("The current profile", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct CurrentProfileTests {
  private let home: DataHome
  private let shop: OrgServer
  private let school: OrgServer

  /// Two profiles of two orgs; nobody is signed in.
  init() throws {
    home = try DataHome()
    (shop, school) = (try OrgServer(), try OrgServer(users: [.bob]))
    try home.saveProfile(for: shop)
    try home.saveProfile("school", for: school)
  }

  /// Signs in with a script, also if somebody is signed in.
  private func runSignIn(_ words: String..., as user: SimulatedUser = .demo) throws {
    let script = try home.folder.file("\(UUID()).json", DataHome.script(for: user))
    let end = try home.run(["signin", "--script", script, "--force"] + words)
    guard end.status == 0 else { throw Program.Failure(description: end.errors) }
  }

  @Test("After a sign-in with a profile, every command uses it if none is named")
  func signIn() throws {
    try runSignIn()
    try runSignIn("--profile", "school", as: .bob)
    try expectContains(home.run("status").output, "bob@example.com")
    try expectContains(home.run("profile", "show").output, school.issuer)
    let requests = school.paths.count
    try home.run("signin", "--force", "--no-input").expect(status: 3)
    expect(school.paths.count > requests)
    // Back to the first one.
    try runSignIn("--profile", "default")
    try expectContains(home.run("profile", "show").output, shop.issuer)
    try expectContains(home.run("status").output, "ada@example.com")
  }

  @Test(
    "use finds a credential, an org or a profile, which is the current one then, and names similar words"
  )
  func use() throws {
    try runSignIn()
    try runSignIn("--profile", "school", as: .bob)
    try home.run("use", "ada").expect(status: 0)
    try expectContains(home.run("profile", "show").output, shop.issuer)
    // A profile is found by its name, too.
    let back = try home.run("use", "school")
    expectContains(back.output, "Current credential: bob@example.com")
    try expectContains(home.run("profile").output, "* school ")
    try expectContains(home.run("use", "127.0.0.1").errors, "Several credentials match.")
    for other in ["127.0.0.1:9", "bob@127.0.0.1", "\(shop.host)/other"] {
      try home.run("use", other).expect(status: 8)
    }
    for address in [shop.host, "http://\(shop.host)", shop.issuer] {
      let found = try home.run("use", address)
      expectContains(found.output, "Current credential: ada@example.com")
    }
    let similar = try home.run("use", "schol")
    similar.expect(status: 8, similar.errors.contains("Did you mean school?"))
    let end = try home.run("use", "school", variables: ["IDX_FLOW_PROFILE": "default"])
    expectContains(
      end.errors,
      "IDX_FLOW_PROFILE is set: commands still use the profile “default”.")
    let demo = try home.run("use", "--demo", "ada", variables: ["IDX_FLOW_PROFILE": "default"])
    expect(!demo.errors.contains("IDX_FLOW_PROFILE"))
  }

  @Test("A profile in which nobody is signed in can be the current one", arguments: [true, false])
  func unused(isAction: Bool) throws {
    try runSignIn()
    let end = try home.run((isAction ? ["profile"] : []) + ["use", "school"])
    end.expect(status: 0)
    expectPrefix(end.output, "Current profile: school  \(school.issuer)")
    expectEqual(end.errors, "Nobody is signed in with it yet. Sign in: idx-flow signin\n")
    let token = try home.run("token")
    token.expect(status: 8)
    expectEqual(
      token.errors,
      """
      idx-flow: Nobody is signed in with the profile “school”.
      What to do: Sign in: idx-flow signin
      To use one of the other credentials, run idx-flow use

      """)
  }

  @Test("With several profiles and no current one, signin asks which one is meant")
  func menu() async throws {
    let home = try DataHome()
    try home.saveProfile("shop", for: shop)
    try home.saveProfile("school", for: school)
    // Without a person, a name is needed.
    try home.run("signin").expect(status: 2)
    let terminal = try PseudoTerminal()
    let program = try home.program(["signin"], input: terminal.path)
    let shown = try await terminal.answer("Choose 1-3: ", "2")
    expectContains(shown, "Which profile?")
    expectContains(shown, "  1  shop \(shop.host)\n  2  school \(school.host)\n  3  Another org")
    try await terminal.answer("Username: ", "bob@example.com")
    try await terminal.answer("Password: ", SimulatedUser.bob.password.revealed)
    expectEqual(program.end().status, 0)
    try expectContains(home.run("profile").output, "* school ")
  }

  @Test("The address of another org sets up a profile with a name, also with one that was chosen")
  func another() async throws {
    for (words, name) in [
      ([shop.issuer], "127-0-0-1-\(shop.org.issuer.port ?? 0)"),
      ([shop.issuer, "-p", "mine"], "mine"),
    ] {
      let home = try DataHome()
      try home.saveProfile(for: school)
      let terminal = try PseudoTerminal()
      let program = try home.program(["signin"] + words, input: terminal.path)
      let shown = try await terminal.answer("Client ID: ", shop.org.clientID)
      expectContains(shown, "There is no profile “\(name)” yet: your answers set it up.")
      try await terminal.answer("[http://127.0.0.1:8484/callback]: ", shop.org.redirectURI)
      try await terminal.answer("Stay signed in on this computer? [Y/n]: ", "")
      try await terminal.signIn()
      let end = program.end()
      expectContains(end.errors, "Remembered as the profile “\(name)” in ")
      try expectContains(home.run("profile").output, "* \(name) ")
      // The name is one that signin takes.
      let again = try home.program(["signin", name], input: terminal.path)
      try await terminal.answer("Sign in again? [y/N]: ", "")
      expectEqual(again.end().status, 0)
    }
  }

  @Test("A profile with a mistake is no obstacle to the address of another org")
  func mistake() throws {
    let file = "config/idx-flow/profiles.json"
    let text = home.folder.text(of: file).replacing(
      #""school": {"#, with: #""school": {"scopes": 7,"#)
    _ = try home.folder.file(file, text)
    try runSignIn(shop.issuer)
    try expectContains(home.run("status").output, "ada@example.com")
  }

  @Test(
    "A current profile that is gone, or in which nobody is signed in any more, counts for nothing")
  func gone() throws {
    try runSignIn()
    try runSignIn("--profile", "school", as: .bob)
    try home.run("signout").expect(status: 0)
    try expectContains(home.run("status").output, "ada@example.com")
    try expectContains(home.run("profile", "show").output, shop.issuer)
    try runSignIn("--profile", "school", as: .bob)
    try home.run("profile", "remove", "school").expect(status: 0)
    try expectContains(home.run("profile", "show").output, shop.issuer)
    // The person is still signed in there.
    try expectContains(home.run("status").output, "bob@example.com")
  }

  @Test("A sign-in whose profile cannot be remembered is a success with a note")
  func unwritable() throws {
    try runSignIn()
    _ = try home.folder.file("config/idx-flow/profiles.json", #"{"profiles": "#)
    let end = try home.run(home.signInArguments(at: school, as: .bob, "--force"))
    end.expect(status: 0)
    expectContains(end.errors, "idx-flow: The current profile is not remembered. ")
    try expectContains(home.run("status").output, "bob@example.com")
  }
}
