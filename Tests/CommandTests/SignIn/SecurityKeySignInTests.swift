import Expectations
import Foundation
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

/// A step for a security key on a computer without the programs of libfido2.
@Suite(.tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct SecurityKeySignInTests {
  private let home: DataHome

  init() throws { home = try DataHome() }

  @Test("Without the programs, the step says what to install, and offers other ways")
  func missing() async throws {
    let scenario = OrgScenario["passkey"]
    let server = try OrgServer(users: scenario.users, policy: scenario.policy)
    try home.saveProfile(for: server)
    let terminal = try PseudoTerminal()
    let program = try home.program(
      ["signin"], input: terminal.path, variables: ["PATH": home.folder.path("none")])
    try await terminal.answer("Username: ", "ada@example.com")
    try await terminal.answer("Password: ", "Analytical-1843")
    let shown = try await terminal.lines(until: "Choose 1-")
    expectContains(
      shown.replacing("\n", with: " "), "fido2-token is not installed. Install fido2-tools")
    expectContains(shown, "Continue in the browser")
    try terminal.type("\u{3}")
    expectEqual(program.end().status, 130)
  }
}
