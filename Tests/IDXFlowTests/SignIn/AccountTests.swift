import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Recovery, registration and unlocking", .timeLimit(.minutes(10)))
struct AccountTests {
  private static let recovery = SignInPolicy.passwordOnly.accounts { $0.recovery = .init() }
  private static let registration = SignInPolicy.passwordOnly.accounts { $0.registration = .init() }
  private static let newPassword: [ScriptedReply] = [
    .passcode("Mechanism-1831"), .passcode("Mechanism-1831"),
  ]
  private static let sessions = "credentials.revokeSessions"

  // MARK: Recovery

  @Test("A password is recovered by email, after an unknown username")
  func recovery() async throws {
    let test = try TestSignIn(
      SignInPolicy(start: .withPassword).accounts { $0.recovery = .init() }, .email)
    let (outcome, person) = try await test.run(
      [.answer("identifier", "nobody@example.com"), .login, test.sentCode()]
        + Self.newPassword + [.answer(Self.sessions, true)], goal: .recover)
    expect(outcome.signIn != nil)
    await expectEqual(person.messages.first, "idx.unknown.user")
    let sent = await test.transport.sent
    expectEqual(
      sent.map(\.path), ["recover", "identify", "identify", "challenge", "answer", "answer"])
    expectEqual(
      sent.last,
      Sent("answer", ["credentials": ["passcode": "Mechanism-1831", "revokeSessions": true]]))
    await expectEqual(test.org.user(TestSignIn.login)?.password, "Mechanism-1831")
  }

  @Test("A recovery that begins at the password can ask for a code and a security question")
  func recoveryWithSecurityQuestion() async throws {
    let test = try TestSignIn(
      SignInPolicy.passwordOnly.accounts { $0.recovery = .init(asksSecurityQuestion: true) },
      .email,
      .securityQuestion(question: "Which engine?", answer: "Difference"))
    let (outcome, person) = try await test.run(
      [
        .login, .instead("credentials.passcode", .recover), .passcode("000000"), test.sentCode(),
        .answer("credentials.answer", "Analytical"), .answer("credentials.answer", "difference"),
      ] + Self.newPassword + [.nothing(Self.sessions)])
    expect(outcome.signIn != nil)
    await expectEqual(
      person.messages, [.passcodeInvalid, "authfactor.challenge.question_factor.answer_invalid"])
  }

  @Test("If the server refuses the new password, only that is asked for again")
  func refusedPassword() async throws {
    let test = try TestSignIn(Self.recovery, .email)
    // Only the server knows that short parts of the username are forbidden too.
    let refused = ScriptedReply.passcode("ada-Mechanism-1831")
    let (outcome, person) = try await test.run(
      [.login, test.sentCode(), refused, refused, .answer(Self.sessions, true)]
        + Self.newPassword, goal: .recover)
    expect(outcome.signIn != nil)
    await expectEqual(person.messages, ["password.passwordRequirementsNotMet"])
    await expectEqual(
      test.transport.sent.suffix(2),
      [
        Sent(
          "answer", ["credentials": ["passcode": "ada-Mechanism-1831", "revokeSessions": true]]),
        Sent("answer", ["credentials": ["passcode": "Mechanism-1831", "revokeSessions": true]]),
      ])
  }

  @Test("A recovery token skips the proof of the account, and is used once")
  func recoveryToken() async throws {
    let test = try TestSignIn(Self.recovery, .email)
    var options = StartOptions()
    options.recoveryToken = await test.org.recoveryToken(for: TestSignIn.login)
    let (outcome, person) = try await test.run(
      [
        .answer("credentials.passcode") { [org = test.org] in
          org.advance(by: 3 * 3600)
          return "Mechanism-1831"
        },
        .passcode("Mechanism-1831"), .nothing(Self.sessions), .startingOver, .login, .password,
      ], options: options)
    expect(outcome.signIn != nil)
    await expectEqual(person.steps.first, .resetAuthenticator)
    let starts = await test.transport.requests.filter { $0.url.lastPathComponent == "interact" }
    expectEqual(starts.map { $0.parameters["recovery_token"] != nil }, [true, false])
  }

  @Test("A recovery without sign-in ends with a message, and the person can start over")
  func recoveryWithoutSignIn() async throws {
    let test = try TestSignIn(
      SignInPolicy.passwordOnly.accounts { $0.recovery = .init(signsIn: false) }, .email)
    let (outcome, person) = try await test.run(
      [.login, test.sentCode()] + Self.newPassword
        + [.nothing(Self.sessions), .startingOver, .login, .passcode("Mechanism-1831")],
      goal: .recover)
    expect(outcome.signIn != nil)
    await expectEqual(person.ends.map(\.title), ["Done"])
    await expectEqual(test.transport.count(of: "interact"), 1)
  }

  @Test("If a user may not recover the password, a message says so, and the user can start over")
  func recoveryRefused() async throws {
    let test = try TestSignIn(
      SignInPolicy(start: .withPassword).accounts { $0.recovery = .init() })
    let (outcome, person) = try await test.run(
      [.login, .instead("identifier", .cancel), .login, .password], goal: .recover)
    expect(outcome.signIn != nil)
    await expectEqual(person.messages, ["oie.selfservice.reset.password.not.allowed"])
  }

  // MARK: Registration

  @Test(
    "At registration, all problems are shown at once, and only wrong fields are asked for again")
  func registration() async throws {
    let test = try TestSignIn(Self.registration)
    let profile: [ScriptedReply] = [
      .answer("userProfile.firstName", "<Mary>"), .answer("userProfile.lastName", "Somerville"),
      .answer("userProfile.email", "no address"), .answer("userProfile.country", "GB"),
      .nothing("userProfile.newsletter"), .nothing("userProfile.nickname"),
      // These two are asked for again, and then the address, which is already used.
      .answer("userProfile.firstName", "Mary"),
      .answer("userProfile.email", .text(TestSignIn.login)),
      .answer("userProfile.email", "mary@example.com"),
    ]
    let (outcome, person) = try await test.run(
      profile + [.authenticator(.password)] + Self.newPassword, goal: .register)
    expect(outcome.signIn != nil)
    await expectEqual(
      person.messages,
      [
        "registration.error.doesNotMatchPattern", "registration.error.invalidLoginEmail",
        "registration.error.notUniqueWithinOrg",
      ])
    let sent = await test.transport.sent
    expectEqual(sent.map(\.path), ["enroll", "new", "new", "new", "enroll", "answer"])
    expectEqual(
      sent[3].body["userProfile"],
      [
        "firstName": "Mary", "lastName": "Somerville", "email": "mary@example.com",
        "country": "GB",
      ])
    await expectEqual(test.org.user("mary@example.com")?.lastName, "Somerville")
  }

  @Test("The person can go back from the registration to the sign-in")
  func backToSignIn() async throws {
    let (outcome, _) = try await TestSignIn(Self.registration).run([
      .instead("identifier", .selectEnrollProfile),
      .instead("userProfile.firstName", .selectIdentify), .login, .password,
    ])
    expect(outcome.signIn != nil)
  }

  @Test("If the org does not offer registration, that is an error before any question")
  func noRegistration() async throws {
    let test = try TestSignIn()
    let error = try await requireError(FlowError.self) { try await test.run([], goal: .register) }
    expectEqual(error.code, .notOffered)
    await expectEmpty(test.transport.sent)
  }

  // MARK: Unlocking

  @Test("An account is unlocked by email, after or with the username; then the person signs in")
  func unlock() async throws {
    let test = try TestSignIn(
      SignInPolicy.passwordOnly.accounts { $0.unlock = .init() }, .email, status: .locked)
    let (outcome, person) = try await test.run(
      [.login, .authenticator(.email), test.sentCode(), .startingOver, .login, .password],
      goal: .unlock)
    expect(outcome.signIn != nil)
    await expectEqual(person.ends.map(\.title), ["Done"])
    let sent = await test.transport.sent
    expectEqual(
      sent.map(\.path), ["unlock-account", "challenge", "answer", "cancel", "identify", "answer"])
    expectEqual(sent[1].body["identifier"], .string(TestSignIn.login))
    expectEqual(sent[1].body["authenticator"]?["methodType"], "email")

    let other = try TestSignIn(
      SignInPolicy.passwordOnly.accounts {
        $0.unlock = .init(by: [.email, .phone], asksNameFirst: true, signsIn: true)
      }, .email, .phone("+15550100142"), status: .locked)
    let (unlocked, named) = try await other.run(
      [.login, .authenticator(.email), .passcode("000000"), other.sentCode(), .password],
      goal: .unlock)
    expect(unlocked.signIn != nil)
    await expectEqual(
      named.steps.prefix(2), ["unlock-account", "select-authenticator-unlock-account"])
    await expectEqual(
      named.messages,
      [.passcodeInvalid, "oie.selfservice.unlock_user.landing.to.app.success.message"])
  }

  @Test(
    "If a user may not unlock the account, a message says why, and nothing else happens",
    arguments: [
      ("nobody@example.com", SimulatedUser.Status.locked, "idx.unknown.user"),
      (TestSignIn.login, .suspended, "oie.selfservice.user.unlock.not.allowed"),
    ] as [(String, SimulatedUser.Status, IDXMessage.Key)])
  func unlockRefused(name: String, status: SimulatedUser.Status, key: IDXMessage.Key) async throws {
    let test = try TestSignIn(
      SignInPolicy.passwordOnly.accounts { $0.unlock = .init() }, .email, status: status)
    let (outcome, person) = try await test.run(
      [.answer("identifier", .text(name)), .authenticator(.email), .cancel("identifier")],
      goal: .unlock)
    expect(outcome.isCancelled)
    await expectEqual(person.messages, [key])
    await expectEmpty(test.org.mailbox.messages)
    await expectEqual(test.org.user(TestSignIn.login)?.status, status)
  }
}
