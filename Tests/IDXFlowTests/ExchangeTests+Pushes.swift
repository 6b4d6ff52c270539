import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

// Pushes: (g).
extension ExchangeTests {
  private static let secret: Secret = "NBQXAZDFOJSXGZLB"
  private static let verify: [ScriptedReply] = [.answer("authenticator.methodType", "push")]

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
