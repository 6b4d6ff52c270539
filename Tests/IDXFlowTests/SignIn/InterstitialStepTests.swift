import Expectations
import IDX
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Steps between the factors and the tokens", .timeLimit(.minutes(10)))
struct InterstitialStepTests {
  private static func policy(_ change: (inout AccountPolicy) -> Void) -> SignInPolicy {
    SignInPolicy.passwordOnly.accounts(change)
  }

  @Test("Error messages of a grace period refuse nothing, also not the push before it")
  func gracePeriod() async throws {
    let test = try TestSignIn(Self.policy { $0.afterFactors = [.gracePeriod] })
    let log = EventLog()
    let (outcome, person) = try await test.run(
      [
        .login, .password,
        .instead("device-assurance-grace-period", .deviceAssuranceGracePeriod),
      ], log: log)
    expect(outcome.signIn != nil)
    await expectEqual(log.count(of: "accepted challenge-authenticator of okta_password"), 1)
    await expectEqual(log.count(of: "accepted device-assurance-grace-period"), 1)
    await expectEqual(person.steps.last, .deviceAssuranceGracePeriod)
    await expectEqual(test.transport.sent.last, Sent("skip"))

    let policy = SignInPolicy.required(.oktaVerify).accounts { $0.afterFactors = [.gracePeriod] }
    let push = try TestSignIn(policy, .oktaVerify(secret: "NBQXAZDFOJSXGZLB"))
    let pushLog = EventLog()
    let (approved, _) = try await push.run(
      [
        .login, .password, .answer("authenticator.methodType", "push"), push.approvingPush(),
        .instead("device-assurance-grace-period", .deviceAssuranceGracePeriod),
      ], log: pushLog)
    expect(approved.signIn != nil)
    await expectEqual(pushLog.count(of: "accepted challenge-poll of okta_verify"), 1)
  }

  @Test("Scopes with dots in their names are answered one by one")
  func granularConsent() async throws {
    let scopes = ["openid", "email", "plan", "plan.details"]
    let test = try TestSignIn(Self.policy { $0.afterFactors = [.granularConsent(scopes: scopes)] })
    let (outcome, person) = try await test.run([
      .login, .password, .answer("consent", true), .nothing("optedScopes.email"),
      .answer("optedScopes.plan", true), .answer("optedScopes.plan.details", false),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(
      test.transport.sent.last,
      Sent(
        "consent",
        [
          "consent": true,
          "optedScopes": ["openid": true, "email": true, "plan": true, "plan.details": false],
        ]))
    await expect(!person.asked.contains("optedScopes.openid"))
  }

  @Test("Who refuses access is shown the scopes and not asked for each, and can start over")
  func refusedScopes() async throws {
    let scopes = ["openid", "email", "plan"]
    let test = try TestSignIn(Self.policy { $0.afterFactors = [.granularConsent(scopes: scopes)] })
    let (outcome, person) = try await test.run([.login, .password, .answer("consent", false)])
    expectEqual(outcome.end?.status, 403)
    let screen = await person.questions.last?.screen
    expectEqual(
      screen?.lists,
      [
        .init(
          title: "It wants to:", items: ["Know who you are", "View your email address", "Use plan"])
      ])
    expectEqual(
      screen?.consent, .init(inputID: "consent", allow: "Allow", deny: "Do not allow"))
    await expectEqual(person.ends.count, 1)
  }

  @Test("A password that expires soon can be replaced or kept", arguments: [true, false])
  func expiringPassword(isKept: Bool) async throws {
    let test = try TestSignIn(OrgScenario["password-expiring"])
    let rest: [ScriptedReply] =
      isKept
      ? [.instead("credentials.passcode", .skip)]
      : [.passcode("Mechanism-1831"), .passcode("Mechanism-1831")]
    let (outcome, person) = try await test.run([.login, .password] + rest)
    expect(outcome.signIn != nil)
    await expectEqual(person.messages, ["idx.password.expiring.message"])
    let password = await test.org.user(TestSignIn.login)?.password
    expectEqual((password?.revealed == TestSignIn.password), isKept)
  }

  @Test("An unknown device code is asked for again")
  func deviceCode() async throws {
    let (outcome, person) = try await TestSignIn(OrgScenario["device-code"]).run([
      .answer("userCode", "AAAA-BBBB"), .answer("userCode", "wdjbmjht"), .login, .password,
      .answer("consent", true),
    ])
    expectEqual(outcome.end?.response.says("idx.device.activated"), true)
    await expectEqual(person.messages, ["idx.invalid.device.code"])
    // After a success, the person is not asked whether to start over.
    await expectEmpty(person.ends)
  }

  @Test("In safe mode, the server is polled at its own interval")
  func safeMode() async throws {
    let test = try TestSignIn(Self.policy { $0.afterFactors = [.safeMode(seconds: 6)] })
    let log = EventLog()
    let (outcome, person) = try await test.run([.login, .password], log: log)
    expect(outcome.signIn != nil)
    await expectEqual(log.count(of: "waiting 2 s for poll"), 3)
    await expectEqual(
      person.screens.compactMap(\.wait?.text), ["Waiting for the sign-in service"])
  }

  @Test(
    "Starting over is offered after a denial, also if the server offers no cancel, and not after a success"
  )
  func deniedWithoutCancel() async throws {
    for (scenario, count) in [("denied", 1), ("denied-final", 1), ("done", 0)] {
      let (outcome, person) = try await TestSignIn(OrgScenario[scenario]).run([.login, .password])
      expect(outcome.end != nil)
      await expectEqual(person.ends.count, count, "\(scenario)")
    }
    let test = try TestSignIn(OrgScenario["denied-final"])
    let (outcome, _) = try await test.run([
      .login, .password, .startingOver, .login, .password,
    ])
    expectEqual(outcome.end?.response.says("security.access_denied"), true)
    await expectEqual(test.transport.count(of: "interact"), 2)
    await expectEqual(test.transport.count(of: "cancel"), 0)
  }
}
