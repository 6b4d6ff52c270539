import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

// Codes and links by mail: (f).
extension ExchangeTests {
  private static let secret: Secret = "NBQXAZDFOJSXGZLB"

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
          org.advance(by: 20)
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
}

extension ScriptedPrompter {
  var problems: [String] {
    notices.compactMap { if case .problem(let words) = $0 { words } else { nil } }
  }
}
