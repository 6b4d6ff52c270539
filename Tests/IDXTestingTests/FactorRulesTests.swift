import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Rules for factors in the simulated org")
struct FactorRulesTests {
  private let login = Visitor.login
  private let select = Remediation.Name.selectAuthenticatorAuthenticate

  @Test("Chosen e-mail waits for consent, where the policy says so, and is sent once")
  func emailConsent() async throws {
    let policy = SignInPolicy.optional(.email, .phone).with { $0.asksBeforeEmail = true }
    let org = makeOrg(policy, [.email, .phone("+15550100142")])
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(select, ["authenticator": .authenticator(.email)])
    #expect(visitor.remediations == ["authenticator-verification-data", select.rawValue])
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.fill(.authenticatorVerificationData)
    #expect(visitor.remediations == ["challenge-authenticator", select.rawValue])
    #expect(await org.mailbox.messages.count == 1)
    try await visitor.fill(.resend)
    #expect(visitor.remediations == ["challenge-authenticator", select.rawValue])
    #expect(await org.mailbox.messages.count == 2)
    try await visitor.type(await org.mailbox.lastCode(to: login))
    #expect(visitor.isDone)
  }

  @Test("Without a link in the mail there is nothing to poll for", arguments: [true, false])
  func magicLink(isSent: Bool) async throws {
    let org = makeOrg(.required(.email).with { $0.sendsMagicLink = isSent }, [.email])
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(.authenticatorVerificationData)
    #expect(visitor.currentEnrollment?["contextualData"]?["useEmailMagicLink"]?.bool == isSent)
    #expect((visitor.form("poll") != nil) == isSent)
    #expect(visitor.form("resend") != nil)
  }
}
