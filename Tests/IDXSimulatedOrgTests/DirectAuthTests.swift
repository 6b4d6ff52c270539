import Expectations
import IDX
import IDXFlow
import Testing

@testable import IDXSimulatedOrg

/// DirectAuth of the simulated org: first factors and codes.
struct DirectAuthTests {
  private typealias D = DirectClient
  private let login = DirectClient.login

  @Test("A password alone gets the same tokens as any sign-in, without a nonce")
  func password() async throws {
    let org = makeOrg()
    var client = DirectClient(org)
    try await client.password(adding: ["grant_types_supported": "password \(D.mfaOTP)"])
    client.expectTokens(["pwd"])
    expectEqual(client.json["scope"], "openid profile offline_access")
    let token = try require(client.idToken)
    expectEqual(token.claims["nonce"], nil)
    expectEqual(token.claims["auth_time"], 1_900_000_000)
    expectEqual(token.claims["preferred_username"]?.string, login)
    var idx = try await OrgClient(org)
    try await expect(idx.isSigned(token))
    try await expectEqual(idx.userInfo(client.json["access_token"]?.string ?? "").status, 200)
    try await idx.refresh(client.json["refresh_token"]?.string)
    expectEqual(idx.status, 200)
    await expectEqual(org.requests.prefix(1), ["POST /oauth2/default/v1/token"])
  }

  @Test(
    "Wrong passwords and locked and unknown users get one response; after a correct password, it says why",
    arguments: [
      // Whether the password is correct. Arguments are printed, and passwords must not be.
      (DirectClient.login, false, .active, nil), (DirectClient.login, true, .locked, nil),
      ("nobody@shop.example", true, .active, nil), (DirectClient.login, false, .suspended, nil),
      (DirectClient.login, false, .passwordExpired, nil),
      (DirectClient.login, true, .suspended, "denied"),
      (DirectClient.login, true, .notAssigned, "app"),
      (DirectClient.login, true, .passwordExpired, "password has expired"),
    ] as [(String, Bool, SimulatedUser.Status, String?)])
  func refusedPassword(
    name: String, isRight: Bool, status: SimulatedUser.Status, reason: String?
  ) async throws {
    var client = DirectClient(makeOrg(.required(.phone), [D.phone], status: status))
    try await client.password(isRight ? "Analytical-1843" : "wrong", of: name)
    if let reason {
      client.expectError("access_denied", 403, naming: reason)
    } else {
      client.expectError(
        "invalid_grant", naming: "Sign-in failed. Check your username and password.")
    }
  }

  @Test("An expired password does not matter for a sign-in with another factor")
  func expiredPassword() async throws {
    let org = makeOrg(.passwordOnly, [D.app], status: .passwordExpired)
    var client = DirectClient(org)
    let code = await org.code(of: .googleAuthenticator, for: login)
    try await client.ask(D.otp, ["login_hint": login, "otp": code])
    client.expectTokens(["otp"])
  }

  @Test("A sent code is valid for five minutes")
  func sentCodeExpires() async throws {
    let org = makeOrg(.passwordOnly, [D.phone])
    var client = DirectClient(org)
    try await client.post("oob-authenticate", ["login_hint": login, "channel_hint": "sms"])
    expectEqual(client.json["binding_method"], "prompt")
    let code = client.oobCode
    org.advance(by: 300)
    for _ in 0..<2 {
      try await client.ask(
        D.oob, ["oob_code": code, "binding_code": await org.mailbox.lastCode(to: D.number)])
      client.expectError("expired_token")
    }
  }

  @Test(
    "Users without a channel and unknown and locked users get the same response",
    arguments: [
      ("push", DirectClient.login, .active), ("email", DirectClient.login, .active),
      ("sms", "nobody@shop.example", .active), ("sms", DirectClient.login, .locked),
      ("pigeon", DirectClient.login, .active),
    ] as [(String, String, SimulatedUser.Status)])
  func noChannel(channel: String, name: String, status: SimulatedUser.Status) async throws {
    let org = makeOrg(.passwordOnly, [D.phone], status: status)
    var client = DirectClient(org)
    try await client.begin(channel, for: name)
    client.expectError("invalid_request", naming: "channel")
    await expectEmpty(org.mailbox.messages)
  }

  @Test(
    "Wrong answers by all protocols lock the account, and a completed sign-in clears their count")
  func lock() async throws {
    let org = makeOrg(.required(.googleAuthenticator), [D.app])
    var client = DirectClient(org)
    try await client.password("wrong")
    try await client.password()
    let token = client.mfaToken
    var other = try await OrgClient(org)
    try await other.submit("identify", ["identifier": .string(login)])
    for _ in 0..<2 { try await other.answer("wrong") }
    for _ in 0..<2 {
      await expectEqual(org.user(login)?.status, .active)
      try await client.ask(D.mfaOTP, ["mfa_token": token, "otp": "000000"])
      client.expectError("invalid_grant")
    }
    await expectEqual(org.user(login)?.status, .locked)
    let code = await org.code(of: .googleAuthenticator, for: login)
    try await client.ask(D.mfaOTP, ["mfa_token": token, "otp": code])
    client.expectError("access_denied", 403, naming: "too many wrong answers")
    try await client.ask(D.otp, ["login_hint": login, "otp": code])
    client.expectError("invalid_grant", naming: "Sign-in failed. Check your username and password.")
    try await other.answer("Analytical-1843")
    expectEqual(other.status, 401)

    client = DirectClient(makeOrg())
    for _ in 0..<3 {
      for _ in 0..<4 { try await client.password("wrong") }
      try await client.password()
      client.expectTokens(["pwd"])
    }
  }
}
