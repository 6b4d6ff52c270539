import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Rules for factors in the simulated org")
struct FactorRulesTests {
  private let login = Visitor.login
  private let select = Remediation.Name.selectAuthenticatorAuthenticate

  @Test("A phone's number is asked for after the choice, where the policy says so")
  func phoneInTwoSteps() async throws {
    let org = makeOrg(.required(.phone).with { $0.asksNumberSeparately = true })
    var visitor = try await Visitor.signedIn(org)
    let option = visitor.choices(of: "select-authenticator-enroll").first
    let fields = option?["value"]?["form"]?["value"]?.array ?? []
    #expect(fields.compactMap { $0["name"]?.string } == ["id"])
    try await visitor.fill(.selectAuthenticatorEnroll, ["authenticator": .option(0)])
    #expect(visitor.remediations == ["authenticator-enrollment-data"])
    let answers: (Answer) -> Answers = {
      ["authenticator.methodType": "sms", "authenticator.phoneNumber": $0]
    }
    try await visitor.fill(.authenticatorEnrollmentData, answers("12"))
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys == ["api.factors.error.sms.invalid_phone"])
    try await visitor.fill(.authenticatorEnrollmentData, answers("+15550100142"))
    #expect(visitor.remediations == ["enroll-authenticator"])
    try await visitor.type("no code")
    #expect(
      visitor.messageKeys(at: "credentials.passcode") == ["api.authn.error.PASSCODE_INVALID"])
    try await visitor.type(await org.mailbox.lastCode(to: "+15550100142"))
    #expect(visitor.isDone)
  }

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

  @Test("The code goes to the phone whose number stands in the option, and no other")
  func severalPhones() async throws {
    let org = makeOrg(.required(.phone), [.phone("+15550100142"), .phone("+15550100177")])
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(
      select, ["authenticator": .option(1), "authenticator.methodType": "voice"])
    #expect(visitor.currentEnrollment?["profile"]?["phoneNumber"] == "+1 XXX-XXX-0177")
    #expect(await org.mailbox.messages.map(\.recipient) == ["+15550100177"])
    try await visitor.fill(.resend)
    #expect(await org.mailbox.messages.map(\.recipient) == ["+15550100177", "+15550100177"])
    try await visitor.type(await org.mailbox.lastCode(to: "+15550100177"))
    #expect(visitor.isDone)
  }
}
