import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

// Recovery: (h).
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
          org.advance(by: 3 * 3600)
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
}
