import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

@Suite("Recovering a password in the simulated org")
struct RecoveryTests {
  private static let newPassword = "Difference-1822"

  private func policy(
    _ recovery: AccountPolicy.Recovery = .init(), start: SignInPolicy.Start = .identityFirst,
    required: [IDXAuthenticator.Key] = []
  ) -> SignInPolicy {
    var policy = SignInPolicy(start: start, required: required)
    policy.accounts.recovery = recovery
    return policy
  }

  private func mailCode(_ org: SimulatedOrg) async throws -> String {
    try #require(await org.mailbox.lastCode(to: "ada@shop.example"))
  }

  @Test("Where several authenticators may prove it, one is chosen; a question may follow")
  func choices() async throws {
    let recovery = AccountPolicy.Recovery(
      by: [.email, .phone], asksQuestion: true, signsIn: false)
    let org = makeOrg(
      policy(recovery),
      [
        .email, .phone("+15550100142"), .securityQuestion(question: "Which?", answer: "Engine"),
      ])
    var visitor = try await Visitor(org)
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    try await visitor.submit("recover")
    let select = "select-authenticator-authenticate"
    #expect(visitor.remediations == [select])
    #expect(visitor.options(of: select) == ["Email", "Phone"])
    try await visitor.choose("Phone", in: select, ["methodType": "sms"])
    try await visitor.answer(try #require(await org.mailbox.lastCode(to: "+15550100142")))
    #expect(visitor.currentEnrollment?["key"] == "security_question")
    try await visitor.submit(
      "challenge-authenticator", ["credentials": ["questionKey": "custom", "answer": "engine"]])
    #expect(visitor.remediations == ["reset-authenticator"])
    try await visitor.answer(Self.newPassword)
    #expect(visitor.messageKeys == ["idx.recovery.completed"])
    #expect(visitor.remediations == [])
    try await visitor.introspect()
    #expect(visitor.messageKeys == ["idx.recovery.completed"])
    try await visitor.submit("cancel")
    try await visitor.signIn("ada@shop.example", Self.newPassword)
    #expect(visitor.isDone)
  }

  @Test("A question alone is asked straight away, and the factors come after the new password")
  func thenFactors() async throws {
    let org = makeOrg(
      policy(.init(by: [.securityQuestion]), required: [.email]),
      [.securityQuestion(question: "Which?", answer: "Engine"), .email])
    var visitor = try await Visitor(org)
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    try await visitor.submit("recover")
    #expect(visitor.remediations == ["challenge-authenticator"])
    try await visitor.submit(
      "challenge-authenticator", ["credentials": ["questionKey": "custom", "answer": "engine"]])
    try await visitor.answer(Self.newPassword)
    #expect(visitor.remediations == ["authenticator-verification-data"])
    #expect(visitor.json["recoveryAuthenticator"] == nil)
  }

  @Test(
    "A new password follows the rules and is none of the old ones",
    arguments: ["short1A", "no-capital-1843", "Analytical-1843", "Ada-Engine-1843"] as [Secret])
  func rules(password: Secret) async throws {
    let org = makeOrg(policy())
    var visitor = try await Visitor(org)
    let token = await org.recoveryToken(for: "ada@shop.example")?.revealed
    try await visitor.begin(["recovery_token": token])
    #expect(visitor.remediations == ["reset-authenticator"])
    try await visitor.answer(password.revealed)
    #expect(visitor.status == 400)
    #expect(
      visitor.messageKeys(at: "credentials.passcode") == ["password.passwordRequirementsNotMet"])
    #expect(visitor.remediations == ["reset-authenticator"])
  }

  @Test("A password that was replaced may not come again")
  func history() async throws {
    let org = makeOrg(policy())
    for password in [Self.newPassword, "Analytical-1843", "Another-1900"] {
      var visitor = try await Visitor(org)
      let token = await org.recoveryToken(for: "ada@shop.example")?.revealed
      try await visitor.begin(["recovery_token": token])
      try await visitor.answer(password)
      #expect(visitor.isDone == (password != "Analytical-1843"))
    }
  }

  @Test("A token begins one recovery, and any other is refused at the beginning")
  func token() async throws {
    let org = makeOrg(policy())
    let issued = await org.recoveryToken(for: "ada@shop.example")
    let token = try #require(issued).revealed
    #expect(await org.recoveryToken(for: "bob@shop.example") == nil)
    var visitor = try await Visitor(org)
    try await visitor.interact(["activation_token": token])
    #expect(OAuthError(parsing: visitor.response.body)?.code == "invalid_request")
    try await visitor.begin(["recovery_token": token])
    #expect(visitor.json["user"]?["value"]?["identifier"] == "ada@shop.example")
    try await visitor.interact(["recovery_token": token])
    #expect(OAuthError(parsing: visitor.response.body)?.code == "invalid_request")
  }

  @Test("A locked account is recovered and unlocked by it; a suspended one is not")
  func status() async throws {
    let locked = makeOrg(policy(), [.email], status: .locked)
    var visitor = try await Visitor(locked)
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    try await visitor.submit("recover")
    try await visitor.submit(
      "authenticator-verification-data",
      ["authenticator": visitor.fixedAuthenticator])
    try await visitor.answer(try await mailCode(locked))
    try await visitor.answer(Self.newPassword)
    #expect(visitor.isDone)
    #expect(await locked.user("ada@shop.example")?.status == .active)

    for org in [makeOrg(policy(), [.email], status: .suspended), makeOrg(policy(), [])] {
      visitor = try await Visitor(org)
      try await visitor.submit("identify", ["identifier": "ada@shop.example"])
      try await visitor.submit("recover")
      #expect(visitor.status == 403)
      #expect(visitor.messageKeys == ["oie.selfservice.reset.password.not.allowed"])
      #expect(visitor.remediations == ["challenge-authenticator"])
    }
  }

  @Test("Other sign-ins end only where the user wants them to", arguments: [true, false])
  func sessions(revokes: Bool) async throws {
    let org = makeOrg(policy())
    var other = try await Visitor(org)
    try await other.signIn()
    var visitor = try await Visitor(org)
    let token = await org.recoveryToken(for: "ada@shop.example")?.revealed
    try await visitor.begin(["recovery_token": token])
    try await visitor.submit(
      "reset-authenticator",
      ["credentials": ["passcode": .string(Self.newPassword), "revokeSessions": .bool(revokes)]])
    #expect(visitor.isDone)
    try await other.redeem()
    #expect(other.status == (revokes ? 400 : 200))
  }

  @Test("Nothing is offered where the policy says nothing")
  func notOffered() async throws {
    var visitor = try await Visitor(makeOrg(.demo, [.email]))
    #expect(visitor.current?["recover"] == nil)
    try await visitor.post(
      "/idp/idx/recover", ["stateHandle": .string(visitor.stateHandle)])
    #expect(visitor.messageKeys == ["simulated.request.notOffered"])
  }
}
