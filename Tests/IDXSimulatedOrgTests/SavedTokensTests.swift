import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Saved tokens of a simulated org.
struct SavedTokensTests {
  /// Another org with the saved tokens.
  private func copy(of org: SimulatedOrg) async throws -> SimulatedOrg {
    let other = makeOrg()
    try await other.restoreTokens(from: try await org.savedTokens())
    return other
  }

  @Test("Another org accepts the tokens at all endpoints, until they are revoked")
  func restored() async throws {
    let org = makeOrg()
    await org.rotateKeys()
    let first = try await OrgClient.withTokens(org)
    let idToken = try require(first.idToken)
    org.advance(by: 100)
    let other = try await copy(of: org)
    expectEqual(other.now, org.now)
    var client = try await OrgClient(other)
    try await expect(client.isSigned(idToken))
    let response = try await client.userInfo(first.accessToken)
    try expectEqual(JSONValue(parsing: response.body)["sub"], idToken.claims["sub"])
    try await client.introspect(token: first.accessToken)
    expectEqual(client.json["active"], true)
    try await client.refresh(first.refreshToken)
    expectEqual(client.status, 200)
    for name in ["sub", "auth_time"] {
      expectEqual(client.idToken?.claims[name], idToken.claims[name])
    }
    expectEqual(client.idToken?.header["kid"], idToken.header["kid"])
    _ = try await client.revoke(client.refreshToken)
    try await expectEqual(client.userInfo(first.accessToken).status, 401)
  }

  @Test("Another org refuses tokens that were revoked, and detects the reuse of a refresh token")
  func used() async throws {
    let org = makeOrg()
    let revoked = try await OrgClient.withTokens(org)
    _ = try await revoked.revoke(revoked.refreshToken)
    var client = try await OrgClient.withTokens(org)
    let old = client.refreshToken
    try await client.refresh(old)
    let new = client.refreshToken
    org.advance(by: 60)
    client = try await OrgClient(copy(of: org))
    try await expectEqual(client.userInfo(revoked.accessToken).status, 401)
    for token in [revoked.refreshToken, old, new] {
      try await client.refresh(token)
      expectEqual(client.error, "invalid_grant")
    }
  }

  @Test("Invalid tokens are not saved")
  func trimmed() async throws {
    let org = makeOrg()
    let empty = try await org.savedTokens().count
    var client = try await OrgClient.withTokens(org)
    let token = try require(client.refreshToken)
    try await client.refresh(token)
    try await expect(org.savedTokens().count > empty)
    org.advance(by: 3600)
    let text = String(decoding: try await org.savedTokens(), as: UTF8.self)
    expect(!text.contains(client.accessToken))
    expectContains(text, token)
    _ = try await client.revoke(client.refreshToken)
    expect(!String(decoding: try await org.savedTokens(), as: UTF8.self).contains(token))
  }

  @Test("A restored org with a seed continues its random numbers")
  func randomness() async throws {
    let org = makeOrg()
    let first = try await OrgClient.withTokens(org)
    let second = try await OrgClient.withTokens(copy(of: org))
    expect(second.accessToken != first.accessToken)
    expect(second.refreshToken != first.refreshToken)
  }

  @Test("Wrong data is refused, and nothing changes")
  func refused() async throws {
    let org = makeOrg()
    let client = try await OrgClient.withTokens(org)
    let data = try await org.savedTokens()
    let elsewhere = makeOrg(issuer: "https://demo.okta.example")
    let text = String(decoding: data, as: UTF8.self)
    let far = text.split(separator: #""timeAhead":0"#, omittingEmptySubsequences: false)
    expectEqual(far.count, 2)
    let cases: [(Data, SavedTokensError.Reason)] = [
      (Data(far.joined(separator: #""timeAhead":1e300"#).utf8), .unreadable),
      (Data(), .unreadable), (Data("{}".utf8), .unreadable),
      (Data(#"{"version":2}"#.utf8), .unreadable), (Data(data.dropLast(20)), .unreadable),
      (Data(#"{"version":1}"#.utf8), .otherVersion),
      (try await elsewhere.savedTokens(), .otherIssuer),
    ]
    for (data, reason) in cases {
      let error = await #expect(throws: SavedTokensError.self) {
        try await org.restoreTokens(from: data)
      }
      expectEqual(error?.reason, reason)
      expectEqual(error?.description.isEmpty, false)
    }
    try await expectEqual(client.userInfo(client.accessToken).status, 200)
  }
}
