import IDX
public import IDXFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Handlers {
  /// The built-in handlers, which show each step on a front-end.
  ///
  /// If an answer is lost, the person sees why and can answer again. If the server offers nothing more and
  /// the sign-in failed, the person can start over. Handlers that are registered later take precedence.
  ///
  /// - Parameters:
  ///   - screens: The screens of the steps.
  ///   - frontEnd: Shows them.
  ///   - now: The current time, for the validity of codes and the end of a wait.
  public static func showing(
    _ screens: Screens = Screens(), on frontEnd: any FrontEnd,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> Handlers {
    showing(screens, on: frontEnd, now: now, isPolledByCoordinator: true)
  }

  /// The built-in handlers; if the coordinator does not poll, the front-end replies ``Reply/poll``.
  static func showing(
    _ screens: Screens, on frontEnd: any FrontEnd, now: @escaping @Sendable () -> Date,
    isPolledByCoordinator: Bool
  ) -> Handlers {
    let handler = FrontEndHandler(
      screens: screens, frontEnd: frontEnd, now: now,
      isPolledByCoordinator: isPolledByCoordinator)
    var handlers = Handlers()
    handlers.fallback = handler
    for route in screens.registered.keys {
      handlers.register(handler, for: route.name, route.authenticator)
    }
    if screens.canUsePasskeys {
      handlers.register(handler, for: .enrollWebAuthnResidentKey)
      handlers.register(handler, for: .challengeAuthenticator, .webAuthn)
      handlers.register(handler, for: .enrollAuthenticator, .webAuthn)
      handlers.register(handler, for: .enrollAuthenticatorPromotion)
      handlers.register(handler, for: .launchPasskeysAuthenticator)
      handlers.register(handler, for: .challengeWebAuthnAutofill)
    }
    // The handlers of the step decide again, with the reason, also those of the app.
    handlers.onFailure = { error, step in .choose(step.remediation, notice: error.message) }
    handlers.atEnd = { state in try await handler.decide(at: state) }
    return handlers
  }
}

/// Shows each step on a front-end until the reply can be used.
private struct FrontEndHandler: StepHandler {
  private static let maximumReplies = 100

  let screens: Screens
  let frontEnd: any FrontEnd
  let now: @Sendable () -> Date
  let isPolledByCoordinator: Bool

  func decide(_ step: Step) async throws -> Decision {
    let handler = screens.handler(for: step)
    switch try handler.plan(step, screens.context(now())) {
    case .decide(let decision): return decision
    case .show(let screen): return try await decide(screen, handler)
    }
  }

  func poll(for step: Step) -> Remediation? {
    isPolledByCoordinator ? screens.handler(for: step).poll(for: step) : nil
  }

  private func decide(
    _ screen: Screen, _ handler: any ScreenHandler
  ) async throws -> Decision {
    var screen = screen
    for _ in 0..<Self.maximumReplies {
      let reply = try await frontEnd.reply(to: screen)
      do { return try handler.decide(reply, to: screen) } catch let refusal as InvalidReply {
        screen = screen.refused(reply, because: refusal)
      }
    }
    throw FlowError(
      .limitReached, "The answers to “\(screen.title)” were wrong \(Self.maximumReplies) times.",
      remediation: screen.step?.remediation.name)
  }

  // MARK: The end

  func decide(at state: FlowState) async throws -> TerminalAction? {
    // Without a failure and a way to start over, the sign-in continues elsewhere.
    let isDone = !state.isRefusal && state.response.actions.isEmpty
    guard !isDone else { return nil }
    let screen = Screen(end: state, words: screens.words)
    guard screen.isMain(try await frontEnd.reply(to: screen)) else { return nil }
    let cancel = state.response.isExpired ? nil : state.response.action(.cancel)
    return cancel.map { .submit(Submission($0)) } ?? .restart
  }
}
