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
    var known = try await OrgClient(mailOrg)
    try await known.submit("identify", ["identifier": "ada@shop.example"])
    var unknown = try await OrgClient(mailOrg)
    try await unknown.submit("identify", ["identifier": "eve@shop.example"])
    expectEqual(unknown.status, known.status)
    expectEqual(unknown.remediations, known.remediations)
    func shape(_ client: OrgClient) -> [String] {
      ["authenticators", "authenticatorEnrollments"].flatMap { name in
        client.json[name]?["value"]?.array?.compactMap { $0["key"]?.string } ?? []
      } + (client.json["user"]?["value"]?.object?.members.map(\.name) ?? [])
    }
    expectEqual(shape(unknown), shape(known))
    try await known.answer("wrong")
    try await unknown.answer("wrong")
    expectEqual(known.status, 401)
    expectEqual(unknown.status, 401)
    expectEqual(known.messageKeys, ["incorrectPassword"])
    expectEqual(unknown.messageKeys, known.messageKeys)
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
    var client = try await OrgClient(org)
    try await client.signIn()
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

  @Test("Wrong answers lock the account, which stops its other sign-ins; the last one gets 429")
  func lockOut() async throws {
    let org = makeOrg(SignInPolicy(attempts: 3))
    var client = try await OrgClient(org)
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    for _ in 1...2 {
      try await client.answer("wrong")
      expectEqual(client.status, 401)
    }
    try await client.answer("wrong")
    expectEqual(client.status, 429)
    expectEqual(client.messageKeys, ["oie.tooManyRequests"])
    expectEqual(client.remediations.first, "challenge-authenticator")
    try await client.answer("Analytical-1843")
    expectEqual(client.status, 429)
    await expectEqual(org.user("ada@shop.example")?.status, .locked)

    var later = try await OrgClient(org)
    try await later.signIn()
    expectEqual(later.messageKeys, ["incorrectPassword"])

    var ada = try await require(org.user("ada@shop.example"))
    ada.status = .active
    await org.update(ada)
    var last = try await OrgClient(org)
    try await last.signIn()
    expect(last.isDone)

    let strict = makeOrg(SignInPolicy(required: [.email], attempts: 1))
    client = try await OrgClient(strict)
    try await client.signIn()
    var other = try await OrgClient(strict)
    try await other.signIn("ada@shop.example", "wrong")
    expectEqual(other.status, 429)
    try await client.choose("Email", in: "select-authenticator-enroll")
    expectEqual(client.status, 429)
    await expectEmpty(strict.mailbox.messages)
    try await client.submit("cancel")
    expectEqual(client.remediations, ["identify"])
  }

  @Test("The example in the documentation works")
  func documentation() async throws {
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
      policy: .required(.email), seed: 1)
    var request = TransportRequest(
      method: "POST", url: org.issuer.appendingPathComponent("v1/interact"))
    request.headers = [
      "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
    ]
    let response = try await org.send(request)
    expectEqual(response.status, 401)
    org.advance(by: 6 * 60)
    await expectEqual(org.mailbox.lastCode(to: "ada@shop.example"), nil)
  }
}
