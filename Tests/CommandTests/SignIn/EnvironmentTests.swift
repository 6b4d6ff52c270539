import Expectations
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("The environment of a sign-in", .tags(.startsPrograms), .fewPrograms)
struct EnvironmentTests {
  private let server: OrgServer

  init() throws { server = try OrgServer() }

  private func signIn(_ variables: [String: String]) throws -> Program.End {
    let home = try DataHome()
    return try home.run(home.signInArguments(at: server), variables: variables)
  }

  @Test(
    "A variable that makes the system print requests has no effect", .promise("debug-variables"))
  func debugOutput() throws {
    let keys = try TemporaryFolder()
    let end = try signIn([
      "URLSessionDebugLibcurl": "1", "URLSessionDebug": "1", "SSLKEYLOGFILE": keys.path("keys"),
    ])
    end.expect(status: 0)
    expect(!end.errors.contains("Analytical-1843") && !end.errors.contains("POST"))
    expectEmpty(keys.text(of: "keys"))
  }

  @Test(
    "A proxy is never used for this computer", .promise("proxy-use"),
    arguments: [[:], ["NO_PROXY": "corp.example"], ["no_proxy": "corp.example"]])
  func proxy(excluded: [String: String]) throws {
    let proxies = ["http_proxy": "127.0.0.1:9", "ALL_PROXY": "127.0.0.1:9"]
    let end = try signIn(proxies.merging(excluded) { $1 })
    end.expect(status: 0)
  }

  @Test(
    "Before the first question, the host is shown, and the variable that it comes from, but no option",
    .promise("issuer-shown"))
  func notice() async throws {
    let terminal = try PseudoTerminal()
    let program = try Program(
      ["signin", "--client-id", server.org.clientID, "--redirect-uri", server.org.redirectURI],
      environment: ["OKTA_IDX_ISSUER": server.issuer, "NO_COLOR": "1", "TERM": "xterm"],
      input: terminal.path)
    let shown = try await terminal.lines(until: "Username: ")
    expectContains(shown, "Your answers go to \(server.host) (set in OKTA_IDX_ISSUER).\n")
    program.send(2)
    _ = program.end()
    let other = try terminal.startSignIn(
      to: server, variables: ["OKTA_IDX_ISSUER": "https://evil.example"])
    let shortNotice = try await terminal.lines(until: "Username: ")
    expectContains(shortNotice, "Your answers go to \(server.host).\n")
    other.send(2)
    _ = other.end()
  }
}
