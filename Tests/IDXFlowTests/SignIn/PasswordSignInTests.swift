import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("Sign-in with a password", .timeLimit(.minutes(10)))
struct PasswordSignInTests {
  private static let login = JSONValue.string(TestSignIn.login)
  private static let password = JSONValue.string(TestSignIn.password)

  /// The steps of a sign-in that sets up Google Authenticator.
  private static let steps: [ScriptedReply] = [
    .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
  ]

  @Test(
    "Username and password in one form: after a wrong password, only the password is asked for again"
  )
  func oneForm() async throws {
    let test = try TestSignIn(SignInPolicy(start: .withPassword))
    let (outcome, person) = try await test.run([.login, .passcode("a guess"), .password])
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    await expectEqual(
      test.transport.sent,
      [
        Sent("identify", ["identifier": Self.login, "credentials": ["passcode": "a guess"]]),
        Sent("identify", ["identifier": Self.login, "credentials": ["passcode": Self.password]]),
      ])
    await expectEqual(person.messages, [.authenticationFailed])
    let questions = await person.questions
    expectEqual(questions.map { $0.step?.attempt ?? 0 }, [1, 1, 2])
    let inputs = try require(questions.last?.screen.inputs)
    expectEqual(inputs.map(\.suggestion), [TestSignIn.login, nil])
    expectEqual(inputs.map(\.isKept), [true, false])
  }

  @Test("Username first: after a wrong password, only the password is asked for again")
  func usernameFirst() async throws {
    let test = try TestSignIn()
    let (outcome, person) = try await test.run([
      .login, .passcode("a guess"), .passcode("another"), .password,
    ])
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    expectEqual(outcome.signIn?.credential.tokens.scopes, ["openid", "profile"])
    await expectEqual(
      test.transport.sent,
      [
        Sent("identify", ["identifier": Self.login]),
        Sent("answer", ["credentials": ["passcode": "a guess"]]),
        Sent("answer", ["credentials": ["passcode": "another"]]),
        Sent("answer", ["credentials": ["passcode": Self.password]]),
      ])
    await expectEqual(
      person.asked, ["identifier"] + Array(repeating: "credentials.passcode", count: 3))
    await expectEqual(person.messages, [.incorrectPassword, .incorrectPassword])
    await expectEqual(person.questions.last?.step?.attempt, 3)
    await expectEqual(person.questions.last?.step?.previous?["credentials.passcode"], "another")
  }

  @Test("An unknown user looks like a wrong password, and the person can start over")
  func unknownUser() async throws {
    let test = try TestSignIn()
    let (outcome, person) = try await test.run([
      .answer("identifier", "nobody@shop.example"), .password,
      .instead("credentials.passcode", .cancel), .login, .password,
    ])
    await expectEqual(person.messages, [.incorrectPassword])
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    await expectEqual(test.transport.count(of: "interact"), 1)
    let handles = await test.transport.requests.compactMap { $0.json?["stateHandle"]?.string }
    expectEqual(Set(handles).count, 2)
  }

  @Test("An expired password is replaced by one that follows the rules")
  func expiredPassword() async throws {
    let test = try TestSignIn(status: .passwordExpired)
    let (outcome, person) = try await test.run([
      .login, .password, .passcode("short"), .passcode("Example@2"), .passcode("Difference-1822"),
      .passcode("Difference-1823"), .passcode("Difference-1822"), .passcode("Difference-1822"),
    ])
    expect(outcome.signIn != nil)
    await expectEqual(person.steps, [.identify, .challengeAuthenticator, .reenrollAuthenticator])
    // Passwords that break a rule or were mistyped are not sent.
    await expectEmpty(person.messages)
    await expectEqual(
      person.questions.suffix(6).map { $0.input.repeats != nil },
      [false, false, false, true, false, true])
    await expectEqual(
      person.questions.compactMap(\.input.problem),
      [
        "It does not follow the rules: at least 8 characters, an uppercase letter, a digit.",
        "It does not follow the rules: no part of the username.",
        "The two entries do not match. Enter both again.",
      ])
    await expectEqual(person.questions.last?.step?.authenticator?.passwordRules?.minimumLength, 8)
    await expectEqual(test.org.user(TestSignIn.login)?.password, "Difference-1822")
  }

  @Test(
    "The person can start over or cancel at every step, and the server is told", arguments: 1...4)
  func leaving(at position: Int) async throws {
    let target = Self.steps[position - 1].target
    let test = try TestSignIn(.required(.googleAuthenticator))
    let (outcome, person) = try await test.run(
      Self.steps.prefix(position - 1) + [.instead(target, .cancel)] + Self.steps)
    expectEqual(outcome.signIn?.user?.identifier, TestSignIn.login)
    await expectEqual(test.transport.count(of: "cancel"), 1)
    await expectEqual(person.questions[position].step?.attempt, 1)

    let other = try TestSignIn(.required(.googleAuthenticator))
    let (cancelled, _) = try await other.run(
      Self.steps.prefix(position - 1) + [.cancel(target)])
    expect(cancelled.isCancelled)
    await expectEqual(other.transport.steps.last, "cancel")
    await expectEqual(other.transport.count(of: "cancel"), 1)
  }

  @Test("A front-end that remembers every screen is released after the sign-in")
  func released() async throws {
    weak var released: ScriptedFrontEnd?
    do {
      let test = try TestSignIn()
      let (outcome, person) = try await test.run([.login, .password])
      released = person
      expect(outcome.signIn != nil)
      await expectEqual(person.screens.isEmpty, false)
    }
    expect(released == nil)
  }
}
