import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

/// DirectAuth of the simulated org: second factors and pushes.
struct DirectAuthFactorTests {
  private typealias D = DirectClient
  private let login = DirectClient.login

  /// A client after the correct password, which needs a second factor.
  private func halfway(
    _ org: SimulatedOrg, _ types: [String], filePath: StaticString = #filePath, line: Int = #line
  ) async throws -> DirectClient {
    var client = DirectClient(org)
    try await client.password()
    client.expectError("mfa_required", 403, filePath: filePath, line: line)
    expectEqual(
      client.json["supported_challenge_types"]?.string, types.joined(separator: " "),
      filePath: filePath, line: line)
    return client
  }

  @Test(
    "The policy decides which second factors are accepted",
    arguments: [
      (.required(.googleAuthenticator), [DirectClient.mfaOTP]),
      (.required(.phone), [DirectClient.mfaOOB]),
      (.optional(.oktaVerify), [DirectClient.mfaOTP, DirectClient.mfaOOB]),
      (.optional(.webAuthn), [DirectClient.mfaWebAuthn]),
      (
        .optional(.webAuthn, .phone, .googleAuthenticator, .securityQuestion),
        [DirectClient.mfaOTP, DirectClient.mfaOOB, DirectClient.mfaWebAuthn]
      ),
    ] as [(SignInPolicy, [String])])
  func demanded(policy: SignInPolicy, types: [String]) async throws {
    let key = SoftwareAuthenticator.Credential(login: login, madeOf: "test")
    let enrollments = [D.app, D.oktaVerify, D.phone, .passkey(key, name: "Blue key"), D.question]
    _ = try await halfway(makeOrg(policy, enrollments), types)
  }

  @Test(
    "An authenticator that DirectAuth cannot use is named",
    arguments: [
      (.required(.phone), "Phone is required, and DirectAuth cannot set it up."),
      (.required(.securityQuestion), "and DirectAuth cannot verify it"),
    ] as [(SignInPolicy, String)])
  func denied(policy: SignInPolicy, words: String) async throws {
    var client = DirectClient(makeOrg(policy, [D.question]))
    try await client.password()
    client.expectError("access_denied", 403, naming: words)
  }

  @Test(
    "Interstitial steps that refuse a user apply here too",
    arguments: [
      (.consent(scopes: ["profile"]), "consent_required", 400),
      (.adminConsent(scopes: ["profile"]), "consent_required", 400),
      (.granularConsent(scopes: ["openid", "profile"]), "consent_required", 400),
      (.denial(isFinal: true), "access_denied", 403), (.keepMeSignedIn, nil, 200),
    ] as [(AccountPolicy.InterstitialStep, String?, Int)])
  func steps(step: AccountPolicy.InterstitialStep, error: String?, status: Int) async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.afterFactors = [step]
    var client = DirectClient(makeOrg(policy))
    try await client.password()
    if let error { client.expectError(error, status) } else { client.expectTokens(["pwd"]) }
  }

  @Test("A challenge is the first that both sides support, unless a channel selects another")
  func challengeTypes() async throws {
    let org = makeOrg(.optional(.googleAuthenticator, .phone), [D.app, D.phone])
    var client = try await halfway(org, [D.mfaOTP, D.mfaOOB])
    let token = client.mfaToken
    try await client.challenge(token, "urn:of:the:future \(D.mfaOTP) \(D.mfaOOB)")
    expectEqual(client.json, ["challenge_type": .string(D.mfaOTP)])
    try await client.challenge(token, "\(D.mfaOTP) \(D.mfaOOB)", channel: "sms")
    expectEqual(client.json["challenge_type"]?.string, D.mfaOOB)
    let first = client.oobCode
    for (types, channel, name) in [
      (D.mfaOOB, nil, "channel_hint"), (D.mfaOTP, "sms", "channel_hint"),
      (D.mfaOOB, "push", "push"),
    ] as [(String, String?, String)] {
      try await client.challenge(token, types, channel: channel)
      client.expectError("invalid_request", naming: name)
    }
    for types in [D.mfaWebAuthn, D.oob, "urn:of:the:future"] {
      try await client.challenge(token, types)
      client.expectError("invalid_challenge_types_supported")
    }
    let code = await org.mailbox.lastCode(to: D.number)
    try await client.challenge(token, channel: "sms")
    try await client.ask(
      D.mfaOOB, ["mfa_token": token, "oob_code": first, "binding_code": code])
    client.expectError("invalid_grant")
  }

  @Test("Unknown tokens and codes of other sign-ins are refused")
  func unknown() async throws {
    let org = makeOrg(.required(.phone), [D.phone])
    var client = try await halfway(org, [D.mfaOOB])
    let token = client.mfaToken
    try await client.challenge(token, channel: "sms")
    let code = client.oobCode
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
      try await client.ask(grant, form)
      let isKnown = form["mfa_token"] != "mfa_none"
      client.expectError(isKnown ? "invalid_grant" : "access_denied", isKnown ? 400 : 403)
    }
    try await client.challenge("mfa_none", channel: "sms")
    client.expectError("access_denied", 403)
    try await client.ask(
      D.mfaOOB, ["mfa_token": token, "oob_code": code, "binding_code": binding])
    client.expectTokens(["mfa", "pwd", "sms"])
  }

  @Test("An mfa_token is valid for five minutes after each challenge")
  func mfaTokenExpires() async throws {
    let org = makeOrg(.required(.oktaVerify), [D.oktaVerify])
    var client = try await halfway(org, [D.mfaOTP, D.mfaOOB])
    let token = client.mfaToken
    org.advance(by: 299)
    try await client.challenge(token, channel: "push")
    expectEqual(client.status, 200)
    org.advance(by: 299)
    try await client.ask(D.mfaOTP, ["mfa_token": token, "otp": "000000"])
    client.expectError("invalid_grant")
    org.advance(by: 1)
    try await client.ask(
      D.mfaOTP, ["mfa_token": token, "otp": await org.code(of: .oktaVerify, for: login)])
    client.expectError("expired_token")
    try await client.challenge(token, channel: "push")
    client.expectError("expired_token")
  }

  @Test("The number must be chosen; another one rejects the push", arguments: [true, false])
  func number(isRight: Bool) async throws {
    let org = makeOrg(
      .required(.oktaVerify).with { $0.matchesNumbers = true }, [D.oktaVerify])
    var client = DirectClient(org)
    try await client.begin("push")
    expectEqual(client.json["binding_method"], "transfer")
    let number = try require(client.json["binding_code"]?.string)
    expectEqual(number.count, 2)
    await expectEqual(org.pushes(for: login).map(\.number), [number])
    let code = client.oobCode
    await org.approvePush(for: login, choosing: isRight ? number : nil)
    try await client.ask(D.oob, ["oob_code": code])
    if isRight { client.expectTokens(["swk"]) } else { client.expectError("access_denied") }
    try await client.ask(D.oob, ["oob_code": code])
    client.expectError("invalid_grant")
  }

  @Test("A poll that is too early adds five seconds to the interval")
  func slowDown() async throws {
    let org = makeOrg(.passwordOnly, [D.oktaVerify])
    var client = DirectClient(org)
    try await client.begin("push")
    let code = client.oobCode
    let polls: [(Double, String)] = [
      (0, "authorization_pending"), (4, "slow_down"), (9, "slow_down"),
      (15, "authorization_pending"), (14, "slow_down"),
    ]
    for (seconds, error) in polls {
      org.advance(by: seconds)
      try await client.ask(D.oob, ["oob_code": code])
      client.expectError(error)
    }
    org.advance(by: 18)
    try await client.ask(D.oob, ["oob_code": code])
    client.expectError("expired_token")
  }
}
