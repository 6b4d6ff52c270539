import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@Suite("Steps about no authenticator in the simulated org")
struct StationTests {
  /// A client who has signed in and stands at these stations.
  private func after(_ stations: AccountPolicy.InterstitialStep...) async throws -> OrgClient {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = stations
    var client = try await OrgClient(makeOrg(policy))
    try await client.signIn()
    return client
  }

  private func before(_ stations: AccountPolicy.InterstitialStep...) async throws -> OrgClient {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.beforeIdentify = stations
    return try await OrgClient(makeOrg(policy))
  }

  @Test(
    "Consent goes on, and its refusal ends the sign-in",
    arguments: [
      (AccountPolicy.InterstitialStep.consent(scopes: ["email", "phone"]), "consent"),
      (.adminConsent(scopes: ["email", "phone"]), "admin-consent"),
      (.emailConsent, "email-challenge-consent"),
    ])
  func consent(station: AccountPolicy.InterstitialStep, name: String) async throws {
    let asked = try await after(station)
    #expect(asked.remediations == [name])
    let form = try #require(asked.form(name))
    if station == .emailConsent {
      #expect(form["requestInfo"]?.array?.count == 3)
    } else {
      #expect(form["scopes"]?.array?.compactMap { $0["value"]?.string } == ["email", "phone"])
    }
    var client = asked
    try await client.submit(name, ["consent": "true"])
    #expect(client.messageKeys == ["simulated.field.notAnOption"])
    client = asked
    try await client.submit(name)
    #expect(client.messageKeys == ["api.error.field_required"])
    client = asked
    try await client.submit(name, ["consent": true])
    #expect(client.isDone)

    client = try await after(station)
    try await client.submit(name, ["consent": false])
    #expect(client.status == 403)
    #expect(client.messageKeys == ["access_denied"])
    #expect(client.remediations == [])
    try await client.submit("cancel")
    #expect(client.remediations == ["identify"])
  }

  @Test("Scopes are allowed one by one, names with dots among them; openid is fixed")
  func granularConsent() async throws {
    let asked = try await after(.granularConsent(scopes: ["openid", "plan", "plan.details"]))
    var client = asked
    try await client.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": false, "plan": true, "plan.details": true]])
    #expect(client.messageKeys == ["simulated.field.fixed"])
    client = asked
    try await client.submit(
      "granular-consent", ["consent": true, "optedScopes": ["openid": true, "plan": true]])
    #expect(client.messageKeys == ["api.error.field_required"])
    client = asked
    try await client.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": true, "plan": true, "plan.details": false]])
    #expect(client.isDone)

    client = try await after(.granularConsent(scopes: ["openid", "offline_access"]))
    try await client.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": true, "offline_access": false]])
    try await client.redeem()
    #expect(client.json["scope"] == "openid")
    #expect(client.json["refresh_token"] == nil)
  }

  @Test("What is missing in the profile is asked for, fields of one name as one object")
  func profile() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = [.profile, .profileUpdate]
    let org = makeOrg(policy)
    var client = try await OrgClient(org)
    try await client.signIn()
    #expect(client.remediations == ["enroll-profile"])
    #expect(client.form("enroll-profile")?["href"]?.string?.hasSuffix("/enroll/update") == true)
    try await client.submit("enroll-profile", ["userProfile": ["department": "Numbers"]])
    #expect(client.remediations == ["profile-update", "skip"])
    let names = client.form("profile-update")?["value"]?.array?.compactMap { $0["name"]?.string }
    #expect(names == ["userProfile", "userProfile", "userProfile", "stateHandle"])
    try await client.submit(
      "profile-update", ["userProfile": ["secondEmail": "nowhere", "city": "London"]])
    #expect(client.status == 400)
    try await client.submit(
      "profile-update", ["userProfile": ["nickname": "Countess", "city": "London"]])
    #expect(client.isDone)
    #expect(
      await org.user("ada@shop.example")?.attributes
        == ["department": "Numbers", "nickname": "Countess", "city": "London"])

    client = try await after(.profileUpdate)
    try await client.submit("skip")
    #expect(client.isDone)
  }

  @Test("A denial is an end, with a way back to the start or without", arguments: [true, false])
  func denial(isFinal: Bool) async throws {
    var client = try await after(.denial(isFinal: isFinal))
    #expect(client.status == 403)
    #expect(client.messageKeys == ["security.access_denied"])
    #expect(client.remediations == [])
    #expect((client.form("cancel") == nil) == isFinal)
    try await client.introspect()
    #expect(client.messageKeys == ["security.access_denied"])
  }

  @Test("A station's form is strict as any, and other steps do not have it")
  func strictness() async throws {
    var client = try await after(.keepMeSignedIn)
    try await client.submit("keep-me-signed-in", ["keepMeSignedIn": "true"])
    #expect(client.messageKeys == ["simulated.field.wrongType"])
    client = try await OrgClient(makeOrg())
    let body: JSONValue = ["stateHandle": .string(client.stateHandle), "consent": true]
    try await client.post("/idp/idx/consent", body)
    #expect(client.messageKeys == ["simulated.request.notOffered"])
    try await client.post("/idp/idx/nowhere", body)
    #expect(client.status == 404)
  }

  @Test(
    "The beginning and the end can be refused",
    arguments: ["access_denied", "unauthorized_client", "invalid_request", "invalid_grant"])
  func refusals(code: String) async throws {
    var client = try await OrgClient(makeOrg())
    await client.org.inject(.refused(code), at: "/interact")
    try await client.interact()
    #expect(client.status == 400)
    #expect(client.json["error"]?.string == code)
    await client.org.inject(.sessionExpired, at: "/introspect")
    try await client.introspect()
    #expect(client.status == 401)
    #expect(client.messageKeys == ["idx.session.expired"])
    try await client.introspect()
    #expect(client.remediations == ["identify"])
    try await client.signIn()
    await client.org.inject(.refused(code), at: "/token")
    try await client.redeem()
    #expect(client.json["error"]?.string == code)
  }
}
