import Foundation
import IDX
import IDXFlow
import IDXTesting
import OAuth
import Testing

// Codes that are sent, and pushes: (f) and (g).
extension ExchangeTests {
  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private static let verify: [ScriptedReply] = [.answer("authenticator.methodType", "push")]

  @Test("(f) A mail is sent again; the first code counts no more, the second does")
  func resentMail() async throws {
    let scene = try Scene(.required(.email), .email)
    let org = scene.org
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .passcode("000000"), .instead("credentials.passcode", .resend),
        .answer("credentials.passcode") { await org.mailbox.messages.first?.code },
        scene.mailed(),
      ])
    #expect(outcome.signIn != nil)
    #expect(await org.mailbox.messages.map(\.recipient) == [Scene.login, Scene.login])
    #expect(await person.messages == [.passcodeInvalid, .passcodeInvalid])
    #expect(
      await scene.line.sent.map(\.path) == [
        "identify", "answer", "challenge", "answer", "resend", "answer", "answer",
      ])
    #expect(await scene.line.count(of: "poll") == 0)
  }

  @Test("(f) The link of the mail in another browser: a poll notices, and no code is typed")
  func linkElsewhere() async throws {
    let scene = try Scene(.required(.email), .email)
    let log = EventLog()
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .elsewhere("credentials.passcode") { [org = scene.org] in
          await org.advance(by: 20)
          if let mail = await org.mailbox.messages.last { await org.followLink(in: mail) }
        }
      ], log: log)
    #expect(outcome.signIn != nil)
    #expect(await scene.line.count(of: "poll") == 1)
    #expect(await person.asked.filter { $0 == "credentials.passcode" }.count == 2)
    #expect(await log.count(of: "waiting 4 s for poll") == 1)
  }

  @Test(
    "(f) The link of the mail in the browser of the app brings the code itself",
    arguments: [true, false])
  func linkHere(isEnrolled: Bool) async throws {
    let policy = SignInPolicy.required(.email)
    let scene = try isEnrolled ? Scene(policy, .email) : Scene(policy)
    let choice = isEnrolled ? [] : [ScriptedReply.authenticator(.email)]
    let (outcome, _) = try await scene.play(
      ScriptedReply.entry + choice + [
        .returned("credentials.passcode") { [org = scene.org] in
          guard let mail = await org.mailbox.messages.last else { return nil }
          return await org.openLink(in: mail)
        }
      ])
    #expect(outcome.signIn != nil)
    let code = try #require(await scene.org.mailbox.messages.last?.code)
    #expect(
      await scene.line.sent.last
        == Sent("answer", ["credentials": ["passcode": .string(code)]]))
  }

  @Test("(f) An address of another sign-in is told, and the code is still asked for")
  func strangeLink() async throws {
    let scene = try Scene(.required(.email), .email)
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .returned("credentials.passcode") {
          URL(string: "com.example.demo:/callback?otp=123456&state=another")
        },
        scene.mailed(),
      ])
    #expect(outcome.signIn != nil)
    #expect(await person.problems.count == 1)
    #expect(await scene.line.sent.map(\.path) == ["identify", "answer", "challenge", "answer"])
  }

  @Test("(f) Who picked e-mail among others is not asked once more whether to send it")
  func pickedMail() async throws {
    let scene = try Scene(
      SignInPolicy.optional(.email, .googleAuthenticator).with { $0.asksBeforeEmail = true },
      .email, .googleAuthenticator(secret: Self.secret))
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [.authenticator(.email), scene.mailed()])
    #expect(outcome.signIn != nil)
    #expect(
      await person.steps == [
        .identify, .challengeAuthenticator, .selectAuthenticatorAuthenticate,
        .authenticatorVerificationData, .challengeAuthenticator,
      ])
  }

  @Test("(g) A push is approved on the phone; the number to pick is shown")
  func numberChallenge() async throws {
    let scene = try Scene(
      SignInPolicy.required(.oktaVerify).with { $0.matchesNumbers = true },
      .oktaVerify(secret: Self.secret))
    let org = scene.org
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + Self.verify + [
        .elsewhere("challenge-poll") {
          await org.approvePush(
            for: Scene.login, choosing: org.pushes(for: Scene.login).last?.number)
        }
      ])
    #expect(outcome.signIn != nil)
    let number = await person.waits.first?.authenticator?.numberChallenge
    #expect(number?.isEmpty == false)
    #expect(await scene.line.count(of: "poll") == 1)
  }

  @Test("(g) A wrong number rejects the push; the next one has another number")
  func wrongNumber() async throws {
    let scene = try Scene(
      SignInPolicy.required(.oktaVerify).with { $0.matchesNumbers = true },
      .oktaVerify(secret: Self.secret))
    let org = scene.org
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + Self.verify + [
        .elsewhere("challenge-poll") { await org.approvePush(for: Scene.login, choosing: "0") },
        .instead("resend", .resend),
        .elsewhere("challenge-poll") {
          await org.approvePush(
            for: Scene.login, choosing: org.pushes(for: Scene.login).last?.number)
        },
      ])
    #expect(outcome.signIn != nil)
    #expect(await person.messages == ["api.authn.poll.error.push_rejected"])
    #expect(await person.waits.count == 2)
  }

  @Test("(g) A push that is rejected is sent again by the same words as the first")
  func rejectedPush() async throws {
    let scene = try Scene(.required(.oktaVerify), .oktaVerify(secret: Self.secret))
    let org = scene.org
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + Self.verify + [
        .elsewhere("challenge-poll") { await org.rejectPush(for: Scene.login) },
        .instead("resend", .resend),
        .elsewhere("challenge-poll") { await org.approvePush(for: Scene.login) },
      ])
    #expect(outcome.signIn != nil)
    let pushes = await scene.line.sent.filter { $0.path == "challenge" }
    #expect(pushes.count == 2)
    #expect(Set(pushes).count == 1)
    #expect(pushes.first?.body["authenticator"]?["methodType"] == "push")
    #expect(await person.messages == ["api.authn.poll.error.push_rejected"])
  }

  @Test("(g) A push that nobody answers ends by itself, and another is sent")
  func unansweredPush() async throws {
    let scene = try Scene(.required(.oktaVerify), .oktaVerify(secret: Self.secret))
    let org = scene.org
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + Self.verify + [
        .elsewhere("challenge-poll") {}, .instead("resend", .resend),
        .elsewhere("challenge-poll") { await org.approvePush(for: Scene.login) },
      ])
    #expect(outcome.signIn != nil)
    #expect(await person.messages == ["api.authn.poll.error.push_timeout"])
  }

  @Test("(g) Instead of the push a code of the app is typed, wrong and then right")
  func codeInsteadOfPush() async throws {
    let scene = try Scene(
      .optional(.oktaVerify, .email), .oktaVerify(secret: Self.secret), .email)
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [.authenticator(.oktaVerify)] + Self.verify + [
        .instead("challenge-poll", .selectAuthenticatorAuthenticate),
        .authenticator(.oktaVerify), .answer("authenticator.methodType", "totp"),
        .answer("credentials.totp", "000000"), scene.shown(by: .oktaVerify, "credentials.totp"),
      ])
    #expect(outcome.signIn != nil)
    #expect(await scene.line.count(of: "poll") == 0)
    #expect(await person.messages == [.passcodeInvalid])
    #expect(
      await scene.line.sent.dropLast().last == Sent("answer", ["credentials": ["totp": "000000"]]))
  }

  @Test("(g) Who agrees to all pushes gets the next one unasked")
  func automaticPush() async throws {
    let scene = try Scene(.automaticPush)
    _ = try await scene.play(
      ScriptedReply.entry + Self.verify + [.answer("authenticator.autoChallenge", true)])
    #expect(
      await scene.line.sent.last?.body["authenticator"]?["autoChallenge"] == true)
    let (outcome, person) = try await scene.play(ScriptedReply.entry)
    #expect(outcome.signIn != nil)
    #expect(await person.asked == ["identifier", "credentials.passcode"])
    #expect(await person.waits.count == 1)
  }

  @Test("(g) A form that was picked beside polls that go on outlives those without news")
  func pickedBesidePolls() async throws {
    let scene = try Scene(.required(.oktaVerify))
    let org = scene.org
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .authenticator(.oktaVerify), .answer("authenticator.channel", "qrcode"),
        .instead("enroll-poll", .selectEnrollmentChannel),
        .answer("authenticator.channel", "email"), .answer("email", "no address"),
        .answer("email", "ada@example.com"),
        .elsewhere("enroll-poll") { await org.completeEnrollment(for: Scene.login) },
      ])
    #expect(outcome.signIn != nil)
    #expect(await org.mailbox.messages.map(\.recipient) == ["ada@example.com"])
    #expect(await person.messages == ["errors.E0000001"])
    #expect(await person.waits.map(\.remediation.name) == [.enrollPoll, .enrollPoll])
  }
}

extension ScriptedPrompter {
  var problems: [String] {
    notices.compactMap { if case .problem(let words) = $0 { words } else { nil } }
  }
}
