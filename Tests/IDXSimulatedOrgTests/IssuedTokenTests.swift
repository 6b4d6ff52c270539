import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// The tokens that a simulated org issues.
struct IssuedTokenTests {
  private let start = 1_900_000_000

  @Test("An ID token and an access token have all their claims, and are signed")
  func claims() async throws {
    let client = try await OrgClient.withTokens(makeOrg(), ["nonce": "n-1"])
    let token = try require(client.idToken)
    expectEqual(token.header["alg"], "RS256")
    try await expect(client.isSigned(token))
    let claims = token.claims
    let expected: [String: JSONValue] = [
      "iss": "https://demo.okta.example/oauth2/default", "aud": .string(client.org.clientID),
      "iat": 1_900_000_000, "exp": 1_900_003_600, "auth_time": 1_900_000_000, "amr": ["pwd"],
      "nonce": "n-1", "ver": 1, "preferred_username": "ada@shop.example", "name": "Ada Byron",
      "email": "ada@shop.example",
    ]
    for (name, value) in expected { expectEqual(claims[name], value, name) }
    expect(claims["sub"]?.string?.wholeMatch(of: #/00u.{17}/#) != nil)
    expectEqual(claims["jti"]?.string?.hasPrefix("ID."), true)
    expectEqual(claims["idp"]?.string?.hasPrefix("00o"), true)
    let hash = HashFunction.sha256.hash(Array(client.accessToken.utf8))
    expectEqual(claims["at_hash"]?.string, Base64URL.encode(Array(hash[..<16])))

    let other = try await OrgClient.withTokens(makeOrg(), scope: "openid email")
    let access = try require(DecodedToken(other.accessToken))
    try await expect(other.isSigned(access))
    expectEqual(access.claims["aud"], "api://default")
    expectEqual(access.claims["sub"], "ada@shop.example")
    expectEqual(access.claims["uid"], other.idToken?.claims["sub"])
    expectEqual(access.claims["cid"]?.string, other.org.clientID)
    expectEqual(access.claims["scp"], ["openid", "email"])
    expectEqual(access.claims["exp"]?.integer, start + 3600)
  }

  @Test("Claims follow the scopes; without openid there is no ID token")
  func scopes() async throws {
    let org = makeOrg()
    let plain = try await OrgClient.withTokens(org, scope: "openid")
    let claims = try require(plain.idToken).claims
    for name in ["name", "email", "nonce"] { expectEqual(claims[name], nil) }
    expectEqual(plain.refreshToken, nil)
    let without = try await OrgClient.withTokens(org, scope: "profile offline_access")
    expectEqual(without.json["id_token"], nil)
    expect(without.refreshToken != nil)
  }

  @Test(
    "amr names the methods, and mfa if there were several",
    arguments: [
      (.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP"), ["mfa", "otp", "pwd"]),
      (.token(.customOTP, secret: "JBSWY3DPEHPK3PXP"), ["mfa", "otp", "pwd"]),
      (.token(.yubiKey, secret: "a key"), ["hwk", "mfa", "pwd"]),
      (.code(.nfcPIN, "271828"), ["mfa", "pin", "pwd"]),
    ] as [(SimulatedUser.Enrollment, JSONValue)])
  func methods(enrollment: SimulatedUser.Enrollment, names: JSONValue) async throws {
    let org = makeOrg(.required(enrollment.authenticator), [enrollment])
    var client = try await OrgClient.signedIn(org)
    try await client.answer(await org.code(of: enrollment.authenticator, for: OrgClient.login))
    try await client.redeem()
    expectEqual(client.idToken?.claims["amr"], names)
  }

  @Test("The rules decide how long tokens are valid; clock skew changes only the times in them")
  func lifetimes() async throws {
    let org = makeOrg()
    await org.changeTokens {
      $0.accessTokenLifetime = 60
      $0.idTokenLifetime = 120
    }
    let client = try await OrgClient.withTokens(org)
    expectEqual(client.json["expires_in"], 60)
    expectEqual(client.idToken?.claims["exp"]?.integer, start + 120)
    org.advance(by: 59)
    try await expectEqual(client.userInfo(client.accessToken).status, 200)
    org.advance(by: 1)
    try await expectEqual(client.userInfo(client.accessToken).status, 401)

    let skewed = makeOrg()
    await skewed.changeTokens { $0.clockSkew = -7200 }
    let other = try await OrgClient.withTokens(skewed)
    let claims = try require(other.idToken).claims
    expectEqual(claims["iat"]?.integer, start - 7200)
    expectEqual(claims["exp"]?.integer, start - 3600)
    expectEqual(claims["auth_time"]?.integer, start - 7200)
    expectEqual(DecodedToken(other.accessToken)?.claims["iat"]?.integer, start - 7200)
    expectEqual(other.json["expires_in"], 3600)
    try await expectEqual(other.userInfo(other.accessToken).status, 200)
  }

  @Test(
    "A new key signs later tokens; the old key can stay published", arguments: [true, false])
  func rotation(keepingOld: Bool) async throws {
    let org = makeOrg()
    let client = try await OrgClient.withTokens(org)
    let old = try require(client.idToken)
    await org.rotateKeys(keepingOld: keepingOld)
    try await expectEqual(client.isSigned(old), keepingOld)
    let new = try await require(OrgClient.withTokens(org).idToken)
    expect(new.header["kid"] != old.header["kid"])
    try await expect(client.isSigned(new))
    try await expectEqual(client.keys().count, (keepingOld ? 2 : 1))
    try await expectEqual(client.userInfo(client.accessToken).status, 200)
  }
}
