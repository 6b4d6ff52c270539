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
    var client = try await OrgClient.signedIn(org)
    org.advance(by: TimeInterval(seconds))
    let code = await org.authenticatorCode(for: OrgClient.login)
    org.advance(by: TimeInterval(-seconds))
    try await client.answer(code)
    expectEqual(client.isDone, (abs(seconds) == 30))
  }

  @Test("A code is accepted once, including the code of the setup")
  func usedCode() async throws {
    let org = makeOrg(.required(.googleAuthenticator))
    var client = try await OrgClient.signedIn(org)
    try await client.choose("Google Authenticator", in: "select-authenticator-enroll")
    let code = await org.authenticatorCode(for: OrgClient.login)
    try await client.answer(code)
    expect(client.isDone)

    client = try await OrgClient.signedIn(org)
    try await client.answer(code)
    expectEqual(client.status, 401)
    expectEqual(
      client.messageKeys(at: "credentials.passcode"),
      ["authfactor.challenge.soft_token.used_passcode"])
    org.advance(by: 30)
    try await client.answer(await org.authenticatorCode(for: OrgClient.login))
    expect(client.isDone)
  }

  @Test(
    "An email is sent when the user asks for it; if it has no link, there is no poll",
    arguments: [true, false])
  func email(hasLink: Bool) async throws {
    let org = makeOrg(.required(.email).with { $0.sendsMagicLink = hasLink }, [.email])
    var client = try await OrgClient.signedIn(org)
    expectEqual(client.remediations, ["authenticator-verification-data"])
    await expectEmpty(org.mailbox.messages)
    try await client.fill(.authenticatorVerificationData)
    expectEqual(client.remediations, ["challenge-authenticator"])
    expectEqual(client.currentEnrollment?["profile"]?["email"], "a***a@shop.example")
    expectEqual(client.currentEnrollment?["contextualData"]?["useEmailMagicLink"]?.bool, hasLink)
    expectEqual(client.form("poll")?["refresh"]?.integer, hasLink ? 4000 : nil)
    expect(client.form("resend") != nil)
    try await client.answer("nothing")
    expectEqual(
      client.messageKeys(at: "credentials.passcode"), ["api.authn.error.PASSCODE_INVALID"])
    try await client.answer(await org.mailbox.lastCode(to: OrgClient.login))
    expect(client.isDone)
  }

  @Test("A chosen email is sent after consent if the policy requires it, and again on request")
  func emailConsent() async throws {
    let policy = SignInPolicy.optional(.email, .phone).with { $0.asksBeforeEmail = true }
    let org = makeOrg(policy, [.email, .phone("+15550100142")])
    var client = try await OrgClient.signedIn(org)
    try await client.choose("Email", in: select)
    expectEqual(client.remediations, ["authenticator-verification-data", select])
    await expectEmpty(org.mailbox.messages)
    for (form, count) in [(Remediation.Name.authenticatorVerificationData, 1), (.resend, 2)] {
      try await client.fill(form)
      expectEqual(client.remediations, ["challenge-authenticator", select])
      await expectEqual(org.mailbox.messages.count, count)
    }
    try await client.answer(await org.mailbox.lastCode(to: OrgClient.login))
    expect(client.isDone)
  }

  @Test("Each required authenticator is verified before missing ones are set up")
  func eachRequired() async throws {
    let policy = SignInPolicy(required: [.googleAuthenticator, .securityQuestion, .email])
    var client = try await OrgClient.signedIn(makeOrg(policy, [app, question]))
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
}
