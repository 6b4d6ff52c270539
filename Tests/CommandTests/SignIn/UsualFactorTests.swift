import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import TerminalSupport
import Testing

@testable import idx_flow

/// The factor of the last sign-in is offered first, and one of the command line is taken without a question.
@Suite("Usual factors", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct UsualFactorTests {
  private let home: DataHome
  private let server: OrgServer
  private let terminal: PseudoTerminal

  init() throws {
    let user = SimulatedUser.demo.with(
      .email, .phone("+15550100142"), .phone("+15550100177"),
      .oktaVerify(secret: "JBSWY3DPEHPK3PXP")
    )
    var policy = SignInPolicy.optional(.email, .phone, .oktaVerify)
    policy.start = .withPassword
    (home, server) = (try DataHome(), try OrgServer(users: [user], policy: policy))
    terminal = try PseudoTerminal()
    try home.saveProfile(for: server)
  }

  /// Starts a sign-in and types the username and the password.
  private func begin(_ words: String...) async throws -> Program {
    let program = try home.program(["signin", "--force"] + words, input: terminal.path)
    try await terminal.signIn(at: "Username")
    return program
  }

  private func factor() throws -> String? {
    let file = URL(filePath: home.folder.path("config") + "/idx-flow/profiles.json")
    return try JSONValue(parsing: Data(contentsOf: file))["profiles"]?["default"]?["factor"]?.string
  }

  @Test("The last factor and its method are on top of the menu, and Enter takes them")
  func remembered() async throws {
    let phone = "+15550100177"
    func code() async throws -> String {
      let code = await server.org.mailbox.lastCode(to: phone)
      return try require(code)
    }
    let first = try await begin()
    let menu = try await terminal.answer("Choose 1-4: ", "3")
    expectContains(menu, "  1  Email")
    try await terminal.answer("Choose 1-2: ", "1")
    try await terminal.lines(until: "Code: ")
    try await terminal.type(code() + "\n")
    expectEqual(first.end().status, 0)
    try expectEqual(factor(), "phone_number#2:sms")

    let second = try await begin()
    let again = try await terminal.answer("Choose 1-4 [1]: ", "")
    expectContains(again, "❯ 1  Phone (+1 XXX-XXX-0177): SMS\n  2  Email")
    // The method is not asked for again.
    let next = try await terminal.lines(until: "Code: ")
    expect(!next.contains("Choose"))
    try await terminal.type(code() + "\n")
    expectEqual(second.end().status, 0)
    try expectEqual(factor(), "phone_number#2:sms")
  }

  @Test(
    "A factor of the command line is taken without a question",
    arguments: ["totp", "okta_verify:totp", "Okta Verify:totp", "webauthn,totp"])
  func commanded(text: String) async throws {
    let program = try await begin("--factor", text)
    let shown = try await terminal.lines(until: "ode")
    expect(!shown.contains("Choose"))
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }

  @Test(
    "A factor that means several, or that is not offered or in no menu, leaves the menu",
    arguments: [
      ("sms", "Choose 1-4 [1]: "), ("phone", "Choose 1-4 [1]: "), ("webauthn", "Choose 1-4: "),
      ("pusch", "Choose 1-"),
    ])
  func asked(text: String, prompt: String) async throws {
    let program = try await begin("--factor", text)
    let menu = try await terminal.lines(until: prompt)
    if text == "pusch" {
      expectContains(menu, "“pusch” is not offered here.")
    } else {
      expectEqual(menu.contains(" 1  Phone (+1 XXX-XXX-0142)"), text != "webauthn")
    }
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }

  @Test("A choice whose name is only a sign is no obstacle", arguments: ["#", "##", "#1"])
  func sign(name: String) async throws {
    let field: JSONValue = [
      "name": "authenticator", "required": true,
      "options": [
        ["label": .string(name), "value": .string(name)], ["label": "Email", "value": "email"],
      ],
    ]
    let step = try Wire.step(
      Wire.document(of: field, name: "select-authenticator-authenticate"))
    guard case .ask(var screen, _) = try await Handlers.showing(Screens()).decide(step) else {
      throw Program.Failure(description: "nobody is asked")
    }
    var factors = UsualFactors("phone,email", isOfOption: false)
    expect(factors.prepare(&screen) == nil)
    expectEqual(screen.inputs[0].choices.map(\.label), ["Email", name])
    _ = factors.complete(.submit(["authenticator": Secret(name)]), to: screen)
    expectEqual(factors.text, name)
  }

  @Test("After another way, the whole menu is there")
  func otherWay() async throws {
    let program = try await begin("--factor", "email")
    try await expect(!terminal.answer("Code: ", "?").contains("Choose"))
    try await terminal.answer("go back: ", "verify in another way")
    let menu = try await terminal.lines(until: "Choose 1-")
    expectContains(menu, "Okta Verify")
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }
}
