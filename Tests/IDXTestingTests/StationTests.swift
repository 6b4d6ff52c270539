import IDX
import IDXBase
import IDXFlow
import IDXTesting
import Testing

@Suite("Steps about no authenticator in the simulated org")
struct StationTests {
  /// A visitor who has signed in and stands at these stations.
  private func after(_ stations: AccountPolicy.InterstitialStep...) async throws -> Visitor {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = stations
    var visitor = try await Visitor(makeOrg(policy))
    try await visitor.signIn()
    return visitor
  }

  private func before(_ stations: AccountPolicy.InterstitialStep...) async throws -> Visitor {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.beforeIdentify = stations
    return try await Visitor(makeOrg(policy))
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
    var visitor = asked
    try await visitor.submit(name, ["consent": "true"])
    #expect(visitor.messageKeys == ["simulated.field.notAnOption"])
    visitor = asked
    try await visitor.submit(name)
    #expect(visitor.messageKeys == ["api.error.field_required"])
    visitor = asked
    try await visitor.submit(name, ["consent": true])
    #expect(visitor.isDone)

    visitor = try await after(station)
    try await visitor.submit(name, ["consent": false])
    #expect(visitor.status == 403)
    #expect(visitor.messageKeys == ["access_denied"])
    #expect(visitor.remediations == [])
    try await visitor.submit("cancel")
    #expect(visitor.remediations == ["identify"])
  }

  @Test("Scopes are allowed one by one, names with dots among them; openid is fixed")
  func granularConsent() async throws {
    let asked = try await after(.granularConsent(scopes: ["openid", "plan", "plan.details"]))
    var visitor = asked
    try await visitor.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": false, "plan": true, "plan.details": true]])
    #expect(visitor.messageKeys == ["simulated.field.fixed"])
    visitor = asked
    try await visitor.submit(
      "granular-consent", ["consent": true, "optedScopes": ["openid": true, "plan": true]])
    #expect(visitor.messageKeys == ["api.error.field_required"])
    visitor = asked
    try await visitor.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": true, "plan": true, "plan.details": false]])
    #expect(visitor.isDone)

    visitor = try await after(.granularConsent(scopes: ["openid", "offline_access"]))
    try await visitor.submit(
      "granular-consent",
      ["consent": true, "optedScopes": ["openid": true, "offline_access": false]])
    try await visitor.redeem()
    #expect(visitor.json["scope"] == "openid")
    #expect(visitor.json["refresh_token"] == nil)
  }

  @Test("What is missing in the profile is asked for, fields of one name as one object")
  func profile() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = [.profile, .profileUpdate]
    let org = makeOrg(policy)
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    #expect(visitor.remediations == ["enroll-profile"])
    #expect(visitor.form("enroll-profile")?["href"]?.string?.hasSuffix("/enroll/update") == true)
    try await visitor.submit("enroll-profile", ["userProfile": ["department": "Numbers"]])
    #expect(visitor.remediations == ["profile-update", "skip"])
    let names = visitor.form("profile-update")?["value"]?.array?.compactMap { $0["name"]?.string }
    #expect(names == ["userProfile", "userProfile", "userProfile", "stateHandle"])
    try await visitor.submit(
      "profile-update", ["userProfile": ["secondEmail": "nowhere", "city": "London"]])
    #expect(visitor.status == 400)
    try await visitor.submit(
      "profile-update", ["userProfile": ["nickname": "Countess", "city": "London"]])
    #expect(visitor.isDone)
    #expect(
      await org.user("ada@shop.example")?.attributes
        == ["department": "Numbers", "nickname": "Countess", "city": "London"])

    visitor = try await after(.profileUpdate)
    try await visitor.submit("skip")
    #expect(visitor.isDone)
  }

  @Test("A denial is an end, with a way back to the start or without", arguments: [true, false])
  func denial(isFinal: Bool) async throws {
    var visitor = try await after(.denial(isFinal: isFinal))
    #expect(visitor.status == 403)
    #expect(visitor.messageKeys == ["security.access_denied"])
    #expect(visitor.remediations == [])
    #expect((visitor.form("cancel") == nil) == isFinal)
    try await visitor.introspect()
    #expect(visitor.messageKeys == ["security.access_denied"])
  }

  @Test("A station's form is strict as any, and other steps do not have it")
  func strictness() async throws {
    var visitor = try await after(.keepMeSignedIn)
    try await visitor.submit("keep-me-signed-in", ["keepMeSignedIn": "true"])
    #expect(visitor.messageKeys == ["simulated.field.wrongType"])
    visitor = try await Visitor(makeOrg())
    let body: JSONValue = ["stateHandle": .string(visitor.stateHandle), "consent": true]
    try await visitor.post("/idp/idx/consent", body)
    #expect(visitor.messageKeys == ["simulated.request.notOffered"])
    try await visitor.post("/idp/idx/nowhere", body)
    #expect(visitor.status == 404)
  }

  @Test(
    "The beginning and the end can be refused",
    arguments: ["access_denied", "unauthorized_client", "invalid_request", "invalid_grant"])
  func refusals(code: String) async throws {
    var visitor = try await Visitor(makeOrg())
    await visitor.org.inject(.refused(code), at: "/interact")
    try await visitor.interact()
    #expect(visitor.status == 400)
    #expect(visitor.json["error"]?.string == code)
    await visitor.org.inject(.sessionExpired, at: "/introspect")
    try await visitor.introspect()
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == ["idx.session.expired"])
    try await visitor.introspect()
    #expect(visitor.remediations == ["identify"])
    try await visitor.signIn()
    await visitor.org.inject(.refused(code), at: "/token")
    try await visitor.redeem()
    #expect(visitor.json["error"]?.string == code)
  }
}
