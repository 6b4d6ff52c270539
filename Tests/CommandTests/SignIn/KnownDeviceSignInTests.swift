import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@Suite("A computer that an org knows again", .tags(.startsPrograms), .fewPrograms)
struct KnownDeviceSignInTests {
  private let terminal: PseudoTerminal
  private let home: TemporaryFolder
  private let server: OrgServer

  init() throws {
    terminal = try PseudoTerminal()
    home = try TemporaryFolder()
    var policy = OrgScenario["google"].policy
    policy.start = .withPassword
    policy.devices = SignInPolicy.DeviceRules()
    server = try OrgServer(users: OrgScenario["google"].users, policy: policy)
  }

  private var environment: [String: String] {
    [
      "XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data"),
      "NO_COLOR": "1", "TERM": "xterm", "LANG": "C.UTF-8", "IDX_FLOW_STORE": "file",
    ]
  }

  /// Signs in with a name and a password, and a code if the org asks for one.
  private func signIn(_ words: String..., usesCode: Bool) async throws -> Program.End {
    let program = try Program(
      [
        "signin", "--force", "--scope", "openid profile", "--issuer", server.issuer, "--client-id",
        server.org.clientID,
        "--redirect-uri", server.org.redirectURI,
      ] + words, environment: environment, input: terminal.path)
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.answer("Password: ", "Analytical-1843")
    if usesCode {
      // Each code is accepted once.
      server.org.advance(by: 60)
      let code = try await require(
        server.org.code(of: .googleAuthenticator, for: "ada@example.com"))
      try await terminal.answer("Code: ", code)
    }
    return program.end()
  }

  private var devices: String { home.path("data/idx-flow/devices.json") }

  @Test(
    "It needs no second code, also after a sign-out, until it is forgotten", .promise("device-file")
  )
  func rememberedAndForgotten() async throws {
    let first = try await signIn("--remember-me", "always", usesCode: true)
    expectEqual(first.status, 0, "\(first.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: devices)
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    try await expectEqual(signIn(usesCode: false).status, 0)
    // Credentials are beside the file.
    let list = try Program.run(["list"], environment: environment)
    expectEqual(list.status, 0)
    expect(list.output.contains("ada@example.com") && list.errors.isEmpty, "\(list.errors)")
    // Another profile is another person of this computer.
    try await expectEqual(signIn("--profile", "other", usesCode: true).status, 0)
    try expectEqual(Program.run(["signout"], environment: environment).status, 0)
    try await expectEqual(signIn(usesCode: false).status, 0)
    try expectEqual(Program.run(["signout"], environment: environment).status, 0)
    // Nobody is signed in any more.
    let end = try Program.run(
      ["signout", "--all", "--forget-device", "--issuer", server.issuer],
      environment: environment)
    expectPrefix(end.errors, "This computer is forgotten: the next sign-in is one from a new")
    let again = try Program.run(["signout", "--forget-device"], environment: environment)
    expectEqual(again.status, 0)
    expectEqual(again.errors, "No org recognizes this computer, so there is nothing to forget.\n")
    let unknown = try Program.run(
      ["signout", "--forget-device", "--issuer", "https://a.example"], environment: environment)
    expectEqual(unknown.status, 0, "\(unknown.errors)")
    let wrong = try Program.run(
      ["signout", "--forget-device", "--issuer", "no address"], environment: environment)
    expectEqual(wrong.status, 2)
    try await expectEqual(signIn(usesCode: true).status, 0)
  }

  @Test("With a script, the option decides, unless the script does", arguments: [nil, true, false])
  func script(own: Bool?) async throws {
    server.org.advance(by: 60)
    let code = try await require(server.org.code(of: .googleAuthenticator, for: "ada@example.com"))
    let decided = own.map { #", "rememberMe": \#($0)"# } ?? ""
    let script = try home.file(
      "script.json",
      """
      [{"step": "identify", "fields": {"identifier": "ada@example.com",
        "credentials.passcode": "Analytical-1843"\(decided)}},
       {"step": "challenge-authenticator", "fields": {"credentials.passcode": "\(code)"}}]
      """)
    let end = try Program.run(
      [
        "signin", "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
        server.org.redirectURI, "--script", script, "--remember-me", "always",
      ], environment: environment)
    expectEqual(end.status, 0, "\(end.errors)")
    try await expectEqual(signIn(usesCode: own == false).status, 0)
  }

  @Test(
    "A damaged file of devices does not prevent a sign-in", .promise("device-file"),
    arguments: ["{", "[1]", "[]"])
  func damaged(text: String) async throws {
    try FileManager.default.createDirectory(
      atPath: home.path("data/idx-flow"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let file = try home.file("data/idx-flow/devices.json", text)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try await expectEqual(signIn("--remember-me", "always", usesCode: true).status, 0)
    try await expectEqual(signIn(usesCode: false).status, 0)
  }
}
