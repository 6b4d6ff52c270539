import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Refreshing tokens in the simulated org.
struct RefreshTests {
  @Test(
    "A refresh issues new tokens for the same sign-in, without the nonce unless the rules say so")
  func refresh() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org, ["nonce": "n-1"])
    let first = client
    org.advance(by: 1000)
    try await client.refresh(first.refreshToken)
    expectEqual(client.status, 200)
    expectEqual(client.json["scope"]?.string, OrgClient.everyScope)
    expect(client.accessToken != first.accessToken)
    expect(client.refreshToken != first.refreshToken)
    let (old, new) = (try require(first.idToken).claims, try require(client.idToken).claims)
    for name in ["sub", "iss", "aud", "auth_time", "amr", "idp"] {
      expectEqual(new[name], old[name])
    }
    for name in ["jti", "iat", "exp", "at_hash"] { expect(new[name] != old[name]) }
    expectEqual(new["nonce"], nil)
    try await expect(client.isSigned(try require(client.idToken)))
    try await expectEqual(client.userInfo(client.accessToken).status, 200)
    try await expectEqual(client.userInfo(first.accessToken).status, 200)

    await org.changeTokens { $0.repeatsNonce = true }
    client = try await OrgClient.withTokens(org, ["nonce": "n-1"])
    try await client.refresh(client.refreshToken)
    expectEqual(client.idToken?.claims["nonce"], "n-1")
  }

  @Test("Fewer scopes can be requested, but not more; after a refusal, the token is still valid")
  func scopes() async throws {
    var client = try await OrgClient.withTokens(makeOrg(), scope: "openid profile offline_access")
    let token = client.refreshToken
    try await client.refresh(token, ["scope": "openid email"])
    expectEqual(client.status, 400)
    expectEqual(client.error, "invalid_scope")
    try await client.refresh(token, ["scope": "profile"])
    expectEqual(client.json["scope"], "profile")
    expectEqual(client.json["id_token"], nil)
    try await client.refresh(client.refreshToken)
    expectEqual(client.json["scope"], "openid profile offline_access")
  }

  @Test("Within the grace period, an old token gets the newest one")
  func grace() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org)
    let first = client.refreshToken
    try await client.refresh(first)
    let second = client.refreshToken
    org.advance(by: 29)
    try await client.refresh(first)
    expectEqual(client.status, 200)
    expectEqual(client.refreshToken, second)
    try await client.refresh(second)
    expectEqual(client.status, 200)
    expect(client.refreshToken != second)
  }

  @Test("After the grace period, the use of an old token revokes all tokens of its sign-in")
  func reuse() async throws {
    for grace in [0.0, 30] {
      let org = makeOrg()
      await org.changeTokens { $0.refreshRotation = .rotating(grace: grace) }
      var client = try await OrgClient.withTokens(org)
      let other = try await OrgClient.withTokens(org)
      let first = client
      try await client.refresh(first.refreshToken)
      let second = client
      org.advance(by: grace)
      try await client.refresh(first.refreshToken)
      expectEqual(client.status, 400)
      expectEqual(client.error, "invalid_grant")
      try await client.refresh(second.refreshToken)
      expectEqual(client.error, "invalid_grant")
      for token in [first.accessToken, second.accessToken] {
        try await expectEqual(client.userInfo(token).status, 401)
      }
      try await expectEqual(client.userInfo(other.accessToken).status, 200)
    }
  }

  @Test(
    "A token that does not rotate is repeated, or left out",
    arguments: [(.fixed, true), (.unmentioned, false)]
      as [(OrgTokenRules.RefreshRotation, Bool)])
  func fixed(rotation: OrgTokenRules.RefreshRotation, isReturned: Bool) async throws {
    let org = makeOrg()
    await org.changeTokens { $0.refreshRotation = rotation }
    var client = try await OrgClient.withTokens(org)
    let token = try require(client.refreshToken)
    for _ in 1...2 {
      org.advance(by: 3600)
      try await client.refresh(token)
      expectEqual(client.status, 200)
      expectEqual(client.refreshToken, (isReturned ? token : nil))
    }
  }

  @Test("A refresh token expires after a week without use, or if its user is suspended")
  func idle() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org)
    let week = 7.0 * 24 * 3600
    for _ in 1...2 {
      org.advance(by: week - 1)
      try await client.refresh(client.refreshToken)
      expectEqual(client.status, 200)
    }
    let token = client.refreshToken
    try await changeAda(org) { $0.status = .suspended }
    try await client.refresh(token)
    expectEqual(client.error, "invalid_grant")
    try await changeAda(org) { $0.status = .active }
    org.advance(by: week)
    try await client.refresh(token)
    expectEqual(client.error, "invalid_grant")
  }

  @Test(
    "A wrong request is refused",
    arguments: [
      (["refresh_token": "rt_unknown"], "invalid_grant", 400),
      (["refresh_token": nil], "invalid_request", 400),
      (["client_id": "0oaOther"], "invalid_client", 401),
      (["client_id": nil], "invalid_client", 401),
      (["code_verifier": "something"], "invalid_request", 400),
      (["color": "blue"], "invalid_request", 400),
      (["grant_type": "client_credentials"], "unsupported_grant_type", 400),
      (["redirect_uri": "com.example.demo:/callback"], nil, 200),
    ] as [([String: String?], String?, Int)])
  func refusals(changes: [String: String?], error: String?, status: Int) async throws {
    var client = try await OrgClient.withTokens(makeOrg())
    try await client.refresh(client.refreshToken, changes)
    expectEqual(client.status, status)
    expectEqual(client.error, error)
  }
}
