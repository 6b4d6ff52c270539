import Expectations
import Foundation
import IDX
import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys
import Testing

/// Descriptions show no secret.
struct RedactionTests {
  @Test("An org and an error about its saved tokens show no password, handle, code or token")
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

    let saved = try await org.savedTokens()
    let other = SimulatedOrg(issuer: "https://other.example", users: [.demo])
    for data in [saved, saved.prefix(saved.count / 2)] {
      let error = try await #require(throws: SavedTokensError.self) {
        try await other.restoreTokens(from: data)
      }
      let shown = printedTexts(of: error)
      try expect(!shown.contains(require(client.refreshToken)))
      expect(!shown.contains(client.accessToken))
    }
  }

  @Test("Users show no password, key, answer or PIN, and a software authenticator no private key")
  func users() async {
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

    expect(!printedTexts(of: SoftwareAuthenticator.demo).contains("privateKey"))
  }
}
