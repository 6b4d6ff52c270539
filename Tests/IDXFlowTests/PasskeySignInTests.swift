import IDXBase
import Foundation
import IDX
import IDXTesting
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("Signing in with passkeys")
struct PasskeySignInTests {
  private static let entry: [ScriptedReply] = [
    .answer("identifier", .value(.string(SimulatedUser.demo.login))),
    .answer("credentials.passcode", .value(.string(SimulatedUser.demo.password.revealed))),
  ]

  private func signIn(
    _ scenario: OrgScenario, with provider: any PasskeyProvider, _ replies: [ScriptedReply],
    org: SimulatedOrg? = nil
  ) async throws -> (outcome: Outcome, exchanges: [JSONValue]) {
    let org = org ?? SimulatedOrg(scenario, seed: 2, clock: { World.moment })
    let line = RecordingTransport(org)
    let person = ScriptedPrompter(replies)
    var handlers = Handlers.asking(person)
    handlers.usePasskeys(provider, prompter: person)
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example/oauth2/default", clientID: "0oaDemoApp0000000001",
      redirectURI: "com.example.demo:/callback")
    let client = IDXClient(
      transport: line, tokens: TokenClient(transport: line, now: { org.now }))
    let coordinator = FlowCoordinator(client: client, handlers: handlers)
    let outcome = try await coordinator.run(configuration)
    try await person.finish()
    return (outcome, await exchanges(person, line))
  }

  /// What passkeys were asked, as the steps say it, and what was sent for it.
  private func exchanges(
    _ person: ScriptedPrompter, _ line: RecordingTransport
  ) async -> [JSONValue] {
    let requests = await person.notices.compactMap { notice -> JSONValue? in
      guard case .step(let step) = notice else { return nil }
      return step.authenticator?.webAuthnActivation ?? step.authenticator?.webAuthnChallenge
    }
    let bodies = await line.requests.compactMap { $0.json }.filter {
      $0["credentials"]?["clientData"] != nil
    }
    return zip(requests, bodies).map { ["request": $0, "body": $1] }
  }

  @Test("A passkey that is set up signs in", arguments: [true, false])
  func challenge(verifies: Bool) async throws {
    let key = SoftwareAuthenticator([.demo], verifiesUser: verifies)
    let (outcome, _) = try await signIn(.passkey, with: key, Self.entry)
    #expect(outcome.signIn != nil)
  }

  @Test(
    "A new passkey is set up and signs in next time",
    arguments: SoftwareAuthenticator.Attestation.allCases)
  func enrollment(attestation: SoftwareAuthenticator.Attestation) async throws {
    let key = SoftwareAuthenticator(attestation: attestation)
    let org = SimulatedOrg(.enrollPasskey, seed: 2, clock: { World.moment })
    let first = try await signIn(
      .enrollPasskey, with: key, Self.entry + [.authenticator(.webAuthn)], org: org)
    #expect(first.outcome.signIn != nil)
    #expect(await key.credentials.map(\.site) == ["demo.okta.example"])
    for _ in 1...2 {
      let next = try await signIn(.enrollPasskey, with: key, Self.entry, org: org)
      #expect(next.outcome.signIn != nil)
    }
  }

  @Test("A passkey that is offered after the sign-in is set up where the person wants it")
  func promotion() async throws {
    let key = SoftwareAuthenticator()
    let (outcome, _) = try await signIn(
      .passkeyPromotion, with: key,
      Self.entry + [.instead("enroll-authenticator-promotion", "enroll-authenticator-promotion")])
    #expect(outcome.signIn != nil)
    #expect(await key.credentials.count == 1)
  }

  @Test("Who has no key for the passkey that is offered skips it")
  func promotionSkipped() async throws {
    let provider = StubPasskeys(error: PasskeyError(.noKey, "There is no key."))
    let (outcome, _) = try await signIn(
      .passkeyPromotion, with: provider,
      Self.entry + [
        .instead("enroll-authenticator-promotion", "enroll-authenticator-promotion"),
        .instead("enroll-authenticator-promotion", .skip),
      ])
    #expect(outcome.signIn != nil)
  }

  @Test("A key that is not the user's is of no use, and the person gives up")
  func anotherKey() async throws {
    let (outcome, _) = try await signIn(
      .passkey, with: SoftwareAuthenticator(),
      Self.entry + [.cancel("challenge-authenticator")])
    #expect(outcome.isCancelled)
  }

  @Test("A copy of a key is found out by its counter")
  func clone() async throws {
    let org = SimulatedOrg(.passkey, seed: 2, clock: { World.moment })
    let original = SoftwareAuthenticator.demo
    _ = try await signIn(.passkey, with: original, Self.entry, org: org)
    let (outcome, _) = try await signIn(
      .passkey, with: SoftwareAuthenticator.demo,
      Self.entry + [.cancel("challenge-authenticator")], org: org)
    #expect(outcome.isCancelled)
    let again = try await signIn(.passkey, with: original, Self.entry, org: org)
    #expect(again.outcome.signIn != nil)
  }

  @Test("A software key refuses what it cannot do")
  func refusals() async throws {
    let request = try PasskeyCreationOptions(
      Wire.registration(
        Wire.activation.setting("pubKeyCredParams", [["type": "public-key", "alg": -257]])))
    await expect(.unsupported) { try await SoftwareAuthenticator().register(request) }
    let strict = try PasskeyRequestOptions(
      Wire.signature(Wire.challenge.setting("userVerification", "required")))
    let key = SoftwareAuthenticator(
      [.init(site: "id.shop.example", login: "ada@shop.example", madeOf: "test")],
      verifiesUser: false)
    await expect(.notVerified) { try await key.sign(strict) }
    let id = try #require(await key.credentials.first?.id)
    let excluding = try PasskeyCreationOptions(
      Wire.registration(
        Wire.activation.setting(
          "excludeCredentials", [["id": .string(Base64URL.encode(id))]])))
    await expect(.alreadyRegistered) { try await key.register(excluding) }
  }

  private func expect<Answer>(
    _ code: PasskeyError.Code, of body: () async throws -> Answer
  ) async {
    do {
      _ = try await body()
      Issue.record("It was not refused.")
    } catch { #expect((error as? PasskeyError)?.code == code) }
  }

  static let folder = ProcessInfo.processInfo.environment["IDX_PASSKEY_OUT"]

  @Test(
    "What is sent of passkeys is written out, for others to verify",
    .enabled(if: folder != nil), arguments: SoftwareAuthenticator.Attestation.allCases)
  func export(attestation: SoftwareAuthenticator.Attestation) async throws {
    let folder = URL(fileURLWithPath: try #require(Self.folder))
    let key = SoftwareAuthenticator(attestation: attestation)
    let org = SimulatedOrg(.enrollPasskey, seed: 2, clock: { World.moment })
    let first = try await signIn(
      .enrollPasskey, with: key, Self.entry + [.authenticator(.webAuthn)], org: org)
    let second = try await signIn(.enrollPasskey, with: key, Self.entry, org: org)
    #expect(first.exchanges.count == 1)
    #expect(second.exchanges.count == 1)
    for (name, exchanges) in [("registration", first.exchanges), ("assertion", second.exchanges)] {
      let exchange = try #require(exchanges.first)
      let file = folder.appendingPathComponent("\(attestation)-\(name).json")
      try Data(exchange.bytes).write(to: file)
    }
  }
}
