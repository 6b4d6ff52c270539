import Expectations
import Foundation
import IDXBase
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("idx-flow aws --saml", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct AWSSAMLTests {
  @Test("AWS gives keys for the response, which are kept until a sign-out")
  func kept() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer()
    let words = [
      "aws", "--saml", org.url, "--role-arn", SAMLOrg.roles[1], "--endpoint", sts.endpoint,
    ]
    let first = try org.run(words)
    first.expect(status: 0)
    try expectEqual(first.json["AccessKeyId"], "ASIAEXAMPLE1")
    let form = try require(sts.forms.first)
    expectEqual(form["Action"], "AssumeRoleWithSAML")
    expectEqual(form["RoleArn"], SAMLOrg.roles[1])
    expectEqual(form["PrincipalArn"], "arn:aws:iam::123456789012:saml-provider/okta")
    expectEqual(form["DurationSeconds"], "3600")
    expect(!first.errors.contains((form["SAMLAssertion"] ?? "?").prefix(40)))
    let second = try org.home.run(words)
    expect(second.output == first.output && second.errors.isEmpty)
    expect(sts.forms.count == 1 && org.signInCount == 1)

    // The keys are no sign-in.
    let list = try org.runAlone("list")
    list.expect(status: 0, list.output.isEmpty)
    try org.runAlone("status").expect(status: 8)
    let signOut = try org.runAlone("signout")
    signOut.expect(status: 0)
    expectContains(signOut.errors, "The keys of AWS that were kept for SAML are deleted.")
    let gone = try org.home.run(words)
    gone.expect(status: 8, gone.output.isEmpty)
    try await expectEmpty(org.home.store.entries())
  }

  @Test(
    "A session that is kept gives keys of another role without a question, until a sign-out ends it",
    .promise("kept-session"))
  func keptSession() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer()
    func words(_ role: Int) -> [String] {
      ["aws", "--saml", org.url, "--role-arn", SAMLOrg.roles[role], "--endpoint", sts.endpoint]
    }
    // Without the option, the command ends the session.
    try org.run(words(0)).expect(status: 0)
    try org.home.run(words(1)).expect(status: 8)
    try org.runAlone("signout").expect(status: 0)

    try org.run(words(0) + ["--keep-session", "always"]).expect(status: 0)
    let other = try org.home.run(words(1))
    other.expect(status: 0)
    expect(sts.forms.last?["RoleArn"] == SAMLOrg.roles[1] && org.signInCount == 2)
    let signOut = try org.runAlone("signout")
    expectContains(signOut.errors, "The session of the org that was kept has ended.")
    expect(org.server.paths.contains { $0.hasSuffix("/api/v1/sessions/me") })
    try org.home.run(words(1)).expect(status: 8)
    try await expectEmpty(org.home.store.entries())
  }

  @Test("A sign-out while keys are fetched for a kept session is not undone")
  func signedOutMeanwhile() async throws {
    let org = try await SAMLOrg()
    let home = org.home
    let sts = try STSServer { number in
      // The second time, somebody signs out before AWS answers.
      if number > 1 {
        for credential in (try? await home.store.entries().compactMap(\.credential)) ?? [] {
          try? await home.store.remove(credential.id)
        }
      }
      return STSServer.keys(number: number)
    }
    let words = ["aws", "--saml", org.url, "--endpoint", sts.endpoint, "--role-arn"]
    let first = try org.run(words + [SAMLOrg.roles[0], "--keep-session", "always"])
    first.expect(status: 0)
    let second = try org.home.run(words + [SAMLOrg.roles[1]])
    second.expect(status: 0)
    try await expectEmpty(org.home.store.entries())
  }

  @Test("The browser gets the address of the console, and its arguments do not contain it")
  func console() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer()
    let federation = try LoopbackServer { _ in
      TransportResponse(
        status: 200, headers: ["Content-Type": "application/json"],
        body: Array(#"{"SigninToken": "secret-token-1"}"#.utf8))
    }
    let browser = try org.home.folder.file(
      "browser",
      """
      echo "$1" > "$0.arguments"
      rest=${1#http://}; host=${rest%%/*}
      exec 3<>/dev/tcp/${host%:*}/${host#*:}
      printf 'GET /%s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "${rest#*/}" "$host" >&3
      cat <&3 > "$0.answer"
      """)
    #if os(Linux)
      // A pipe, because the program may end before the browser has written the whole answer.
      try require(mkfifo("\(browser).answer", 0o600) == 0)
    #endif
    let end = try org.home.run(
      [
        "aws", "--saml", org.url, "--endpoint", sts.endpoint, "--role-arn", SAMLOrg.roles[0],
        "--console", "--open", "--federation", "\(federation.address)/federation", "--script",
        org.script,
      ], variables: ["BROWSER": "/bin/bash \(browser)"])
    try require(end.status == 0, "\(end)")
    expectEqual(end.output, "")
    expectContains(end.errors, "The console of AWS is open in the browser.")
    #if os(Linux)
      expectPrefix(org.home.folder.text(of: "browser.arguments"), "http://127.0.0.1:")
      let answer = try Program.run(["\(browser).answer"], of: "/bin/cat").output
      expectContains(answer, "\r\nLocation: \(federation.address)/federation?")
      expectContains(answer, "SigninToken=secret-token-1")
    #endif
  }

  @Test("The keys of another person than --user names are not given")
  func otherPerson() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer()
    let end = try org.run(
      "aws", "--saml", org.url, "--role-arn", SAMLOrg.roles[0], "--endpoint", sts.endpoint,
      "--user", "grace@example.com")
    end.expect(status: 4, end.output.isEmpty && sts.forms.isEmpty)
    expectContains(end.errors, "Another person than grace@example.com has signed in.")
  }

  @Test(
    "Without a terminal, one of several roles must be named; the error and --list-roles list them"
  )
  func several() async throws {
    let sts = try STSServer()
    let org = try await SAMLOrg()
    let end = try org.run("aws", "--saml", org.url, "--endpoint", sts.endpoint)
    end.expect(status: 2, end.output.isEmpty)
    for role in SAMLOrg.roles { expectContains(end.errors, "\n  \(role)\n") }
    let other = try org.run(
      "aws", "--saml", org.url, "--role-arn", SAMLOrg.roles[0] + "X", "--endpoint", sts.endpoint)
    other.expect(status: 4, other.output.isEmpty)
    expectContains(other.errors, "The org does not let you use the role \(SAMLOrg.roles[0])X.")
    let list = try org.run("aws", "--saml", org.url, "--list-roles")
    list.expect(status: 0)
    expectEqual(list.output, SAMLOrg.roles.map { "\($0)\n" }.joined())
    expectEmpty(sts.forms)
  }

  @Test("A role that AWS refuses is explained without the response, and nothing is kept")
  func refused() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer { _ in
      STSServer.refusal(
        "AccessDenied", "Not authorized to perform sts:AssumeRoleWithSAML", status: 403)
    }
    let end = try org.run(
      "aws", "--saml", org.url, "--role-arn", SAMLOrg.roles[0], "--endpoint", sts.endpoint,
      "--profile", "work", "--verbose")
    end.expect(status: 4, end.output.isEmpty)
    expectContains(end.errors, "saml-provider/okta")
    expect(!end.errors.contains((sts.forms.first?["SAMLAssertion"] ?? "?").prefix(40)))
    try await expectEmpty(org.home.store.entries())
    try org.runAlone("profile", "show", "work").expect(status: 2)
  }

  @Test("At a terminal, a menu asks for the role, and the profile remembers it with the app")
  func menu() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer()
    let terminal = try PseudoTerminal()
    let words = ["aws", "--profile", "work", "--endpoint", sts.endpoint]
    let program = try org.home.program(words + ["--saml", org.url], input: terminal.path)
    try await terminal.signIn()
    let shown = try await terminal.answer("Choose 1-2: ", "audit")
    expectContains(shown, "Which role of AWS?")
    expectContains(shown, "2  Audit (123456789012)")
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(end.json["AccessKeyId"], "ASIAEXAMPLE1")
    expectEqual(sts.forms.first?["RoleArn"], SAMLOrg.roles[1])
    expectContains(end.errors, "Remembered as the profile “work”")
    try expectEqual(org.home.run(words).output, end.output)
    let profile = try org.runAlone("profile", "show", "work")
    for text in [org.url, SAMLOrg.roles[1], "ada@example.com"] {
      expectContains(profile.output, text)
    }
    try org.runAlone("signout", "--profile", "work").expect(status: 0)
    try await expectEmpty(org.home.store.entries())
  }

  @Test("A profile keeps its role and its app, and a note says so")
  func otherChoices() async throws {
    let org = try await SAMLOrg()
    let sts = try STSServer()
    func run(_ words: String...) throws -> Program.End {
      try org.run(["aws", "--profile", "work", "--endpoint", sts.endpoint] + words)
    }
    try run("--saml", org.url, "--role-arn", SAMLOrg.roles[0]).expect(status: 0)
    let before = try org.runAlone("profile", "show", "work").output
    let role = try run("--role-arn", SAMLOrg.roles[1])
    try expectEqual(role.json["AccessKeyId"], "ASIAEXAMPLE2")
    expectContains(
      role.errors,
      "The profile “work” keeps its role. To change it: idx-flow profile set work --role-arn")
    // The role of the profile is one of its own app.
    let other = try run("--saml", org.link)
    other.expect(status: 2)
    expectContains(other.errors, "You can use several roles.")
    let app = try run("--saml", org.link, "--role-arn", SAMLOrg.roles[1])
    try expectEqual(app.json["AccessKeyId"], "ASIAEXAMPLE3")
    expectContains(app.errors, "The profile “work” keeps its app.")
    try expectEqual(org.runAlone("profile", "show", "work").output, before)
    let changed = try org.runAlone("profile", "set", "work", "--role-arn", SAMLOrg.roles[1])
    changed.expect(status: 0)
    try expectEqual(run().json["AccessKeyId"], "ASIAEXAMPLE2")
  }

  @Test("The default profile gets an app only if it has one")
  func unnamed() async throws {
    let org = try await SAMLOrg(roles: [SAMLOrg.roles[0]])
    let sts = try STSServer()
    try org.home.saveProfile(for: org.server)
    let before = try org.runAlone("profile", "show").output
    // The only role needs no name.
    let end = try org.run("aws", "--saml", org.url, "--endpoint", sts.endpoint)
    try expectEqual(end.json["AccessKeyId"], "ASIAEXAMPLE1", end.errors)
    try expectEqual(org.runAlone("profile", "show").output, before)
  }
}
