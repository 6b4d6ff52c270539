import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Sign-in with codes and links by email", .timeLimit(.minutes(10)))
struct EmailSignInTests {
  /// A sign-in up to the code, and the replies for that.
  private func start(isEnrolled: Bool) throws -> (TestSignIn, [ScriptedReply]) {
    isEnrolled
      ? (try TestSignIn(.required(.email), .email), [.login, .password])
      : (try TestSignIn(.required(.email)), [.login, .password, .authenticator(.email)])
  }

  @Test(
    "An email can be sent again, and then only the newest code works",
    arguments: [true, false])
  func resend(isEnrolled: Bool) async throws {
    let (test, start) = try start(isEnrolled: isEnrolled)
    let log = EventLog()
    let (outcome, person) = try await test.run(
      start + [
        .passcode("000000"), .instead("credentials.passcode", .resend),
        .answer("credentials.passcode") { [org = test.org] in
          await org.mailbox.messages.first?.code
        },
        test.sentCode(),
      ], log: log)
    expect(outcome.signIn != nil)
    let recipients = await test.org.mailbox.messages.map(\.recipient)
    expectEqual(recipients, [TestSignIn.login, TestSignIn.login])
    await expectEqual(person.messages, [.passcodeInvalid, .passcodeInvalid])
    await expectEqual(person.questions.suffix(4).map(\.step?.attempt), [1, 2, 1, 2])
    await expectEqual(
      test.transport.sent.map(\.path),
      [
        "identify", "answer", isEnrolled ? "challenge" : "enroll", "answer", "resend", "answer",
        "answer",
      ])
    await expectEqual(test.transport.count(of: "poll"), 0)
    // Neither a refused code nor the request for another email counts as accepted.
    let name = isEnrolled ? "challenge" : "enroll"
    await expectEqual(log.count(of: "accepted \(name)-authenticator of okta_email"), 1)
  }

  @Test("An email is sent only after the person asked for it, as whoever chooses email does")
  func sentOnRequest() async throws {
    let test = try TestSignIn(.required(.email), .email)
    let (outcome, person) = try await test.run([.login, .password, test.sentCode()])
    expect(outcome.signIn != nil)
    await expectEqual(person.steps, [.identify, .challengeAuthenticator, .challengeAuthenticator])
    await expectEqual(person.questions.last?.step?.authenticator?.email, "a***a@example.com")

    let choosing = try TestSignIn(
      SignInPolicy.optional(.email, .googleAuthenticator).with { $0.asksBeforeEmail = true },
      .email, .googleAuthenticator(secret: "NBQXAZDFOJSXGZLB"))
    let (chosen, chooser) = try await choosing.run([
      .login, .password, .authenticator(.email), choosing.sentCode(),
    ])
    expect(chosen.signIn != nil)
    await expectEqual(
      chooser.steps,
      [
        .identify, .challengeAuthenticator, .selectAuthenticatorAuthenticate,
        .challengeAuthenticator,
      ])
  }

  @Test("If the link is opened in another browser, a poll notices it, and no code is needed")
  func linkElsewhere() async throws {
    let test = try TestSignIn(.required(.email), .email)
    let log = EventLog()
    let (outcome, person) = try await test.run(
      [
        .login, .password,
        .elsewhere("credentials.passcode") { [org = test.org] in
          org.advance(by: 60)
          if let mail = await org.mailbox.messages.last { await org.followLink(in: mail) }
        },
      ], log: log)
    expect(outcome.signIn != nil)
    await expectEqual(test.transport.count(of: "poll"), 1)
    await expectEqual(test.transport.steps.suffix(2), ["poll", "token"])
    await expectEqual(person.asked, ["identifier", "credentials.passcode", "credentials.passcode"])
    await expectEqual(log.count(of: "waiting 4 s for poll"), 1)
  }

  @Test("A link that opens the app brings the code, and one of another sign-in is reported")
  func otherLink() async throws {
    for isEnrolled in [true, false] {
      let (test, start) = try start(isEnrolled: isEnrolled)
      let (outcome, _) = try await test.run(
        start + [
          .returned("credentials.passcode") { [org = test.org] in
            guard let mail = await org.mailbox.messages.last else { return nil }
            return await org.openLink(in: mail)
          }
        ])
      expect(outcome.signIn != nil)
      let code = try await require(test.org.mailbox.messages.last?.code)
      await expectEqual(
        test.transport.sent.last, Sent("answer", ["credentials": ["passcode": .string(code)]]))
    }
    let test = try TestSignIn(.required(.email), .email)
    let (outcome, person) = try await test.run([
      .login, .password,
      .returned("credentials.passcode") {
        URL(string: "com.example.demo:/callback?otp=123456&state=another")
      },
      test.sentCode(),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(person.problems.count, 1)
    await expectEqual(
      test.transport.sent.map(\.path), ["identify", "answer", "challenge", "answer"])
  }
}
