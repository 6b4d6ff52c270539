import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Sign-in with pushes", .timeLimit(.minutes(10)))
struct PushSignInTests {
  private static let enrollment = SimulatedUser.Enrollment.oktaVerify(secret: "NBQXAZDFOJSXGZLB")
  private static let start: [ScriptedReply] = [
    .login, .password, .answer("authenticator.methodType", "push"),
  ]

  @Test("A push is approved with its number; a wrong one rejects it, and the next has another")
  func numberChallenge() async throws {
    let test = try TestSignIn(
      SignInPolicy.required(.oktaVerify).with { $0.matchesNumbers = true }, Self.enrollment)
    let (outcome, person) = try await test.run(
      Self.start + [
        .elsewhere("challenge-poll") { [org = test.org] in
          await org.approvePush(for: TestSignIn.login, choosing: "0")
        },
        .instead("resend", .resend), test.approvingPush(),
      ])
    expect(outcome.signIn != nil)
    await expectEqual(person.messages, ["api.authn.poll.error.push_rejected"])
    let numbers = await person.waits.compactMap { $0.authenticator?.numberChallenge }
    expect(numbers.count == 2 && Set(numbers).count == 2 && numbers.allSatisfy { !$0.isEmpty })
    await expectEqual(test.transport.count(of: "poll"), 2)
  }

  @Test(
    "After a push was rejected or timed out, it can be sent again with the same request",
    arguments: [
      (true, "api.authn.poll.error.push_rejected"), (false, "api.authn.poll.error.push_timeout"),
    ] as [(Bool, IDXMessage.Key)])
  func failedPush(isRejected: Bool, key: IDXMessage.Key) async throws {
    let test = try TestSignIn(.required(.oktaVerify), Self.enrollment)
    let (outcome, person) = try await test.run(
      Self.start + [
        .elsewhere("challenge-poll") { [org = test.org] in
          if isRejected { await org.rejectPush(for: TestSignIn.login) }
        },
        .instead("resend", .resend), test.approvingPush(),
      ])
    expect(outcome.signIn != nil)
    await expectEqual(person.messages, [key])
    let pushes = await test.transport.sent.filter { $0.path == "challenge" }
    expectEqual(pushes.count, 2)
    expectEqual(Set(pushes).count, 1)
    expectEqual(pushes.first?.body["authenticator"]?["methodType"], "push")
  }

  @Test("A code of the app can be typed instead of approving the push")
  func codeInsteadOfPush() async throws {
    let test = try TestSignIn(.optional(.oktaVerify, .email), Self.enrollment, .email)
    let (outcome, person) = try await test.run([
      .login, .password, .authenticator(.oktaVerify), .answer("authenticator.methodType", "push"),
      .instead("challenge-poll", .selectAuthenticatorAuthenticate),
      .authenticator(.oktaVerify), .answer("authenticator.methodType", "totp"),
      .answer("credentials.totp", "000000"), test.code(of: .oktaVerify, "credentials.totp"),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(test.transport.count(of: "poll"), 0)
    await expectEqual(person.messages, [.passcodeInvalid])
    await expectEqual(
      test.transport.sent.dropLast().last, Sent("answer", ["credentials": ["totp": "000000"]]))
  }

  @Test("After the person agreed to automatic pushes, the next push is sent without a question")
  func automaticPush() async throws {
    let test = try TestSignIn(OrgScenario["push-auto"])
    _ = try await test.run(Self.start + [.answer("authenticator.autoChallenge", true)])
    await expectEqual(test.transport.sent.last?.body["authenticator"]?["autoChallenge"], true)
    let (outcome, person) = try await test.run([.login, .password])
    expect(outcome.signIn != nil)
    await expectEqual(person.asked, ["identifier", "credentials.passcode"])
    await expectEqual(person.waits.count, 1)
  }

  @Test("A form that was chosen during polling stays open while polls bring no news")
  func formDuringPolling() async throws {
    let test = try TestSignIn(.required(.oktaVerify))
    let (outcome, person) = try await test.run([
      .login, .password, .authenticator(.oktaVerify), .answer("authenticator.channel", "qrcode"),
      .instead("enroll-poll", .selectEnrollmentChannel),
      .answer("authenticator.channel", "email"), .answer("email", "no address"),
      .answer("email", "ada@example.com"),
      .elsewhere("enroll-poll") { [org = test.org] in
        await org.completeEnrollment(for: TestSignIn.login)
      },
    ])
    expect(outcome.signIn != nil)
    await expectEqual(test.org.mailbox.messages.map(\.recipient), ["ada@example.com"])
    await expectEqual(person.messages, ["errors.E0000001"])
    await expectEqual(person.waits.map(\.remediation.name), [.enrollPoll, .enrollPoll])
  }
}
