import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Sign-in with authenticators", .timeLimit(.minutes(10)))
struct AuthenticatorSignInTests {
  @Test(
    "In every shape of responses, all authenticators can be set up",
    arguments: (0..<64).sample(every: 7))
  func shapes(bits: Int) async throws {
    let test = try TestSignIn(
      .required(.googleAuthenticator, .email, .phone, .securityQuestion),
      shape: ResponseShape(rawValue: bits))
    let (outcome, person) = try await test.run([
      .login, .passcode("a guess"), .password,
      .authenticator(.googleAuthenticator), .passcode("000000"), .totp("credentials.passcode"),
      .authenticator(.email), test.sentCode(),
      .authenticator(.phone), .answer("authenticator.methodType", "sms"),
      .answer("authenticator.phoneNumber", "+15550100142"), test.sentCode(),
      .authenticator(.securityQuestion), .answer("credentials", .option(0)),
      .answer("credentials.questionKey", .option(1)), .answer("credentials.answer", "abc"),
      .answer("credentials.answer", "Loom Lane"),
    ])
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    let enrollments = try await require(test.org.user(TestSignIn.login)).enrollments
    expectEqual(enrollments.count, 4)
    expectContains(enrollments, .phone("+15550100142"))
    await expectEqual(
      test.org.mailbox.messages.map(\.recipient), [TestSignIn.login, "+15550100142"])
    let secret = await person.questions.map(\.input).first { $0.id == "credentials.passcode" }
    expectEqual(secret?.kind, .secret)
    await expect(person.apps.first?.uri != nil)
  }

  @Test("Google Authenticator is set up; after a wrong code, the key is still valid")
  func googleEnrollment() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let (outcome, person) = try await test.run([
      .login, .password, .authenticator(.googleAuthenticator), .passcode("000000"),
      .passcode("111111"), .totp("credentials.passcode"),
    ])
    expect(outcome.signIn != nil)

    let asked = await person.questions.suffix(3).compactMap(\.step)
    expectEqual(asked.map(\.attempt), [1, 2, 3])
    expectEqual(asked.map { $0.previous?["credentials.passcode"] }, [nil, "000000", "111111"])
    let secrets = asked.map { $0.authenticator?.oneTimePassword?.sharedSecret }
    expect(secrets[0] != nil)
    expectEqual(Set(secrets).count, 1)
    await expectEqual(person.messages, [.passcodeInvalid, .passcodeInvalid])
    let user = await test.org.user(TestSignIn.login)
    expectEqual(user?.enrollments.map(\.authenticator), [.googleAuthenticator])

    // The key is shown once.
    await expectEqual(person.apps.count, 1)
    let app = try await require(person.apps.first)
    expectEqual(app.name, "Google Authenticator")
    expectEqual(app.uri?.issuer, "demo.okta.example")
    expectEqual(app.uri?.account, TestSignIn.login)
    expectEqual(app.image?.mediaType, "image/png")

    let code = try require(app.uri?.totp?.code(at: TestSignIn.now))
    let id = try require(asked.last?.authenticator?.id)
    await expectEqual(
      test.transport.sent.dropFirst(2),
      [
        Sent("enroll", ["authenticator": ["id": .string(id)]]),
        Sent("answer", ["credentials": ["passcode": "000000"]]),
        Sent("answer", ["credentials": ["passcode": "111111"]]),
        Sent("answer", ["credentials": ["passcode": .string(code)]]),
      ])

    // A challenge does not show the key again.
    let (_, returning) = try await test.run([
      .login, .password, .passcode("000000"), .cancel("credentials.passcode"),
    ])
    await expectEqual(returning.messages, [.softTokenInvalid])
    await expectEmpty(returning.apps)
  }

  @Test(
    "A script whose code another program has used waits once for the next one", arguments: [30, 0])
  func usedCode(seconds: Double) async throws {
    let test = try TestSignIn(
      .required(.googleAuthenticator), .googleAuthenticator(secret: "NBQXAZDFOJSXGZLB"))
    let app = try require(TOTPGenerator(base32: "NBQXAZDFOJSXGZLB"))
    _ = try await test.run([.login, .password, .passcode(app.code(at: TestSignIn.now))])
    let script = try Script(
      parsing: """
        [{"step": "identify", "fields": {"identifier": "ada@example.com"}},
         {"step": "challenge-authenticator", "fields": {"credentials.passcode": "Analytical-1843"}},
         {"step": "challenge-authenticator",
          "fields": {"credentials.passcode": {"totp": "NBQXAZDFOJSXGZLB"}}}]
        """.utf8)
    let asked = Locked(0)
    let handler = ScriptHandler(
      script,
      code: { [org = test.org] key in
        if asked.increment() > 1 { org.advance(by: seconds) }
        return key.code(at: org.now)
      })
    do {
      let outcome = try await test.coordinator(handler.handlers).run(test.configuration)
      expect(outcome.signIn != nil && seconds > 0)
    } catch {
      // The same code again is not sent forever.
      expect(seconds == 0)
    }
    expectEqual(asked.withLock { $0 }, 2)
  }

  @Test(
    "The person can leave an enrollment for another one, skip it, or come back, where its key is the same"
  )
  func comingBack() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator, .email))
    let (outcome, person) = try await test.run([
      .login, .password, .authenticator(.googleAuthenticator), .passcode("000000"),
      .instead("credentials.passcode", .selectAuthenticatorEnroll), .authenticator(.email),
      .instead("credentials.passcode", .selectAuthenticatorEnroll),
      .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
      .authenticator(.email), test.sentCode(),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(person.apps.count, 2)
    expectEqual(Set(await person.apps.map { $0.uri?.secret }).count, 1)

    for rest in [
      [
        .instead("credentials.passcode", .selectAuthenticatorEnroll),
        .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
      ],
      [.instead("credentials.passcode", .skip)],
    ] as [[ScriptedReply]] {
      let test = try TestSignIn(
        SignInPolicy(optional: [.email, .googleAuthenticator], enough: 1))
      let (outcome, _) = try await test.run([.login, .password, .authenticator(.email)] + rest)
      expect(outcome.signIn != nil)
      await expectEqual(test.org.user(TestSignIn.login)?.enrollments.contains(.email), false)
    }
  }

  @Test(
    "Skipping is offered only if the server allows it",
    arguments: [(SignInPolicy.optional(.email), [Remediation.Name.skip]), (.required(.email), [])])
  func skip(policy: SignInPolicy, names: [Remediation.Name]) async throws {
    let (outcome, person) = try await TestSignIn(policy).run([
      .login, .password, .cancel("authenticator"),
    ])
    expect(outcome.isCancelled)
    let screen = try await require(person.screens.last)
    expectEqual(screen.options.filter(\.isProminent).map(\.id), names.map(\.rawValue))
    expectEqual(screen.step?.alternatives.map(\.name), names + [.cancel])
  }

  @Test("With two phones, the message goes to the chosen one")
  func phoneChallenge() async throws {
    let test = try TestSignIn(
      .required(.phone), .phone("+15550100142"), .phone("+15550100199"))
    let (outcome, _) = try await test.run([
      .login, .password, .answer("authenticator", .option(1)),
      .answer("authenticator.methodType", "voice"), test.sentCode(),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(test.org.mailbox.messages.map(\.recipient), ["+15550100199"])
  }

  @Test(
    "A security question is chosen or written; a short answer is asked for again",
    arguments: [
      (
        [
          .answer("credentials", .optionNamed("Choose a security question")),
          .answer("credentials.questionKey", "childhood_street"),
        ], ["questionKey": "childhood_street", "answer": "Loom Lane"]
      ),
      (
        [
          .answer("credentials", .optionNamed("Create my own security question")),
          .answer("credentials.question", "What is it like?"),
        ], ["questionKey": "custom", "question": "What is it like?", "answer": "Loom Lane"]
      ),
    ] as [([ScriptedReply], JSONValue)])
  func securityQuestion(choice: [ScriptedReply], sent: JSONValue) async throws {
    let test = try TestSignIn(.required(.securityQuestion))
    let tooShort: IDXMessage.Key = "securityQuestion.answer.tooShort.arg"
    let enrollment = try await test.run(
      [.login, .password, .authenticator(.securityQuestion)] + choice
        + [.answer("credentials.answer", "abc"), .answer("credentials.answer", "Loom Lane")])
    expect(enrollment.outcome.signIn != nil)
    await expectEqual(test.transport.sent.last, Sent("answer", ["credentials": sent]))
    await expectEqual(enrollment.person.messages.first, tooShort)
    await expect(enrollment.person.questions.last?.input.problem != nil)

    let (outcome, person) = try await test.run([
      .login, .password, .answer("Answer", "Wheel Street"), .answer("Answer", " loom lane "),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(person.messages, ["authfactor.challenge.question_factor.answer_invalid"])
    await expect(person.questions.last?.step?.authenticator?.enrolledQuestion?.text != nil)
  }
}
