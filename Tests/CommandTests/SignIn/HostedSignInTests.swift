import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@Suite(
  "idx-flow signin --flow hosted", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct HostedSignInTests {
  /// An org that people sign in to only with its page, and the computer of a person.
  private struct PageOrg {
    let home: DataHome
    let server: OrgServer

    init(policy: SignInPolicy = SignInPolicy(start: .withPassword)) async throws {
      home = try DataHome()
      let code = SimulatedUser.demo.with(.email, .googleAuthenticator(secret: "ORSXG5BAONSWG4TF"))
      server = try OrgServer(users: [code, .bob], policy: policy)
      await server.org.misconfigure(.interactionCodeDisabled)
      await server.org.changeRequests { $0.signInPage = OrgSignInPage() }
    }

    /// The arguments of a sign-in with answers.
    func words(_ script: String? = nil, _ more: [String] = []) throws -> [String] {
      let answers =
        try script.map { ["--script", try home.folder.file("\(UUID()).json", $0)] } ?? []
      return ["signin", "--flow", "hosted", "--force"] + server.options + answers + more
    }

    /// Signs in with a password, or with nobody who answers.
    func signIn(as user: SimulatedUser? = .demo, _ more: String...) throws -> Program.End {
      try home.run(words(user.map(DataHome.script), more))
    }

    func run(_ words: String...) throws -> Program.End { try home.run(words) }

    /// The address of the org.
    var origin: String { server.issuer.replacing("/oauth2/default", with: "") }

    /// The number of sessions that a command has ended.
    var endCount: Int { server.paths.filter { $0.hasSuffix("/api/v1/sessions/me") }.count }
  }

  @Test(
    "Okta FastPass can be declined, and wrong answers are asked for again, before tokens are issued"
  )
  func everyStep() async throws {
    var policy = SignInPolicy.optional(.googleAuthenticator, .email)
    policy.accounts.beforeIdentify = [.deviceChallenge(.loopback)]
    policy.accounts.oktaVerifyPorts = [1]
    policy.accounts.afterFactors = [.keepMeSignedIn]
    let org = try await PageOrg(policy: policy)
    let code = try await require(
      org.server.org.code(of: .googleAuthenticator, for: "ada@example.com"))
    let wrong = code == "000000" ? "000001" : "000000"
    func step(_ name: String, _ path: String, _ value: String) -> String {
      #"{"step": "\#(name)", "fields": {"\#(path)": "\#(value)"}}"#
    }
    let script = [
      #"{"step": "cancel-polling"}"#,
      step("identify", "identifier", "ada@example.com"),
      step("challenge-authenticator", "credentials.passcode", "Analytical-1844"),
      step("challenge-authenticator", "credentials.passcode", "Analytical-1843"),
      step("select-authenticator-authenticate", "authenticator", "google_otp"),
      step("challenge-authenticator", "credentials.passcode", wrong),
      step("challenge-authenticator", "credentials.passcode", code),
      #"{"step": "keep-me-signed-in", "fields": {"keepMeSignedIn": true}}"#,
    ]
    let words = try org.words("[\(script.joined(separator: ","))]", ["--fast-pass", "never"])
    let end = try org.home.run(words)
    end.expect(status: 0)
    let paths = org.server.paths
    for ending in ["/authenticators/poll/cancel", "/idp/idx/keep-me-signed-in", "/v1/token"] {
      expect(paths.contains { $0.hasSuffix(ending) }, "\(ending)")
    }
    expectEqual(paths.filter { $0.hasSuffix("/idp/idx/challenge/answer") }.count, 4)
    expect(paths.allSatisfy { !$0.hasSuffix("/interact") })
    expectEqual(org.endCount, 1)
    try await expectEqual(org.home.credentials().map(\.username), ["ada@example.com"])
  }

  @Test(
    "A session that is kept signs in without a question, and a sign-out ends it",
    .promise("kept-session"))
  func keptSession() async throws {
    let org = try await PageOrg()
    // Without the option, the command ends the session.
    try expectEqual(org.signIn().status, 0)
    expectEqual(org.endCount, 1)
    try expectEqual(org.signIn(as: nil).status, 3)

    try expectEqual(org.signIn("--keep-session", "always").status, 0)
    for _ in 1...2 {
      let silent = try org.signIn(as: nil)
      silent.expect(status: 0)
    }
    expectEqual(org.endCount, 1)
    // It is that of one person.
    try expectEqual(org.signIn(as: nil, "--username", "bob@example.com").status, 3)
    let list = try org.run("list")
    expectEqual(list.output.split(separator: "\n").count, 2, "\(list.output)")

    let command = "To end it, run idx-flow signout --issuer"
    expectContains(list.errors, command)
    try expectContains(org.run("status").errors, command)

    let signOut = try org.run("signout")
    expectContains(signOut.errors, "The session of the org that was kept has ended.")
    expect(!signOut.errors.contains("AWS"))
    expectEqual(org.endCount, 2)
    try expectEqual(org.signIn(as: nil).status, 3)
    try await expectEmpty(org.home.store.entries())
  }

  @Test(
    "A sign-out ends only the session of its profile and person, and names one that is left, and how to end it"
  )
  func otherSession() async throws {
    let org = try await PageOrg()
    try expectEqual(org.signIn("--keep-session", "always", "--profile", "a").status, 0)
    try expectEqual(org.signIn("--profile", "b").status, 0)
    let signOut = try org.run("signout", "--profile", "b")
    expectContains(signOut.errors, "signout --issuer \(org.origin) --profile a")
    org.server.stop()
    let late = try org.run("signout", "--issuer", org.origin, "--profile", "a")
    late.expect(status: 6)
    expectContains(late.errors, "could not be ended")
    let other = try await PageOrg()
    try expectEqual(other.signIn("--keep-session", "always").status, 0)
    try expect(other.run("signout", "--client-id", "nosuch").status != 0)
    expectEqual(other.endCount, 0)
    let subject = try await require(other.home.credentials().compactMap(\.id.subject).first)
    try expectEqual(other.run("signout", "--user", subject).status, 0)
    expectEqual(other.endCount, 1)
    try await expectEmpty(other.home.store.entries())
  }

  @Test(
    "A session that is kept is not used for another person, with a script, or for another goal",
    .promise("kept-session"))
  func otherPerson() async throws {
    let org = try await PageOrg()
    try expectEqual(org.signIn("--keep-session", "always").status, 0)
    let hint = try org.signIn(as: nil, "--login-hint", "bob@example.com")
    hint.expect(status: 3)
    let script = try org.signIn(as: .bob)
    script.expect(status: 0)
    let names = try await org.home.credentials().compactMap(\.username)
    expectEqual(Set(names), ["ada@example.com", "bob@example.com"])
    try expect(org.signIn(as: nil, "--recover").status != 0)
    try expectEqual(org.signIn(as: nil).status, 0)
  }

  @Test("A session that is not wanted any more is not used, and ends after the next sign-in")
  func notWanted() async throws {
    let org = try await PageOrg()
    try expectEqual(org.signIn("--keep-session", "always").status, 0)
    try expectEqual(org.signIn(as: nil, "--keep-session", "never").status, 3)
    expectEqual(org.endCount, 0)
    try expectEqual(org.signIn("--keep-session", "never").status, 0)
    expectEqual(org.endCount, 2)
    try expectEqual(org.signIn(as: nil).status, 3)
    try await expectEqual(org.home.store.entries().count, 1)
    let both = try org.signIn("--keep-session", "always", "--no-store")
    both.expect(status: 2)
    expectContains(both.errors, "--no-store and --keep-session cannot be used together.")
  }

  @Test("At a terminal, the person is asked whether the session is kept")
  func asked() async throws {
    for (answer, isKept) in [("y", true), ("n", false)] {
      let org = try await PageOrg()
      let terminal = try PseudoTerminal()
      let program = try org.home.program(
        org.words(nil, ["--keep-session", "ask", "--scope", "openid"]), input: terminal.path)
      try await terminal.signIn()
      try await terminal.answer("Keep the session of the org? [y/N]: ", answer)
      let end = program.end()
      end.expect(status: 0)
      try expectEqual(org.signIn(as: nil).status, isKept ? 0 : 3)
    }
  }
}
