import IDX
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

@Suite("Refreshing tokens in the simulated org")
struct RefreshTests {
  @Test("A refresh gives new tokens about the same sign-in, without the nonce")
  func refresh() async throws {
    let org = makeOrg()
    var visitor = try await Visitor.withTokens(org, ["nonce": "n-1"])
    let first = visitor
    org.advance(by: 1000)
    try await visitor.refresh(first.refreshToken)
    #expect(visitor.status == 200)
    #expect(visitor.json["scope"]?.string == Visitor.everyScope)
    #expect(visitor.accessToken != first.accessToken)
    #expect(visitor.refreshToken != first.refreshToken)
    let (old, new) = (try #require(first.idToken).claims, try #require(visitor.idToken).claims)
    for name in ["sub", "iss", "aud", "auth_time", "amr", "idp"] { #expect(new[name] == old[name]) }
    for name in ["jti", "iat", "exp", "at_hash"] { #expect(new[name] != old[name]) }
    #expect(new["nonce"] == nil)
    #expect(try await visitor.isSigned(try #require(visitor.idToken)))
    #expect(try await visitor.userInfo(visitor.accessToken).status == 200)
    #expect(try await visitor.userInfo(first.accessToken).status == 200)
  }

  @Test("The nonce comes again where the org is told so")
  func nonce() async throws {
    let org = makeOrg()
    await org.changeTokens { $0.repeatsNonce = true }
    var visitor = try await Visitor.withTokens(org, ["nonce": "n-1"])
    try await visitor.refresh(visitor.refreshToken)
    #expect(visitor.idToken?.claims["nonce"] == "n-1")
  }

  @Test("Fewer scopes may be asked for, never more; a refusal spends nothing")
  func scopes() async throws {
    var visitor = try await Visitor.withTokens(makeOrg(), scope: "openid profile offline_access")
    let token = visitor.refreshToken
    try await visitor.refresh(token, ["scope": "openid email"])
    #expect(visitor.status == 400)
    #expect(visitor.error == "invalid_scope")
    try await visitor.refresh(token, ["scope": "profile"])
    #expect(visitor.json["scope"] == "profile")
    #expect(visitor.json["id_token"] == nil)
    try await visitor.refresh(visitor.refreshToken)
    #expect(visitor.json["scope"] == "openid profile offline_access")
  }

  @Test("Within its grace an old token is answered with the newest one")
  func grace() async throws {
    let org = makeOrg()
    var visitor = try await Visitor.withTokens(org)
    let first = visitor.refreshToken
    try await visitor.refresh(first)
    let second = visitor.refreshToken
    org.advance(by: 29)
    try await visitor.refresh(first)
    #expect(visitor.status == 200)
    #expect(visitor.refreshToken == second)
    try await visitor.refresh(second)
    #expect(visitor.status == 200)
    #expect(visitor.refreshToken != second)
  }

  @Test(
    "A token that is used after its grace revokes all that came of the sign-in", arguments: [0, 30])
  func reuse(grace: Double) async throws {
    let org = makeOrg()
    await org.changeTokens { $0.refreshRotation = .rotating(grace: grace) }
    var visitor = try await Visitor.withTokens(org)
    let other = try await Visitor.withTokens(org)
    let first = visitor
    try await visitor.refresh(first.refreshToken)
    let second = visitor
    org.advance(by: grace)
    try await visitor.refresh(first.refreshToken)
    #expect(visitor.status == 400)
    #expect(visitor.error == "invalid_grant")
    try await visitor.refresh(second.refreshToken)
    #expect(visitor.error == "invalid_grant")
    for token in [first.accessToken, second.accessToken] {
      #expect(try await visitor.userInfo(token).status == 401)
    }
    #expect(try await visitor.userInfo(other.accessToken).status == 200)
  }

  @Test(
    "A token that does not rotate comes again, or is not mentioned",
    arguments: [(.fixed, true), (.unmentioned, false)]
      as [(OrgTokenRules.RefreshRotation, Bool)])
  func fixed(rotation: OrgTokenRules.RefreshRotation, isReturned: Bool) async throws {
    let org = makeOrg()
    await org.changeTokens { $0.refreshRotation = rotation }
    var visitor = try await Visitor.withTokens(org)
    let token = try #require(visitor.refreshToken)
    for _ in 1...2 {
      org.advance(by: 3600)
      try await visitor.refresh(token)
      #expect(visitor.status == 200)
      #expect(visitor.refreshToken == (isReturned ? token : nil))
    }
  }

  @Test("A refresh token dies of a week without use, and of its user's suspension")
  func idle() async throws {
    let org = makeOrg()
    var visitor = try await Visitor.withTokens(org)
    let week = 7.0 * 24 * 3600
    for _ in 1...2 {
      org.advance(by: week - 1)
      try await visitor.refresh(visitor.refreshToken)
      #expect(visitor.status == 200)
    }
    let token = visitor.refreshToken
    var ada = try #require(await org.user(Visitor.login))
    ada.status = .suspended
    await org.update(ada)
    try await visitor.refresh(token)
    #expect(visitor.error == "invalid_grant")
    ada.status = .active
    await org.update(ada)
    org.advance(by: week)
    try await visitor.refresh(token)
    #expect(visitor.error == "invalid_grant")
  }

  @Test(
    "What does not fit is refused",
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
    var visitor = try await Visitor.withTokens(makeOrg())
    try await visitor.refresh(visitor.refreshToken, changes)
    #expect(visitor.status == status)
    #expect(visitor.error == error)
  }

  @Test("A refresh whose answer was lost can be repeated with the old token")
  func lostAnswer() async throws {
    let org = makeOrg()
    var visitor = try await Visitor.withTokens(org)
    let token = visitor.refreshToken
    await org.inject(.responseLost, at: "/token")
    await #expect(throws: TransportError.self) { try await visitor.refresh(token) }
    try await visitor.refresh(token)
    #expect(visitor.status == 200)
    #expect(visitor.refreshToken != token)
  }
}
