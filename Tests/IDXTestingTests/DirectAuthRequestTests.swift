import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

@Suite("DirectAuth in the simulated org: passkeys and strictness")
struct DirectAuthRequestTests {
  private typealias D = DirectVisitor
  private let login = DirectVisitor.login
  private static let key = SoftwareAuthenticator.Credential(
    login: DirectVisitor.login, madeOf: "test")
  private static let passkey = SimulatedUser.Enrollment.passkey(key, name: "Blue key")

  private func signature(_ answer: PasskeyAnswer) -> [String: String?] {
    let json = answer.assertion
    return [
      "authenticatorData": json["authenticatorData"]?.string,
      "clientDataJSON": json["clientData"]?.string, "signature": json["signatureData"]?.string,
    ]
  }

  private func challenge(in visitor: DirectVisitor) throws -> PasskeyAnswer {
    #expect(visitor.status == 200)
    return PasskeyAnswer(
      challenge: try #require(visitor.json["publicKey"]?["challenge"]?.string))
  }

  @Test("A passkey is a second factor, asked for at either address", arguments: [true, false])
  func secondPasskey(isPrimary: Bool) async throws {
    let org = makeOrg(.required(.webAuthn), [Self.passkey])
    var visitor = DirectVisitor(org)
    try await visitor.password()
    #expect(visitor.json["supported_challenge_types"]?.string == D.mfaWebAuthn)
    let token = visitor.mfaToken
    if isPrimary {
      try await visitor.post(
        "primary-authenticate", ["mfa_token": token, "challenge_hint": D.mfaWebAuthn])
    } else {
      try await visitor.challenge(token, D.mfaWebAuthn)
    }
    #expect(visitor.json["challengeType"]?.string == D.mfaWebAuthn)
    let form = signature(try challenge(in: visitor))
    try await visitor.ask(D.webAuthn, form)
    visitor.expect("invalid_grant")
    try await visitor.ask(D.mfaWebAuthn, form.merging(["mfa_token": "mfa_none"]) { $1 })
    visitor.expect("access_denied", 403)
    try await visitor.ask(D.mfaWebAuthn, form.merging(["mfa_token": token]) { $1 })
    visitor.expectTokens(["hwk", "mfa", "pwd"])
  }

  @Test("Who has no passkey is told so, and nobody is answered alike")
  func noPasskey() async throws {
    var visitor = DirectVisitor(makeOrg(.passwordOnly, [D.app]))
    for name in [login, "nobody@shop.example"] {
      try await visitor.post(
        "primary-authenticate", ["login_hint": name, "challenge_hint": D.webAuthn])
      visitor.expect("invalid_request", naming: "This user cannot be asked by passkey.")
    }
  }

  private static let everything: [(String, [String])] = [
    ("password", ["username", "password"]),
    (DirectVisitor.otp, ["login_hint", "otp"]),
    (DirectVisitor.oob, ["oob_code"]),
    (DirectVisitor.webAuthn, ["authenticatorData", "clientDataJSON", "signature"]),
    (DirectVisitor.mfaOTP, ["mfa_token", "otp"]),
    (DirectVisitor.mfaOOB, ["mfa_token", "oob_code"]),
    (
      DirectVisitor.mfaWebAuthn,
      ["mfa_token", "authenticatorData", "clientDataJSON", "signature"]
    ),
  ]

  @Test("Each parameter of a grant that is missing or foreign is named", arguments: everything)
  func grants(grant: String, names: [String]) async throws {
    var visitor = DirectVisitor(makeOrg(.required(.phone), [D.phone, Self.passkey]))
    let whole: [String: String?] = Dictionary(uniqueKeysWithValues: names.map { ($0, "text") })
    for name in names {
      for value in [nil, ""] as [String?] {
        try await visitor.ask(grant, whole.merging([name: value]) { $1 })
        visitor.expect("invalid_request", naming: " \(name) ")
      }
    }
    for name in ["code_verifier", "nonsense", "channel_hint"] {
      try await visitor.ask(grant, whole.merging([name: "text"]) { $1 })
      visitor.expect("invalid_request", naming: " \(name) ")
    }
    for id in ["0oaOtherApp000000001", nil] as [String?] {
      try await visitor.ask(grant, whole.merging(["client_id": id]) { $1 })
      visitor.expect("invalid_client", 401)
    }
    let twice = [("grant_type", grant), ("scope", "openid"), ("scope", "openid")]
    try await visitor.post("token", twice)
    visitor.expect("invalid_request", naming: " scope ")
  }

  private static let oob: [String: String?] = [
    "login_hint": DirectVisitor.login, "challenge_hint": DirectVisitor.oob, "channel_hint": "sms",
  ]

  @Test(
    "Each parameter of a beginning that is missing, foreign or not known is named",
    arguments: [
      ("primary-authenticate", oob, ["login_hint": nil], "login_hint"),
      ("primary-authenticate", oob, ["challenge_hint": nil], "challenge_hint"),
      ("primary-authenticate", oob, ["challenge_hint": "password"], "challenge_hint"),
      ("primary-authenticate", oob, ["channel_hint": nil], "channel_hint"),
      ("primary-authenticate", oob, ["channel_hint": "pigeon"], "channel_hint"),
      ("primary-authenticate", oob, ["mfa_token": "mfa_none"], "mfa_token"),
      ("primary-authenticate", oob, ["scope": "openid"], "scope"),
      ("primary-authenticate", oob, ["challenge_hint": DirectVisitor.webAuthn], "channel_hint"),
      ("primary-authenticate", oob, ["challenge_hint": DirectVisitor.mfaWebAuthn], "mfa_token"),
      ("oob-authenticate", oob, [:], "challenge_hint"),
      ("oob-authenticate", oob, ["challenge_hint": nil, "channel_hint": nil], "channel_hint"),
      ("oob-authenticate", oob, ["challenge_hint": nil, "login_hint": ""], "login_hint"),
      ("challenge", ["mfa_token": "mfa_none"], [:], "challenge_types_supported"),
      ("challenge", ["challenge_types_supported": DirectVisitor.mfaOTP], [:], "mfa_token"),
      ("challenge", oob, [:], ""),
    ] as [(String, [String: String?], [String: String?], String)])
  func beginnings(
    path: String, form: [String: String?], changes: [String: String?], name: String
  ) async throws {
    var visitor = DirectVisitor(makeOrg(.passwordOnly, [D.phone]))
    try await visitor.post(path, form.merging(changes) { $1 })
    visitor.expect("invalid_request", naming: name)
    try await visitor.post(path, ["client_id": "0oaOtherApp000000001"])
    visitor.expect("invalid_client", 401)
  }

  @Test(
    "Only forms are taken, and only by POST",
    arguments: [
      "primary-authenticate", "oob-authenticate", "challenge",
    ])
  func mediaTypes(path: String) async throws {
    var visitor = try await Visitor(makeOrg())
    let address = try visitor.address("/v1/" + path).absoluteString
    try await visitor.post(address, ["client_id": .string(visitor.org.clientID)])
    #expect(visitor.status == 415)
    try await visitor.post(address, [:], method: "GET")
    #expect(visitor.status == 405)
  }

  @Test("A new password ends what is on its way, where the user wants that")
  func sessionsEnd() async throws {
    var policy = SignInPolicy.required(.email)
    policy.accounts.recovery = AccountPolicy.Recovery(by: [.email])
    let org = makeOrg(policy, [.email])
    var visitor = DirectVisitor(org)
    try await visitor.password()
    let token = visitor.mfaToken
    var other = try await Visitor(org)
    try await other.begin(["recovery_token": await org.recoveryToken(for: login)?.revealed])
    try await other.submit(
      "reset-authenticator",
      ["credentials": ["passcode": "Difference-1822", "revokeSessions": true]])
    try await visitor.challenge(token, channel: "email")
    visitor.expect("access_denied", 403)
  }
}
