import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Choosing among authenticators")
struct ChoiceTests {
  @Test("What is optional can be skipped, beside the options")
  func skip() async throws {
    let world = try World(.optional(.email, .googleAuthenticator))
    let outcome = try await world.signIn([.login, .password, .instead("authenticator", .skip)])
    #expect(outcome.signIn != nil)
    #expect(await world.line.count(of: "skip") == 1)
  }

  @Test(
    "What was begun can be left for another, or for skipping",
    arguments: [
      [
        ScriptedReply.instead("credentials.passcode", .selectAuthenticatorEnroll),
        .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
      ],
      [.instead("credentials.passcode", .skip)],
    ])
  func changeOfMind(rest: [ScriptedReply]) async throws {
    let world = try World(
      SignInPolicy(optional: [.email, .googleAuthenticator], enough: 1))
    let outcome = try await world.signIn([.login, .password, .authenticator(.email)] + rest)
    #expect(outcome.signIn != nil)
    #expect(await world.org.user(World.login)?.enrollments.contains(.email) == false)
  }

  @Test("Coming back to an app that was left shows its key again")
  func comingBack() async throws {
    let world = try World(.required(.googleAuthenticator, .email))
    let person = world.person([
      .login, .password, .authenticator(.googleAuthenticator), .passcode("000000"),
      .instead("credentials.passcode", .selectAuthenticatorEnroll), .authenticator(.email),
      .instead("credentials.passcode", .selectAuthenticatorEnroll),
      .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
      .authenticator(.email), .answer("credentials.passcode") { await world.lastCode },
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await person.apps.count == 2)
    #expect(Set(await person.apps.map { $0.uri?.secret }).count == 1)
  }

  @Test("Of several that are set up, one is picked")
  func selection() async throws {
    let world = try World(
      .optional(.email, .googleAuthenticator),
      enrollments: [.email, .googleAuthenticator(secret: "JBSWY3DPEHPK3PXP")])
    let outcome = try await world.signIn([
      .login, .password, .authenticator(.googleAuthenticator),
      .answer("credentials.passcode") { [org = world.org] in
        await org.authenticatorCode(for: World.login)
      },
    ])
    #expect(outcome.signIn != nil)
  }
}
