import Expectations
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Rules for authenticators in the simulated org.
struct FactorRulesTests {
  private let login = OrgClient.login
  private let select = Remediation.Name.selectAuthenticatorAuthenticate

  @Test("After email is chosen, it is sent once, after consent if the policy requires it")
  func emailConsent() async throws {
    let policy = SignInPolicy.optional(.email, .phone).with { $0.asksBeforeEmail = true }
    let org = makeOrg(policy, [.email, .phone("+15550100142")])
    var client = try await OrgClient.signedIn(org)
    try await client.fill(select, ["authenticator": .authenticator(.email)])
    expectEqual(client.remediations, ["authenticator-verification-data", select.rawValue])
    await expectEmpty(org.mailbox.messages)
    try await client.fill(.authenticatorVerificationData)
    expectEqual(client.remediations, ["challenge-authenticator", select.rawValue])
    await expectEqual(org.mailbox.messages.count, 1)
    try await client.fill(.resend)
    expectEqual(client.remediations, ["challenge-authenticator", select.rawValue])
    await expectEqual(org.mailbox.messages.count, 2)
    try await client.type(await org.mailbox.lastCode(to: login))
    expect(client.isDone)
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
