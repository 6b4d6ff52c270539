import Foundation
import IDX
import IDXFlow
import IDXTesting
import OAuth
import Testing

// Recovery, registration and unlocking: (h), (i) and (l).
extension ExchangeTests {
  private static let recovery = SignInPolicy.passwordOnly.accounts { $0.recovery = .init() }
  private static let name = ScriptedReply.answer("identifier", .text(Scene.login))
  private static let newPassword: [ScriptedReply] = [
    .passcode("Mechanism-1831"), .passcode("Mechanism-1831"),
  ]
  private static let sessions = "credentials.revokeSessions"

  @Test("(h) A password is recovered by mail, after a name that nobody has")
  func recovery() async throws {
    let scene = try Scene(
      SignInPolicy(start: .withPassword).accounts { $0.recovery = .init() }, .email)
    let (outcome, person) = try await scene.play(
      [.answer("identifier", "nobody@example.com"), Self.name, scene.mailed()]
        + Self.newPassword + [.answer(Self.sessions, true)], goal: .recover)
    #expect(outcome.signIn != nil)
    #expect(await person.messages.first == "idx.unknown.user")
    #expect(
      await scene.line.sent.map(\.path) == [
        "recover", "identify", "identify", "challenge", "answer", "answer",
      ])
    #expect(
      await scene.line.sent.last
        == Sent(
          "answer", ["credentials": ["passcode": "Mechanism-1831", "revokeSessions": true]]))
    #expect(await scene.org.user(Scene.login)?.password == "Mechanism-1831")
  }

  @Test("(h) Recovery stands beside the password once it is known whose")
  func recoveryBesidePassword() async throws {
    let scene = try Scene(Self.recovery, .email)
    let (outcome, _) = try await scene.play(
      [Self.name, .instead("credentials.passcode", .recover), scene.mailed()] + Self.newPassword
        + [.nothing(Self.sessions)])
    #expect(outcome.signIn != nil)
  }

  @Test("(h) A mail whose code is wrong, and the question that is asked besides")
  func recoveryWithQuestion() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts { $0.recovery = .init(asksQuestion: true) }, .email,
      .securityQuestion(question: "Which engine?", answer: "Difference"))
    let (outcome, person) = try await scene.play(
      [
        Self.name, .passcode("000000"), scene.mailed(),
        .answer("credentials.answer", "Analytical"), .answer("credentials.answer", "difference"),
      ] + Self.newPassword + [.nothing(Self.sessions)], goal: .recover)
    #expect(outcome.signIn != nil)
    #expect(
      await person.messages == [
        .passcodeInvalid, "authfactor.challenge.question_factor.answer_invalid",
      ])
  }

  @Test(
    "(h) A new password that breaks known rules is not sent; the server's refusal asks it again")
  func brokenRules() async throws {
    let scene = try Scene(Self.recovery, .email)
    // That it holds a short part of the user name is for the server to find out.
    let refused = ScriptedReply.passcode("ada-Mechanism-1831")
    let (outcome, person) = try await scene.play(
      [
        Self.name, scene.mailed(), .passcode("short"), refused, refused,
        .answer(Self.sessions, true), .passcode("Mechanism-1831"), .passcode("Mechanism-1832"),
      ] + Self.newPassword, goal: .recover)
    #expect(outcome.signIn != nil)
    let problems = await person.questions.compactMap(\.problem)
    #expect(problems.count == 2)
    #expect(problems.last?.reason == .differs)
    #expect(await person.messages == ["password.passwordRequirementsNotMet"])
    #expect(
      await scene.line.sent.suffix(2) == [
        Sent(
          "answer", ["credentials": ["passcode": "ada-Mechanism-1831", "revokeSessions": true]]),
        Sent("answer", ["credentials": ["passcode": "Mechanism-1831", "revokeSessions": true]]),
      ])
  }

  @Test("(h) A token of a mail begins where the account is proved already, and works once")
  func recoveryToken() async throws {
    let scene = try Scene(Self.recovery, .email)
    var options = StartOptions()
    options.recoveryToken = await scene.org.recoveryToken(for: Scene.login)
    let org = scene.org
    let (outcome, person) = try await scene.play(
      [
        .answer("credentials.passcode") {
          await org.advance(by: 3 * 3600)
          return "Mechanism-1831"
        },
        .passcode("Mechanism-1831"), .nothing(Self.sessions), .startingOver,
      ] + ScriptedReply.entry, options: options)
    #expect(outcome.signIn != nil)
    #expect(await person.steps.first == .resetAuthenticator)
    let beginnings = await scene.line.requests.filter { $0.url.lastPathComponent == "interact" }
    #expect(beginnings.map { $0.parameters["recovery_token"] != nil } == [true, false])
  }

  @Test("(h) A recovery that does not sign in ends with a message, and one may start over")
  func recoveryWithoutSignIn() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts { $0.recovery = .init(signsIn: false) }, .email)
    let (outcome, person) = try await scene.play(
      [Self.name, scene.mailed()] + Self.newPassword
        + [.nothing(Self.sessions), .startingOver, Self.name, .passcode("Mechanism-1831")],
      goal: .recover)
    #expect(outcome.signIn != nil)
    #expect(
      await person.ends.map { $0.response.messages.map(\.key) } == [["idx.recovery.completed"]])
    #expect(await scene.line.count(of: "interact") == 1)
  }

  @Test("(h) Who may not recover a password is told so, and starts over")
  func recoveryRefused() async throws {
    let scene = try Scene(
      SignInPolicy(start: .withPassword).accounts { $0.recovery = .init() })
    let (outcome, person) = try await scene.play(
      [Self.name, .instead("identifier", .cancel)] + ScriptedReply.entry, goal: .recover)
    #expect(outcome.signIn != nil)
    #expect(await person.messages == ["oie.selfservice.reset.password.not.allowed"])
  }

  @Test("(i) Registration: everything that is wrong is told at once and asked again, the rest kept")
  func registration() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts { $0.registration = .init() })
    let profile: [ScriptedReply] = [
      .answer("userProfile.firstName", "<Mary>"), .answer("userProfile.lastName", "Somerville"),
      .answer("userProfile.email", "no address"), .answer("userProfile.country", "GB"),
      .nothing("userProfile.newsletter"), .nothing("userProfile.nickname"),
      // Asked again: these two, and then the address that is taken.
      .answer("userProfile.firstName", "Mary"), .answer("userProfile.email", .text(Scene.login)),
      .answer("userProfile.email", "mary@example.com"),
    ]
    let (outcome, person) = try await scene.play(
      profile + [.authenticator(.password)] + Self.newPassword, goal: .register)
    #expect(outcome.signIn != nil)
    #expect(
      await person.messages == [
        "registration.error.doesNotMatchPattern", "registration.error.invalidLoginEmail",
        "registration.error.notUniqueWithinOrg",
      ])
    let sent = await scene.line.sent
    #expect(sent.map(\.path) == ["enroll", "new", "new", "new", "enroll", "answer"])
    #expect(
      sent[3].body["userProfile"] == [
        "firstName": "Mary", "lastName": "Somerville", "email": "mary@example.com",
        "country": "GB",
      ])
    #expect(await scene.org.user("mary@example.com")?.lastName == "Somerville")
  }

  @Test("(i) From the registration one can go back to the sign-in")
  func backToSignIn() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts { $0.registration = .init() })
    let (outcome, _) = try await scene.play(
      [
        .instead("identifier", .selectEnrollProfile),
        .instead("userProfile.firstName", .selectIdentify),
      ] + ScriptedReply.entry)
    #expect(outcome.signIn != nil)
  }

  @Test("(i) A registration that waits for a mail is done: one is not asked to start over")
  func registrationByMail() async throws {
    let scene = try Scene(.registrationWithMail)
    let (outcome, person) = try await scene.play(
      [
        .answer("userProfile.firstName", "Mary"), .answer("userProfile.lastName", "Somerville"),
        .answer("userProfile.email", "mary@example.com"), .nothing("userProfile.country"),
        .nothing("userProfile.newsletter"), .nothing("userProfile.nickname"),
      ], goal: .register)
    #expect(outcome.end?.response.messages.map(\.key) == ["idx.email.verification.required"])
    #expect(await person.ends.isEmpty)
  }

  @Test("(i) An org that takes no registrations says so before anything is asked")
  func noRegistration() async throws {
    let scene = try Scene(.passwordOnly)
    let error = try await flowError { try await scene.play([], goal: .register) }
    #expect(error.code == .notOffered)
    #expect(await scene.line.sent.isEmpty)
  }

  @Test("(l) An account is unlocked by mail; then one starts over and signs in")
  func unlock() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts { $0.unlock = .init() }, .email, status: .locked)
    let (outcome, person) = try await scene.play(
      [Self.name, .authenticator(.email), scene.mailed(), .startingOver] + ScriptedReply.entry,
      goal: .unlock)
    #expect(outcome.signIn != nil)
    #expect(
      await person.ends.map { $0.response.messages.map(\.key) }
        == [["oie.selfservice.unlock_user.success.message"]])
    let sent = await scene.line.sent
    #expect(
      sent.map(\.path) == ["unlock-account", "challenge", "answer", "cancel", "identify", "answer"])
    #expect(sent[1].body["identifier"] == Self.login)
    #expect(sent[1].body["authenticator"]?["methodType"] == "email")
  }

  @Test("(l) Unlocking may ask for the name first, and may sign in")
  func unlockAndSignIn() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts {
        $0.unlock = .init(by: [.email, .phone], asksNameFirst: true, signsIn: true)
      }, .email, .phone("+15550100142"), status: .locked)
    let (outcome, person) = try await scene.play(
      [
        Self.name, .authenticator(.email), .passcode("000000"), scene.mailed(),
        .passcode(Scene.password),
      ], goal: .unlock)
    #expect(outcome.signIn != nil)
    #expect(
      await person.messages == [
        .passcodeInvalid, "oie.selfservice.unlock_user.landing.to.app.success.message",
      ])
  }

  @Test(
    "(l) Who may not unlock is told why, and nothing else happens",
    arguments: [
      ("nobody@example.com", SimulatedUser.Status.locked, "idx.unknown.user"),
      (Scene.login, .suspended, "oie.selfservice.user.unlock.not.allowed"),
    ] as [(String, SimulatedUser.Status, Message.Key)])
  func unlockRefused(name: String, status: SimulatedUser.Status, key: Message.Key) async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts { $0.unlock = .init() }, .email, status: status)
    let (outcome, person) = try await scene.play(
      [.answer("identifier", .text(name)), .authenticator(.email), .cancel("identifier")],
      goal: .unlock)
    #expect(outcome.isCancelled)
    #expect(await person.messages == [key])
    #expect(await scene.org.mailbox.messages.isEmpty)
    #expect(await scene.org.user(Scene.login)?.status == status)
  }
}
