import IDXBase
import IDX
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

  @Test("Stations are passed in order, each once")
  func order() async throws {
    var visitor = try await after(.gracePeriod, .keepMeSignedIn, .consent(scopes: ["email"]))
    #expect(visitor.remediations == ["device-assurance-grace-period"])
    let classes = visitor.json["messages"]?["value"]?.array?.compactMap { $0["class"]?.string }
    #expect(classes == ["WARNING", "ERROR", "ERROR"])
    #expect(
      visitor.json["messages"]?["value"]?[1]?["links"]?[0]?["url"]
        == "https://help.example.com/update")
    try await visitor.submit("device-assurance-grace-period")
    #expect(visitor.remediations == ["keep-me-signed-in"])
    #expect(visitor.messageKeys == [])
    try await visitor.submit("keep-me-signed-in", ["keepMeSignedIn": true])
    #expect(visitor.remediations == ["consent"])
    let step = visitor.json
    try await visitor.introspect()
    #expect(visitor.json == step)
    try await visitor.submit("consent", ["consent": true])
    #expect(visitor.isDone)
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

  @Test("In safe mode the client polls until the org goes on")
  func safeMode() async throws {
    var visitor = try await after(.safeMode(seconds: 6))
    #expect(visitor.remediations == ["poll"])
    #expect(visitor.form("poll")?["refresh"] == 2000)
    try await visitor.submit("poll")
    #expect(visitor.remediations == ["poll"])
    visitor.org.advance(by: 6)
    try await visitor.submit("poll")
    #expect(visitor.isDone)

    visitor = try await before(.safeMode(seconds: 6))
    #expect(visitor.remediations == ["poll"])
    visitor.org.advance(by: 6)
    try await visitor.submit("poll")
    #expect(visitor.remediations == ["identify"])
  }

  @Test("A device's code leads to a sign-in, consent and an end without tokens")
  func deviceCode() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.beforeIdentify = [.userCode("WDJB-MJHT")]
    policy.accounts.afterFactors = [.consent(scopes: ["email"]), .deviceActivated]
    var visitor = try await Visitor(makeOrg(policy))
    try await visitor.submit("user-code", ["userCode": "AAAA-BBBB"])
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == ["idx.invalid.device.code"])
    try await visitor.submit("user-code", ["userCode": "wdjbmjht"])
    try await visitor.signIn()
    try await visitor.submit("consent", ["consent": true])
    #expect(visitor.status == 200)
    #expect(visitor.messageKeys == ["idx.device.activated"])
    #expect(visitor.json["successWithInteractionCode"] == nil)
    #expect(visitor.form("cancel") == nil)
  }

  @Test("An activation mail is asked for again")
  func activation() async throws {
    var visitor = try await before(.activationExpired)
    #expect(visitor.remediations == ["request-activation-email"])
    #expect(visitor.messageKeys == ["idx.expired.activation.token"])
    try await visitor.submit("request-activation-email")
    #expect(visitor.messageKeys == ["idx.request.activation.email"])
    #expect(visitor.remediations == [])
  }

  @Test(
    "A probe for the authenticator is given up by the org or by the client",
    arguments: AccountPolicy.InterstitialStep.DeviceMethod.allCases)
  func deviceChallenge(method: AccountPolicy.InterstitialStep.DeviceMethod) async throws {
    var visitor = try await before(.deviceChallenge(method))
    #expect(visitor.remediations == ["device-challenge-poll"])
    let challenge = visitor.json["authenticatorChallenge"]?["value"]
    #expect(
      challenge?["challengeMethod"] == (method == .loopback ? "LOOPBACK" : "CUSTOM_URI"))
    let step = visitor.json
    try await visitor.submit("device-challenge-poll")
    #expect(visitor.remediations == ["device-challenge-poll"])
    #expect(visitor.json == step)
    visitor.org.advance(by: 10)
    try await visitor.submit("device-challenge-poll")
    #expect(visitor.remediations == ["identify"])

    visitor = try await before(.deviceChallenge(method))
    let handle = JSONValue.string(visitor.stateHandle)
    try await visitor.post(
      "/idp/idx/authenticators/poll/cancel",
      ["stateHandle": handle, "reason": "USER_CANCELED"])
    #expect(visitor.remediations == ["identify"])
  }

  @Test("FastPass beside the user name is a detour")
  func fastPass() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.fastPass = true
    var visitor = try await Visitor(makeOrg(policy))
    #expect(visitor.remediations == ["identify", "launch-authenticator"])
    try await visitor.submit("launch-authenticator")
    #expect(visitor.remediations == ["device-challenge-poll"])
    visitor.org.advance(by: 10)
    try await visitor.submit("device-challenge-poll")
    try await visitor.signIn()
    #expect(visitor.isDone)
  }

  @Test("Apple's extension cannot be played, and can be passed over")
  func appleSignOn() async throws {
    var visitor = try await before(.appleSignOn)
    #expect(visitor.remediations == ["device-apple-sso-extension", "cancel-transaction"])
    let request = visitor.form("device-apple-sso-extension")?["value"]?[0]?["value"] ?? .null
    try await visitor.submit("device-apple-sso-extension", ["challengeRequest": request])
    #expect(visitor.status == 401)
    try await visitor.submit("cancel-transaction")
    #expect(visitor.remediations == ["identify"])
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

  @Test("Ends may be good, and may tell where the browser is")
  func goodEnds() async throws {
    let done = try await after(.finishedElsewhere)
    #expect(done.status == 200)
    #expect(done.json["messages"]?["value"]?[0]?["class"] == "INFO")
    #expect(done.form("cancel") == nil)
    #expect(try IDXResponse(parsing: done.response.body).isTerminal)

    let landing = try await before(.linkLanding(code: "483920"))
    #expect(landing.messageKeys == ["idx.enter.otp.in.original.tab"])
    #expect(landing.json["client"]?["value"]?["browser"] == "Firefox")
    #expect(landing.current?["contextualData"]?["otp"] == "483920")
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
