public import IDX
public import IDXFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The screens of every step: the table that finds the handler of a step.
///
/// Steps with nothing to fill in are found by their kind: unsupported, a passkey, a page, or a wait. Others
/// are found by their name, and the rest are shown as a form.
public struct Screens: Sendable {
  /// The words, also for the handlers of an app.
  public var words: Words
  /// Whether the front-end can use passkeys (``Screen/passkey``).
  public var canUsePasskeys: Bool

  /// The handlers of the app.
  private(set) var registered: [Route: any ScreenHandler] = [:]

  /// Creates the table of the built-in screens.
  public init(words: Words = .english, canUsePasskeys: Bool = false) {
    self.words = words
    self.canUsePasskeys = canUsePasskeys
  }

  /// Replaces the handler of a step, with one authenticator or with any (nil).
  public mutating func register(
    _ handler: any ScreenHandler, for name: Remediation.Name,
    _ authenticator: IDXAuthenticator.Key? = nil
  ) {
    registered[Route(name: name, authenticator: authenticator)] = handler
  }

  /// The handler of a step: that of the app for the step and its authenticator, that of the app for the
  /// step, or the built-in one.
  public func handler(for step: Step) -> any ScreenHandler {
    registered[Route(step)] ?? registered[Route(name: step.remediation.name, authenticator: nil)]
      ?? builtInHandler(for: step)
  }

  private func builtInHandler(for step: Step) -> any ScreenHandler {
    if canUsePasskeys, step.isForPasskey { return PasskeyScreenHandler() }
    if UnsupportedStep(step) != nil { return UnsupportedHandler() }
    if step.remediation.page != nil { return PageHandler() }
    if step.remediation.isPolled, !step.remediation.form.hasMissingValues {
      return WaitingHandler()
    }
    return switch step.remediation.name {
    case .identify: IdentifyHandler()
    case .challengeAuthenticator: ChallengeHandler()
    case .selectAuthenticatorEnroll: SelectEnrollHandler()
    case .enrollAuthenticator: EnrollHandler()
    case .skip: SkipHandler()
    default: AnyFormHandler()
    }
  }

  /// The screen of a step, or what is decided without one.
  public func plan(_ step: Step, now: Date = Date()) throws -> ScreenPlan {
    try handler(for: step).plan(step, context(now))
  }

  func context(_ now: Date) -> ScreenContext {
    ScreenContext(words: words, now: now, canUsePasskeys: canUsePasskeys)
  }
}

extension Step {
  /// Whether a passkey can answer the step's form.
  fileprivate var isForPasskey: Bool {
    remediation["credentials.attestation"] != nil
      || remediation["credentials.authenticatorData"] != nil
  }
}
