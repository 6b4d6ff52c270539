import IDX
import IDXBase
import IDXOAuth

/// Answers passkey steps through a ``PasskeyProvider``: creates a passkey, or signs a challenge.
///
/// If the provider cannot answer, or the server has refused its last answer, the person chooses through
/// the prompter: the same step again, or an alternative. Without a prompter, the ``PasskeyError`` ends
/// the sign-in. The handler declines a form without passkey fields.
///
/// Values are Base64url (protocol section 4), except `transports` and `clientExtensions`, which are JSON in
/// a string, and a user handle that is plain text. Fields that the form does not have are omitted.
public struct PasskeyHandler: StepHandler {
  private let provider: any PasskeyProvider
  private let prompter: (any Prompter)?

  /// Creates a handler; the prompter tells the person what failed, and is nil if there is nobody to tell.
  public init(provider: any PasskeyProvider, prompter: (any Prompter)?) {
    self.provider = provider
    self.prompter = prompter
  }

  /// Creates a passkey or signs with one, and submits the result.
  public func decide(_ step: Step) async throws -> Decision {
    let isRegistration = step.remediation["credentials.attestation"] != nil
    guard isRegistration || step.remediation["credentials.authenticatorData"] != nil
    else { return .decline }
    try await prompter?.show(.step(step))
    // Trying again without asking could lock the account, and a promotion is only an offer.
    let isRefused = step.attempt > 1
    if isRefused, prompter == nil {
      throw PasskeyError(.refused, "The server refused the answer of the passkey.")
    }
    if isRefused || step.remediation.name == .enrollAuthenticatorPromotion,
      let decision = try await prompter?.choice(at: step)
    {
      return decision
    }
    for _ in 0..<FormHandler.maxAttempts {
      do {
        return .submit(
          try await answers(isRegistration ? attest(step) : sign(step), to: step.remediation))
      } catch let error as PasskeyError {
        guard let prompter else { throw error }
        try await prompter.show(.problem(error.message))
        if let decision = try await prompter.choice(at: step) { return decision }
      }
    }
    throw FlowError(
      .limitReached, "The passkey failed \(FormHandler.maxAttempts) times in a row.",
      remediation: step.remediation.name)
  }

  private func attest(_ step: Step) async throws -> [String: String] {
    let attestation = try await provider.register(try PasskeyCreationOptions(step))
    return [
      "attestation": Base64URL.encode(attestation.attestationObject),
      "clientData": Base64URL.encode(attestation.clientData),
      "transports": JSONValue.array(attestation.transports.map(JSONValue.string)).text,
      "clientExtensions": "{}",
    ]
  }

  private func sign(_ step: Step) async throws -> [String: String] {
    let assertion = try await provider.sign(try PasskeyRequestOptions(step))
    return [
      "authenticatorData": Base64URL.encode(assertion.authenticatorData),
      "clientData": Base64URL.encode(assertion.clientData),
      "signatureData": Base64URL.encode(assertion.signature),
      "userHandle": assertion.userHandle.map(Self.text) ?? "",
    ]
  }

  private func answers(_ values: [String: String], to form: Remediation) throws -> Answers {
    try Task.checkCancellation()
    var answers = Answers()
    for (name, value) in values where !value.isEmpty {
      let path = "credentials.\(name)"
      guard let field = form[path], !field.isFixed else { continue }
      answers[path] = .value(.string(value))
    }
    return answers
  }

  /// The server's user ID from a user handle: the bytes of its text, or the bytes that the text encodes.
  private static func text(_ handle: [UInt8]) -> String {
    let isText = !handle.isEmpty && handle.allSatisfy { (0x21...0x7e).contains($0) }
    return isText ? String(decoding: handle, as: UTF8.self) : Base64URL.encode(handle)
  }
}

extension Handlers {
  /// Registers a ``PasskeyHandler`` for all passkey steps.
  ///
  ///     var handlers = Handlers.asking(prompter)
  ///     handlers.usePasskeys(SecurityKey(environment: environment), prompter: prompter)
  public mutating func usePasskeys(_ provider: any PasskeyProvider, prompter: (any Prompter)?) {
    let handler = PasskeyHandler(provider: provider, prompter: prompter)
    register(handler, for: .challengeAuthenticator, .webAuthn)
    register(handler, for: .enrollAuthenticator, .webAuthn)
    register(handler, for: .enrollAuthenticatorPromotion)
    register(handler, for: .launchPasskeysAuthenticator)
    register(handler, for: .challengeWebAuthnAutofill)
  }
}
