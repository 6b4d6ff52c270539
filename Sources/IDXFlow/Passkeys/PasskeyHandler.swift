import IDXBase
import IDX
import IDXOAuth

/// Answers the steps of passkeys through a ``PasskeyProvider``: a new one to set up, a challenge to
/// sign.
///
/// Where the provider cannot or will not answer, or the server has refused its last answer, the person
/// chooses by the prompter: the same step once more, or one of its alternatives. Without a prompter the
/// ``PasskeyError`` ends the sign-in. A step whose form has no fields for a passkey is declined.
///
/// What is sent is Base64 for URLs, but for `transports` and `clientExtensions`, which are JSON in a
/// text, and a user handle that is plain text already. Fields that the form does not have are left out.
/// Source: protocol section 4.
public struct PasskeyHandler: StepHandler {
  /// How often a provider may fail at one step.
  private static let maxAttempts = 100

  private let provider: any PasskeyProvider
  private let prompter: (any Prompter)?

  /// A handler that answers through a provider, and tells a person by a prompter what failed; nil
  /// where there is nobody to tell.
  public init(provider: any PasskeyProvider, prompter: (any Prompter)?) {
    self.provider = provider
    self.prompter = prompter
  }

  /// Makes a passkey or signs with one, and submits what comes of it.
  public func decide(_ step: Step) async throws -> Decision {
    guard let kind = Kind(step.remediation.form) else { return .decline }
    try await prompter?.show(.step(step))
    // Trying on unasked would use up the attempts that lock an account, and nobody has asked for what
    // is only offered.
    let isRefused = step.attempt > 1
    if isRefused, prompter == nil {
      throw PasskeyError(.refused, "The server did not take the passkey's answer.")
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
      let made = try await provider.register(try PasskeyCreationOptions(step))
      values = [
        ("attestation", Base64URL.encode(made.attestationObject)),
        ("clientData", Base64URL.encode(made.clientData)),
        ("transports", JSONValue.array(made.transports.map(JSONValue.string)).text),
        ("clientExtensions", "{}"),
      ]
    case .challenge:
      let signed = try await provider.sign(try PasskeyRequestOptions(step))
      values = [
        ("authenticatorData", Base64URL.encode(signed.authenticatorData)),
        ("clientData", Base64URL.encode(signed.clientData)),
        ("signatureData", Base64URL.encode(signed.signature)),
        ("userHandle", signed.userHandle.map(Self.text) ?? ""),
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

  /// A user handle as the id that the server gave.
  ///
  /// Clients differ in which bytes they make of that id: those of the text, or those that it stands for
  /// in Base64. Either way this gives the id back.
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
  /// Answers the steps of passkeys through a provider, in place of what was registered for them.
  ///
  /// The prompter tells a person what failed and lets them choose where to go on; with nil a
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
