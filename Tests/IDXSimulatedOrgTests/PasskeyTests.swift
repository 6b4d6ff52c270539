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

  private func challenged(
    _ enrollments: [SimulatedUser.Enrollment] = [.passkey(Self.key, name: "Blue key")]
  ) async throws -> (client: OrgClient, answer: PasskeyAnswer) {
    var client = try await OrgClient(makeOrg(.required(.webAuthn), enrollments))
    try await client.signIn()
    let data = client.current?["contextualData"]?["challengeData"]
    return (client, PasskeyAnswer(challenge: data?["challenge"]?.string ?? ""))
  }

  private func enrolling(
    _ policy: SignInPolicy = .required(.webAuthn)
  ) async throws -> (client: OrgClient, answer: PasskeyAnswer) {
    var client = try await OrgClient(makeOrg(policy))
    try await client.signIn()
    try await client.choose("Passkey or security key", in: "select-authenticator-enroll")
    let data = client.current?["contextualData"]?["activationData"]
    var answer = PasskeyAnswer(challenge: data?["challenge"]?.string ?? "")
    answer.type = "webauthn.create"
    return (client, answer)
  }

  @Test(
    "An answer with one wrong part is refused, and the part is named",
    arguments: wrongAssertions)
  func wrongAssertion(words: String, change: Change) async throws {
    var (client, answer) = try await challenged()
    change(&answer)
    try await client.submit("challenge-authenticator", ["credentials": answer.assertion])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys, [Self.refusal])
    let text = client.json["messages"]?["value"]?[0]?["message"]?.string
    expectEqual(text?.contains(words), true, "\(text ?? "no message")")
    expectEqual(client.remediations, ["challenge-authenticator"])
  }

  @Test("An answer is accepted once, and its counter must increase")
  func counter() async throws {
    let org = makeOrg(.required(.webAuthn), [.passkey(Self.key, name: "Blue key")])
    for (counter, isAccepted) in [(5, true), (5, false), (4, false), (0, false), (6, true)] {
      var client = try await OrgClient(org)
      try await client.signIn()
      let data = client.current?["contextualData"]?["challengeData"]
      var answer = PasskeyAnswer(challenge: data?["challenge"]?.string ?? "")
      answer.counter = UInt32(counter)
      try await client.submit("challenge-authenticator", ["credentials": answer.assertion])
      expectEqual(client.isDone, isAccepted, "\(counter)")
    }
  }

  @Test("The chosen passkey must sign; without a choice, any passkey can")
  func severalKeys() async throws {
    var (client, _) = try await challenged([
      .passkey(Self.key, name: "Blue key"), .passkey(Self.otherKey, name: "Laptop"),
    ])
    let options = client.choices(of: "select-authenticator-authenticate")
    let ids = options.map { $0["value"]?["form"]?["value"]?.array?.last?["value"]?.string }
    expectEqual(Set(ids).count, 2)
    try await client.choose("Passkey or security key", in: "select-authenticator-authenticate")
    let data = client.current?["contextualData"]?["challengeData"]
    var answer = PasskeyAnswer(challenge: data?["challenge"]?.string ?? "")
    answer.credential = Self.otherKey
    try await client.submit("challenge-authenticator", ["credentials": answer.assertion])
    expect(client.isDone)
  }

  @Test(
    "A new passkey with one wrong part is refused",
    arguments: wrongEnrollments)
  func wrongEnrollment(words: String, format: String, change: Change) async throws {
    var (client, answer) = try await enrolling()
    change(&answer)
    try await client.submit(
      "enroll-authenticator",
      ["credentials": answer.attestation(format: format, signed: format != "none")])
    expectEqual(client.messageKeys, [Self.refusal])
    let text = client.json["messages"]?["value"]?[0]?["message"]?.string
    expectEqual(text?.contains(words), true, "\(text ?? "no message")")
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
      var (client, answer) = try await challenged()
      try await client.submit("challenge-authenticator", ["credentials": change(answer.assertion)])
      expect(client.isDone)
      (client, answer) = try await enrolling()
      try await client.submit(
        "enroll-authenticator",
        ["credentials": change(answer.attestation(format: "packed", signed: true))])
      expect(client.isDone)
    }
    for text in ["", "AB CD", "AA===", "=", "A"] {
      var (client, answer) = try await challenged()
      answer.userHandle = nil
      try await client.submit(
        "challenge-authenticator",
        ["credentials": answer.assertion.adding("signatureData", .string(text))])
      expect(client.status == 400 && !client.isDone, "\(text)")
    }
  }

  @Test(
    "A new passkey needs no attestation, may attest itself, and is set up with two fields or four",
    arguments: [("none", false, true), ("packed", true, true), ("none", false, false)])
  func enrollment(format: String, signed: Bool, asksTransports: Bool) async throws {
    let policy = SignInPolicy.required(.webAuthn).with {
      $0.asksPasskeyTransports = asksTransports
    }
    var (client, answer) = try await enrolling(policy)
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
    let data = client.current?["contextualData"]?["activationData"]
    var answer = PasskeyAnswer(challenge: data?["challenge"]?.string ?? "")
    answer.type = "webauthn.create"
    try await client.submit(
      "enroll-authenticator-promotion", ["credentials": answer.attestation()])
    expect(client.isDone)
    var again = try await OrgClient(org)
    try await again.signIn(SimulatedUser.demo.login)
    expect(again.isDone)
  }
}
