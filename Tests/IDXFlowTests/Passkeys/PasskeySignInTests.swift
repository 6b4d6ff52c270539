import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import SignInSupport
import Testing

@testable import IDXFlow

/// Sign-in with passkeys.
struct PasskeySignInTests {
  private static let promotion = "enroll-authenticator-promotion"

  @Test("A passkey signs in, with and without verification of the user", arguments: [true, false])
  func challenge(verifies: Bool) async throws {
    let (outcome, _) = try await TestSignIn(OrgScenario["passkey"]).run(
      [.login, .password], passkeys: SoftwareAuthenticator([.demo], verifiesUser: verifies))
    expect(outcome.signIn != nil)
  }

  @Test(
    "A new passkey is set up and signs in the next times, whether its form has all fields or few",
    arguments: SoftwareAuthenticator.Attestation.allCases, [true, false])
  func enrollment(
    attestation: SoftwareAuthenticator.Attestation, asksTransports: Bool
  ) async throws {
    let key = SoftwareAuthenticator(attestation: attestation)
    var scenario = OrgScenario["enroll-passkey"]
    scenario.policy.factors.asksPasskeyTransports = asksTransports
    let test = try TestSignIn(scenario)
    let first = try await test.run(
      [.login, .password, .authenticator(.webAuthn)], passkeys: key)
    expect(first.outcome.signIn != nil)
    await expectEqual(key.credentials.map(\.site), ["demo.okta.example"])
    for _ in 1...2 {
      let next = try await test.run([.login, .password], passkeys: key)
      expect(next.outcome.signIn != nil)
    }
  }

  @Test("A passkey that is offered after the sign-in is set up, or skipped if there is no key")
  func promotion() async throws {
    let key = SoftwareAuthenticator()
    let (outcome, _) = try await TestSignIn(OrgScenario["passkey-promotion"]).run(
      [.login, .password, .instead(Self.promotion, .enrollAuthenticatorPromotion)],
      passkeys: key)
    expect(outcome.signIn != nil)
    await expectEqual(key.credentials.count, 1)

    let (skipped, _) = try await TestSignIn(OrgScenario["passkey-promotion"]).run(
      [
        .login, .password, .instead(Self.promotion, .enrollAuthenticatorPromotion),
        .instead(Self.promotion, .skip),
      ], passkeys: StubPasskeys(error: PasskeyError(.noKey, "There is no key.")))
    expect(skipped.signIn != nil)
  }

  @Test("Neither a key without the user's passkey nor a copy of one signs in")
  func otherKeys() async throws {
    let (outcome, _) = try await TestSignIn(OrgScenario["passkey"]).run(
      [.login, .password, .cancel("challenge-authenticator")], passkeys: SoftwareAuthenticator())
    expect(outcome.isCancelled)

    let test = try TestSignIn(OrgScenario["passkey"])
    let original = SoftwareAuthenticator.demo
    _ = try await test.run([.login, .password], passkeys: original)
    let (copied, _) = try await test.run(
      [.login, .password, .cancel("challenge-authenticator")],
      passkeys: SoftwareAuthenticator.demo)
    expect(copied.isCancelled)
    let again = try await test.run([.login, .password], passkeys: original)
    expect(again.outcome.signIn != nil)
  }

  @Test("A software authenticator refuses what it cannot do")
  func refusals() async throws {
    let unsupported = try PasskeyCreationOptions(
      Wire.registration(
        Wire.activation.setting("pubKeyCredParams", [["type": "public-key", "alg": -257]])))
    await expectCode(.unsupported) { try await SoftwareAuthenticator().register(unsupported) }
    let verified = try PasskeyRequestOptions(
      Wire.signature(Wire.challenge.setting("userVerification", "required")))
    let key = SoftwareAuthenticator(
      [.init(site: "id.shop.example", login: "ada@shop.example", madeOf: "test")],
      verifiesUser: false)
    await expectCode(.notVerified) { try await key.sign(verified) }
    let id = try await require(key.credentials.first?.id)
    let excluding = try PasskeyCreationOptions(
      Wire.registration(
        Wire.activation.setting(
          "excludeCredentials", [["id": .string(Base64URL.encode(id))]])))
    await expectCode(.alreadyRegistered) { try await key.register(excluding) }
  }

  private func expectCode<Answer>(
    _ code: PasskeyError.Code, of body: () async throws -> Answer
  ) async {
    let error = await #expect(throws: PasskeyError.self) { _ = try await body() }
    expectEqual(error?.code, code)
  }

  // MARK: Export

  private static let folder = ProcessInfo.processInfo.environment["IDX_PASSKEY_OUT"]

  @Test(
    "The requests and answers are written to files, for other implementations to verify",
    .enabled(if: folder != nil), arguments: SoftwareAuthenticator.Attestation.allCases)
  func export(attestation: SoftwareAuthenticator.Attestation) async throws {
    let folder = URL(fileURLWithPath: try require(Self.folder))
    let key = SoftwareAuthenticator(attestation: attestation)
    let test = try TestSignIn(OrgScenario["enroll-passkey"])
    let replies: [(String, [ScriptedReply])] = [
      ("registration", [.login, .password, .authenticator(.webAuthn)]),
      ("assertion", [.login, .password]),
    ]
    for (index, (name, replies)) in replies.enumerated() {
      let (_, person) = try await test.run(replies, passkeys: key)
      let requests = await person.screens.compactMap { screen -> JSONValue? in
        guard let authenticator = screen.step?.authenticator else { return nil }
        return authenticator.webAuthnActivation ?? authenticator.webAuthnChallenge
      }
      let answers = await test.transport.requests.compactMap(\.json).filter {
        $0["credentials"]?["clientData"] != nil
      }
      expect(requests.count == 1 && answers.count == index + 1)
      let exchange: JSONValue = [
        "request": try require(requests.first), "body": try require(answers.last),
      ]
      let file = folder.appendingPathComponent("\(attestation)-\(name).json")
      try Data(exchange.bytes).write(to: file)
    }
  }
}
