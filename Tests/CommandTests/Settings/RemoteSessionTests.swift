import Expectations
import Foundation
import IDXSimulatedOrg
import PortSupport
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("Sign-ins over ssh", .tags(.startsPrograms), .fewPrograms)
struct RemoteSessionTests {
  private func advice(_ environment: [String: String], _ uri: String) throws -> String? {
    let redirect = LoopbackRedirect(try require(URL(string: uri)))
    return redirect.flatMap {
      RemoteSession(environment, hostName: { "box.example" })?.advice(for: $0).description
    }
  }

  @Test(
    "The advice names the port and this computer, if there is ssh and a loopback redirect URI, and no variable inserts a command"
  )
  func named() throws {
    let uri = "http://localhost:8484/callback"
    let address = try advice(["SSH_CONNECTION": "192.0.2.1 5 2001:db8::2 22"], uri)
    expectEqual(address?.contains("ssh -L 8484:127.0.0.1:8484 2001:db8::2"), true)
    let name = try advice(["SSH_TTY": "/dev/pts/1"], uri)
    let six = try advice(["SSH_TTY": "/dev/pts/1"], "http://[::1]:8484/callback")
    expectEqual(six?.hasSuffix("ssh -L 8484:[::1]:8484 box.example"), true)
    expectEqual(name?.contains("ssh -L 8484:127.0.0.1:8484 box.example"), true)
    try expectEqual(advice(["SSH_TTY": ""], uri), nil)
    try expectEqual(advice(["SSH_TTY": "/dev/pts/1"], "com.example.app:/callback"), nil)
    try expectEqual(advice(["SSH_TTY": "/dev/pts/1"], "https://app.example/callback"), nil)
    let unsafe = try advice(
      ["SSH_CONNECTION": "a 1 $(reboot) 22"], "http://127.0.0.1:1/callback")
    expectEqual(unsafe?.contains("reboot"), false)
  }

  @Test(
    "At a terminal, the advice follows the address of the page, and no browser is said to have opened it"
  )
  func terminal() async throws {
    let reservation = try ReservedPort()
    defer { withExtendedLifetime(reservation) {} }
    let port = reservation.number
    let server = try OrgServer(
      policy: OrgScenario["idp-only"].policy,
      redirectURI: "http://127.0.0.1:\(port)/callback")
    let terminal = try PseudoTerminal()
    let program = try terminal.startSignIn(
      to: server,
      variables: ["SSH_CONNECTION": "192.0.2.1 5 192.0.2.2 22", "BROWSER": "true"])
    try await terminal.lines(until: "Open this address in a browser:")
    let shown = try await terminal.lines(until: "Waiting for you to finish in the browser")
    expectContains(shown, "ssh -L")
    expectContains(shown.replacing(/\s+/, with: " "), "\(port):127.0.0.1:\(port) 192.0.2.2 ")
    expect(!shown.contains("opened"))
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }
}
