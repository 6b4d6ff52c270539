import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@Suite("A computer that an org knows again", .tags(.startsPrograms), .fewPrograms)
struct KnownDeviceSignInTests {
  private let terminal: PseudoTerminal
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    terminal = try PseudoTerminal()
    home = try DataHome()
    var policy = OrgScenario["google"].policy
    policy.start = .withPassword
    policy.devices = SignInPolicy.DeviceRules()
    server = try OrgServer(users: OrgScenario["google"].users, policy: policy)
  }

  /// Signs in with a name and a password, and a code if the org asks for one.
  private func signIn(_ words: String..., usesCode: Bool) async throws -> Program.End {
    let program = try home.program(
      ["signin", "--force", "--scope", "openid profile"] + server.options + words,
      input: terminal.path)
    try await terminal.signIn()
    if usesCode {
      // Each code is accepted once.
      server.org.advance(by: 60)
      let code = try await require(
        server.org.code(of: .googleAuthenticator, for: "ada@example.com"))
      try await terminal.answer("Code: ", code)
    }
    return program.end()
  }

  @Test(
    "It needs no second code, also after a sign-out, until it is forgotten", .promise("device-file")
  )
  func rememberedAndForgotten() async throws {
    let first = try await signIn("--remember-me", "always", usesCode: true)
    first.expect(status: 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/devices.json")
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    try await expectEqual(signIn(usesCode: false).status, 0)
    // Credentials are beside the file.
    let list = try home.run("list")
    list.expect(status: 0)
    expect(list.output.contains("ada@example.com") && list.errors.isEmpty, "\(list.errors)")
    // Another profile is another person of this computer.
    try await expectEqual(signIn("--profile", "other", usesCode: true).status, 0)
    try home.run("signout").expect(status: 0)
    try await expectEqual(signIn(usesCode: false).status, 0)
    try home.run("signout").expect(status: 0)
    // Nobody is signed in any more.
    let end = try home.run("signout", "--all", "--forget-device", "--issuer", server.issuer)
    expectPrefix(end.errors, "This computer is forgotten: the next sign-in is one from a new")
    let again = try home.run("signout", "--forget-device")
    again.expect(status: 0)
    expectEqual(again.errors, "No org recognizes this computer, so there is nothing to forget.\n")
    let unknown = try home.run(
      "signout", "--forget-device", "--issuer", "https://a.example", "--json")
    unknown.expect(status: 0)
    try expectEqual(
      unknown.json, ["status": "signed_out", "revoked": [], "not_revoked": []])
    let wrong = try home.run("signout", "--forget-device", "--issuer", "no address")
    wrong.expect(status: 2)
    try await expectEqual(signIn(usesCode: true).status, 0)
  }

  @Test("With a script, the option decides, unless the script does", arguments: [nil, true, false])
  func script(own: Bool?) async throws {
    server.org.advance(by: 60)
    let code = try await require(server.org.code(of: .googleAuthenticator, for: "ada@example.com"))
    let decided = own.map { #", "rememberMe": \#($0)"# } ?? ""
    let script = try home.folder.file(
      "script.json",
      """
      [{"step": "identify", "fields": {"identifier": "ada@example.com",
        "credentials.passcode": "Analytical-1843"\(decided)}},
       {"step": "challenge-authenticator", "fields": {"credentials.passcode": "\(code)"}}]
      """)
    let end = try home.run(
      ["signin", "--script", script, "--remember-me", "always"] + server.options)
    end.expect(status: 0)
    try await expectEqual(signIn(usesCode: own == false).status, 0)
  }

  @Test(
    "A damaged file of devices does not prevent a sign-in", .promise("device-file"),
    arguments: ["{", "[1]", "[]"])
  func damaged(text: String) async throws {
    try FileManager.default.createDirectory(
      atPath: home.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = try home.folder.file("idx-flow/devices.json", text)
    try await expectEqual(signIn("--remember-me", "always", usesCode: true).status, 0)
    try await expectEqual(signIn(usesCode: false).status, 0)
  }
}
