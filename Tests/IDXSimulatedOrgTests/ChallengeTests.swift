import Expectations
import Foundation
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Challenges in the simulated org.
struct ChallengeTests {
  private let select = "select-authenticator-authenticate"
  private let app = SimulatedUser.Enrollment.googleAuthenticator(secret: "MZXW6YTBOI4TQNBR")
  private let question = SimulatedUser.Enrollment.securityQuestion(
    question: "What runs?", answer: "The Engine")

  @Test(
    "A code is accepted at most one time step early or late", arguments: [-60, -30, 30, 60])
  func drift(seconds: Int) async throws {
    let org = makeOrg(.demo, [app])
    var client = try await OrgClient(org)
    try await client.signIn()
    org.advance(by: TimeInterval(seconds))
    let code = try await require(org.authenticatorCode(for: "ada@shop.example"))
    org.advance(by: TimeInterval(-seconds))
    try await client.answer(code)
    expectEqual(client.isDone, (abs(seconds) == 30))
  }

  @Test("A code is accepted once, including the code of the setup")
  func usedCode() async throws {
    let org = makeOrg(.required(.googleAuthenticator))
    var first = try await OrgClient(org)
    try await first.signIn()
    try await first.choose("Google Authenticator", in: "select-authenticator-enroll")
    let code = try await require(org.authenticatorCode(for: "ada@shop.example"))
    try await first.answer(code)
    expect(first.isDone)

    var second = try await OrgClient(org)
    try await second.signIn()
    try await second.answer(code)
    expectEqual(second.status, 401)
    expectEqual(
      second.messageKeys(at: "credentials.passcode"),
      ["authfactor.challenge.soft_token.used_passcode"])
    org.advance(by: 30)
    try await second.answer(
      try await require(org.authenticatorCode(for: "ada@shop.example")))
    expect(second.isDone)
  }

  @Test(
    "An email is sent only when the user asks for it, once, and after consent if the policy requires it"
  )
  func email() async throws {
    let org = makeOrg(.demo, [.email])
    var client = try await OrgClient(org)
    try await client.signIn()
    expectEqual(client.remediations, ["authenticator-verification-data"])
    await expectEmpty(org.mailbox.messages)
    try await client.submit(
      "authenticator-verification-data",
      [
        "authenticator": [
          "id": try require(client.json["authenticators"]?["value"]?[0]?["id"]),
          "methodType": "email",
        ]
      ])
    expectEqual(client.remediations, ["challenge-authenticator"])
    expectEqual(client.currentEnrollment?["profile"]?["email"], "a***a@shop.example")
    expectEqual(client.form("poll")?["refresh"], 4000)
    try await client.answer("nothing")
    expectEqual(
      client.messageKeys(at: "credentials.passcode"), ["api.authn.error.PASSCODE_INVALID"])
    try await client.answer(try await require(org.mailbox.lastCode(to: "ada@shop.example")))
    expect(client.isDone)

    let policy = SignInPolicy.optional(.email, .phone).with { $0.asksBeforeEmail = true }
    let consenting = makeOrg(policy, [.email, .phone("+15550100142")])
    client = try await OrgClient.signedIn(consenting)
    try await client.fill(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.email)])
    expectEqual(client.remediations, ["authenticator-verification-data", select])
    await expectEmpty(consenting.mailbox.messages)
    try await client.fill(.authenticatorVerificationData)
    expectEqual(client.remediations, ["challenge-authenticator", select])
    await expectEqual(consenting.mailbox.messages.count, 1)
    try await client.fill(.resend)
    expectEqual(client.remediations, ["challenge-authenticator", select])
    await expectEqual(consenting.mailbox.messages.count, 2)
    try await client.type(await consenting.mailbox.lastCode(to: OrgClient.login))
    expect(client.isDone)
  }

  @Test("Each required authenticator is verified before missing ones are set up")
  func eachRequired() async throws {
    let policy = SignInPolicy(required: [.googleAuthenticator, .securityQuestion, .email])
    var client = try await OrgClient(makeOrg(policy, [app, question]))
    try await client.signIn()
    expectEqual(client.options(of: select), ["Google Authenticator", "Security Question"])
    try await client.choose("Google Authenticator", in: select)
    try await client.answer("166030")
    expectEqual(client.remediations, ["challenge-authenticator"])
    try await client.submit(
      "challenge-authenticator",
      ["credentials": ["questionKey": "custom", "answer": "The Engine"]])
    expectEqual(client.options(of: "select-authenticator-enroll"), ["Email"])
  }

  @Test("Enrollments are shown only after the password")
  func nothingLeaks() async throws {
    var client = try await OrgClient(makeOrg(.demo, [app]))
    expect(!client.json.text.contains("google_otp"))
    client = try await OrgClient(makeOrg(.required(.googleAuthenticator), [app]))
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    expect(!client.json.text.contains("google_otp"))
    expect(!client.json.text.contains("Byron"))
  }

  @Test("An email without a link has no poll", arguments: [true, false])
  func magicLink(isSent: Bool) async throws {
    let org = makeOrg(.required(.email).with { $0.sendsMagicLink = isSent }, [.email])
    var client = try await OrgClient.signedIn(org)
    try await client.fill(.authenticatorVerificationData)
    expectEqual(client.currentEnrollment?["contextualData"]?["useEmailMagicLink"]?.bool, isSent)
    expectEqual((client.form("poll") != nil), isSent)
    expect(client.form("resend") != nil)
  }
}
