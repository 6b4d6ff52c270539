import IDX
import IDXBase
import IDXOAuth

/// Answers passkey steps through a ``PasskeyProvider``: creates a passkey, or signs a challenge.
///
/// If the provider cannot answer, or the server has refused its last answer, the person chooses through
/// the prompter: the same step again, or an alternative. Without a prompter, the ``PasskeyError`` ends
/// the sign-in. The handler declines a form without passkey fields.
///
/// Values are sent as Base64url, except `transports` and `clientExtensions`, which are JSON in a string,
/// and a user handle that is plain text. Fields that the form does not have are omitted. Source: protocol
/// section 4.
public struct PasskeyHandler: StepHandler {
  private static let maxAttempts = 100

  private let provider: any PasskeyProvider
  private let prompter: (any Prompter)?

  /// Creates a handler.
  ///
  /// The prompter tells the person what failed; nil if there is nobody to tell.
  public init(provider: any PasskeyProvider, prompter: (any Prompter)?) {
    self.provider = provider
    self.prompter = prompter
  }

  /// Creates a passkey or signs with one, and submits the result.
  public func decide(_ step: Step) async throws -> Decision {
    guard let kind = Kind(step.remediation.form) else { return .decline }
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
    for _ in 0..<Self.maxAttempts {
      do {
        return .submit(try await answers(kind, to: step))
      } catch let error as PasskeyError {
        guard let prompter else { throw error }
        try await prompter.show(.problem(error.message))
        if let decision = try await prompter.choice(at: step) { return decision }
      }
    }
    throw FlowError(
      .limitReached, "The passkey failed \(Self.maxAttempts) times in a row.",
      remediation: step.remediation.name)
  }

  private func answers(_ kind: Kind, to step: Step) async throws -> Answers {
    let values: [(String, String)]
    switch kind {
    case .registration:
      let attestation = try await provider.register(try PasskeyCreationOptions(step))
      values = [
        ("attestation", Base64URL.encode(attestation.attestationObject)),
        ("clientData", Base64URL.encode(attestation.clientData)),
        ("transports", JSONValue.array(attestation.transports.map(JSONValue.string)).text),
        ("clientExtensions", "{}"),
      ]
    case .challenge:
      let assertion = try await provider.sign(try PasskeyRequestOptions(step))
      values = [
        ("authenticatorData", Base64URL.encode(assertion.authenticatorData)),
        ("clientData", Base64URL.encode(assertion.clientData)),
        ("signatureData", Base64URL.encode(assertion.signature)),
        ("userHandle", assertion.userHandle.map(Self.text) ?? ""),
      ]
    }
    try Task.checkCancellation()
    var answers = Answers()
    for (name, value) in values where !value.isEmpty {
      let path = "credentials.\(name)"
      guard let field = step.remediation[path], !field.isFixed else { continue }
      answers[path] = .value(.string(value))
    }
    return answers
  }

  /// The user ID that the server gave, from a user handle.
  ///
  /// Clients store either the bytes of the ID's text, or the bytes that the text encodes in Base64url.
  private static func text(_ handle: [UInt8]) -> String {
    let isText = !handle.isEmpty && handle.allSatisfy { (0x21...0x7e).contains($0) }
    return isText ? String(decoding: handle, as: UTF8.self) : Base64URL.encode(handle)
  }

  private enum Kind {
    case registration, challenge

    init?(_ form: Remediation.Form) {
      if form["credentials.attestation"] != nil {
        self = .registration
      } else if form["credentials.authenticatorData"] != nil {
        self = .challenge
      } else {
        return nil
      }
    }
  }
}

extension Handlers {
  /// Registers a passkey provider for all passkey steps.
  ///
  /// The prompter tells the person what failed and lets them choose how to continue. Without one, a
  /// ``PasskeyError`` ends the sign-in.
  ///
  ///     var handlers = Handlers.asking(prompter)
  ///     handlers.usePasskeys(SecurityKey(environment: environment), prompter: prompter)
  public mutating func usePasskeys(
    _ provider: any PasskeyProvider, prompter: (any Prompter)?
  ) {
    let handler = PasskeyHandler(provider: provider, prompter: prompter)
    register(handler, for: .challengeAuthenticator, .webAuthn)
    register(handler, for: .enrollAuthenticator, .webAuthn)
    register(handler, for: .enrollAuthenticatorPromotion)
    register(handler, for: .launchPasskeysAuthenticator)
    register(handler, for: .challengeWebAuthnAutofill)
  }
}
