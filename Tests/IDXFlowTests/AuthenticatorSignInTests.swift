import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Setting up and challenging authenticators")
struct AuthenticatorSignInTests {
  @Test("Google Authenticator is set up, and a wrong code keeps the secret")
  func googleEnrollment() async throws {
    let world = try World(.required(.googleAuthenticator))
    let person = world.person([
      .login, .password, .authenticator(.googleAuthenticator), .passcode("000000"),
      .passcode("111111"), .totp("credentials.passcode"),
    ])
    let log = EventLog()
    #expect(try await world.signIn([], log: log, person: person).signIn != nil)

    let asked = await person.questions.suffix(3).map(\.step)
    #expect(asked.map(\.attempt) == [1, 2, 3])
    #expect(asked.map { $0.previous?["credentials.passcode"] } == [nil, "000000", "111111"])
    let secrets = asked.map { $0.authenticator?.oneTimePassword?.sharedSecret }
    #expect(secrets[0] != nil)
    #expect(Set(secrets).count == 1)
    // The key is shown once: what is on the screen is still right.
    #expect(await person.apps.count == 1)
    #expect(await person.messages == [.passcodeInvalid, .passcodeInvalid])
    #expect(await log.count(of: "accepted enroll-authenticator of google_otp") == 1)
    #expect(
      await world.org.user(World.login)?.enrollments.map(\.authenticator) == [.googleAuthenticator])
  }

  @Test("The app is shown the issuer, the account and the key that the server sent")
  func authenticatorApp() async throws {
    let world = try World(.required(.googleAuthenticator))
    let person = world.person([
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
    ])
    _ = try await world.signIn([], person: person)
    let app = try #require(await person.apps.first)
    #expect(app.name == "Google Authenticator")
    #expect(app.uri?.issuer == "id.shop.example")
    #expect(app.uri?.account == World.login)
    #expect(app.image?.mediaType == "image/png")
  }

  @Test("A code of an app counts once: used again it is refused with its own message")
  func googleChallenge() async throws {
    let world = try World(
      .required(.googleAuthenticator),
      enrollments: [.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP")])
    let now: @Sendable () async -> String? = { [org = world.org] in
      await org.authenticatorCode(for: World.login)
    }
    #expect(
      try await world.signIn([.login, .password, .answer("credentials.passcode", from: now)])
        .signIn != nil)
    let person = world.person([
      .login, .password, .passcode("000000"), .answer("credentials.passcode", from: now),
      .answer("credentials.passcode") { [org = world.org] in
        org.advance(by: 30)
        return await org.authenticatorCode(for: World.login)
      },
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await person.messages == [.softTokenInvalid, .softTokenUsed])
    #expect(await person.apps.isEmpty)
  }

  @Test("A mail can be sent again, and the code of the newest one counts")
  func emailEnrollment() async throws {
    let world = try World(.required(.email))
    let person = world.person([
      .login, .password, .authenticator(.email), .passcode("000000"),
      .instead("credentials.passcode", .resend),
      .answer("credentials.passcode") { [org = world.org] in
        await org.mailbox.messages.first?.code
      },
      .answer("credentials.passcode") { await world.lastCode },
    ])
    let outcome = try await world.signIn([], person: person)
    #expect(outcome.signIn != nil)
    #expect(await world.org.mailbox.messages.count == 2)
    #expect(await person.messages == [.passcodeInvalid, .passcodeInvalid])
    #expect(await person.questions.suffix(4).map(\.step.attempt) == [1, 2, 1, 2])
  }

  @Test("A mail is sent only when it was asked for")
  func emailChallenge() async throws {
    let world = try World(.required(.email), enrollments: [.email])
    let person = world.person([
      .login, .password, .answer("credentials.passcode") { await world.lastCode },
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(
      await person.steps == [
        .identify, .challengeAuthenticator, .authenticatorVerificationData, .challengeAuthenticator,
      ])
    #expect(await person.questions.last?.step.authenticator?.email == "a***a@shop.example")
  }

  @Test("A phone is set up, its way and its number asked for with the choice")
  func phoneEnrollment() async throws {
    let world = try World(.required(.phone))
    let person = world.person([
      .login, .password, .authenticator(.phone),
      .answer("authenticator.methodType", "sms"),
      .answer("authenticator.phoneNumber", "+15550100142"),
      .answer("credentials.passcode") { await world.lastCode },
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await world.org.mailbox.messages.map(\.recipient) == ["+15550100142"])
    #expect(await world.org.user(World.login)?.enrollments == [.phone("+15550100142")])
  }

  @Test("A phone is set up, its way and its number asked for by a form of their own")
  func phoneEnrollmentInTwoForms() async throws {
    let world = try World(.required(.phone))
    let person = world.person([
      .login, .password, .authenticator(.phone),
      .nothing("authenticator.methodType"), .nothing("authenticator.phoneNumber"),
      .answer("Method", .optionNamed("Voice call")), .nothing("Phone number"),
      .answer("Phone number", "12"),
      .answer("authenticator.methodType", "voice"), .answer("Phone number", "+15550100142"),
      .answer("credentials.passcode") { await world.lastCode },
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await person.steps.contains(.authenticatorEnrollmentData))
    #expect(await person.messages == ["api.factors.error.sms.invalid_phone"])
    #expect(await world.org.mailbox.messages.map(\.method) == ["voice"])
    let missing = await person.questions.compactMap(\.problem)
    #expect(missing.map(\.reason) == [.missing])
  }

  @Test("Of two phones the one that was picked gets the message")
  func phoneChallenge() async throws {
    let world = try World(
      .required(.phone), enrollments: [.phone("+15550100142"), .phone("+15550100199")])
    let outcome = try await world.signIn([
      .login, .password, .answer("authenticator", .option(1)),
      .answer("authenticator.methodType", "voice"),
      .answer("credentials.passcode") { await world.lastCode },
    ])
    #expect(outcome.signIn != nil)
    #expect(await world.org.mailbox.messages.map(\.recipient) == ["+15550100199"])
  }

  @Test(
    "A security question is chosen or written, and answered later",
    arguments: [
      [
        ScriptedReply.answer("credentials", .optionNamed("Choose a question")),
        .answer("credentials.questionKey", "childhood_street"),
      ],
      [
        .answer("credentials", .optionNamed("Write a question")),
        .answer("credentials.question", "What is it like?"),
      ],
    ])
  func securityQuestion(choice: [ScriptedReply]) async throws {
    let world = try World(.required(.securityQuestion))
    let enrollment = try await world.signIn(
      [.login, .password, .authenticator(.securityQuestion)] + choice
        + [.answer("credentials.answer", "Loom Lane")])
    #expect(enrollment.signIn != nil)
    let person = world.person([
      .login, .password, .answer("Answer", "Wheel Street"), .answer("Answer", " loom lane "),
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await person.messages == ["authfactor.challenge.question_factor.answer_invalid"])
    #expect(await person.questions.last?.step.authenticator?.enrolledQuestion?.text != nil)
  }

  @Test(
    "An answer that is too short is asked for again, and the question is kept",
    arguments: [
      [
        ScriptedReply.answer("credentials", .optionNamed("Choose a question")),
        .answer("credentials.questionKey", "childhood_street"),
      ],
      [
        .answer("credentials", .option(1)), .answer("credentials.question", "What is it like?"),
      ],
    ])
  func shortAnswer(choice: [ScriptedReply]) async throws {
    let world = try World(.required(.securityQuestion))
    let person = world.person(
      [.login, .password, .authenticator(.securityQuestion)] + choice
        + [.answer("credentials.answer", "abc"), .answer("credentials.answer", "Loom Lane")])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await person.messages.first == "securityQuestion.answer.tooShort.arg")
    #expect(
      await person.questions.last?.field.messages.map(\.key)
        == ["securityQuestion.answer.tooShort.arg"])
  }
}
