import Expectations
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("The notice about where answers go", .tags(.startsPrograms), .fewPrograms)
struct IssuerNoticeTests {
  @Test(
    "Before the first question, the host is shown, and the variable that it comes from",
    .promise("issuer-shown"))
  func variable() async throws {
    let server = try OrgServer()
    let terminal = try PseudoTerminal()
    let program = try Program(
      ["signin", "--client-id", server.org.clientID, "--redirect-uri", server.org.redirectURI],
      environment: ["OKTA_IDX_ISSUER": server.issuer, "NO_COLOR": "1", "TERM": "xterm"],
      input: terminal.path)
    let shown = try await terminal.lines(until: "Username: ")
    let host = server.org.issuer.host ?? ""
    let port = server.org.issuer.port ?? 0
    expectContains(shown, "Your answers go to \(host):\(port) (set in OKTA_IDX_ISSUER).\n")
    program.send(2)
    _ = try await program.end()
  }

  @Test("The source is not repeated if the issuer comes from an option")
  func option() async throws {
    let server = try OrgServer()
    let terminal = try PseudoTerminal()
    let program = try Program(
      [
        "signin", "--scope", "openid profile", "--issuer", server.issuer, "--client-id",
        server.org.clientID, "--redirect-uri",
        server.org.redirectURI,
      ],
      environment: ["OKTA_IDX_ISSUER": "https://evil.example", "NO_COLOR": "1", "TERM": "xterm"],
      input: terminal.path)
    let shown = try await terminal.lines(until: "Username: ")
    let port = server.org.issuer.port ?? 0
    expectContains(shown, "Your answers go to 127.0.0.1:\(port).\n")
    program.send(2)
    _ = try await program.end()
  }
}
