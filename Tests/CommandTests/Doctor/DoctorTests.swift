import Expectations
import Foundation
import IDXBase
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("The doctor", .tags(.startsPrograms), .fewPrograms)
struct DoctorTests {
  private let terminal: PseudoTerminal

  init() throws { terminal = try PseudoTerminal() }

  /// Runs the doctor at a terminal; the checks by their names.
  private func run(
    _ words: [String], _ environment: [String: String] = [:]
  ) throws -> (end: Program.End, checks: [String: JSONValue]) {
    let own = ["TERM": "xterm", "LANG": "C.UTF-8", "PATH": "/nowhere"]
    let end = try Program(
      ["doctor", "--json", "--timeout", "600"] + words,
      environment: own.merging(environment) { $1 },
      input: terminal.path
    ).end()
    let list = try JSONValue(parsing: end.output.utf8)["checks"]?.array ?? []
    let checks = list.map { ($0["name"]?.string ?? "", $0) }
    return (end, Dictionary(uniqueKeysWithValues: checks))
  }

  private func settings(
    _ server: OrgServer, clientID: String? = nil, redirectURI: String? = nil
  ) -> [String] {
    [
      "--issuer", server.issuer, "--client-id", clientID ?? server.org.clientID, "--redirect-uri",
      redirectURI ?? server.org.redirectURI,
    ]
  }

  private func results(_ checks: [String: JSONValue]) -> [String: String] {
    checks.compactMapValues { $0["result"]?.string }
  }

  @Test("If a sign-in can work with its options, the status is 0, and nobody has signed in")
  func works() throws {
    let server = try OrgServer()
    let (end, checks) = try run(settings(server))
    expectEqual(end.status, 0, "\(end.output)")
    expectEqual(
      results(checks),
      [
        "configuration": "ok", "engine": "ok", "proxy": "ok", "dns": "skipped", "connection": "ok",
        "tls": "skipped", "discovery": "ok", "clock": "ok", "keys": "ok", "grant": "ok",
        "dpop": "ok", "redirect URI": "ok", "store": "ok", "terminal": "ok",
        "security keys": "warning", "Okta Verify": "ok",
      ])
    expectEqual(checks["grant"]?["message"]?.string?.contains("the first step is identify"), true)
    expectEqual(checks["security keys"]?["message"], "the programs of libfido2 are not installed")
    expect(!server.paths.contains { $0.hasSuffix("/identify") })
    // With a code that does not exist.
    expectEqual(server.paths.count { $0.hasSuffix("/token") }, 1)
    let options = ["--username", "ada", "--force", "--recover", "--lang", "de", "--max-age", "5"]
    let (other, _) = try run(settings(server) + options)
    expectEqual(other.status, 0, "\(other.errors)")
    for option in ["--demo", "--front-end"] {
      let refused = try Program.run(["doctor", option, "json"])
      expect(refused.status == 2 && refused.errors.contains("doctor has no option \(option)."))
    }
  }

  @Test(
    "An app that requires tokens with a key is reported, and fails only if that is switched off",
    arguments: [("when-required", "ok"), ("always", "ok"), ("never", "failed")])
  func requiredKey(policy: String, verdict: String) throws {
    let server = try OrgServer(policy: OrgScenario["dpop"].policy)
    let (end, checks) = try run(settings(server) + ["--dpop", policy])
    expectEqual(checks["dpop"]?["result"]?.string, verdict)
    expectEqual(checks["dpop"]?["message"]?.string?.contains("the app requires tokens"), true)
    expectEqual(end.status, verdict == "ok" ? 0 : 2)
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
    func check() throws -> (end: Program.End, check: JSONValue?) {
      let (end, checks) = try run(
        settings(server) + ["--role-arn", arn],
        ["AWS_ENDPOINT_URL_STS": sts.endpoint, "XDG_DATA_HOME": home.folder.url.path])
      return (end, checks["aws"])
    }
    let nobody = try check()
    expect(nobody.end.status == 0 && nobody.check?["result"] == "skipped" && sts.forms.isEmpty)
    expectEqual(nobody.check?["remedy"]?.string?.contains(provider), true)

    let credential = try await home.signIn(at: server)
    let works = try check()
    expectEqual(works.check?["result"], "ok")
    expectEqual(works.check?["message"], .string("\(arn) trusts \(provider)"))
    expectEqual(sts.forms.first?["WebIdentityToken"], credential.tokens.idToken?.revealed)

    let refused = try check()
    expectEqual(refused.check?["result"], "failed")
    expectEqual(refused.check?["message"]?.string?.contains("does not have the audience"), true)
    expect(refused.end.status == 4 && !refused.end.output.contains("eyJ"))
    expect(!refused.end.output.contains("ASIAEXAMPLE"))
    try await expectEqual(home.store.credential(credential.id), credential)
    let wrong = try Program(
      ["doctor", "--timeout", "600", "--role-arn", "NAME"] + settings(server),
      environment: ["TERM": "xterm", "PATH": "/nowhere"], input: terminal.path
    ).end()
    expect(wrong.status == 2 && wrong.output.contains("--role-arn must be the ARN of a role"))
    expectEqual(wrong.errors, "A sign-in can work. The check of AWS failed.\n")
  }

  @Test(
    "The discovery fails if there is no authorization server, or one that says that it is another issuer",
    .promise("other-issuer"))
  func otherIssuer() throws {
    let server = try OrgServer()
    let other = server.issuer.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    let (end, checks) = try run(settings(server) + ["--issuer", other])
    expectEqual(end.status, 2)
    expectEqual(checks["discovery"]?["result"], "failed")
    expectEqual(
      checks["discovery"]?["message"]?.string?.contains("\(server.issuer), not \(other)"), true)
    let (none, checksOfNone) = try run([
      "--issuer", server.issuer + "2", "--client-id", "c", "--redirect-uri", "a:/b",
    ])
    expectEqual(none.status, 2)
    expectEqual(checksOfNone["discovery"]?["result"], "failed")
    let remedy = try require(checksOfNone["discovery"]?["remedy"]?.string)
    expect(!remedy.contains("doctor"))
    for name in ["keys", "grant"] { expectEqual(checksOfNone[name]?["result"], "skipped") }
  }

  @Test("A variable in place of a chosen profile is a warning")
  func variableBeforeProfile() throws {
    let home = try TemporaryFolder()
    let text =
      #"{"profiles": {"work": {"issuer": "http://127.0.0.1:9", "clientId": "w", "redirectUri": "a:/b"}}}"#
    try FileManager.default.createDirectory(
      atPath: home.path("idx-flow"), withIntermediateDirectories: true)
    _ = try home.file("idx-flow/profiles.json", text)
    let environment = ["XDG_CONFIG_HOME": home.path(""), "OKTA_IDX_CLIENTID": "other"]
    let checks = try run(["--profile", "work"], environment).checks
    expectEqual(checks["configuration"]?["result"], "warning")
    expectEqual(
      checks["configuration"]?["remedy"]?.string?.hasPrefix(
        "OKTA_IDX_CLIENTID is used in place of the profile “work”."), true)
  }

  @Test("Without --json, each check is a line, and a remedy follows")
  func lines() throws {
    let server = try OrgServer()
    let end = try Program(
      ["doctor", "--timeout", "600"] + settings(server) + ["--client-id", "0oaWrong"],
      environment: ["TERM": "xterm", "PATH": "/nowhere"], input: terminal.path
    ).end()
    expectEqual(end.status, 2)
    expectContains(end.output, "\nok       discovery      \(server.issuer) is an authorization")
    expectContains(
      end.output,
      "\nfailed   grant          The org 127.0.0.1:\(server.org.issuer.port ?? 0) has no active app"
    )
    expectContains(end.output, "\n         What to do: In the Admin Console, open Applications")
    expectEqual(end.errors, "A sign-in cannot work. These checks failed: grant.\n")
  }

  @Test(
    "Missing settings skip the checks of the server, each says why, and those with the same reason share a line"
  )
  func noSettings() throws {
    let (end, checks) = try run([])
    expectEqual(end.status, 2)
    expectEqual(checks["configuration"]?["result"], "failed")
    expectEqual(checks["configuration"]?["message"]?.string?.contains("--client-id"), true)
    for name in ["dns", "tls", "discovery", "keys", "grant"] {
      expectEqual(checks[name]?["result"], "skipped")
      expectEqual(checks[name]?["message"], "not checked: the configuration cannot be used")
    }
    expectEqual(checks["store"]?["result"], "ok")
    let text = try Program(
      ["doctor"], environment: ["TERM": "xterm", "PATH": "/nowhere"], input: terminal.path
    ).end()
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
    let (end, checks) = try run(settings(stopped))
    expectEqual(end.status, 6)
    expectEqual(checks["connection"]?["result"], "failed")
    expectEqual(checks["connection"]?["remedy"]?.string?.isEmpty, false)
    for name in ["discovery", "clock", "keys", "grant"] {
      expectEqual(
        checks[name]?["message"], "not checked: there is no secure connection to the server")
    }
    let silent = try LoopbackServer()
    let (late, checksOfSilent) = try run([
      "--issuer", "http://127.0.0.1:\(silent.port)", "--client-id", "c", "--redirect-uri", "a:/b",
      "--timeout", "0.2",
    ])
    // Without it, the port could be closed before the program connects.
    withExtendedLifetime(silent) {}
    expectEqual(late.status, 6)
    expectEqual(
      checksOfSilent["connection"]?["message"]?.string?.contains("No response came within 0.2"),
      true)
    let (unknown, checksOfUnknown) = try run([
      "--issuer", "https://no-such-host.invalid", "--client-id", "c", "--redirect-uri", "a:/b",
      "--timeout", "5",
    ])
    expectEqual(unknown.status, 6)
    expectEqual(checksOfUnknown["dns"]?["result"], "failed")
    expectEqual(checksOfUnknown["dns"]?["message"]?.string?.contains("no-such-host.invalid"), true)
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
      let (end, checks) = try run(settings(server))
      expectEqual(end.status, status, "\(seconds)")
      expectEqual(checks["clock"]?["result"]?.string, result)
      expectEqual(checks["clock"]?["remedy"]?.string?.contains("timedatectl"), true)
    }
  }

  @Test(
    "A mistake in the org, or an app with a secret, fails a check before a sign-in, with a remedy")
  func mistakes() async throws {
    for mistake in [SetupMistake.grantTypeDisabled, .noMatchingPolicy, .customServersDisabled] {
      let server = try OrgServer()
      await server.org.misconfigure(mistake)
      let (end, checks) = try run(settings(server))
      expectEqual(end.status, 2, "\(mistake)")
      expectEqual(checks["grant"]?["result"], "failed", "\(mistake)")
      expectEqual(checks["grant"]?["remedy"]?.string?.isEmpty, false)
    }
    for flow in ["browser", "idx"] {
      let server = try OrgServer(clientSecret: "s3cr3t")
      let (end, checks) = try run(settings(server) + ["--flow", flow])
      expectEqual(end.status, 2)
      expectEqual(checks["dpop"]?["result"], "failed")
      expectEqual(checks["dpop"]?["message"]?.string?.contains("secret"), true)
    }
  }

  @Test("The other protocols say what is not checked")
  func protocols() throws {
    let server = try OrgServer()
    let direct = try run(settings(server) + ["--flow", "direct"])
    expectEqual(direct.end.status, 0)
    expectEqual(direct.checks["redirect URI"]?["message"], "not checked: --flow direct needs none")
    expectEqual(direct.checks["grant"]?["result"], "warning")
    let classic = try run(settings(server) + ["--flow", "classic"])
    expectEqual(classic.end.status, 0)
    expectEqual(
      classic.checks["grant"]?["message"],
      "the authorization endpoint accepts the app and the redirect URI")
    let wrong = try run(settings(server, clientID: "0oaOther") + ["--flow", "classic"])
    expectEqual(wrong.checks["grant"]?["result"], "failed")
    let none = Array(settings(server).dropLast(2))
    let session = try run(none + ["--flow", "classic", "--session-token"])
    expectEqual(
      session.checks["grant"]?["message"],
      "not checked: the classic API responds only after a password")
  }

  @Test(
    "The protocols in a browser need their grant type and endpoint",
    arguments: ["browser", "device"])
  func browser(flow: String) async throws {
    let server = try OrgServer()
    let (end, checks) = try run(settings(server) + ["--flow", flow])
    expectEqual(end.status, 0)
    expectEqual(checks["grant"]?["result"], "ok")
    let wrong = try run(settings(server, clientID: "0oaAnother") + ["--flow", flow])
    expect(wrong.end.status != 0)
    expectEqual(wrong.checks["grant"]?["result"], "failed")
    expectEqual(wrong.checks["grant"]?["message"]?.string?.contains("0oaAnother"), true)
    if flow == "browser" {
      let elsewhere = try run(
        settings(server, redirectURI: "com.example.other:/callback") + ["--flow", flow])
      expect(elsewhere.end.status != 0)
      expectEqual(elsewhere.checks["redirect URI"]?["result"], "failed")
    }
    await server.org.misconfigure(.interactionCodeDisabled)
    let idx = try run(settings(server))
    expectEqual(idx.checks["grant"]?["result"], "failed")
    expectEqual(idx.checks["grant"]?["remedy"]?.string?.contains("--flow browser"), true)
  }

  @Test(
    "A redirect URI that the server refuses fails its check; over ssh, one on this computer comes with port forwarding"
  )
  func refusedRedirectURI() throws {
    let server = try OrgServer()
    let (end, checks) = try run([
      "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
      "http://127.0.0.1:8484/callback",
    ])
    expectEqual(checks["grant"]?["result"], "skipped")
    expectEqual(checks["redirect URI"]?["result"], "failed")
    expectEqual(
      checks["redirect URI"]?["message"]?.string?.contains("is not registered for the app"), true)
    expectEqual(
      checks["redirect URI"]?["remedy"]?.string?.contains("ask the person who gave you this value"),
      true)
    expectEqual(end.status, 2)
    expectEmpty(end.errors)
    let (_, remote) = try run(
      [
        "--issuer", server.issuer, "--client-id", "c", "--redirect-uri",
        "http://127.0.0.1:8484/callback",
      ], ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"])
    expectEqual(remote["redirect URI"]?["result"], "warning")
    expectEqual(
      remote["redirect URI"]?["remedy"]?.string?.contains("ssh -L 8484:127.0.0.1:8484 192.0.2.2"),
      true)
  }

  @Test("A store that fails has status 9")
  func store() throws {
    let server = try OrgServer()
    let folder = try TemporaryFolder()
    let (end, checks) = try run(settings(server), ["XDG_DATA_HOME": try folder.file("file", "")])
    expectEqual(end.status, 9)
    expectEqual(checks["store"]?["result"], "failed")
  }

  @Test("A proxy is named without its password")
  func proxy() throws {
    let (_, checks) = try run(
      [
        "--issuer", "https://dev-1234.okta.invalid", "--client-id", "c", "--redirect-uri", "a:/b",
        "--timeout", "600",
      ], ["https_proxy": "http://ada:geheim@127.0.0.1:9"])
    let text = try require(checks["proxy"]?["message"]?.string)
    expect(text.contains("127.0.0.1:9 (set in https_proxy)") && !text.contains("geheim"))
    expectEqual(checks["dns"]?["message"], "not checked: the proxy looks up names")
    expectEqual(checks["connection"]?["remedy"]?.string?.contains("https_proxy"), true)
  }
}
