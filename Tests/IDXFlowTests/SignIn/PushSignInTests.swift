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

  @Test("A push is approved with its number; a wrong one rejects it, and the next has another")
  func numberChallenge() async throws {
    let test = try TestSignIn(
      SignInPolicy.required(.oktaVerify).with { $0.matchesNumbers = true }, Self.enrollment)
    let (outcome, person) = try await test.run([
      .login, .password, .answer("authenticator.methodType", "push"),
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
