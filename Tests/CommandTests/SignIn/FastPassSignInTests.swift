import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import IDXTesting
import TerminalSupport
import Testing

@Suite("Okta FastPass at a terminal and without one", .tags(.startsPrograms), .fewPrograms)
struct FastPassSignInTests {
  private let terminal: PseudoTerminal
  private let home: DataHome
  /// Okta Verify's server.
  private let computer: LoopbackServer
  private let server: OrgServer
  private let policy: SignInPolicy

  init() throws {
    terminal = try PseudoTerminal()
    home = try DataHome()
    computer = try LoopbackServer()
    var policy = OrgScenario["device-challenge"].policy
    policy.accounts.oktaVerifyPorts = [computer.port]
    self.policy = policy
    server = try OrgServer(policy: policy)
    try home.saveProfile(for: server)
  }

  /// Lets Okta Verify of a user listen.
  private func listen(_ reaction: SimulatedOktaVerify.Reaction = .answers) async {
    let okta = SimulatedOktaVerify(
      of: SimulatedUser.demo.login, at: server.org, ports: [computer.port: reaction])
    computer.start { request in (try? await okta.send(request)).map(OrgServer.bytes) }
  }

  private func signIn(_ words: String..., variables: [String: String] = [:]) throws -> Program {
    try home.program(["signin", "--force"] + words, input: terminal.path, variables: variables)
  }

  /// Signs in with a script that answers nothing.
  private func signInAlone() throws -> Program.End {
    try home.run("signin", "--force", "--script", home.folder.file("empty.json", "[]"))
  }

  private var saved: JSONValue? {
    get throws {
      let url = URL(fileURLWithPath: home.folder.path("config/idx-flow/profiles.json"))
      return try JSONValue(parsing: Data(contentsOf: url))["profiles"]?["default"]?["fastPass"]
    }
  }

  @Test("Who has agreed once is signed in without a question the next time")
  func remembered() async throws {
    await listen()
    let first = try signIn()
    try await terminal.answer("Choose from the list: ", "y")
    let end = first.end()
    end.expect(status: 0)
    expectEqual(end.output, "Signed in as ada@example.com.\n")
    expectContains(end.errors, "From now on, the profile “default” uses Okta FastPass")
    try expectEqual(saved, "always")
    let second = try signIn().end()
    expectEqual(second.output, "Signed in as ada@example.com.\n")
    let third = try signInAlone()
    expectEqual(third.output, "Signed in as ada@example.com.\n", "\(third.errors)")
  }

  @Test("The agreement is for the org of the profile alone, and “ask” is not overwritten")
  func otherOrg() async throws {
    await listen()
    let other = try OrgServer(policy: policy)
    let asked = try signIn("--fast-pass", "ask")
    try await terminal.answer("Choose from the list: ", "y")
    expectEqual(asked.end().status, 0)
    try expectEqual(saved, nil)
    let first = try signIn()
    try await terminal.answer("Choose from the list: ", "yes")
    expectEqual(first.end().status, 0)
    try expectEqual(saved, "always")
    let refused = try signIn("--profile", "default", "--issuer", other.issuer).end()
    refused.expect(status: 2, refused.errors.contains("The profile “default” is for "))
    let second = try home.program(["signin", "--force"] + other.options, input: terminal.path)
    try await terminal.answer("Choose from the list: ", "1")
    try await terminal.signIn()
    expectEqual(second.end().status, 0)
  }

  @Test(
    "Without agreement, and with “never”, Okta Verify is not asked", .promise("fastpass-consent"))
  func declined() async throws {
    let asked = Locked(0)
    computer.start { _ in
      asked.withLock { $0 += 1 }
      return nil
    }
    let first = try signIn()
    try await terminal.answer("Choose from the list: ", "1")
    try await terminal.signIn()
    expectEqual(first.end().status, 0)
    let second = try signIn("--fast-pass", "never")
    try await terminal.signIn(at: "Username [ada@example.com]: ", as: "")
    expectEqual(second.end().status, 0)
    try expectEqual(signInAlone().status, 3)
    expectEqual(asked.withLock { $0 }, 0)
    try expectEqual(saved, nil)
  }

  @Test("If Okta Verify is not there or refuses, the person reads why and signs in in another way")
  func unreachable() async throws {
    await listen(.fails(status: 500))
    let first = try signIn("--fast-pass", "always")
    let shown = try await terminal.answer("Username: ", "ada@example.com")
    expectContains(shown, "Okta Verify on this computer refused the request.")
    try await terminal.answer("Password: ", "Analytical-1843")
    expectEqual(first.end().status, 0)
    let second = try signIn("--fast-pass", "always")
    computer.stop()
    let notFound = try await terminal.answer("Username [ada@example.com]: ", "")
    expectContains(notFound, "Okta Verify was not found on this computer.")
    try await terminal.answer("Password: ", "Analytical-1843")
    expectEqual(second.end().status, 0)
  }

  @Test("While Okta Verify asks the person, another way can be chosen")
  func otherWay() async throws {
    await listen(.isSilent)
    // A status line that is drawn again is shown when keys are read, and not before.
    let program = try signIn("--fast-pass", "always", variables: ["NO_COLOR": ""])
    try await terminal.lines(until: "Waiting for Okta Verify on this device")
    try terminal.type("?\n")
    try await terminal.answer("go back: ", "Continue without it")
    try await terminal.signIn()
    expectEqual(program.end().status, 0)
  }
}
