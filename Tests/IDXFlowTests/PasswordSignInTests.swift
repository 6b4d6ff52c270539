import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Signing in with a password")
struct PasswordSignInTests {
  @Test(
    "The right password leads to tokens and to who signed in",
    arguments: [
      SignInPolicy.Start.identityFirst, .withPassword,
    ])
  func rightPassword(start: SignInPolicy.Start) async throws {
    let world = try World(SignInPolicy(start: start))
    let signIn = try #require(try await world.signIn([.login, .password]).signIn)
    #expect(signIn.user?.identifier == World.login)
    #expect(signIn.credential.tokens.scopes == ["openid", "profile"])
    #expect(await world.line.requests.count == (start == .identityFirst ? 5 : 4))
  }

  @Test("A wrong password is asked for again, and the user name is not")
  func wrongPassword() async throws {
    let world = try World()
    let person = world.person([.login, .passcode("a guess"), .passcode("another"), .password])
    let outcome = try await world.signIn([], person: person)
    #expect(outcome.signIn != nil)
    #expect(await person.messages == [.incorrectPassword, .incorrectPassword])
    #expect(await person.questions.last?.step.attempt == 3)
    #expect(await person.questions.last?.step.previous?["credentials.passcode"] == "another")
  }

  @Test("A wrong password in the first form has the user name proposed again")
  func wrongPasswordInFirstForm() async throws {
    let world = try World(SignInPolicy(start: .withPassword))
    let person = world.person([.login, .passcode("a guess"), .login, .password])
    #expect(try await world.signIn([], person: person).signIn != nil)
    let questions = await person.questions
    #expect(
      questions.map(\.path) == [
        "identifier", "credentials.passcode", "identifier", "credentials.passcode",
      ])
    #expect(questions[0].suggestion == nil)
    #expect(questions[2].suggestion == .string(World.login))
    #expect(questions[3].suggestion == nil)
    #expect(await person.messages == [.authenticationFailed])
  }

  @Test("A name that nobody has looks like a wrong password, and one can start over")
  func unknownUser() async throws {
    let world = try World()
    let person = world.person([
      .answer("identifier", "nobody@shop.example"), .password,
      .instead("credentials.passcode", .cancel), .login, .password,
    ])
    let signIn = try #require(try await world.signIn([], person: person).signIn)
    #expect(await person.messages == [.incorrectPassword])
    #expect(signIn.user?.identifier == World.login)
  }

  @Test(
    "An account that may not sign in ends the sign-in with the reason",
    arguments: [
      (SimulatedUser.Status.suspended, "security.access_denied", 403),
      (.notAssigned, "idx.error.code.user_not_assigned", 400),
    ])
  func refusedAccounts(
    status: SimulatedUser.Status, key: String, httpStatus: Int
  ) async throws {
    let world = try World(status: status)
    let log = EventLog()
    let end = try #require(try await world.signIn([.login, .password], log: log).end)
    #expect(end.response.says(.init(rawValue: key)))
    #expect(end.status == httpStatus)
    #expect(await log.count(of: "accepted challenge-authenticator") == 0)
  }

  @Test("A locked account looks like a wrong password")
  func locked() async throws {
    let world = try World(status: .locked)
    let person = world.person([.login, .password, .cancel("credentials.passcode")])
    #expect(try await world.signIn([], person: person).isCancelled)
    #expect(await person.messages == [.incorrectPassword])
  }

  @Test("Too many wrong passwords are told, and starting over is a way out")
  func tooManyAttempts() async throws {
    let world = try World(SignInPolicy(attempts: 2))
    let person = world.person([
      .login, .passcode("a guess"), .passcode("another"), .password,
      .instead("credentials.passcode", .cancel), .cancel("identifier"),
    ])
    #expect(try await world.signIn([], person: person).isCancelled)
    #expect(
      await person.messages == [
        .incorrectPassword, .tooManyRequestsForOperation, .tooManyRequestsForOperation,
      ])
  }

  @Test("An expired password is replaced by one that follows the rules")
  func expiredPassword() async throws {
    let world = try World(status: .passwordExpired)
    let person = world.person([
      .login, .password, .passcode("short"), .passcode("Shop@2"), .passcode("Difference-1822"),
      .passcode("Difference-1823"), .passcode("Difference-1822"), .passcode("Difference-1822"),
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(
      await person.steps == [.identify, .challengeAuthenticator, .reenrollAuthenticator])
    // Nothing was sent that breaks a rule or was typed wrongly.
    #expect(await person.messages.isEmpty)
    #expect(
      await person.questions.suffix(6).map(\.isRepetition) == [
        false, false, false, true, false, true,
      ])
    #expect(
      await person.questions.compactMap(\.problem?.reason) == [
        .breaksRules([.length(8), .upperCase(1), .digits(1)]),
        .breaksRules([.length(8), .username]),
        .differs,
      ])
    #expect(await person.questions.last?.step.authenticator?.passwordRules?.minimumLength == 8)
    #expect(await world.org.user(World.login)?.password == "Difference-1822")
  }

  @Test("A sign-in that expires under way ends with that message")
  func expiry() async throws {
    let world = try World()
    let outcome = try await world.signIn([
      .login,
      .answer("credentials.passcode") { [org = world.org] in
        org.advance(by: 6 * 60)
        return World.password
      },
    ])
    let end = try #require(outcome.end)
    #expect(end.response.says(.sessionExpired))
    #expect(end.status == 401)
  }

  @Test("Starting over works at every step", arguments: 1...4)
  func startOver(at position: Int) async throws {
    let world = try World(.required(.googleAuthenticator))
    let steps: [ScriptedReply] = [
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
    ]
    let question = steps[position - 1].question
    let person = world.person(
      steps.prefix(position - 1) + [.instead(question, .cancel)] + steps)
    let outcome = try await world.signIn([], person: person)
    #expect(outcome.signIn?.user?.identifier == World.login)
    #expect(await world.line.count(of: "cancel") == 1)
    #expect(await person.questions[position].step.attempt == 1)
  }

  @Test("Giving up at a question tells the server, and nothing more is sent", arguments: 1...4)
  func giveUp(at position: Int) async throws {
    let world = try World(.required(.googleAuthenticator))
    let steps: [ScriptedReply] = [
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
    ]
    let question = steps[position - 1].question
    let outcome = try await world.signIn(steps.prefix(position - 1) + [.cancel(question)])
    #expect(outcome.isCancelled)
    #expect(await world.line.steps.last == "cancel")
    #expect(await world.line.count(of: "cancel") == 1)
  }
}
