import IDX
import IDXTesting
import Testing

@testable import IDXFlow

@Suite("Passkey handler")
struct PasskeyHandlerTests {
  private let skip = Wire.form("skip")
  private let noKey = PasskeyError(.noKey, "There is no key.")

  private func answers(_ decision: Decision) throws -> Answers { try #require(decision.answers) }

  @Test("A new passkey fills in all fields of the form")
  func registration() async throws {
    let handler = PasskeyHandler(provider: StubPasskeys(), prompter: nil)
    let decision = try await handler.decide(Wire.registration())
    #expect(
      try answers(decision) == [
        "credentials.attestation": "Ag", "credentials.clientData": "AQ",
        "credentials.transports": #"["usb","nfc"]"#, "credentials.clientExtensions": "{}",
      ])
  }

  @Test("Fields that the form does not have are omitted")
  func fewerFields() async throws {
    let handler = PasskeyHandler(provider: StubPasskeys(), prompter: nil)
    let step = try Wire.registration(fields: ["attestation", "clientData"])
    let sent = try answers(try await handler.decide(step))
    #expect(sent == ["credentials.attestation": "Ag", "credentials.clientData": "AQ"])
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
    let handler = PasskeyHandler(provider: StubPasskeys(assertion: assertion), prompter: nil)
    for step in [try Wire.signature(), try Wire.autofill()] {
      let sent = try answers(try await handler.decide(step))
      #expect(sent["credentials.userHandle"] == text.map { .text($0) })
      #expect(sent["credentials.authenticatorData"] == "Ag")
      #expect(sent["credentials.clientData"] == "AQ")
      #expect(sent["credentials.signatureData"] == "Aw")
    }
  }

  @Test("A form without passkey fields is declined")
  func noPasskeyFields() async throws {
    let handler = PasskeyHandler(provider: StubPasskeys(), prompter: nil)
    let step = try Wire.step(Wire.document(of: ["name": "passcode"]))
    guard case .decline = try await handler.decide(step) else {
      Issue.record("It was not declined.")
      return
    }
  }

  @Test("Without a prompter, the error ends the sign-in")
  func noPrompter() async throws {
    let handler = PasskeyHandler(provider: StubPasskeys(error: noKey), prompter: nil)
    await #expect(throws: noKey) { try await handler.decide(Wire.signature()) }
    let refused = PasskeyHandler(provider: StubPasskeys(), prompter: nil)
    let error = await #expect(throws: PasskeyError.self) {
      try await refused.decide(Wire.signature(attempt: 2))
    }
    #expect(error?.code == .refused)
  }

  @Test("The person sees what failed, and can try again or do something else")
  func failure() async throws {
    let step = try Wire.signature(others: [skip])
    let person = ScriptedPrompter([
      .instead("challenge-authenticator", .challengeAuthenticator),
      .instead("challenge-authenticator", .skip),
    ])
    let handler = PasskeyHandler(provider: StubPasskeys(error: noKey), prompter: person)
    let decision = try await handler.decide(step)
    guard case .submit(let answers, let form?) = decision else {
      Issue.record("The decision is \(decision).")
      return
    }
    #expect(answers == [:])
    #expect(form.name == .skip)
    try await person.finish()
    #expect(await person.problems == ["There is no key.", "There is no key."])
  }

  @Test("The person can choose a form with questions, or cancel")
  func otherForm() async throws {
    let question = Wire.form(
      "select-authenticator-authenticate", [["name": "authenticator", "required": true]])
    let step = try Wire.signature(others: [question])
    let person = ScriptedPrompter([
      .instead("challenge-authenticator", .selectAuthenticatorAuthenticate),
      .cancel("challenge-authenticator"),
    ])
    let handler = PasskeyHandler(provider: StubPasskeys(error: noKey), prompter: person)
    guard case .choose(let form) = try await handler.decide(step) else {
      Issue.record("Nothing was chosen.")
      return
    }
    #expect(form.name == .selectAuthenticatorAuthenticate)
    guard case .cancel = try await handler.decide(step) else {
      Issue.record("It was not cancelled.")
      return
    }
  }

  @Test("After a refusal by the server, the person is asked before another attempt")
  func refused() async throws {
    let step = try Wire.signature(attempt: 2)
    let person = ScriptedPrompter([
      .instead("challenge-authenticator", .challengeAuthenticator)
    ])
    let handler = PasskeyHandler(provider: StubPasskeys(), prompter: person)
    #expect(try answers(try await handler.decide(step))["credentials.signatureData"] == "Aw")
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
    let handler = PasskeyHandler(provider: CancelledPasskeys(), prompter: ScriptedPrompter([]))
    await #expect(throws: CancellationError.self) { try await handler.decide(Wire.signature()) }
  }
}
