public import IDX
public import IDXFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The screens of every step: the table that finds the handler of a step.
///
/// Steps with nothing to fill in are found by their kind: unsupported, a passkey, a page, or a wait. Others are
/// found by their name, and the rest are shown as a form.
public struct Screens: Sendable {
  /// The words, also for the handlers of an app.
  public var words: Words
  /// Whether the front-end can use passkeys (``Screen/passkey``).
  public var canUsePasskeys: Bool

  private var handlers: [Remediation.Name: any ScreenHandler] = [
    .identify: IdentifyHandler(), .challengeAuthenticator: ChallengeHandler(),
    .selectAuthenticatorEnroll: SelectEnrollHandler(), .enrollAuthenticator: EnrollHandler(),
    .skip: SkipHandler(),
  ]

  /// Creates the table.
  public init(words: Words = .english, canUsePasskeys: Bool = false) {
    self.words = words
    self.canUsePasskeys = canUsePasskeys
  }

  /// Replaces the handler of a step.
  public mutating func register(_ handler: any ScreenHandler, for name: Remediation.Name) {
    handlers[name] = handler
    replaced.insert(name)
  }

  /// The steps whose handlers the app has replaced.
  private(set) var replaced: Set<Remediation.Name> = []

  /// The handler of a step.
  public func handler(for step: Step) -> any ScreenHandler {
    let name = step.remediation.name
    if replaced.contains(name), let handler = handlers[name] { return handler }
    if canUsePasskeys, step.isForPasskey { return PasskeyScreenHandler() }
    if UnsupportedStep(step) != nil { return UnsupportedHandler() }
    if step.remediation.page != nil { return PageHandler() }
    if step.remediation.isPolled, !step.remediation.form.hasMissingValues {
      return WaitingHandler()
    }
    return handlers[name] ?? AnyFormHandler()
  }

  /// The screen of a step, or what is decided without one.
  public func plan(_ step: Step, now: Date = Date()) throws -> ScreenPlan {
    try handler(for: step).plan(step, ScreenContext(words: words, now: now))
  }
}

extension Step {
  /// Whether a passkey can answer the step's form.
  fileprivate var isForPasskey: Bool {
    remediation["credentials.attestation"] != nil
      || remediation["credentials.authenticatorData"] != nil
  }
}
