import IDX
import IDXFlow
import Testing

@testable import IDXTesting

@Suite("DirectAuth in the simulated org: a lost password")
struct DirectAuthRecoveryTests {
  private typealias D = DirectVisitor
  private let login = DirectVisitor.login
  private let scope = "okta.myAccount.password.manage"
  private let intent: [String: String?] = [
    "intent": "recovery", "scope": "okta.myAccount.password.manage",
  ]

  private func org(
    _ policy: SignInPolicy = .passwordOnly, by methods: [IDXAuthenticator.Key] = [.phone],
    asksQuestion: Bool = false, status: SimulatedUser.Status = .active
  ) -> SimulatedOrg {
    var policy = policy
    policy.accounts.recovery = AccountPolicy.Recovery(by: methods, asksQuestion: asksQuestion)
    let question = SimulatedUser.Enrollment.securityQuestion(question: "Why?", answer: "Because")
    return makeOrg(policy, [D.phone, D.app] + (asksQuestion ? [question] : []), status: status)
  }

  /// Answers the code of a text message, as the first factor or after another.
  private func answerMessage(
    _ visitor: inout DirectVisitor, after token: String? = nil, _ more: [String: String?]
  ) async throws {
    if let token {
      try await visitor.challenge(token, channel: "sms")
    } else {
      try await visitor.begin("sms")
    }
    var form: [String: String?] = [
      "oob_code": visitor.oobCode,
      "binding_code": await visitor.org.mailbox.lastCode(to: D.number),
    ]
    form["mfa_token"] = token
    try await visitor.ask(token == nil ? D.oob : D.mfaOOB, form.merging(more) { $1 })
  }

  @Test(
    "Who proves to be themselves gets a token that replaces the password, and does nothing else",
    arguments: [.active, .passwordExpired] as [SimulatedUser.Status])
  func recovery(status: SimulatedUser.Status) async throws {
    let org = org(status: status)
    var visitor = DirectVisitor(org)
    try await answerMessage(&visitor, intent)
    #expect(visitor.status == 200 && visitor.json["scope"]?.string == scope)
    #expect(visitor.json["id_token"] == nil && visitor.json["refresh_token"] == nil)
    let token = try #require(visitor.json["access_token"]?.string)
    #expect(try await Visitor(org).userInfo(token).status == 403)
  }

  @Test("Another factor than the policy takes for it leads on to one that it takes")
  func anotherFactor() async throws {
    let org = org(.required(.googleAuthenticator))
    var visitor = DirectVisitor(org)
    let code = await org.code(of: .googleAuthenticator, for: login)
    try await visitor.ask(D.otp, intent.merging(["login_hint": login, "otp": code]) { $1 })
    visitor.expect("mfa_required", 403)
    #expect(visitor.json["supported_challenge_types"]?.string == D.mfaOOB)
    let token = visitor.mfaToken
    // What it is for cannot be changed on the way.
    try await answerMessage(&visitor, after: token, [:])
    visitor.expect("invalid_request", naming: "intent")
    try await answerMessage(&visitor, after: token, intent)
    #expect(visitor.status == 200 && visitor.json["scope"]?.string == scope)
  }

  @Test("The intent and the scope belong together, and no password goes with them")
  func together() async throws {
    var visitor = DirectVisitor(org())
    try await visitor.password("Analytical-1843", of: login, ["scope": scope])
    visitor.expect("invalid_scope")
    try await visitor.password("Analytical-1843", of: login, intent)
    visitor.expect("invalid_request", naming: "password")
    for more in [
      ["intent": "recovery"], ["intent": "recovery", "scope": "openid \(scope)"],
      ["scope": "openid \(scope)"], ["scope": scope],
    ] as [[String: String?]] {
      try await answerMessage(&visitor, more)
      visitor.expect("invalid_scope")
    }
    try await answerMessage(&visitor, ["intent": "registration", "scope": scope])
    visitor.expect("invalid_request", naming: "intent")
  }

  @Test("Who may not recover a password is told so")
  func denied() async throws {
    let orgs = [
      makeOrg(.passwordOnly, [D.phone]), org(status: .suspended), org(status: .notAssigned),
      org(asksQuestion: true), org(by: [.email]),
    ]
    for org in orgs {
      var visitor = DirectVisitor(org)
      try await answerMessage(&visitor, intent)
      visitor.expect("access_denied", 403)
    }
  }
}
