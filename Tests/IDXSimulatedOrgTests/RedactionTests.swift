import Expectations
import Foundation
import IDX
import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys
import Testing

/// Descriptions show no secret.
struct RedactionTests {
  @Test("An org shows no password, handle, code or token")
  func org() async throws {
    let org = makeOrg()
    let client = try await OrgClient.withTokens(org)
    let user = SimulatedUser.demo
    let secrets = [
      client.accessToken, try require(client.refreshToken), client.interactionHandle,
      client.pkce.verifier.revealed, user.password.revealed,
    ]
    let text =
      printedTexts(of: org) + printedTexts(of: org.client) + printedTexts(of: org.tokenClient)
    for secret in secrets { expect(!secret.isEmpty && !text.contains(secret)) }
    expectContains(text, org.issuer.absoluteString)
  }

  @Test("An error about saved tokens shows no tokens")
  func savedTokens() async throws {
    let org = makeOrg()
    let client = try await OrgClient.withTokens(org)
    let saved = try await org.savedTokens()
    let other = SimulatedOrg(issuer: "https://other.example", users: [.demo])
    for data in [saved, saved.prefix(saved.count / 2)] {
      let error = try await #require(throws: SavedTokensError.self) {
        try await other.restoreTokens(from: data)
      }
      let text = printedTexts(of: error)
      try expect(!text.contains(require(client.refreshToken)))
      expect(!text.contains(client.accessToken))
    }
  }

  @Test("Users show no password, key, answer or PIN")
  func users() {
    var user = SimulatedUser(login: "ada", password: "hunter2-password")
    user.enrollments = [
      .googleAuthenticator(secret: "HUNTER2HUNTER2"),
      .securityQuestion(question: "Which?", answer: "hunter2-answer"),
    ]
    let text = printedTexts(of: user) + printedTexts(of: user.enrollments)
    expect(!text.lowercased().contains("hunter2"))
    for scenario in OrgScenario.all {
      expect(!printedTexts(of: scenario).contains(SimulatedUser.demo.password.revealed))
    }
  }

  @Test("A software authenticator shows no private key")
  func passkeys() async {
    let text = printedTexts(of: SoftwareAuthenticator.demo)
    expect(!text.contains("privateKey"))
  }
}
