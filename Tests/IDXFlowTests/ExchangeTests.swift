import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

/// The exchanges of the protocol's section 5, with the wrong turns that people take; each letter is
/// the one of that section.
@Suite("Exchanges", .timeLimit(.minutes(5)))
struct ExchangeTests {
  static let login = JSONValue.string(Scene.login)
  static let password = JSONValue.string(Scene.password)

  @Test("(a) User name and password in one form: a wrong one keeps the form, then tokens")
  func oneForm() async throws {
    let scene = try Scene(SignInPolicy(start: .withPassword))
    let name = ScriptedReply.answer("identifier", .text(Scene.login))
    let (outcome, person) = try await scene.play(
      [name, .passcode("a guess"), .nothing("identifier"), .passcode(Scene.password)])
    let signIn = try #require(outcome.signIn)
    #expect(signIn.user?.identifier == Scene.login)
    #expect(
      await scene.line.sent == [
        Sent("identify", ["identifier": Self.login, "credentials": ["passcode": "a guess"]]),
        Sent(
          "identify", ["identifier": Self.login, "credentials": ["passcode": Self.password]]),
      ])
    #expect(await person.messages == [.authenticationFailed])
    #expect(await person.questions.map(\.step.attempt) == [1, 1, 2, 2])

    let request = try #require(await scene.line.requests.last)
    #expect(request.url.path.hasSuffix("/v1/token"))
    let parameters = request.parameters
    #expect(parameters["grant_type"] == "interaction_code")
    #expect(parameters["client_id"] == scene.org.clientID)
    #expect(parameters["interaction_code"]?.isEmpty == false)
    #expect((parameters["code_verifier"] ?? "").count >= 43)
  }

  @Test("(b) The user name, then the password: a wrong one is asked for alone")
  func identityFirst() async throws {
    let scene = try Scene(.passwordOnly)
    let (outcome, person) = try await scene.play(
      [
        .answer("identifier", .text(Scene.login)), .passcode("a guess"),
        .passcode(Scene.password),
      ])
    #expect(outcome.signIn != nil)
    #expect(
      await scene.line.sent == [
        Sent("identify", ["identifier": Self.login]),
        Sent("answer", ["credentials": ["passcode": "a guess"]]),
        Sent("answer", ["credentials": ["passcode": Self.password]]),
      ])
    #expect(
      await person.asked == ["identifier"] + Array(repeating: "credentials.passcode", count: 2))
    #expect(await person.messages == [.incorrectPassword])
  }

  @Test("(b) Too many wrong passwords lock the account; the person is told, and gives up")
  func lockedOut() async throws {
    let scene = try Scene(SignInPolicy(attempts: 2))
    let (outcome, person) = try await scene.play([
      .answer("identifier", .text(Scene.login)), .passcode("one"), .passcode("two"),
      .cancel("credentials.passcode"),
    ])
    #expect(outcome.isCancelled)
    #expect(await person.messages == [.incorrectPassword, .tooManyRequestsForOperation])
    #expect(await scene.line.sent.map(\.path) == ["identify", "answer", "answer", "cancel"])
  }

  @Test("(c) Google Authenticator is set up; a wrong code keeps the key")
  func googleEnrollment() async throws {
    let scene = try Scene(.required(.googleAuthenticator))
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .authenticator(.googleAuthenticator), .passcode("000000"), .totp("credentials.passcode"),
      ])
    #expect(outcome.signIn != nil)
    let app = try #require(await person.apps.first)
    let code = try #require(app.uri?.totp?.code(at: World.moment))
    let id = try #require(await person.questions.last?.step.authenticator?.id)
    #expect(
      await scene.line.sent.dropFirst(2) == [
        Sent("enroll", ["authenticator": ["id": .string(id)]]),
        Sent("answer", ["credentials": ["passcode": "000000"]]),
        Sent("answer", ["credentials": ["passcode": .string(code)]]),
      ])
    #expect(await person.messages == [.passcodeInvalid])
    #expect(await person.apps.count == 1)
  }

  @Test("(d) One thing is set up, and the rest is skipped")
  func chooseThenSkip() async throws {
    let scene = try Scene(.optional(.securityQuestion, .phone))
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .authenticator(.securityQuestion), .answer("credentials", .option(1)),
        .answer("credentials.question", "Which loom?"),
        .answer("credentials.answer", "Jacquard's"), .instead("authenticator", .skip),
      ])
    #expect(outcome.signIn != nil)
    #expect(
      await scene.line.sent.suffix(2) == [
        Sent(
          "answer",
          [
            "credentials": [
              "questionKey": "custom", "question": "Which loom?", "answer": "Jacquard's",
            ]
          ]),
        Sent("skip"),
      ])
    // What is set up leaves the list.
    guard case .choice(let options, _)? = await person.questions.last?.kind else {
      Issue.record("Nothing is to be chosen")
      return
    }
    #expect(options.map(\.label) == ["Phone"])
  }

  @Test("(d) What is required offers nothing to skip")
  func noSkip() async throws {
    let scene = try Scene(.required(.securityQuestion))
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [.cancel("authenticator")])
    #expect(outcome.isCancelled)
    #expect(await person.questions.last?.step.alternatives.map(\.name) == [.cancel])
  }

  @Test("(e) A code of Google Authenticator: a wrong one and a used one keep the form")
  func googleChallenge() async throws {
    let scene = try Scene(
      .required(.googleAuthenticator), .googleAuthenticator(secret: "NBQXAZDFOJSXGZLB"))
    let app = try #require(TOTPGenerator(base32: "NBQXAZDFOJSXGZLB"))
    let code = app.code(at: World.moment)
    _ = try await scene.play(ScriptedReply.entry + [.passcode(code)])
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [
        .passcode("000000"), .passcode(code), scene.shown(by: .googleAuthenticator),
      ])
    #expect(outcome.signIn != nil)
    #expect(await person.messages == [.softTokenInvalid, .softTokenUsed])
    #expect(await person.questions.suffix(3).map(\.step.attempt) == [1, 2, 3])
    #expect(await person.apps.isEmpty)
    #expect(
      await scene.line.sent.dropLast().suffix(2) == [
        Sent("answer", ["credentials": ["passcode": "000000"]]),
        Sent("answer", ["credentials": ["passcode": .string(code)]]),
      ])
  }
}
