import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("idx-flow aws", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct AWSCommandTests {
  private static let arn = "arn:aws:iam::123456789012:role/NAME"

  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer(users: [.demo, .bob])
  }

  private func words(_ sts: STSServer, role: String = arn, _ more: String...) -> [String] {
    ["aws", "--endpoint", sts.endpoint, "--role-arn", role] + more
  }

  @Test("The output is the JSON of credential_process, with keys for the ID token")
  func process() async throws {
    let sts = try STSServer()
    let credential = try await home.signIn(at: server)
    let end = try home.run(words(sts))
    end.expect(status: 0, end.errors.isEmpty)
    let object = try end.json
    expectEqual(
      object.object?.members.map(\.name),
      ["Version", "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"])
    expect(object["Version"] == 1 && object["SecretAccessKey"] == "secret+key/1")
    let form = try require(sts.forms.first)
    expectEqual(form["WebIdentityToken"], credential.tokens.idToken?.revealed)
    expectEqual(form["RoleSessionName"], "ada@example.com")
    expectEqual(form["DurationSeconds"], nil)
    expectEmpty(server.paths)
  }

  @Test(
    "The second call sends no request, also after a refresh; another role does; a sign-out deletes the keys",
    .promise("aws-keys"))
  func kept() async throws {
    let sts = try STSServer()
    let credential = try await home.signIn(at: server)
    let first = try home.run(words(sts))
    let second = try home.run(words(sts))
    expect(first.output == second.output && second.errors.isEmpty && sts.forms.count == 1)
    try home.run("refresh").expect(status: 0)
    let third = try home.run(words(sts))
    expect(third.output == first.output && sts.forms.count == 1)
    let other = try home.run(words(sts, role: Self.arn + "2"))
    try expectEqual(other.json["AccessKeyId"], "ASIAEXAMPLE2")
    let longer = try home.run(words(sts, "--duration", "7200"))
    try expectEqual(longer.json["AccessKeyId"], "ASIAEXAMPLE3")
    expectEqual(sts.forms.last?["DurationSeconds"], "7200")
    try expectContains(String(contentsOf: home.file(), encoding: .utf8), "ASIAEXAMPLE3")
    try await expectEqual(home.store.credential(credential.id)?.awsKeys.count, 3)

    sts.stop()
    try expectEqual(home.run(words(sts)).output, first.output)
    try home.run("signout").expect(status: 0)
    try await expectEmpty(home.store.entries())
    let files = try FileManager.default.subpathsOfDirectory(atPath: home.path)
    expect(!files.contains { home.folder.text(of: "idx-flow/\($0)").contains("ASIAEXAMPLE") })
    let gone = try home.run(words(sts))
    gone.expect(status: 8, gone.output.isEmpty)
  }

  @Test("An ID token that is about to expire is refreshed first")
  func idTokenRefreshed() async throws {
    let sts = try STSServer()
    let credential = try await home.signIn(at: server, age: 3570)
    try home.run(words(sts)).expect(status: 0)
    let saved = try await require(home.store.credential(credential.id))
    expect(saved.tokens.idToken != credential.tokens.idToken)
    expectEqual(sts.forms.first?["WebIdentityToken"], saved.tokens.idToken?.revealed)
  }

  @Test("Without an ID token, the scope is named, and nobody is asked to sign in in vain")
  func noIDToken() async throws {
    let sts = try STSServer()
    let saved = try await home.signIn(at: server)
    try await home.replaceTokens(of: saved, with: Tokens(accessToken: "a", expiresIn: 3600))
    let terminal = try PseudoTerminal()
    let end = try home.run(words(sts), input: terminal.path)
    end.expect(status: 2, end.output.isEmpty && sts.forms.isEmpty)
    let app = "--issuer \(server.issuer) --client-id \(server.org.clientID)"
    let command = "idx-flow signin \(app) --scope 'openid profile offline_access'"
    expectContains(end.errors, "What to do: Sign in with it: \(command)")
  }

  @Test(
    "A refusal is explained, with its status, and without the token; nothing is printed or kept")
  func refused() async throws {
    let sts = try STSServer { _ in
      STSServer.refusal(
        "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", status: 403)
    }
    let credential = try await home.signIn(at: server)
    let end = try home.run(words(sts, "--verbose"))
    end.expect(status: 4, end.output.isEmpty)
    expectContains(end.errors, "its trust policy does not accept this sign-in")
    expectContains(end.errors, "trace: POST / 403")
    expectContains(end.errors, credential.id.subject ?? "?")
    expect(!end.errors.contains("eyJ"))
    try await expectEqual(home.store.credential(credential.id), credential)
  }

  @Test(
    "Wrong values have status 2, before any request", .promise("aws-token"),
    arguments: [
      (["aws"], "No role is named."), (["aws", "--role-arn", "NAME"], "must be the ARN of a role"),
      (["aws", "--role-arn", arn, "--duration", "899"], "from 900 to 43200"),
      (["aws", "--role-arn", arn, "--duration", "1h"], "from 900 to 43200"),
      (["aws", "--role-arn", arn, "--session-name", "a b"], "must have 2 to 64"),
      (["aws", "--role-arn", arn, "--region", "Mars"], "must be a region"),
      (["aws", "--role-arn", arn, "--endpoint", "http://sts.example.com"], "is not https"),
      (
        ["aws", "--role-arn", arn, "--endpoint", "https://u@sts.example.com"], "must be an address"
      ),
      (["aws", "--role-arn", arn, "--endpoint", "sts.example.com"], "must be an address"),
    ])
  func wrongValues(words: [String], reason: String) async throws {
    try await home.signIn(at: server)
    let end = try home.run(words)
    end.expect(status: 2, end.output.isEmpty)
    expectContains(end.errors, reason)
  }

  @Test("Without a person, or with --no-input, the command to sign in is named, with status 8")
  func nobody() throws {
    let sts = try STSServer()
    let byIssuer = words(sts, "--issuer", server.issuer, "--client-id", server.org.clientID)
    let end = try home.run(byIssuer)
    end.expect(status: 8, end.output.isEmpty && sts.forms.isEmpty)
    expectContains(
      end.errors, "idx-flow signin --issuer \(server.issuer) --client-id \(server.org.clientID)\n")
    try home.saveProfile("work", for: server)
    let terminal = try PseudoTerminal()
    let byProfile = words(sts, "--profile", "work", "--no-input")
    let silent = try home.run(byProfile, input: terminal.path)
    silent.expect(status: 8, silent.output.isEmpty)
    expectContains(silent.errors, "idx-flow signin --profile work\n")
  }

  @Test(
    "At a terminal, the person signs in again there, and the output is the JSON only; without the sign-in there is none"
  )
  func signsInAgain() async throws {
    let sts = try STSServer()
    try home.saveProfile("work", for: server)
    let another = try PseudoTerminal()
    let canceled = try home.program(words(sts, "--profile", "work"), input: another.path)
    try await another.lines(until: "Username: ")
    try another.type("\u{3}")
    let none = canceled.end()
    none.expect(status: 130, none.output.isEmpty && sts.forms.isEmpty)
    try await home.signIn(at: server, scopes: ["openid"], age: 4000)
    let other = try OrgServer()
    let current = try await home.signIn(at: other).id
    let terminal = try PseudoTerminal()
    let program = try home.program(words(sts, "--profile", "work"), input: terminal.path)
    let reason = try await terminal.signIn(at: "Username [ada@example.com]: ", as: "")
    expectPrefix(reason, "Your session is over: ada@example.com at ")
    let end = program.end()
    end.expect(status: 0)
    try expectEqual(end.json["AccessKeyId"], "ASIAEXAMPLE1")
    expect(end.output.hasPrefix("{") && end.output.split(separator: "\n").count == 1)
    expectContains(end.errors, "Signed in as ada@example.com at 127.0.0.1:")
    expectEqual(sts.forms.count, 1)
    // Another program asked for it, and the account of all other commands stays.
    try await expectEqual(home.store.currentID(), current)
  }

  @Test("At a terminal, a warning names the role of the keys")
  func shown() async throws {
    let sts = try STSServer()
    try await home.signIn(at: server)
    let terminal = try PseudoTerminal()
    let end = try home.run(words(sts), output: terminal.path)
    end.expect(status: 0)
    expectEqual(end.errors, "Anyone who has these keys can act as \(Self.arn).\n")
  }

  @Test("Keys that cannot be kept are printed all the same, with a note")
  func notKept() async throws {
    let home = home
    let sts = try STSServer { number in
      // While AWS responds, the folder stops to be writable.
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: home.path + "/credentials")
      return STSServer.keys(number: number)
    }
    try await home.signIn(at: server)
    let end = try home.run(words(sts))
    end.expect(status: 0)
    try expectEqual(end.json["AccessKeyId"], "ASIAEXAMPLE1")
    expectPrefix(end.errors, "idx-flow: The keys are not kept. ")
  }
}
