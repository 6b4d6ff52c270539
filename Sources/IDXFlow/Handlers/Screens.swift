public import IDX

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
  /// Whether the front-end can pass challenges to Okta Verify and open its links (``Screen/deviceChallenge``,
  /// ``Screen/link``), and whether the person has agreed.
  public var fastPass: DevicePermission

  /// Whether the server may remember the device, where it offers that.
  public var rememberDevice: DevicePermission

  /// The handlers of the app.
  private(set) var registered: [Route: any ScreenHandler] = [:]

  /// Creates the table of the built-in screens.
  public init(
    words: Words = .english, canUsePasskeys: Bool = false, fastPass: DevicePermission = .never,
    rememberDevice: DevicePermission = .never
  ) {
    self.words = words
    self.canUsePasskeys = canUsePasskeys
    self.fastPass = fastPass
    self.rememberDevice = rememberDevice
  }

  /// Replaces the handler of a step, with one authenticator or with any (nil).
  public mutating func register(
    _ handler: any ScreenHandler, for name: Remediation.Name,
    _ authenticator: IDXAuthenticator.Key? = nil
  ) {
    registered[Route(name: name, authenticator)] = handler
  }

  /// The handlers of a step, in the order in which they are asked: that of the app for the step and its
  /// authenticator, that of the app for the step, and the built-in one.
  ///
  /// A handler that declines (``Decision/decline``) leaves the step to the next.
  public func handlers(for step: Step) -> [any ScreenHandler] {
    let general = Route(name: step.remediation.name)
    let specific = Route(step) == general ? nil : registered[Route(step)]
    return [specific, registered[general], builtInHandler(for: step)].compactMap(\.self)
  }

  /// The steps that more than a form can answer: those with a handler of the app, with a passkey, and with Okta
  /// Verify on this device.
  var routes: Set<Route> {
    let passkeys: [Route] =
      canUsePasskeys
      ? [
        Route(name: .enrollWebAuthnResidentKey), Route(name: .challengeAuthenticator, .webAuthn),
        Route(name: .enrollAuthenticator, .webAuthn), Route(name: .enrollAuthenticatorPromotion),
        Route(name: .launchPasskeysAuthenticator), Route(name: .challengeWebAuthnAutofill),
      ] : []
    let device: [Route] =
      fastPass == .never
      ? []
      : [
        Route(name: .deviceChallengePoll), Route(name: .challengePoll),
        Route(name: .launchAuthenticator),
      ]
    return Set(registered.keys).union(passkeys + device)
  }

  func builtInHandler(for step: Step) -> any ScreenHandler {
    if canUsePasskeys, step.isForPasskey { return PasskeyScreenHandler() }
    if fastPass != .never {
      if FastPassScreenHandler.handles(step) { return FastPassScreenHandler() }
      if step.remediation.name == .launchAuthenticator { return AnyFormHandler() }
    }
    if UnsupportedStep(step) != nil { return UnsupportedHandler() }
    if step.remediation.page != nil { return PageHandler() }
    if step.remediation.isPolled, !step.remediation.form.hasMissingValues {
      return WaitingHandler()
    }
    return switch step.remediation.name {
    case .identify: IdentifyHandler(rememberDevice: rememberDevice)
    case .challengeAuthenticator: ChallengeHandler(rememberDevice: rememberDevice)
    case .skip: SkipHandler()
    default: AnyFormHandler()
    }
  }

  /// The screen of a step, or what is decided without one.
  ///
  /// If all handlers decline, the plan is to decline.
  public func plan(_ step: Step, now: Date = Date()) throws -> ScreenPlan {
    for handler in handlers(for: step) {
      let plan = try handler.plan(step, context(now))
      if case .decide(.decline) = plan { continue }
      return plan
    }
    return .decide(.decline)
  }

  func context(_ now: Date) -> ScreenContext {
    ScreenContext(
      words: words, now: now, canUsePasskeys: canUsePasskeys, fastPass: fastPass,
      rememberDevice: rememberDevice)
  }
}

extension Step {
  /// Whether a passkey can answer the step's form.
  fileprivate var isForPasskey: Bool {
    remediation["credentials.attestation"] != nil
      || remediation["credentials.authenticatorData"] != nil
  }
}
