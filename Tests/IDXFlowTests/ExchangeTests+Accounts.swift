import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

// Registration and unlocking: (i) and (l).
extension ExchangeTests {
  private static let name = ScriptedReply.answer("identifier", .text(Scene.login))
  private static let newPassword: [ScriptedReply] = [
    .passcode("Mechanism-1831"), .passcode("Mechanism-1831"),
  ]

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
    ] as [(String, SimulatedUser.Status, IDXMessage.Key)])
  func unlockRefused(name: String, status: SimulatedUser.Status, key: IDXMessage.Key) async throws {
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
