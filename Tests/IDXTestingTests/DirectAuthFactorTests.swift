import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

@Suite("DirectAuth in the simulated org: second factors and pushes")
struct DirectAuthFactorTests {
  private typealias D = DirectVisitor
  private let login = DirectVisitor.login

  /// A visitor whose password was right, and who needs more.
  private func halfway(
    _ org: SimulatedOrg, _ types: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> DirectVisitor {
    var visitor = DirectVisitor(org)
    try await visitor.password()
    visitor.expect("mfa_required", 403, sourceLocation: sourceLocation)
    #expect(
      visitor.json["supported_challenge_types"]?.string == types.joined(separator: " "),
      sourceLocation: sourceLocation)
    return visitor
  }

  @Test(
    "The policy decides which second factors do",
    arguments: [
      (.required(.googleAuthenticator), [DirectVisitor.mfaOTP]),
      (.required(.phone), [DirectVisitor.mfaOOB]),
      (.optional(.oktaVerify), [DirectVisitor.mfaOTP, DirectVisitor.mfaOOB]),
      (.optional(.webAuthn), [DirectVisitor.mfaWebAuthn]),
      (
        .optional(.webAuthn, .phone, .googleAuthenticator, .securityQuestion),
        [DirectVisitor.mfaOTP, DirectVisitor.mfaOOB, DirectVisitor.mfaWebAuthn]
      ),
    ] as [(SignInPolicy, [String])])
  func demanded(policy: SignInPolicy, types: [String]) async throws {
    let key = SoftwareAuthenticator.Credential(login: login, madeOf: "test")
    let question = SimulatedUser.Enrollment.securityQuestion(question: "Why?", answer: "Because")
    let org = makeOrg(
      policy, [D.app, D.oktaVerify, D.phone, .passkey(key, name: "Blue key"), question])
    _ = try await halfway(org, types)
  }

  @Test(
    "What cannot be set up or asked for is refused in words that say so",
    arguments: [
      (.required(.phone), "Phone is required, and DirectAuth cannot set it up."),
      (.required(.securityQuestion), "and DirectAuth cannot verify it"),
    ] as [(SignInPolicy, String)])
  func denied(policy: SignInPolicy, words: String) async throws {
    let question = SimulatedUser.Enrollment.securityQuestion(question: "Why?", answer: "Because")
    var visitor = DirectVisitor(makeOrg(policy, [question]))
    try await visitor.password()
    visitor.expect("access_denied", 403, naming: words)
  }

  @Test(
    "What comes after the factors and cannot be shown holds all the same",
    arguments: [
      (.consent(scopes: ["profile"]), "consent_required", 400),
      (.adminConsent(scopes: ["profile"]), "consent_required", 400),
      (.granularConsent(scopes: ["openid", "profile"]), "consent_required", 400),
      (.denial(isFinal: true), "access_denied", 403), (.keepMeSignedIn, nil, 200),
    ] as [(AccountPolicy.InterstitialStep, String?, Int)])
  func stations(station: AccountPolicy.InterstitialStep, error: String?, status: Int) async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = [station]
    var visitor = DirectVisitor(makeOrg(policy))
    try await visitor.password()
    if let error { visitor.expect(error, status) } else { visitor.expectTokens(["pwd"]) }
  }

  @Test("Every required factor is demanded, one after the other")
  func severalFactors() async throws {
    let org = makeOrg(.required(.googleAuthenticator, .phone), [D.app, D.phone])
    var visitor = DirectVisitor(org)
    let otp = await org.code(of: .googleAuthenticator, for: login)
    try await visitor.ask(D.otp, ["login_hint": login, "otp": otp, "scope": "openid"])
    visitor.expect("mfa_required", 403)
    #expect(visitor.json["supported_challenge_types"]?.string == D.mfaOOB)
    let token = visitor.mfaToken
    try await visitor.ask(D.mfaOTP, ["mfa_token": token, "otp": "000000", "scope": nil])
    visitor.expect("invalid_request", naming: D.mfaOTP)
    try await visitor.challenge(token, channel: "voice")
    let code = visitor.oobCode
    let binding = await org.mailbox.lastCode(to: D.number)
    let form = ["mfa_token": token, "oob_code": code, "binding_code": binding]
    try await visitor.ask(D.mfaOOB, form.merging(["scope": "openid email"]) { $1 })
    visitor.expect("invalid_scope")
    try await visitor.ask(D.mfaOOB, form.merging(["scope": nil]) { $1 })
    #expect(visitor.status == 200)
    #expect(visitor.json["scope"] == "openid")
    #expect(visitor.methods == ["mfa", "otp", "tel"])
    try await visitor.ask(D.mfaOOB, form)
    visitor.expect("access_denied", 403, naming: "over")
  }

  @Test("A challenge is the first that both sides can do; a channel says that it is meant")
  func challengeTypes() async throws {
    let org = makeOrg(.optional(.googleAuthenticator, .phone), [D.app, D.phone])
    var visitor = try await halfway(org, [D.mfaOTP, D.mfaOOB])
    let token = visitor.mfaToken
    try await visitor.challenge(token, "urn:of:the:future \(D.mfaOTP) \(D.mfaOOB)")
    #expect(visitor.json == ["challenge_type": .string(D.mfaOTP)])
    try await visitor.challenge(token, "\(D.mfaOTP) \(D.mfaOOB)", channel: "sms")
    #expect(visitor.json["challenge_type"]?.string == D.mfaOOB)
    let first = visitor.oobCode
    try await visitor.challenge(token, D.mfaOOB)
    visitor.expect("invalid_request", naming: "channel_hint")
    try await visitor.challenge(token, D.mfaOTP, channel: "sms")
    visitor.expect("invalid_request", naming: "channel_hint")
    try await visitor.challenge(token, D.mfaOOB, channel: "push")
    visitor.expect("invalid_request", naming: "push")
    for types in [D.mfaWebAuthn, D.oob, "urn:of:the:future"] {
      try await visitor.challenge(token, types)
      visitor.expect("invalid_challenge_types_supported")
    }
    let code = await org.mailbox.lastCode(to: D.number)
    try await visitor.challenge(token, channel: "sms")
    try await visitor.ask(
      D.mfaOOB, ["mfa_token": token, "oob_code": first, "binding_code": code])
    visitor.expect("invalid_grant")
  }

  @Test("What is unknown is refused, and a code of one sign-in is none of another")
  func unknown() async throws {
    let org = makeOrg(.required(.phone), [D.phone])
    var visitor = try await halfway(org, [D.mfaOOB])
    let token = visitor.mfaToken
    try await visitor.challenge(token, channel: "sms")
    let code = visitor.oobCode
    let binding = await org.mailbox.lastCode(to: D.number)
    let other = try await halfway(org, [D.mfaOOB])
    let forms: [(String, [String: String?])] = [
      (D.oob, ["oob_code": code, "binding_code": binding]),
      (D.oob, ["oob_code": "oob_none", "binding_code": binding]),
      (D.mfaOOB, ["mfa_token": "mfa_none", "oob_code": code, "binding_code": binding]),
      (D.mfaOOB, ["mfa_token": other.mfaToken, "oob_code": code, "binding_code": binding]),
      (D.mfaOOB, ["mfa_token": token, "oob_code": "oob_none", "binding_code": binding]),
      (D.mfaOTP, ["mfa_token": "mfa_none", "otp": "123456"]),
    ]
    for (grant, form) in forms {
      try await visitor.ask(grant, form)
      visitor.expect(
        form["mfa_token"] == "mfa_none" ? "access_denied" : "invalid_grant",
        form["mfa_token"] == "mfa_none" ? 403 : 400)
    }
    try await visitor.challenge("mfa_none", channel: "sms")
    visitor.expect("access_denied", 403)
    try await visitor.ask(
      D.mfaOOB, ["mfa_token": token, "oob_code": code, "binding_code": binding])
    visitor.expectTokens(["mfa", "pwd", "sms"])
  }

  @Test("An mfa_token stands for five minutes, anew from each challenge")
  func mfaTokenExpires() async throws {
    let org = makeOrg(.required(.oktaVerify), [D.oktaVerify])
    var visitor = try await halfway(org, [D.mfaOTP, D.mfaOOB])
    let token = visitor.mfaToken
    org.advance(by: 299)
    try await visitor.challenge(token, channel: "push")
    #expect(visitor.status == 200)
    org.advance(by: 299)
    try await visitor.ask(D.mfaOTP, ["mfa_token": token, "otp": "000000"])
    visitor.expect("invalid_grant")
    org.advance(by: 1)
    try await visitor.ask(
      D.mfaOTP, ["mfa_token": token, "otp": await org.code(of: .oktaVerify, for: login)])
    visitor.expect("expired_token")
    try await visitor.challenge(token, channel: "push")
    visitor.expect("expired_token")
  }

  @Test("The number that is shown has to be picked; another one rejects", arguments: [true, false])
  func number(isRight: Bool) async throws {
    let org = makeOrg(
      .required(.oktaVerify).with { $0.matchesNumbers = true }, [D.oktaVerify])
    var visitor = DirectVisitor(org)
    try await visitor.begin("push")
    #expect(visitor.json["binding_method"] == "transfer")
    let number = try #require(visitor.json["binding_code"]?.string)
    #expect(number.count == 2)
    #expect(await org.pushes(for: login).map(\.number) == [number])
    let code = visitor.oobCode
    await org.approvePush(for: login, choosing: isRight ? number : nil)
    try await visitor.ask(D.oob, ["oob_code": code])
    if isRight { visitor.expectTokens(["swk"]) } else { visitor.expect("access_denied") }
    try await visitor.ask(D.oob, ["oob_code": code])
    visitor.expect("invalid_grant")
  }

  @Test("Whoever polls too fast has to slow down, by five seconds each time")
  func slowDown() async throws {
    let org = makeOrg(.passwordOnly, [D.oktaVerify])
    var visitor = DirectVisitor(org)
    try await visitor.begin("push")
    let code = visitor.oobCode
    let polls: [(Double, String)] = [
      (0, "authorization_pending"), (4, "slow_down"), (9, "slow_down"),
      (15, "authorization_pending"), (14, "slow_down"),
    ]
    for (seconds, error) in polls {
      org.advance(by: seconds)
      try await visitor.ask(D.oob, ["oob_code": code])
      visitor.expect(error)
    }
    org.advance(by: 18)
    try await visitor.ask(D.oob, ["oob_code": code])
    visitor.expect("expired_token")
  }
}
