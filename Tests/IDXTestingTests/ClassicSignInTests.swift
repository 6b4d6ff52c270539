import IDX
import IDXBase
import IDXFlow
import Testing

@testable import IDXTesting

@Suite("The classic API in the simulated org: passwords and codes")
struct ClassicSignInTests {
  private let login = ClassicVisitor.login

  @Test("A password alone signs in, with a session token that gives the same tokens as any sign-in")
  func password() async throws {
    let org = makeOrg()
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("SUCCESS", [])
    #expect(visitor.json["expiresAt"] == "2030-03-17T17:51:40.000Z")
    let user = visitor.json["_embedded"]?["user"]
    #expect(user?["profile"]?["login"]?.string == login)
    #expect(user?["profile"]?["firstName"] == "Ada")
    let id = try #require(user?["id"]?.string)
    try await visitor.expectTokens(["pwd"])
    #expect(visitor.idToken?.claims["sub"]?.string == id)
    #expect(visitor.json["scope"] == "openid profile offline_access")
    #expect(visitor.json["refresh_token"] != nil)
    #expect(
      await org.requests == [
        "POST /api/v1/authn", "GET /oauth2/default/v1/authorize", "POST /oauth2/default/v1/token",
      ])
  }

  @Test(
    "A wrong password, a locked user, a suspended one and nobody are answered alike",
    arguments: [
      (ClassicVisitor.login, false, .active), (ClassicVisitor.login, true, .locked),
      ("nobody@shop.example", true, .active), (ClassicVisitor.login, true, .suspended),
    ] as [(String, Bool, SimulatedUser.Status)])
  func wrongPassword(name: String, isRight: Bool, status: SimulatedUser.Status) async throws {
    var visitor = ClassicVisitor(makeOrg(status: status))
    try await visitor.password(isRight ? "Analytical-1843" : "wrong", of: name)
    visitor.expectError("E0000004", 401)
  }

  @Test("A code of an app, straight from the choice, once")
  func appCode() async throws {
    let org = makeOrg(.required(.googleAuthenticator), [DirectVisitor.app])
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("MFA_REQUIRED", ["cancel"])
    #expect(visitor.kinds == ["token:software:totp GOOGLE"])
    #expect(visitor.factors[0]["profile"] == ["credentialId": .string(login)])
    #expect(visitor.factors[0]["vendorName"] == "GOOGLE")
    #expect(visitor.json["_embedded"]?["user"]?["profile"] != nil)
    let choice = visitor
    for code in ["000000", "horse"] {
      visitor = choice
      try await visitor.verify("token:software:totp", ["passCode": .string(code)])
      visitor.expectError("E0000068", 403)
      #expect(visitor.cause == IDXMessage.Draft.wrongAppCode.text)
    }
    visitor = choice
    let code = try #require(await org.authenticatorCode(for: login))
    try await visitor.verify("token:software:totp", ["passCode": .string(code)])
    try await visitor.expectTokens(["mfa", "otp", "pwd"])
    visitor = try await .signedIn(org)
    try await visitor.verify("token:software:totp", ["passCode": .string(code)])
    visitor.expectError("E0000068", 403)
    #expect(visitor.cause == IDXMessage.Draft.usedAppCode.text)
  }

  @Test("A sign-in says where it stands as often as one asks, until it is given up")
  func resume() async throws {
    let org = makeOrg(.required(.email), [.email])
    var visitor = try await ClassicVisitor.signedIn(org)
    let choice = visitor.json
    org.advance(by: 60)
    try await visitor.post(path: "")
    visitor.expect("MFA_REQUIRED")
    #expect(visitor.json["_embedded"] == choice["_embedded"])
    #expect(visitor.json["expiresAt"] == "2030-03-17T17:52:40.000Z")
    try await visitor.verify("email")
    let challenge = visitor.json
    try await visitor.post(path: "")
    #expect(visitor.json == challenge)
    try await visitor.follow("cancel")
    #expect(visitor.response.status == 200)
    #expect(visitor.json == [:])
    try await visitor.post(path: "")
    visitor.expectError("E0000011", 401)
  }

  @Test("A sign-in that takes too long ends, and every answer lets the time begin anew")
  func expiry() async throws {
    let org = makeOrg(.required(.email), [.email])
    var visitor = try await ClassicVisitor.signedIn(org)
    org.advance(by: 299)
    try await visitor.verify("email")
    visitor.expect("MFA_CHALLENGE")
    org.advance(by: 299)
    try await visitor.post(path: "")
    visitor.expect("MFA_CHALLENGE")
    org.advance(by: 300)
    for path in ["", "/previous", "/cancel"] {
      try await visitor.post(path: path)
      visitor.expectError("E0000011", 401)
    }
    await org.inject(.sessionExpired, at: "/authn")
    try await visitor.password()
    visitor.expectError("E0000011", 401)
    await org.inject(.rateLimited(seconds: 7))
    try await visitor.password()
    visitor.expectError("E0000047", 429)
  }

  @Test("A sign-in that began at the app takes user name and password, once")
  func handedOver() async throws {
    let org = makeOrg(.required(.email), [.email])
    var visitor = ClassicVisitor(org)
    visitor.stateToken = await org.stateToken().revealed
    try await visitor.post(path: "")
    visitor.expect("UNAUTHENTICATED", ["next authenticate", "cancel"])
    let token = visitor.stateToken
    let body: JSONValue = ["username": .string(login), "password": "Analytical-1843"]
    try await visitor.follow("next", body)
    visitor.expect("MFA_REQUIRED", ["cancel"])
    #expect(visitor.stateToken == token)
    try await visitor.post(path: "", body)
    visitor.expectError("E0000079", 403)
    visitor.stateToken = await org.stateToken().revealed
    try await visitor.post(path: "/cancel")
    #expect(visitor.json == [:])
  }

  @Test("Wrong answers lock the account, by whichever protocol they come, and end the sign-in")
  func lock() async throws {
    let org = makeOrg(.required(.googleAuthenticator), [DirectVisitor.app])
    var other = DirectVisitor(org)
    try await other.password("wrong")
    var waiting = try await ClassicVisitor.signedIn(org)
    var resuming = try await ClassicVisitor.signedIn(org)
    let visitor = try await ClassicVisitor.signedIn(org)
    var last = visitor
    for _ in 0..<3 {
      last = visitor
      try await last.verify("token:software:totp", ["passCode": "000000"])
      last.expectError("E0000068", 403)
    }
    last = visitor
    try await last.verify("token:software:totp", ["passCode": "000000"])
    last.expectError("E0000069", 403)
    #expect(await org.user(login)?.status == .locked)
    try await last.post(path: "")
    last.expectError("E0000011", 401)
    let code = await org.authenticatorCode(for: login) ?? ""
    try await waiting.verify("token:software:totp", ["passCode": .string(code)])
    waiting.expectError("E0000069", 403)
    for code in ["E0000069", "E0000011"] {
      try await resuming.post(path: "")
      resuming.expectError(code, code == "E0000069" ? 403 : 401)
    }
    try await last.password()
    last.expectError("E0000004", 401)
  }

  @Test("Who is locked is told so where the policy says it, whatever the password")
  func lockout() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.showsLockouts = true
    let org = makeOrg(policy)
    var visitor = ClassicVisitor(org)
    for _ in 0..<4 {
      try await visitor.password("wrong")
      visitor.expectError("E0000004", 401)
    }
    for isRight in [false, true] {
      try await visitor.password(isRight ? "Analytical-1843" : "wrong")
      visitor.expect("LOCKED_OUT", ["next unlock"])
      #expect(visitor.json["stateToken"] == nil)
      #expect(
        visitor.links["next"]?["href"]?.string == ClassicVisitor.base + "/recovery/unlock")
    }
    try await visitor.password("wrong", of: "nobody@shop.example")
    visitor.expectError("E0000004", 401)
  }

  @Test("What this API lacks is said where it is demanded")
  func impossible() async throws {
    var visitor = ClassicVisitor(makeOrg(.required(.duo), [.duo]))
    try await visitor.password()
    visitor.expectError("E0000006", 403, naming: "Duo")
    visitor = ClassicVisitor(makeOrg(.required(.webAuthn)))
    try await visitor.password()
    visitor.expectError("E0000006", 403, naming: "set up")
    visitor = try await .signedIn(makeOrg(.required(.email, .duo), [.email, .duo]))
    #expect(visitor.kinds == ["email OKTA"])
    try await visitor.verify("email")
    let code = await visitor.org.mailbox.lastCode(to: login) ?? ""
    try await visitor.follow("next", ["passCode": .string(code)])
    visitor.expectError("E0000006", 403, naming: "Duo")
    try await visitor.post(path: "")
    visitor.expectError("E0000011", 401)
  }
}
