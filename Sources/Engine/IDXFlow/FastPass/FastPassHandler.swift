public import IDX
import IDXOAuth

/// Answers the steps of Okta FastPass through Okta Verify on this computer, for a program that asks nobody.
///
/// Register it only if the person has agreed that Okta Verify is asked:
///
///     let okta = LoopbackFastPass(transport: LoopbackTransport())
///     handlers.register(FastPassHandler(okta), for: .deviceChallengePoll)
///     handlers.register(FastPassHandler(okta), for: .challengePoll)
///
/// It declines other polls, such as that of a push, and challenges that a link must open.
public struct FastPassHandler: StepHandler {
  private let provider: any FastPassProvider

  /// Creates a handler that passes challenges to a provider.
  public init(_ provider: any FastPassProvider) { self.provider = provider }

  /// Passes the challenge on once, and polls until the server has the answer.
  public func decide(_ step: Step) async throws -> Decision {
    guard step.deviceChallenge?.method == .loopback else { return .decline }
    guard step.polls == 0, let challenge = try step.loopbackChallenge else { return .poll() }
    return step.decision(after: try await provider.pass(challenge))
  }
}

extension Step {
  /// The challenge for Okta Verify on this device, for which the step waits; nil if it waits for something else.
  public var deviceChallenge: DeviceChallenge? { response.deviceChallenge(for: remediation) }

  /// The decision after a challenge was passed to Okta Verify: to ask for news, or to give it up with the reason.
  ///
  /// If it cannot be given up, the server ends it when its time is over.
  public func decision(after result: FastPassResult) -> Decision {
    let end: Remediation? =
      switch result {
      case .delivered: nil
      case .unreachable: deviceChallenge?.ended(because: .unreachable)
      case .refused(let status): deviceChallenge?.ended(because: .returnedError, status: status)
      }
    return end.map { .submit([:], to: $0) } ?? .poll()
  }
}

extension IDXResponse {
  /// The challenge for which a form waits; nil if it waits for something else.
  func deviceChallenge(for form: Remediation) -> DeviceChallenge? {
    [.deviceChallengePoll, .challengePoll].contains(form.name) ? deviceChallenge : nil
  }
}
