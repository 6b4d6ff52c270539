import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Steps about no authenticator, and how they look when sent", .timeLimit(.minutes(5)))
struct StationTests {
  private static func after(_ station: AccountPolicy.InterstitialStep) -> SignInPolicy {
    SignInPolicy.passwordOnly.accounts { $0.afterFactors = [station] }
  }

  @Test("Errors of a grace period refuse nothing: the password was taken, and one may go on")
  func gracePeriod() async throws {
    let scene = try Scene(Self.after(.gracePeriod))
    let log = EventLog()
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .instead("device-assurance-grace-period", .deviceAssuranceGracePeriod)
      ], log: log)
    #expect(outcome.signIn != nil)
    #expect(await log.count(of: "accepted challenge-authenticator of okta_password") == 1)
    #expect(await log.count(of: "accepted device-assurance-grace-period") == 1)
    let step = await person.steps.last
    #expect(step == .deviceAssuranceGracePeriod)
    #expect(await scene.line.sent.last == Sent("skip"))
  }

  @Test("A push before a grace period counts as approved")
  func gracePeriodAfterPush() async throws {
    let policy = SignInPolicy.required(.oktaVerify).accounts { $0.afterFactors = [.gracePeriod] }
    let scene = try Scene(policy, .oktaVerify(secret: "NBQXAZDFOJSXGZLB"))
    let log = EventLog()
    let (outcome, _) = try await scene.play(
      ScriptedReply.entry + [
        .answer("authenticator.methodType", "push"),
        .elsewhere("challenge-poll") { [org = scene.org] in
          await org.approvePush(for: Scene.login)
        },
        .instead("device-assurance-grace-period", .deviceAssuranceGracePeriod),
      ], log: log)
    #expect(outcome.signIn != nil)
    #expect(await log.count(of: "accepted challenge-poll of okta_verify") == 1)
  }

  @Test("Fields of one name are sent as one object, and what is left out is not sent")
  func profileUpdate() async throws {
    let scene = try Scene(Self.after(.profileUpdate))
    let (outcome, _) = try await scene.play(
      ScriptedReply.entry + [
        .answer("userProfile.nickname", "Countess"), .nothing("userProfile.secondEmail"),
        .answer("userProfile.city", "London"),
      ])
    #expect(outcome.signIn != nil)
    #expect(
      await scene.line.sent.last
        == Sent("new", ["userProfile": ["nickname": "Countess", "city": "London"]]))
  }

  @Test("A profile that may be filled in can be skipped")
  func profileSkipped() async throws {
    let scene = try Scene(Self.after(.profileUpdate))
    let (outcome, _) = try await scene.play(
      ScriptedReply.entry + [.instead("userProfile.nickname", .skip)])
    #expect(outcome.signIn != nil)
    #expect(await scene.line.sent.last == Sent("skip"))
  }

  @Test("Of the scopes with dots in their names each is answered by itself")
  func granularConsent() async throws {
    let scopes = ["openid", "email", "plan", "plan.details"]
    let scene = try Scene(Self.after(.granularConsent(scopes: scopes)))
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .answer("consent", true), .nothing("optedScopes.email"),
        .answer("optedScopes.plan", true), .answer("optedScopes.plan.details", false),
      ])
    #expect(outcome.signIn != nil)
    #expect(
      await scene.line.sent.last
        == Sent(
          "consent",
          [
            "consent": true,
            "optedScopes": [
              "openid": true, "email": true, "plan": true, "plan.details": false,
            ],
          ]))
    #expect(await !person.asked.contains("optedScopes.openid"))
  }

  @Test("A password that expires soon is replaced, or kept by skipping", arguments: [true, false])
  func expiringPassword(isKept: Bool) async throws {
    let scene = try Scene(.passwordExpiring)
    let rest: [ScriptedReply] =
      isKept
      ? [.instead("credentials.passcode", .skip)]
      : [.passcode("Mechanism-1831"), .passcode("Mechanism-1831")]
    let (outcome, person) = try await scene.play(ScriptedReply.entry + rest)
    #expect(outcome.signIn != nil)
    #expect(await person.messages == ["idx.password.expiring.message"])
    let password = await scene.org.user(Scene.login)?.password
    #expect((password?.revealed == Scene.password) == isKept)
  }

  @Test("Whether to stay signed in is asked, and an empty line keeps what the server proposes")
  func staySignedIn() async throws {
    let scene = try Scene(Self.after(.keepMeSignedIn))
    let (outcome, _) = try await scene.play(ScriptedReply.entry + [.nothing("keepMeSignedIn")])
    #expect(outcome.signIn != nil)
    #expect(
      await scene.line.sent.last == Sent("keep-me-signed-in", ["keepMeSignedIn": false]))
  }

  @Test("The code of a device is asked again where no device shows it")
  func userCode() async throws {
    let scene = try Scene(.deviceCode)
    let (outcome, person) = try await scene.play(
      [.answer("userCode", "AAAA-BBBB"), .answer("userCode", "wdjbmjht")] + ScriptedReply.entry
        + [.answer("consent", true)])
    #expect(outcome.end?.response.says("idx.device.activated") == true)
    #expect(await person.messages == ["idx.invalid.device.code"])
    // It went well: there is nothing to start over.
    #expect(await person.ends.isEmpty)
  }

  @Test("An org that takes no sign-ins for now is waited for at its own pace")
  func safeMode() async throws {
    let scene = try Scene(Self.after(.safeMode(seconds: 6)))
    let log = EventLog()
    let (outcome, person) = try await scene.play(ScriptedReply.entry, log: log)
    #expect(outcome.signIn != nil)
    #expect(await log.count(of: "waiting 2 s for poll") == 3)
    #expect(await person.waits.count == 1)
  }

  @Test("An end that denies access offers to start over; one that went well does not")
  func ends() async throws {
    for (scenario, count) in [
      (OrgScenario.denied, 1), (.deniedForGood, 1), (.finishedElsewhere, 0),
    ] {
      let (outcome, person) = try await Scene(scenario).play(ScriptedReply.entry)
      #expect(outcome.end != nil)
      #expect(await person.ends.count == count)
    }
  }

  @Test("Where access is denied for good, starting over is a new sign-in")
  func deniedForGood() async throws {
    let scene = try Scene(.deniedForGood)
    let (outcome, _) = try await scene.play(
      ScriptedReply.entry + [.startingOver] + ScriptedReply.entry)
    #expect(outcome.end?.response.says("security.access_denied") == true)
    #expect(await scene.line.count(of: "interact") == 2)
    #expect(await scene.line.count(of: "cancel") == 0)
  }
}
