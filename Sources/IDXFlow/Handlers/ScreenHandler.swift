public import IDX

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decides what a person sees at a step, and what a reply means.
///
/// It is not tied to a front-end, and asks nobody: it turns one value into another. To change a built-in
/// screen, change what is different:
///
///     struct Welcome: ScreenHandler {
///       func plan(_ step: Step, _ context: ScreenContext) throws -> ScreenPlan {
///         let plan = try context.builtInPlan(for: step)
///         guard case .show(var screen) = plan else { return plan }
///         screen.title = "Welcome back"
///         return .show(screen)
///       }
///     }
///     var screens = Screens()
///     screens.register(Welcome(), for: .identify)
public protocol ScreenHandler: Sendable {
  /// What happens at a step: a screen is shown, or something is decided without one.
  func plan(_ step: Step, _ context: ScreenContext) throws -> ScreenPlan

  /// What a reply to the screen means; by default ``Screen/decision(on:)``.
  ///
  /// Throws an ``InvalidReply`` if the person must correct it.
  func decide(_ reply: Reply, to screen: Screen) throws -> Decision

  /// The form to poll while the screen is shown; nil if there is none.
  ///
  /// By default the step's form if it is polled and nothing is missing in it, until the time to wait is over; for
  /// other forms, the poll of the step's authenticator.
  func poll(for step: Step) -> Remediation?
}

extension ScreenHandler {
  /// What the reply means for any screen.
  public func decide(_ reply: Reply, to screen: Screen) throws -> Decision {
    try screen.decision(on: reply)
  }

  /// The form that is polled, or the poll of the authenticator, which may bring news before a code is typed.
  public func poll(for step: Step) -> Remediation? {
    let form = step.remediation
    guard form.isPolled, !form.form.hasMissingValues else { return step.authenticatorPoll }
    return step.isOverdue ? nil : form
  }
}

/// What a screen depends on besides its step.
public struct ScreenContext: Sendable {
  /// The words of the screen.
  public var words: Words
  /// The current time.
  public var now: Date

  /// Whether the front-end can use passkeys (``Screens/canUsePasskeys``).
  public var canUsePasskeys: Bool
  /// Whether Okta Verify on this device can be asked (``Screens/fastPass``).
  public var fastPass: DevicePermission
  /// Whether the server may remember the device (``Screens/rememberDevice``).
  public var rememberDevice: DevicePermission

  /// Creates a context.
  public init(
    words: Words = .english, now: Date = Date(), canUsePasskeys: Bool = false,
    fastPass: DevicePermission = .never, rememberDevice: DevicePermission = .never
  ) {
    self.words = words
    self.now = now
    self.canUsePasskeys = canUsePasskeys
    self.fastPass = fastPass
    self.rememberDevice = rememberDevice
  }

  /// What happens at a step without the handlers of the app.
  public func builtInPlan(for step: Step) throws -> ScreenPlan {
    try Screens(
      words: words, canUsePasskeys: canUsePasskeys, fastPass: fastPass,
      rememberDevice: rememberDevice
    ).plan(step, now: now)
  }
}

/// What happens at a step.
///
/// A later version may add a plan: a `switch` over all of them then needs a new case.
public indirect enum ScreenPlan: Sendable {
  /// A screen is shown.
  case show(Screen)
  /// The sign-in continues without asking.
  case decide(Decision)
}
