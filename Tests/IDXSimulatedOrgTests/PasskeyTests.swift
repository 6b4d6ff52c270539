import Expectations
import IDX
import IDXBase
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

/// Passkeys in the simulated org.
struct PasskeyTests {
  typealias Change = @Sendable (inout PasskeyAnswer) -> Void

  private static let wrongAssertions: [(String, Change)] = [
    ("another purpose", { $0.type = "webauthn.create" }),
    ("another challenge", { $0.challenge = "AAAA" }),
    ("another origin", { $0.origin = "https://evil.example" }),
    ("another page", { $0.crossOrigin = true }),
    ("another site", { $0.site = "evil.example" }),
    ("the user was not present", { $0.flags = [] }),
    ("has signed", { $0.changesSignature = true }),
    ("has signed", { $0.credential = Self.otherKey }),
    ("another user", { $0.userHandle = "00uSomebodyElse00001" }),
  ]
  private static let wrongEnrollments: [(String, String, Change)] = [
    ("another purpose", "none", { $0.type = "webauthn.get" }),
    ("another challenge", "none", { $0.challenge = "AAAA" }),
    ("another site", "none", { $0.site = "evil.example" }),
    ("the user was not present", "none", { $0.flags = [] }),
    ("attestation is wrong", "packed", { $0.changesSignature = true }),
    ("attestation is wrong", "tpm", { _ in }),
  ]

  private static let refusal = "authfactor.webauthn.error.assertion_validation_failure"
  private static let key = SoftwareAuthenticator.Credential(
    login: "ada@shop.example", madeOf: "test")
  private static let otherKey = SoftwareAuthenticator.Credential(
    login: "ada@shop.example", madeOf: "other")

  private func challenged() async throws -> OrgClient {
    try await OrgClient.signedIn(
      makeOrg(.required(.webAuthn), [.passkey(Self.key, name: "Blue key")]))
  }

  @Test(
    "An answer with one wrong part is refused, and the part is named",
    arguments: wrongAssertions)
  func wrongAssertion(words: String, change: Change) async throws {
    var client = try await challenged()
    var answer = client.passkeyAnswer
    change(&answer)
    try await client.submit("challenge-authenticator", ["credentials": answer.assertion])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, [Self.refusal])
    expectContains(client.messageText ?? "", words)
    expectEqual(client.remediations, ["challenge-authenticator"])
  }

  @Test("An answer is accepted once, and its counter must increase")
  func counter() async throws {
    let org = makeOrg(.required(.webAuthn), [.passkey(Self.key, name: "Blue key")])
    for (counter, isAccepted) in [(5, true), (5, false), (4, false), (0, false), (6, true)] {
      var client = try await OrgClient.signedIn(org)
      var answer = client.passkeyAnswer
      answer.counter = UInt32(counter)
      try await client.submit("challenge-authenticator", ["credentials": answer.assertion])
      expectEqual(client.isDone, isAccepted, "\(counter)")
    }
  }

  @Test("The chosen passkey must sign; without a choice, any passkey can")
  func severalKeys() async throws {
    let keys: [SimulatedUser.Enrollment] = [
      .passkey(Self.key, name: "Blue key"), .passkey(Self.otherKey, name: "Laptop"),
    ]
    var client = try await OrgClient.signedIn(makeOrg(.required(.webAuthn), keys))
    let options = client.choices(of: "select-authenticator-authenticate")
    let ids = options.map { $0["value"]?["form"]?["value"]?.array?.last?["value"]?.string }
    expectEqual(Set(ids).count, 2)
    try await client.choose("Passkey or security key", in: "select-authenticator-authenticate")
    var answer = client.passkeyAnswer
    answer.credential = Self.otherKey
    try await client.submit("challenge-authenticator", ["credentials": answer.assertion])
    expect(client.isDone)
  }

  @Test(
    "A new passkey with one wrong part is refused",
    arguments: wrongEnrollments)
  func wrongEnrollment(words: String, format: String, change: Change) async throws {
    var client = try await OrgClient.enrollingPasskey()
    var answer = client.passkeyAnswer
    change(&answer)
    try await client.submit(
      "enroll-authenticator",
      ["credentials": answer.attestation(format: format, signed: format != "none")])
    expectEqual(client.messageKeys, [Self.refusal])
    expectContains(client.messageText ?? "", words)
  }

  @Test(
    "Values in Base64url and in Base64 are accepted, padded or not, and other texts are refused")
  func base64() async throws {
    for (isForURLs, isPadded) in [(false, false), (false, true), (true, false), (true, true)] {
      let change = { (value: JSONValue) -> JSONValue in
        let members = (value.object?.members ?? []).map { member -> JSONValue.Object.Member in
          guard let text = member.value.string, text != "[]", text != "{}" else { return member }
          let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
          let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
          return .init(
            member.name, .string((isForURLs ? text : String(standard)) + (isPadded ? padding : "")))
        }
        return .object(JSONValue.Object(members))
      }
      var client = try await challenged()
      let assertion = client.passkeyAnswer.assertion
      try await client.submit("challenge-authenticator", ["credentials": change(assertion)])
      expect(client.isDone)
      client = try await OrgClient.enrollingPasskey()
      let attestation = client.passkeyAnswer.attestation(format: "packed", signed: true)
      try await client.submit("enroll-authenticator", ["credentials": change(attestation)])
      expect(client.isDone)
    }
    for text in ["", "AB CD", "AA===", "=", "A"] {
      var client = try await challenged()
      var assertion = try require(client.passkeyAnswer.assertion.object)
      assertion["signatureData"] = .string(text)
      try await client.submit("challenge-authenticator", ["credentials": .object(assertion)])
      expect(client.status == 400 && !client.isDone, "\(text)")
    }
  }

  @Test(
    "A new passkey needs no attestation, may attest itself, and is set up with two fields or four",
    arguments: [("none", false, true), ("packed", true, true), ("none", false, false)])
  func enrollment(format: String, signed: Bool, asksTransports: Bool) async throws {
    let policy = SignInPolicy.required(.webAuthn).with { $0.asksPasskeyTransports = asksTransports }
    var client = try await OrgClient.enrollingPasskey(policy)
    let answer = client.passkeyAnswer
    let fields = client.form("enroll-authenticator")?["value"]?[0]?["form"]?["value"]?.array
    let names = fields?.compactMap { $0["name"]?.string }
    expectEqual(
      names,
      ["clientData", "attestation"]
        + (asksTransports ? ["transports", "clientExtensions"] : []))
    let all = answer.attestation(format: format, signed: signed)
    let sent = (all.object?.members ?? []).filter { names?.contains($0.name) == true }
    try await client.submit(
      "enroll-authenticator", ["credentials": .object(JSONValue.Object(sent))])
    expect(client.isDone)
    let user = await client.org.user("ada@shop.example")
    expectEqual(user?.passkeys.map(\.id), [answer.credential.id])
    expectEqual(user?.passkeys.map(\.key.publicKey), [answer.credential.publicKey])
  }

  @Test("A passkey that was set up is not offered again")
  func promotionAccepted() async throws {
    let org = SimulatedOrg(OrgScenario["passkey-promotion"], seed: 3)
    var client = try await OrgClient(org)
    try await client.signIn(SimulatedUser.demo.login)
    try await client.submit(
      "enroll-authenticator-promotion", ["credentials": client.passkeyAnswer.attestation()])
    expect(client.isDone)
    var again = try await OrgClient(org)
    try await again.signIn(SimulatedUser.demo.login)
    expect(again.isDone)
  }
}
