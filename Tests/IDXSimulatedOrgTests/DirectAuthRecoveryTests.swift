import Expectations
import IDX
import IDXFlow
import Testing

@testable import IDXSimulatedOrg

/// DirectAuth of the simulated org: a forgotten password.
struct DirectAuthRecoveryTests {
  private typealias D = DirectClient
  private let login = DirectClient.login
  private let scope = "okta.myAccount.password.manage"
  private let intent: [String: String?] = [
    "intent": "recovery", "scope": "okta.myAccount.password.manage",
  ]

  private func org(
    _ policy: SignInPolicy = .passwordOnly, by methods: [IDXAuthenticator.Key] = [.phone],
    asksSecurityQuestion: Bool = false, status: SimulatedUser.Status = .active
  ) -> SimulatedOrg {
    var policy = policy
    policy.accounts.recovery = AccountPolicy.Recovery(
      by: methods, asksSecurityQuestion: asksSecurityQuestion)
    return makeOrg(
      policy, [D.phone, D.app] + (asksSecurityQuestion ? [D.question] : []), status: status)
  }

  /// Answers the code of a text message, as the first factor or after another.
  private func answerMessage(
    _ client: inout DirectClient, after token: String? = nil, _ more: [String: String?]
  ) async throws {
    if let token {
      try await client.challenge(token, channel: "sms")
    } else {
      try await client.begin("sms")
    }
    var form: [String: String?] = [
      "oob_code": client.oobCode,
      "binding_code": await client.org.mailbox.lastCode(to: D.number),
    ]
    form["mfa_token"] = token
    try await client.ask(token == nil ? D.oob : D.mfaOOB, form.merging(more) { $1 })
  }

  @Test(
    "A recovery continues with a factor that the policy accepts, and its token only replaces the password"
  )
  func recovery() async throws {
    let org = org(.required(.googleAuthenticator))
    var client = DirectClient(org)
    let code = await org.code(of: .googleAuthenticator, for: login)
    try await client.ask(D.otp, intent.merging(["login_hint": login, "otp": code]) { $1 })
    client.expectError("mfa_required", 403)
    expectEqual(client.json["supported_challenge_types"]?.string, D.mfaOOB)
    let token = client.mfaToken
    // The intent cannot be changed during the sign-in.
    try await answerMessage(&client, after: token, [:])
    client.expectError("invalid_request", naming: "intent")
    try await answerMessage(&client, after: token, intent)
    expect(client.status == 200 && client.json["scope"]?.string == scope)
    expect(client.json["id_token"] == nil && client.json["refresh_token"] == nil)
    let password = try require(client.json["access_token"]?.string)
    try await expectEqual(OrgClient(org).userInfo(password).status, 403)
  }

  @Test("The intent needs its scope, and no password")
  func together() async throws {
    var client = DirectClient(org())
    try await client.password(adding: ["scope": scope])
    client.expectError("invalid_scope")
    try await client.password(adding: intent)
    client.expectError("invalid_request", naming: "password")
    for more in [
      ["intent": "recovery"], ["intent": "recovery", "scope": "openid \(scope)"],
      ["scope": "openid \(scope)"], ["scope": scope],
    ] as [[String: String?]] {
      try await answerMessage(&client, more)
      client.expectError("invalid_scope")
    }
    try await answerMessage(&client, ["intent": "registration", "scope": scope])
    client.expectError("invalid_request", naming: "intent")
  }

  @Test("If a user cannot recover a password, the response says so")
  func denied() async throws {
    let orgs = [
      makeOrg(.passwordOnly, [D.phone]), org(status: .suspended), org(status: .notAssigned),
      org(asksSecurityQuestion: true), org(by: [.email]),
    ]
    for org in orgs {
      var client = DirectClient(org)
      try await answerMessage(&client, intent)
      client.expectError("access_denied", 403)
    }
  }
}
