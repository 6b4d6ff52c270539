import IDX

// The handlers of steps at which nothing is filled in.

/// Waits until the person approves a push, follows a link or scans a code.
struct WaitingHandler: StepHandler {
  func decide(_ step: Step) -> Decision {
    let phrases = Phrases(step)
    var screen = Screen(step)
    screen.inputs = []
    guard step.isOverdue else {
      screen.wait = Screen.Wait(step, polling: step.remediation, phrases)
      screen.action = .main(.wait, phrases.text("wait.action"))
      return .ask(screen)
    }
    // Without alternatives, the engine reports the limit.
    guard screen.options.contains(where: { $0.role != .quit }) else { return .poll() }
    screen.title = phrases.text("wait.over.title")
    screen.guidance = nil
    (screen.notes, screen.lists) = ([], [])
    screen.setUp = nil
    screen.userCode = nil
    screen.wait = nil
    screen.promoteAlternative()
    return .ask(screen)
  }
}

/// Opens a web page, and continues with what the browser brings back.
struct PageHandler: StepHandler {
  func decide(_ step: Step) -> Decision {
    // Without a redirect URI, the browser could not return.
    guard let url = step.remediation.page,
      let redirectURI = step.state.configuration.redirectURI
    else { return .decline }
    let phrases = Phrases(step)
    var screen = Screen(step)
    screen.page = Screen.Page(url: url, redirectURI: redirectURI)
    screen.action.role = .open
    let isOneOfSeveral = !step.wasChosen && step.alternatives.contains { $0.page != nil }
    if isOneOfSeveral {
      screen.title = phrases.text("choose-page.title")
      screen.guidance = nil
    }
    // The page may have failed before.
    screen.startsByItself = !isOneOfSeveral && !screen.messages.contains { $0.kind == .error }
    screen.inputs = []
    screen.wait = nil
    return .ask(screen)
  }
}

/// Creates a passkey, or signs a challenge with one; only for a form that a passkey can answer.
struct PasskeyHandler: StepHandler {
  /// The steps that it may answer.
  static let routes: Set<Route> = [
    Route(name: .enrollWebAuthnResidentKey), Route(name: .challengeAuthenticator, .webAuthn),
    Route(name: .enrollAuthenticator, .webAuthn), Route(name: .enrollAuthenticatorPromotion),
    Route(name: .launchPasskeysAuthenticator), Route(name: .challengeWebAuthnAutofill),
  ]

  static func handles(_ step: Step) -> Bool {
    step.screens.canUsePasskeys
      && (step.remediation["credentials.attestation"] != nil
        || step.remediation["credentials.authenticatorData"] != nil)
  }

  func decide(_ step: Step) throws -> Decision {
    let phrases = Phrases(step)
    var screen = Screen(step)
    screen.inputs = []
    screen.wait = nil
    let isNew = step.remediation["credentials.attestation"] != nil
    do {
      screen.passkey =
        isNew
        ? .create(try PasskeyCreationOptions(step)) : .sign(try PasskeyRequestOptions(step))
    } catch {
      // The request is damaged, or for another site.
      screen.messages.append(Screen.Message(.error, error.message))
      screen.promoteAlternative()
      return .ask(screen)
    }
    screen.action = .main(
      .passkey, phrases.text(isNew ? "passkey.create.action" : "passkey.action"))
    // A promotion is only an offer.
    screen.startsByItself =
      step.attempt == 1 && step.notice == nil
      && step.remediation.name != .enrollAuthenticatorPromotion
    return .ask(screen)
  }
}

/// Explains why a step cannot be done here, and continues with an alternative.
///
/// A search for something on this device is canceled without asking, because nothing here can answer it; a server that
/// searches again and again asks the person.
struct UnsupportedHandler: StepHandler {
  func decide(_ step: Step) throws -> Decision {
    guard let unsupported = UnsupportedStep(step) else { return .decline }
    let phrases = Phrases(step)
    var screen = Screen(step)
    let reason =
      phrases.words.text(.unsupported(unsupported.kind))
      ?? phrases.text(.unsupported(.hiddenField))
    screen.unsupported = reason
    screen.guidance = nil
    screen.inputs = []
    screen.setUp = nil
    screen.wait = nil
    screen.notes += StepNotes(phrases: phrases).passwordSite
    if let form = polledSearch(at: step) {
      screen.wait = Screen.Wait(step, polling: form, phrases)
      screen.action = .main(.wait, phrases.text("wait.action"))
      return .ask(screen)
    }
    if let form = step.endOfSearch { return .submit([:], to: form) }
    let forms = step.alternatives.filter(Set(step.response.remediations).contains)
    if forms.count == 1, !forms[0].form.inputs().isEmpty {
      return .choose(forms[0], notice: reason)
    }
    screen.promoteAlternative()
    guard screen.action.role != .quit else {
      throw FlowError(
        .noHandler, "\(reason) The server offers nothing else.",
        remediation: step.remediation.name, status: step.state.status,
        requestID: step.state.requestID)
    }
    return .ask(screen)
  }

  /// Polls a search that cannot be canceled, because the server ends it after some time.
  private func polledSearch(at step: Step) -> Remediation? {
    let isSearch = UnsupportedStep(step)?.isSearch == true && step.remediation.isPolled
    guard isSearch, !step.isOverdue, !step.alternatives.contains(where: \.endsSearch)
    else { return nil }
    return step.remediation
  }
}

extension Screen {
  /// Makes the first option the main action, because the step's own form cannot be used.
  mutating func promoteAlternative() {
    guard !options.isEmpty else { return }
    action = options.removeFirst()
  }
}

extension Step {
  /// The form that ends a search for a program on this device, which nothing here can answer; nil if the step is no such
  /// search, or if the server searches again and again.
  var endOfSearch: Remediation? {
    guard UnsupportedStep(self)?.isSearch == true, !asksOktaVerifyTooOften else { return nil }
    return alternatives.first(where: \.endsSearch)
  }
}

extension UnsupportedStep {
  /// Whether the server searches for a program on this device, which nobody asked for.
  fileprivate var isSearch: Bool { kind == .deviceProbe || kind == .appleSSOExtension }
}

extension Remediation {
  /// Whether the form ends a search and has nothing to fill in.
  fileprivate var endsSearch: Bool {
    (Remediation.Name.pollEnds + [.cancelTransaction]).contains(name)
      && !form.hasMissingValues
  }
}
