import Expectations
import IDX
import IDXBase
import IDXFlow
import Testing

@testable import IDXSimulatedOrg

/// The classic API of the simulated org: passwords and codes.
struct ClassicSignInTests {
  private let login = ClassicClient.login

  @Test("A password alone signs in with a session token, and gets the same tokens as any sign-in")
  func password() async throws {
    let org = makeOrg()
    var client = try await ClassicClient.signedIn(org)
    client.expectStatus("SUCCESS", [])
    expectEqual(client.json["expiresAt"], "2030-03-17T17:51:40.000Z")
    let user = client.json["_embedded"]?["user"]
    expectEqual(user?["profile"]?["login"]?.string, login)
    expectEqual(user?["profile"]?["firstName"], "Ada")
    let id = try require(user?["id"]?.string)
    expectEqual(client.json["stateToken"], nil)
    let answer = try await client.authorize()
    expectEqual(answer["state"], "st-1")
    try await client.redeem(answer["code"])
    expectEqual(client.response.status, 200)
    expectEqual(client.idToken?.claims["amr"], ["pwd"])
    expectEqual(client.idToken?.claims["nonce"], "n-1")
    expectEqual(client.idToken?.claims["sub"]?.string, id)
    expectEqual(client.json["scope"], "openid profile offline_access")
    expect(client.json["refresh_token"] != nil)
    await expectEqual(
      org.requests,
      [
        "POST /api/v1/authn", "GET /oauth2/default/v1/authorize", "POST /oauth2/default/v1/token",
      ])
  }

  @Test(
    "Wrong passwords and locked, suspended and unknown users get the same response",
    arguments: [
      (ClassicClient.login, false, .active), (ClassicClient.login, true, .locked),
      ("nobody@shop.example", true, .active), (ClassicClient.login, true, .suspended),
    ] as [(String, Bool, SimulatedUser.Status)])
  func wrongPassword(name: String, isRight: Bool, status: SimulatedUser.Status) async throws {
    var client = ClassicClient(makeOrg(status: status))
    try await client.password(isRight ? "Analytical-1843" : "wrong", of: name)
    client.expectError("E0000004", 401)
  }

  @Test("A sign-in expires, and every response extends it")
  func expiry() async throws {
    let org = makeOrg(.required(.email), [.email])
    var client = try await ClassicClient.signedIn(org)
    org.advance(by: 299)
    try await client.verify("email")
    client.expectStatus("MFA_CHALLENGE")
    org.advance(by: 299)
    try await client.post(path: "")
    client.expectStatus("MFA_CHALLENGE")
    org.advance(by: 300)
    for path in ["", "/previous", "/cancel"] {
      try await client.post(path: path)
      client.expectError("E0000011", 401)
    }
    await org.inject(.sessionExpired, at: "/authn")
    try await client.password()
    client.expectError("E0000011", 401)
  }

  @Test("A sign-in with a state token from the app takes username and password, once")
  func handedOver() async throws {
    let org = makeOrg(.required(.email), [.email])
    var client = ClassicClient(org)
    client.stateToken = await org.stateToken().revealed
    try await client.post(path: "")
    client.expectStatus("UNAUTHENTICATED", ["next authenticate", "cancel"])
    let token = client.stateToken
    let body: JSONValue = ["username": .string(login), "password": "Analytical-1843"]
    try await client.follow("next", body)
    client.expectStatus("MFA_REQUIRED", ["cancel"])
    expectEqual(client.stateToken, token)
    try await client.post(path: "", body)
    client.expectError("E0000079", 403)
    client.stateToken = await org.stateToken().revealed
    try await client.post(path: "/cancel")
    expectEqual(client.json, [:])
  }

  @Test("Wrong answers by all protocols lock the account and end the sign-in")
  func lock() async throws {
    let org = makeOrg(.required(.googleAuthenticator), [DirectClient.app])
    var other = DirectClient(org)
    try await other.password("wrong")
    var waiting = try await ClassicClient.signedIn(org)
    var resuming = try await ClassicClient.signedIn(org)
    var client = try await ClassicClient.signedIn(org)
    for attempt in 1...4 {
      var wrong = client
      try await wrong.verify("token:software:totp", ["passCode": "000000"])
      wrong.expectError(attempt == 4 ? "E0000069" : "E0000068", 403)
    }
    await expectEqual(org.user(login)?.status, .locked)
    try await client.post(path: "")
    client.expectError("E0000011", 401)
    let code = await org.authenticatorCode(for: login) ?? ""
    try await waiting.verify("token:software:totp", ["passCode": .string(code)])
    waiting.expectError("E0000069", 403)
    for code in ["E0000069", "E0000011"] {
      try await resuming.post(path: "")
      resuming.expectError(code, code == "E0000069" ? 403 : 401)
    }
  }

  @Test("The response shows that a user is locked if the policy allows it")
  func lockout() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.showsLockouts = true
    let org = makeOrg(policy)
    var client = ClassicClient(org)
    for _ in 0..<4 {
      try await client.password("wrong")
      client.expectError("E0000004", 401)
    }
    for isRight in [false, true] {
      try await client.password(isRight ? "Analytical-1843" : "wrong")
      client.expectStatus("LOCKED_OUT", ["next unlock"])
      expectEqual(client.json["stateToken"], nil)
      expectEqual(client.links["next"]?["href"]?.string, ClassicClient.base + "/recovery/unlock")
    }
    try await client.password("wrong", of: "nobody@shop.example")
    client.expectError("E0000004", 401)
  }
}
