import Expectations
import IDX
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@testable import IDXFlow

/// Passkey handler.
struct PasskeyHandlerTests {
  private let skip = Wire.form("skip")
  private let noKey = PasskeyError(.noKey, "There is no key.")

  /// The built-in handlers, with a person who has these passkeys.
  private static func handler(_ person: ScriptedFrontEnd) throws -> any StepHandler {
    Handlers.showing(Screens(canUsePasskeys: true), on: person).asking
  }

  private static func handler(_ passkeys: any PasskeyProvider) throws -> any StepHandler {
    try handler(ScriptedFrontEnd([], passkeys: passkeys))
  }

  private func answers(_ decision: Decision) throws -> Answers { try require(decision.answers) }

  @Test("A new passkey fills in the fields that the form has")
  func registration() async throws {
    let handler = try Self.handler(StubPasskeys())
    let decision = try await handler.decide(Wire.registration())
    try expectEqual(
      answers(decision),
      [
        "credentials.attestation": "Ag", "credentials.clientData": "AQ",
        "credentials.transports": #"["usb","nfc"]"#, "credentials.clientExtensions": "{}",
      ])

    let step = try Wire.registration(fields: ["attestation", "clientData"])
    let sent = try answers(try await handler.decide(step))
    expectEqual(sent, ["credentials.attestation": "Ag", "credentials.clientData": "AQ"])
    #expect(throws: Never.self) { try step.remediation.body(answering: sent) }
  }

  @Test(
    "The user ID is read from the user handle",
    arguments: [
      (Array("00uAda".utf8), "00uAda"), ([0xd3, 0x4b, 0x9a], "00ua"), ([], nil),
    ] as [([UInt8], String?)])
  func userHandle(handle: [UInt8], text: String?) async throws {
    let assertion = PasskeyAssertion(
      clientData: [1], authenticatorData: [2], signature: [3], userHandle: handle)
    let handler = try Self.handler(StubPasskeys(assertion: assertion))
    for step in [try Wire.signature(), try Wire.autofill()] {
      let sent = try answers(try await handler.decide(step))
      expectEqual(sent["credentials.userHandle"], text.map { .text($0) })
      expectEqual(sent["credentials.authenticatorData"], "Ag")
      expectEqual(sent["credentials.clientData"], "AQ")
      expectEqual(sent["credentials.signatureData"], "Aw")
    }
  }

  @Test("The person sees what failed, and can try again, use another form or cancel")
  func failure() async throws {
    let step = try Wire.signature(others: [skip])
    let person = ScriptedFrontEnd(
      [
        .instead("challenge-authenticator", .challengeAuthenticator),
        .instead("challenge-authenticator", .skip),
      ], passkeys: StubPasskeys(error: noKey))
    let handler = try Self.handler(person)
    let decision = try await handler.decide(step)
    guard case .submit(let answers, let form?) = decision else {
      Issue.record("The decision is \(decision).")
      return
    }
    expectEqual(answers, [:])
    expectEqual(form.name, .skip)
    try await person.finish()
    await expectEqual(person.problems, ["There is no key.", "There is no key."])

    let question = Wire.form(
      "select-authenticator-authenticate", [["name": "authenticator", "required": true]])
    let second = try Wire.signature(others: [question])
    let other = ScriptedFrontEnd(
      [
        .instead("challenge-authenticator", .selectAuthenticatorAuthenticate),
        .cancel("challenge-authenticator"),
      ], passkeys: StubPasskeys(error: noKey))
    let otherHandler = try Self.handler(other)
    guard case .choose(let chosen, _) = try await otherHandler.decide(second) else {
      Issue.record("Nothing was chosen.")
      return
    }
    expectEqual(chosen.name, .selectAuthenticatorAuthenticate)
    guard case .cancel = try await otherHandler.decide(second) else {
      Issue.record("It was not cancelled.")
      return
    }
  }

  @Test("After a refusal by the server, the person is asked before another attempt")
  func refused() async throws {
    let step = try Wire.signature(attempt: 2)
    let person = ScriptedFrontEnd(
      [
        .instead("challenge-authenticator", .challengeAuthenticator)
      ], passkeys: StubPasskeys())
    let handler = try Self.handler(person)
    try expectEqual(answers(try await handler.decide(step))["credentials.signatureData"], "Aw")
    try await person.finish()
  }

  @Test("Other errors are thrown unchanged")
  func otherErrors() async throws {
    struct CancelledPasskeys: PasskeyProvider {
      func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation {
        throw CancellationError()
      }
      func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion {
        throw CancellationError()
      }
    }
    let handler = try Self.handler(CancelledPasskeys())
    await #expect(throws: CancellationError.self) { try await handler.decide(Wire.signature()) }
  }
}
