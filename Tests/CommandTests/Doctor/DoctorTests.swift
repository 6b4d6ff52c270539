import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import PortSupport
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("The doctor", .tags(.startsPrograms), .fewPrograms)
struct DoctorTests {
  /// What the doctor found, by the names of the checks.
  private struct Report {
    let end: Program.End
    let checks: [String: JSONValue]

    init(_ end: Program.End) throws {
      self.end = end
      let list = try end.json["checks"]?.array ?? []
      checks = Dictionary(uniqueKeysWithValues: list.map { ($0["name"]?.string ?? "", $0) })
    }

    var results: [String: String] { checks.compactMapValues { $0["result"]?.string } }

    func result(_ check: String) -> String? { text(check, "result") }
    func message(_ check: String) -> String { text(check, "message") ?? "" }
    func remedy(_ check: String) -> String { text(check, "remedy") ?? "" }

    private func text(_ check: String, _ member: String) -> String? {
      checks[check]?[member]?.string
    }
  }

  private let terminal: PseudoTerminal

  init() throws { terminal = try PseudoTerminal() }

  /// Runs the doctor at a terminal.
  private func runDoctor(
    _ words: [String], _ environment: [String: String] = [:]
  ) throws -> Program.End {
    let own = ["TERM": "xterm", "LANG": "C.UTF-8", "PATH": "/nowhere"]
    return try Program.run(
      ["doctor", "--timeout", "600"] + words, environment: own.merging(environment) { $1 },
      input: terminal.path)
  }

  private func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Report {
    try Report(runDoctor(["--json"] + words, environment))
  }

  private static let otherApp = ["--client-id", "c", "--redirect-uri", "a:/b"]

  @Test("If a sign-in can work with its options, the status is 0, and nobody has signed in")
  func works() throws {
    let server = try OrgServer()
    let report = try run(server.options)
    report.end.expect(status: 0)
    expectEqual(
      report.results,
      [
        "configuration": "ok", "engine": "ok", "proxy": "ok", "dns": "skipped", "connection": "ok",
        "tls": "skipped", "discovery": "ok", "clock": "ok", "keys": "ok", "grant": "ok",
        "dpop": "ok", "redirect URI": "ok", "store": "ok", "terminal": "ok",
        "security keys": "warning", "Okta Verify": "ok",
      ])
    expectContains(report.message("grant"), "the first step is identify")
    expectEqual(
      report.message("security keys"), "the programs of libfido2 are not installed")
    expect(!server.paths.contains { $0.hasSuffix("/identify") })
    // With a code that does not exist.
    expectEqual(server.paths.count { $0.hasSuffix("/token") }, 1)
    let options = ["--username", "ada", "--force", "--recover", "--lang", "de", "--max-age", "5"]
    try run(server.options + options).end.expect(status: 0)
    for option in ["--demo", "--front-end"] {
      let refused = try Program.run(["doctor", option, "json"])
      refused.expect(status: 2, refused.errors.contains("doctor has no option \(option)."))
    }
  }

  @Test(
    "An app that requires tokens with a key is reported, and fails only if that is switched off",
    arguments: [("when-required", "ok"), ("always", "ok"), ("never", "failed")])
  func requiredKey(policy: String, verdict: String) throws {
    let server = try OrgServer(policy: OrgScenario["dpop"].policy)
    let report = try run(server.options + ["--dpop", policy])
    expectEqual(report.result("dpop"), verdict)
    expectContains(report.message("dpop"), "the app requires tokens")
    report.end.expect(status: verdict == "ok" ? 0 : 2)
  }

  @Test(
    "With --role-arn, AWS is asked with the saved ID token; a refusal is explained, and does not mean that nobody can sign in"
  )
  func roleOfAWS() async throws {
    let (server, home) = (try OrgServer(), try DataHome())
    let arn = "arn:aws:iam::123456789012:role/NAME"
    let provider =
      "arn:aws:iam::123456789012:oidc-provider/127.0.0.1:\(server.issuer.split(separator: ":")[2]), "
      + "audience \(server.org.clientID)"
    let sts = try STSServer { number in
      number == 1
        ? STSServer.keys(number: number)
        : STSServer.refusal("InvalidIdentityToken", "Incorrect token audience")
    }
    func check() throws -> Report {
      try run(
        server.options + ["--role-arn", arn],
        ["AWS_ENDPOINT_URL_STS": sts.endpoint, "XDG_DATA_HOME": home.folder.url.path])
    }
    let nobody = try check()
    nobody.end.expect(status: 0, nobody.result("aws") == "skipped" && sts.forms.isEmpty)
    expectContains(nobody.remedy("aws"), provider)

    let credential = try await home.signIn(at: server)
    let works = try check()
    expectEqual(works.result("aws"), "ok")
    expectEqual(works.message("aws"), "\(arn) trusts \(provider)")
    expectEqual(sts.forms.first?["WebIdentityToken"], credential.tokens.idToken?.revealed)

    let refused = try check()
    expectEqual(refused.result("aws"), "failed")
    expectContains(refused.message("aws"), "does not have the audience")
    refused.end.expect(status: 4, !refused.end.output.contains("eyJ"))
    expect(!refused.end.output.contains("ASIAEXAMPLE"))
    try await expectEqual(home.store.credential(credential.id), credential)
    let wrong = try runDoctor(["--role-arn", "NAME"] + server.options)
    wrong.expect(status: 2, wrong.output.contains("--role-arn must be the ARN of a role"))
    expectEqual(wrong.errors, "A sign-in can work. The check of AWS failed.\n")
  }

  @Test(
    "The discovery fails if there is no authorization server, or one that says that it is another issuer",
    .promise("other-issuer"))
  func otherIssuer() throws {
    let server = try OrgServer()
    let other = server.issuer.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    let report = try run(server.options + ["--issuer", other])
    report.end.expect(status: 2)
    expectEqual(report.result("discovery"), "failed")
    expectContains(report.message("discovery"), "\(server.issuer), not \(other)")
    let none = try run(["--issuer", server.issuer + "2"] + Self.otherApp)
    none.end.expect(status: 2)
    expectEqual(none.result("discovery"), "failed")
    expect(!none.remedy("discovery").isEmpty && !none.remedy("discovery").contains("doctor"))
    for name in ["keys", "grant"] { expectEqual(none.result(name), "skipped") }
  }

  @Test("A variable in place of a chosen profile is a warning")
  func variableBeforeProfile() throws {
    let home = try DataHome()
    let words = ["profile", "set", "work", "--issuer", "http://127.0.0.1:9"]
    try home.run(words + Self.otherApp).expect(status: 0)
    let report = try run(
      ["--profile", "work"],
      ["XDG_CONFIG_HOME": home.folder.path("config"), "OKTA_IDX_CLIENTID": "other"])
    expectEqual(report.result("configuration"), "warning")
    expectPrefix(
      report.remedy("configuration"),
      "OKTA_IDX_CLIENTID is used in place of the profile “work”.")
  }

  @Test(
    "Missing settings skip the checks of the server, each says why, and those with the same reason share a line"
  )
  func noSettings() throws {
    let report = try run([])
    report.end.expect(status: 2)
    expectEqual(report.result("configuration"), "failed")
    expectContains(report.message("configuration"), "--client-id")
    for name in ["dns", "tls", "discovery", "keys", "grant"] {
      expectEqual(report.result(name), "skipped")
      expectEqual(report.message(name), "not checked: the configuration cannot be used")
    }
    expectEqual(report.result("store"), "ok")
    let text = try runDoctor([])
    expectPrefix(text.output, "failed   configuration  ")
    expectContains(text.output, "\n         What to do: ")
    expectContains(
      text.output,
      "\nskipped  proxy, dns, connection, tls, discovery, engine, clock, keys, grant, dpop, redirect URI: "
        + "not checked: the configuration cannot be used\nok       store ")
    expectEqual(text.errors, "A sign-in cannot work. These checks failed: configuration.\n")
  }

  @Test(
    "A server that cannot be reached, or does not respond in time, has status 6, and later checks are skipped"
  )
  func unreachable() throws {
    let stopped = try OrgServer()
    stopped.stop()
    let report = try run(stopped.options)
    report.end.expect(status: 6)
    expectEqual(report.result("connection"), "failed")
    expect(!report.remedy("connection").isEmpty)
    for name in ["discovery", "clock", "keys", "grant"] {
      expectEqual(
        report.message(name), "not checked: there is no secure connection to the server")
    }
    let silent = try LoopbackServer()
    let late = try run(["--issuer", silent.address, "--timeout", "0.2"] + Self.otherApp)
    // Without it, the port could be closed before the program connects.
    withExtendedLifetime(silent) {}
    late.end.expect(status: 6)
    expectContains(late.message("connection"), "No response came within 0.2")
    let unknown = try run(
      ["--issuer", "https://no-such-host.invalid", "--timeout", "5"] + Self.otherApp)
    unknown.end.expect(status: 6)
    expectEqual(unknown.result("dns"), "failed")
    expectContains(unknown.message("dns"), "no-such-host.invalid")
  }

  @Test(
    "A clock that differs is a warning or a failure, and the difference is said in units that people use"
  )
  func clock() throws {
    for (seconds, text) in [
      (0, "agrees with the server's"), (1, "is 1 s ahead of the server's"),
      (-59, "is 59 s behind the server's"), (61, "is 1 min 1 s ahead of the server's"),
      (7201, "is 2 h ahead of the server's"), (7_776_000, "is 90 days ahead of the server's"),
      (-3661, "is 1 h 1 min behind the server's"),
    ] {
      expectEqual(ServerChecks.clockMessage(secondsAhead: seconds), "this clock \(text)")
    }
    for (seconds, result, status) in [
      (100, "warning", 0), (-100, "warning", 0), (4000, "failed", 2),
    ]
      as [(TimeInterval, String, Int32)]
    {
      let server = try OrgServer()
      server.org.advance(by: seconds)
      let report = try run(server.options)
      report.end.expect(status: status, comment: "\(seconds)")
      expectEqual(report.result("clock"), result)
      expectContains(report.remedy("clock"), "timedatectl")
    }
  }

  @Test(
    "A mistake in the org, or an app with a secret, fails a check before a sign-in, with a remedy")
  func mistakes() async throws {
    for mistake in [SetupMistake.grantTypeDisabled, .noMatchingPolicy, .customServersDisabled] {
      let server = try OrgServer()
      await server.org.misconfigure(mistake)
      let report = try run(server.options)
      report.end.expect(status: 2, comment: "\(mistake)")
      expectEqual(report.result("grant"), "failed", "\(mistake)")
      expect(!report.remedy("grant").isEmpty)
    }
    for flow in ["browser", "idx"] {
      let server = try OrgServer(clientSecret: "s3cr3t")
      let report = try run(server.options + ["--flow", flow])
      report.end.expect(status: 2)
      expectEqual(report.result("dpop"), "failed")
      expectContains(report.message("dpop"), "secret")
    }
  }

  @Test("The other protocols say what is not checked")
  func protocols() throws {
    let server = try OrgServer()
    let direct = try run(server.options + ["--flow", "direct"])
    direct.end.expect(status: 0)
    expectEqual(direct.message("redirect URI"), "not checked: --flow direct needs none")
    expectEqual(direct.result("grant"), "warning")
    let classic = try run(server.options + ["--flow", "classic"])
    classic.end.expect(status: 0)
    expectEqual(
      classic.message("grant"),
      "the authorization endpoint accepts the app and the redirect URI")
    let wrong = try run(server.options + ["--flow", "classic", "--client-id", "0oaOther"])
    expectEqual(wrong.result("grant"), "failed")
    let app = Array(server.options.dropLast(2))
    let session = try run(app + ["--flow", "classic", "--session-token"])
    expectEqual(
      session.message("grant"), "not checked: the classic API responds only after a password")
  }

  @Test(
    "The protocols in a browser need their grant type and endpoint",
    arguments: ["browser", "device"])
  func browser(flow: String) async throws {
    let server = try OrgServer()
    let report = try run(server.options + ["--flow", flow])
    report.end.expect(status: 0)
    expectEqual(report.result("grant"), "ok")
    let wrong = try run(server.options + ["--flow", flow, "--client-id", "0oaAnother"])
    expect(wrong.end.status != 0)
    expectEqual(wrong.result("grant"), "failed")
    expectContains(wrong.message("grant"), "0oaAnother")
    if flow == "browser" {
      let elsewhere = try run(
        server.options + ["--flow", flow, "--redirect-uri", "com.example.other:/callback"])
      expect(elsewhere.end.status != 0)
      expectEqual(elsewhere.result("redirect URI"), "failed")
    }
    await server.org.misconfigure(.interactionCodeDisabled)
    let idx = try run(server.options)
    expectEqual(idx.result("grant"), "failed")
    expectContains(idx.remedy("grant"), "--flow browser")
  }

  @Test(
    "A redirect URI that the server refuses fails its check; over ssh, one on this computer comes with port forwarding"
  )
  func refusedRedirectURI() throws {
    let server = try OrgServer()
    let reservation = try ReservedPort()
    defer { withExtendedLifetime(reservation) {} }
    let port = reservation.number
    let words = server.options + ["--redirect-uri", "http://127.0.0.1:\(port)/callback"]
    let report = try run(words)
    expectEqual(report.result("grant"), "skipped")
    expectEqual(report.result("redirect URI"), "failed")
    expectContains(report.message("redirect URI"), "is not registered for the app")
    expectContains(report.remedy("redirect URI"), "ask the person who gave you this value")
    report.end.expect(status: 2)
    expectEmpty(report.end.errors)
    // Without an app, nobody knows its redirect URIs.
    let remote = try run(
      words + ["--client-id", "0oaWrong"], ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"])
    expectPrefix(remote.message("grant"), "The org \(server.host) has no active app")
    expectContains(remote.remedy("grant"), "In the Admin Console, open Applications")
    expectEqual(remote.result("redirect URI"), "warning")
    expectContains(remote.remedy("redirect URI"), "ssh -L \(port):127.0.0.1:\(port) 192.0.2.2")
  }

  @Test("A store that fails has status 9")
  func store() throws {
    let server = try OrgServer()
    let folder = try TemporaryFolder()
    let report = try run(server.options, ["XDG_DATA_HOME": folder.file("file", "")])
    report.end.expect(status: 9)
    expectEqual(report.result("store"), "failed")
  }

  @Test("A proxy is named without its password")
  func proxy() throws {
    let report = try run(
      ["--issuer", "https://dev-1234.okta.invalid"] + Self.otherApp,
      ["https_proxy": "http://ada:geheim@127.0.0.1:9"])
    let text = report.message("proxy")
    expect(text.contains("127.0.0.1:9 (set in https_proxy)") && !text.contains("geheim"))
    expectEqual(report.message("dns"), "not checked: the proxy looks up names")
    expectContains(report.remedy("connection"), "https_proxy")
  }
}
