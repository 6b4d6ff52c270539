import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Servers that write differently")
struct ResponseShapeTests {
  @Test("Every way of writing responses signs in, with all authenticators", arguments: 0..<16)
  func shapes(bits: Int) async throws {
    let world = try World(
      .required(.googleAuthenticator, .email, .phone, .securityQuestion),
      shape: ResponseShape(rawValue: bits))
    let code: @Sendable () async -> String? = { await world.lastCode }
    let person = world.person([
      .login, .passcode("a guess"), .password,
      .authenticator(.googleAuthenticator), .passcode("000000"), .totp("credentials.passcode"),
      .authenticator(.email), .answer("credentials.passcode", from: code),
      .authenticator(.phone), .answer("authenticator.methodType", "sms"),
      .answer("authenticator.phoneNumber", "+15550100142"),
      .answer("credentials.passcode", from: code),
      .authenticator(.securityQuestion), .answer("credentials", .option(0)),
      .answer("credentials.questionKey", .option(1)), .answer("credentials.answer", "abc"),
      .answer("credentials.answer", "Loom Lane"),
    ])
    let signIn = try #require(try await world.signIn([], person: person).signIn)
    #expect(signIn.user?.identifier == World.login)
    #expect(await world.org.user(World.login)?.enrollments.count == 4)
    let secret = await person.questions.first { $0.path == "credentials.passcode" }
    #expect(secret?.field.isSecret == true)
    #expect(await person.apps.first?.uri != nil)
  }
}
