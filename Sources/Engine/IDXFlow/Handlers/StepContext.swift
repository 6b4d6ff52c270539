#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a step depends on besides the sign-in.
package struct StepContext: Sendable {
  /// The words of its screen, and what the front-end can do.
  package var screens = Screens()
  /// The steps with a handler of the app, which may do more than ask a person.
  ///
  /// The handlers themselves would form a cycle with a front-end that remembers its screens.
  package var routes: Set<Route> = []
  /// The current time.
  package var now = Date()

  /// Whether more than a form can answer a step: a handler of the app, a passkey, or Okta Verify on this device.
  func canAnswer(_ step: Step) -> Bool {
    routes.contain(step)
      || (screens.canUsePasskeys && PasskeyHandler.routes.contain(step))
      || (screens.fastPass != .never && OktaVerifyHandler.routes.contain(step))
  }
}

// The time is no part of a step: the same step may be made again.
extension StepContext: Hashable {
  package static func == (lhs: StepContext, rhs: StepContext) -> Bool {
    lhs.screens == rhs.screens && lhs.routes == rhs.routes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(screens.words.language) }
}
