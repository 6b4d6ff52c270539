import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Signing in to the simulated org.
struct SignInTests {
  @Test(
    "A password signs in, and the code is exchanged for tokens",
    arguments: SignInPolicy.Start.allCases,
    ["https://demo.okta.example/oauth2/default", "https://demo.okta.example"])
  func password(start: SignInPolicy.Start, issuer: String) async throws {
    let org = makeOrg(SignInPolicy(start: start), issuer: issuer)
    var client = try await OrgClient(org, base: issuer.contains("oauth2") ? "" : "/oauth2")
    expectEqual(client.remediations, ["identify"])
    try await client.signIn()
    expectEqual(client.status, 200)
    expect(client.isDone)
    expectEqual(client.json["remediation"], nil)
    try await client.redeem()
    let tokens = try Tokens(parsing: client.response.body)
    expectEqual(tokens.tokenType, "Bearer")
    expect(tokens.refreshToken != nil)
    expectEqual(tokens.scopes, ["openid", "offline_access"])
  }

  @Test("A wrong password and an unknown user get the same response, in one form or in two")
  func unknownUser() async throws {
    let org = makeOrg(SignInPolicy(start: .withPassword))
    var client = try await OrgClient(org)
    let handle = client.stateHandle
    try await client.signIn("ada@shop.example", "wrong")
    let wrong = client
    try await client.signIn("nobody@shop.example", "wrong")
    expectEqual(client.json, wrong.json)
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, ["errors.E0000004"])
    expectEqual(client.remediations, ["identify"])
    expectEqual(client.stateHandle, handle)
    try await client.signIn()
    expect(client.isDone)

    let mailOrg = makeOrg(.passwordOnly, [.email])
    var clients: [OrgClient] = []
    for name in ["ada@shop.example", "eve@shop.example"] {
      client = try await OrgClient(mailOrg)
      try await client.submit("identify", ["identifier": .string(name)])
      clients.append(client)
      try await client.answer("wrong")
      expectEqual(client.status, 401)
      expectEqual(client.messageKeys, ["incorrectPassword"])
    }
    func shape(_ client: OrgClient) -> [String] {
      ["authenticators", "authenticatorEnrollments"].flatMap { name in
        client.json[name]?["value"]?.array?.compactMap { $0["key"]?.string } ?? []
      } + (client.json["user"]?["value"]?.object?.members.map(\.name) ?? [])
    }
    let (known, unknown) = (clients[0], clients[1])
    expectEqual(unknown.status, known.status)
    expectEqual(unknown.remediations, known.remediations)
    expectEqual(shape(unknown), shape(known))
  }

  @Test(
    "A user is refused only after the correct password",
    arguments: [
      (SimulatedUser.Status.suspended, 403, "security.access_denied"),
      (.notAssigned, 400, "idx.error.code.user_not_assigned"),
    ])
  func refusedUser(status: SimulatedUser.Status, code: Int, key: String) async throws {
    var client = try await OrgClient(makeOrg(SignInPolicy(start: .withPassword), status: status))
    try await client.signIn("ada@shop.example", "wrong")
    expectEqual(client.messageKeys, ["errors.E0000004"])
    try await client.signIn()
    expectEqual(client.status, code)
    expectEqual(client.messageKeys, [key])
    expectEmpty(client.remediations)
    try await client.introspect()
    expectEqual(client.messageKeys, [key])
    try await client.submit("cancel")
    expectEqual(client.remediations, ["identify"])
  }

  @Test("An expired password is replaced by one that follows the rules")
  func expiredPassword() async throws {
    let org = makeOrg(status: .passwordExpired)
    var client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations, ["reenroll-authenticator"])
    expectEqual(client.current?["settings"]?["complexity"]?["minLength"], 8)
    for weak in ["short1A", "alllowercase1", "NODIGITShere", "Ada-contains-1", "Analytical-1843"] {
      try await client.answer(weak)
      expectEqual(client.status, 400)
      expectEqual(
        client.messageKeys(at: "credentials.passcode"), ["password.passwordRequirementsNotMet"])
    }
    try await client.answer("Difference-1822")
    expect(client.isDone)
    await expectEqual(org.user("ADA@shop.example")?.password, "Difference-1822")
    await expectEqual(org.user("ada@shop.example")?.status, .active)
  }

  @Test("The warning that a password expires can be skipped; then optional authenticators follow")
  func expiringPassword() async throws {
    let org = makeOrg(.optional(.email))
    try await changeAda(org) { $0.daysToPasswordExpiry = 4 }
    var client = try await OrgClient.signedIn(org)
    try await client.submit("skip")
    expectEqual(client.remediations, ["select-authenticator-enroll", "skip"])
    expectEqual(client.messageKeys, [])
    try await client.submit("skip")
    expect(client.isDone)
    await expectEqual(org.user("ada@shop.example")?.daysToPasswordExpiry, 4)
  }

  @Test("A password can be changed on another site")
  func passwordSite() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.passwordSite = .init()
    let org = makeOrg(policy, status: .passwordExpired)
    var client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations, ["reenroll-custom-password-expiry"])
    let form = client.form("reenroll-custom-password-expiry")
    expectEqual(form?["customExpiredPasswordName"], "Password help")
    let address = try require(form?["customExpiredPasswordURL"]?.string)
    try await client.answer("Mechanism-1831")
    expectEqual(client.status, 403)
    expectEqual(client.messageKeys, ["simulated.password.elsewhere"])
    await expectEqual(org.visit(try require(URL(string: address))), nil)
    try await client.submit("cancel")
    try await client.signIn()
    expect(client.isDone)
  }

  @Test("Too many wrong answers lock the account, which refuses correct ones too")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(attempts: 3))
    var client = try await OrgClient(org)
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    for attempt in 1...3 {
      try await client.answer("wrong")
      expectEqual(client.status, attempt == 3 ? 429 : 401)
    }
    expectEqual(client.messageKeys, ["oie.tooManyRequests"])
    expectEqual(client.remediations.first, "challenge-authenticator")
    try await client.answer("Analytical-1843")
    expectEqual(client.status, 429)
    await expectEqual(org.user(OrgClient.login)?.status, .locked)
    client = try await OrgClient.signedIn(org)
    expectEqual(client.messageKeys, ["incorrectPassword"])
    try await changeAda(org) { $0.status = .active }
    client = try await OrgClient.signedIn(org)
    expect(client.isDone)
  }

  @Test("A lock also stops the other sign-ins of the account")
  func lockOutElsewhere() async throws {
    let org = makeOrg(SignInPolicy(required: [.email], attempts: 1))
    var client = try await OrgClient.signedIn(org)
    var other = try await OrgClient(org)
    try await other.signIn(OrgClient.login, "wrong")
    expectEqual(other.status, 429)
    try await client.choose("Email", in: "select-authenticator-enroll")
    expectEqual(client.status, 429)
    await expectEmpty(org.mailbox.messages)
    try await client.submit("cancel")
    expectEqual(client.remediations, ["identify"])
  }
}
