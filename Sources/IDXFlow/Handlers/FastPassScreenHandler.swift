import IDX
import IDXOAuth

/// Asks Okta Verify on this device for proof: by its server on this computer, or by a link that opens it.
///
/// Nothing is sent before the person agrees. After that, it waits like for a push.
struct FastPassScreenHandler: ScreenHandler {
  private static let methods: [DeviceChallenge.Method] = [
    .loopback, .customURI, .universalLink, .appLink,
  ]

  /// Whether a step waits for Okta Verify in one of these ways.
  static func handles(_ step: Step) -> Bool {
    step.deviceChallenge.map { methods.contains($0.method) } ?? false
  }

  func plan(_ step: Step, _ context: ScreenContext) throws -> ScreenPlan {
    guard let challenge = step.deviceChallenge else { return .decide(.decline) }
    let waiting = WaitingHandler().plan(step, context)
    guard !step.isOverdue, case .show(var screen) = waiting else { return waiting }
    let phrases = Phrases(step, context)
    let issuer = step.state.configuration.issuer
    do {
      screen.title = phrases.text("fastpass.wait.title")
      screen.wait?.text = phrases.text("fastpass.wait")
      if asks(at: step) {
        screen.deviceChallenge = try step.loopbackChallenge
        screen.title = phrases.text("fastpass.title")
        screen.notes.append(phrases.text("fastpass.note", ["host": screen.host]))
        screen.action = .main(.fastPass, phrases.text("fastpass.action"))
        screen.startsByItself = context.fastPass == .always && step.attempt == 1
        screen.wait = nil
      } else if let link = try challenge.safeLink(issuer: issuer) {
        screen.link = link
        screen.notes.append(phrases.text("fastpass.link.note", ["host": screen.host]))
        screen.action = .main(.open, phrases.text("fastpass.open"))
      }
    } catch let error as FlowError {
      screen.messages.append(Screen.Message(.error, error.message))
      screen.wait = nil
      screen.promoteAlternative()
    }
    return .show(screen)
  }

  func poll(for step: Step) -> Remediation? {
    asks(at: step) || step.isOverdue ? nil : step.remediation
  }

  /// Whether the challenge was not passed on yet: a poll follows that at once.
  private func asks(at step: Step) -> Bool {
    step.polls == 0 && step.deviceChallenge?.method == .loopback
  }
}
