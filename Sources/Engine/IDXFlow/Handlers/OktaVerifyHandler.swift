import IDX
import IDXOAuth

/// Asks Okta Verify on this device for proof: by its server on this computer, or by a link that opens it.
///
/// Nothing is sent before the person agrees. After that, it waits like for a push.
struct OktaVerifyHandler: StepHandler {
  /// The steps that it may answer.
  static let routes: Set<Route> = [
    Route(name: .deviceChallengePoll), Route(name: .challengePoll),
    Route(name: .launchAuthenticator),
  ]

  private static let methods: [DeviceChallenge.Method] = [
    .loopback, .customURI, .universalLink, .appLink,
  ]

  static func handles(_ step: Step) -> Bool {
    step.screens.fastPass != .never
      && (step.remediation.name == .launchAuthenticator
        || step.deviceChallenge.map { methods.contains($0.method) } ?? false)
  }

  func decide(_ step: Step) throws -> Decision {
    // The form for a challenge, or the challenge.
    guard let challenge = step.deviceChallenge else {
      return FormHandler(prominent: .resend).decide(step)
    }
    let waiting = WaitingHandler().decide(step)
    guard !step.isOverdue, case .ask(var screen, _) = waiting else { return waiting }
    let phrases = Phrases(step)
    let issuer = step.state.configuration.issuer
    screen.guidance = nil
    do {
      screen.title = phrases.text("fastpass.wait.title")
      screen.wait?.text = phrases.text("fastpass.wait")
      // The challenge was not passed on yet: a poll follows that at once.
      if step.polls == 0, challenge.method == .loopback {
        screen.deviceChallenge = try step.loopbackChallenge
        screen.title = phrases.text("fastpass.title")
        screen.guidance = phrases.text("fastpass.note", ["host": screen.host])
        screen.action = .main(.fastPass, phrases.text("fastpass.action"))
        screen.startsByItself = step.screens.fastPass == .always && step.attempt == 1
        screen.wait = nil
      } else if let link = try challenge.safeLink(issuer: issuer) {
        screen.link = link
        screen.guidance = phrases.text("fastpass.link.note", ["host": screen.host])
        screen.action = .main(.open, phrases.text("fastpass.open"))
      }
    } catch let error as FlowError {
      screen.title = phrases.text("fastpass.unavailable")
      screen.messages.append(Screen.Message(.error, error.message))
      screen.wait = nil
      screen.promoteAlternative()
    }
    return .ask(screen)
  }
}
