import IDX
import IDXBase

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
    let frontEnd = NumberingFrontEnd(frontEnd)
    func handler(_ find: @escaping @Sendable (Step) -> any ScreenHandler) -> FrontEndHandler {
      FrontEndHandler(screens: screens, frontEnd: frontEnd, now: now, find: find)
    }
    var handlers = Handlers()
    handlers.fallback = handler(screens.builtInHandler)
    for route in screens.routes {
      let registered = screens.registered[route]
      // A handler of the app for any authenticator comes before the built-in one for a passkey.
      guard registered != nil || screens.registered[Route(name: route.name)] == nil else {
        continue
      }
      handlers.register(
        handler { registered ?? screens.builtInHandler(for: $0) }, for: route.name,
        route.authenticator)
    }
    handlers.onFailure = { Screens.decision(after: $0, at: $1) }
    handlers.atEnd = { state in
      guard state.canStartOver else { return nil }
      let screen = Screen(end: state, words: screens.words)
      return screen.decision(on: try await frontEnd.reply(to: screen), atEnd: state)
    }
    return handlers
  }
}

/// Numbers the screens of a sign-in, in the order in which they are shown.
private struct NumberingFrontEnd: FrontEnd {
  private let frontEnd: any FrontEnd
  private let count = Locked(0)

  init(_ frontEnd: any FrontEnd) { self.frontEnd = frontEnd }

  func reply(to screen: Screen) async throws -> Reply {
    var screen = screen
    screen.number = count.withLock { count in
      count += 1
      return count
    }
    return try await frontEnd.reply(to: screen)
  }
}

/// Shows the screens of one handler on a front-end, until the reply can be used.
private struct FrontEndHandler: StepHandler {
  private static let maximumReplies = 100

  let screens: Screens
  let frontEnd: NumberingFrontEnd
  let now: @Sendable () -> Date
  let find: @Sendable (Step) -> any ScreenHandler

  func decide(_ step: Step) async throws -> Decision {
    let handler = find(step)
    switch try handler.plan(step, screens.context(now())) {
    case .decide(let decision): return decision
    case .show(let screen): return try await decide(screen, handler)
    }
  }

  func poll(for step: Step) -> Remediation? { find(step).poll(for: step) }

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
}
