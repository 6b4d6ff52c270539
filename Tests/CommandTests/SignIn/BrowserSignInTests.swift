import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import PortSupport
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("A sign-in in a browser", .tags(.startsPrograms), .fewPrograms)
struct BrowserSignInTests {
  private let terminal: PseudoTerminal

  init() throws { terminal = try PseudoTerminal() }

  /// Signs in without a terminal.
  private func run(_ words: String..., at server: OrgServer) throws -> Program.End {
    try Program.run(["signin", "--scope", "openid profile"] + server.options + words)
  }

  /// Opens the address that the terminal shows and pastes the one that the browser returns to; returns what was shown.
  @discardableResult
  private func playBrowser(at server: OrgServer, refusing: Bool = false) async throws -> String {
    let shown = try await terminal.lines(until: "Paste the address: ")
    let line = try require(shown.split(separator: "\n").last { $0.hasPrefix("http://127") })
    let page = try require(URL(string: String(line)))
    let end = try await require(server.org.visit(page, refusing: refusing))
    try terminal.type("\(end.absoluteString)\n")
    return shown
  }

  @Test(
    "The sign-in of another person than the expected one is kept only with a yes",
    .promise("returned-person"),
    arguments: [
      ("bob@example.com", "n\n", 130), ("bob@example.com", "y\n", 0), ("bob", "\u{4}", 3),
      ("ada\u{200B}@example.com", "n\n", 130), ("ADA@example.com", nil, 0), ("ada", nil, 0),
    ] as [(String, String?, Int32)])
  func otherPerson(expected: String, answer: String?, status: Int32) async throws {
    let server = try OrgServer()
    let program = try terminal.startSignIn(
      to: server, ["--flow", "browser", "--no-store", "--username", expected])
    try await playBrowser(at: server)
    if let answer {
      _ = try await terminal.lines(until: "Keep it?")
      try terminal.type(answer)
    }
    let end = program.end()
    expectEqual(end.status, status, "\(end.errors)")
    expectEqual(end.output.contains("access_token"), status == 0)
    let revoked = await server.org.requests.count { $0.hasSuffix("revoke") }
    expectEqual(revoked > 0, status != 0)
    if status != 0 {
      let shown = expected.replacing("\u{200B}", with: #"\u{200B}"#)
      expectContains(
        end.errors, "the sign-in of ada@example.com, not of \(shown). Nothing was saved.")
    }
  }

  #if os(Linux)
    @Test(
      "What a browser is started with says nothing of the sign-in, and leads to the page",
      .promise("listener-user"))
    func arguments() async throws {
      let (server, folder) = (try OrgServer(), try TemporaryFolder())
      let port = try ReservedPort().number
      let opened = folder.path("opened")
      let script = try folder.file("browser.sh", "echo \"$1\" > '\(opened)'\n")
      let program = try terminal.startSignIn(
        to: server,
        ["--flow", "browser", "--no-store", "--redirect-uri", "http://127.0.0.1:\(port)/callback"],
        variables: ["BROWSER": "/bin/sh \(script)", "PATH": "/usr/bin:/bin"])
      let shown = try await terminal.lines(until: "Your browser has opened it.")
      expect(shown.contains("state=") && shown.contains("code_challenge="))
      let argument = folder.text(of: "opened").trimmingCharacters(in: .newlines)
      expect(argument.contains(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/), "\(argument)")
      expectEqual(URL(string: argument)?.port, Int(port))
      try terminal.type("\u{3}")
      expectEqual(program.end().status, 130)
    }
  #endif

  @Test(
    "The demo shows a code, draws its address if the window is large enough, and waits until it is entered"
  )
  func deviceDemo() async throws {
    terminal.resize(columns: 100, rows: 60)
    let demo = try terminal.demo("--flow", "device", "--no-store")
    let shown = try await terminal.lines(until: "Waiting for you to enter the code")
    expectContains(shown, "  Open https://demo.okta.example/activate\n")
    expect(shown.contains(/Enter this code there: [A-Z]{4}-[A-Z]{4}\n/))
    expect(shown.contains("Or scan this QR code:") && shown.contains("▀"))
    let end = demo.end()
    end.expect(status: 0)
    expectContains(end.errors, "demo: a browser on another device has entered the code")
    terminal.resize(columns: 80, rows: 12)
    for (option, hasHint) in [("--no-store", true), ("--no-qr", false)] {
      let program = try terminal.demo("--flow", "device", option)
      let shown = try await terminal.lines(until: "Waiting for you to enter the code")
      expectEqual(shown.contains("or type the address."), hasHint)
      expect(!shown.contains("▀"))
      try terminal.type("\u{3}")
      expectEqual(program.end().status, 130)
    }
  }

  @Test("Without a terminal, a device code is a note, and the tokens are the result")
  func deviceWithoutTerminal() async throws {
    let server = try OrgServer()
    await server.org.changeTokens { $0.devicePollInterval = 1 }
    let running = Locked<Program?>(nil)
    server.before("token") { [org = server.org] in
      let note = running.withLock { $0?.errorsSoFar } ?? ""
      let code = note.firstMatch(of: /enter the code ([A-Z-]{9})\./).map { String($0.1) }
      await expect(org.enter(userCode: code ?? ""))
    }
    let program = try Program(
      ["signin", "--flow", "device", "--no-store", "--no-input"] + server.options)
    running.withLock { $0 = program }
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(end.json["user"], "ada@example.com")
    expectEqual(server.forms(to: "/device/authorize").count, 1)
  }

  @Test("The options of the page are in its address, and a refusal there can be tried again")
  func options() async throws {
    let server = try OrgServer()
    let program = try terminal.startSignIn(
      to: server,
      [
        "--flow", "browser", "--no-store", "--prompt", "login", "--login-hint", "ada@example.com",
        "--max-age", "60", "--acr-values", "urn:a urn:b",
      ])
    let shown = try await playBrowser(at: server, refusing: true)
    for part in [
      "prompt=login", "login_hint=ada%40example.com", "max_age=60", "acr_values=urn%3Aa+urn%3Ab",
    ] {
      expectContains(shown, part)
    }
    let problem = try await terminal.answer("Choose 1-3: ", "1")
    expectContains(problem, "Access was denied.")
    try await playBrowser(at: server)
    let end = program.end()
    end.expect(status: 0)
    expect(server.paths.allSatisfy { !$0.hasSuffix("/interact") })
  }

  @Test(
    "An app without the interaction code signs in in the browser after a question, or over ssh with a code for another device"
  )
  func continued() async throws {
    let server = try OrgServer()
    await server.org.misconfigure(.interactionCodeDisabled)
    // It opens nothing and reports success.
    let program = try terminal.startSignIn(
      to: server, ["--no-store"], variables: ["BROWSER": "true"])
    let shown = try await terminal.answer("Choose 1-3: ", "2")
    expectContains(shown, "may not use the grant type Interaction Code.")
    try await playBrowser(at: server)
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(end.json["user"], "ada@example.com")
    await server.org.changeTokens { $0.devicePollInterval = 1 }
    let (codes, entering) = AsyncStream.makeStream(of: String.self)
    server.before("token") { [org = server.org] in
      for await code in codes { await expect(org.enter(userCode: code)) }
    }
    let remote = try terminal.startSignIn(
      to: server, ["--no-store", "--no-qr"],
      variables: ["BROWSER": "true", "SSH_CONNECTION": "10.0.0.2 5000 10.0.0.1 22"])
    try await terminal.answer("Choose 1-3: ", "2")
    try await terminal.lines(until: "Enter this code there: ")
    let text = try await terminal.lines(until: "\n")
    entering.yield(text.trimmingCharacters(in: .whitespacesAndNewlines))
    entering.finish()
    let ended = remote.end()
    ended.expect(status: 0)
  }

  @Test("A script is told in which other ways it could sign in")
  func script() async throws {
    let server = try OrgServer()
    await server.org.misconfigure(.interactionCodeDisabled)
    let script = try run("--json", at: server)
    script.expect(status: 2)
    let result = try script.json
    expectEqual(result["setup_problem"], "grant_type_disabled")
    expectEqual(result["remedy"]?.string?.contains("--flow hosted, or --flow browser."), true)
    // In the browser, there is nothing else to offer.
    await server.org.misconfigure(.grantTypeDisabled)
    let device = try run("--flow", "device", "--json", at: server)
    device.expect(status: 2)
    expectContains(device.errors, "may not use the grant type Device Authorization.")
    expect(!device.errors.contains("--flow browser"))
  }

  @Test("A step that cannot be done here offers the browser among its options")
  func unsupportedStep() async throws {
    let program = try terminal.demo("captcha", "--no-store")
    let shown = try await terminal.lines(until: "Choose 1-")
    expectContains(shown, "This form has a captcha, which cannot be shown here.")
    let line = shown.split(separator: "\n").last { $0.contains("Continue in the browser") }
    let number = try require(line).trimmingCharacters(in: .whitespaces).prefix(1)
    try terminal.type("\(number)\n")
    try await terminal.lines(until: "The browser has returned.")
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(end.json["user"], "ada@example.com")
  }
}
