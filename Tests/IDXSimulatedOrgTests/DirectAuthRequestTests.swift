import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

/// DirectAuth of the simulated org: passkeys and refused requests.
struct DirectAuthRequestTests {
  private typealias D = DirectClient
  private let login = DirectClient.login
  private static let key = SoftwareAuthenticator.Credential(
    login: DirectClient.login, madeOf: "test")
  private static let passkey = SimulatedUser.Enrollment.passkey(key, name: "Blue key")

  private func signature(_ answer: PasskeyAnswer) -> [String: String?] {
    let json = answer.assertion
    return [
      "authenticatorData": json["authenticatorData"]?.string,
      "clientDataJSON": json["clientData"]?.string, "signature": json["signatureData"]?.string,
    ]
  }

  private func challenge(in client: DirectClient) throws -> PasskeyAnswer {
    expectEqual(client.status, 200)
    return PasskeyAnswer(
      challenge: try require(client.json["publicKey"]?["challenge"]?.string))
  }

  @Test("A passkey can be the second factor, at both endpoints", arguments: [true, false])
  func secondPasskey(isPrimary: Bool) async throws {
    let org = makeOrg(.required(.webAuthn), [Self.passkey])
    var client = DirectClient(org)
    try await client.password()
    expectEqual(client.json["supported_challenge_types"]?.string, D.mfaWebAuthn)
    let token = client.mfaToken
    if isPrimary {
      try await client.post(
        "primary-authenticate", ["mfa_token": token, "challenge_hint": D.mfaWebAuthn])
    } else {
      try await client.challenge(token, D.mfaWebAuthn)
    }
    expectEqual(client.json["challengeType"]?.string, D.mfaWebAuthn)
    let form = signature(try challenge(in: client))
    try await client.ask(D.webAuthn, form)
    client.expectError("invalid_grant")
    try await client.ask(D.mfaWebAuthn, form.merging(["mfa_token": "mfa_none"]) { $1 })
    client.expectError("access_denied", 403)
    try await client.ask(D.mfaWebAuthn, form.merging(["mfa_token": token]) { $1 })
    client.expectTokens(["hwk", "mfa", "pwd"])
  }

  @Test("Users without a passkey and unknown users get the same response")
  func noPasskey() async throws {
    var client = DirectClient(makeOrg(.passwordOnly, [D.app]))
    for name in [login, "nobody@shop.example"] {
      try await client.post(
        "primary-authenticate", ["login_hint": name, "challenge_hint": D.webAuthn])
      client.expectError("invalid_request", naming: "This user cannot be challenged by passkey.")
    }
  }

  private static let everything: [(String, [String])] = [
    ("password", ["username", "password"]),
    (DirectClient.otp, ["login_hint", "otp"]),
    (DirectClient.oob, ["oob_code"]),
    (DirectClient.webAuthn, ["authenticatorData", "clientDataJSON", "signature"]),
    (DirectClient.mfaOTP, ["mfa_token", "otp"]),
    (DirectClient.mfaOOB, ["mfa_token", "oob_code"]),
    (
      DirectClient.mfaWebAuthn,
      ["mfa_token", "authenticatorData", "clientDataJSON", "signature"]
    ),
  ]

  @Test("Each missing or unexpected parameter of a grant is named", arguments: everything)
  func grants(grant: String, names: [String]) async throws {
    var client = DirectClient(makeOrg(.required(.phone), [D.phone, Self.passkey]))
    let whole: [String: String?] = Dictionary(uniqueKeysWithValues: names.map { ($0, "text") })
    for name in names {
      for value in [nil, ""] as [String?] {
        try await client.ask(grant, whole.merging([name: value]) { $1 })
        client.expectError("invalid_request", naming: " \(name) ")
      }
    }
    for name in ["code_verifier", "nonsense", "channel_hint"] {
      try await client.ask(grant, whole.merging([name: "text"]) { $1 })
      client.expectError("invalid_request", naming: " \(name) ")
    }
    for id in ["0oaOtherApp000000001", nil] as [String?] {
      try await client.ask(grant, whole.merging(["client_id": id]) { $1 })
      client.expectError("invalid_client", 401)
    }
    let twice = [("grant_type", grant), ("scope", "openid"), ("scope", "openid")]
    try await client.post("token", twice)
    client.expectError("invalid_request", naming: " scope ")
  }

  private static let oob: [String: String?] = [
    "login_hint": DirectClient.login, "challenge_hint": DirectClient.oob, "channel_hint": "sms",
  ]

  @Test(
    "Each missing or unexpected parameter of a first request is named",
    arguments: [
      ("primary-authenticate", oob, ["login_hint": nil], "login_hint"),
      ("primary-authenticate", oob, ["challenge_hint": nil], "challenge_hint"),
      ("primary-authenticate", oob, ["challenge_hint": "password"], "challenge_hint"),
      ("primary-authenticate", oob, ["channel_hint": nil], "channel_hint"),
      ("primary-authenticate", oob, ["channel_hint": "pigeon"], "channel_hint"),
      ("primary-authenticate", oob, ["mfa_token": "mfa_none"], "mfa_token"),
      ("primary-authenticate", oob, ["scope": "openid"], "scope"),
      ("primary-authenticate", oob, ["challenge_hint": DirectClient.webAuthn], "channel_hint"),
      ("primary-authenticate", oob, ["challenge_hint": DirectClient.mfaWebAuthn], "mfa_token"),
      ("oob-authenticate", oob, [:], "challenge_hint"),
      ("oob-authenticate", oob, ["challenge_hint": nil, "channel_hint": nil], "channel_hint"),
      ("oob-authenticate", oob, ["challenge_hint": nil, "login_hint": ""], "login_hint"),
      ("challenge", ["mfa_token": "mfa_none"], [:], "challenge_types_supported"),
      ("challenge", ["challenge_types_supported": DirectClient.mfaOTP], [:], "mfa_token"),
      ("challenge", oob, [:], ""),
    ] as [(String, [String: String?], [String: String?], String)])
  func beginnings(
    path: String, form: [String: String?], changes: [String: String?], name: String
  ) async throws {
    var client = DirectClient(makeOrg(.passwordOnly, [D.phone]))
    try await client.post(path, form.merging(changes) { $1 })
    client.expectError("invalid_request", naming: name)
    try await client.post(path, ["client_id": "0oaOtherApp000000001"])
    client.expectError("invalid_client", 401)
  }

  @Test(
    "Requests must be POSTs of forms",
    arguments: ["primary-authenticate", "oob-authenticate", "challenge", "revoke"])
  func mediaTypes(path: String) async throws {
    var client = try await OrgClient(makeOrg())
    let address = try client.address("/v1/" + path).absoluteString
    try await client.post(address, ["client_id": .string(client.org.clientID)])
    expectEqual(client.status, 415)
    try await client.post(address, [:], method: "GET")
    expectEqual(client.status, 405)
  }
}
