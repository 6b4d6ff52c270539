import IDXOAuth
public import IDX

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One form that has to be answered, with what is known about it.
public struct Step: Sendable {
  /// The form.
  public let remediation: Remediation
  /// The sign-in as it stands; it can be saved and taken up elsewhere.
  public let state: FlowState
  /// How often this form has been put in a row, from 1: more than 1 means that the last answers were
  /// refused.
  public let attempt: Int
  /// How often it was asked in a row whether there is news about this step.
  public let polls: Int
  /// How long the step will still be polled before it is given up; nil where that has no limit.
  public let timeLeft: Duration?
  /// The answers that were refused; nil at the first attempt.
  public let previous: Answers?
  /// What kept the last answers from being sent; empty where nothing did.
  public let problems: [InvalidAnswers.Problem]
  /// Whether the person has just picked it among others.
  let isPicked: Bool
  /// The steps that a handler of their own can do, whatever would keep a person from it.
  ///
  /// Not the handlers: a prompter that remembers its steps would hold itself.
  private let ownRoutes: Set<Route>

  /// A step of these parts.
  public init(
    _ remediation: Remediation, state: FlowState, attempt: Int = 1, polls: Int = 0,
    timeLeft: Duration? = nil, previous: Answers? = nil,
    problems: [InvalidAnswers.Problem] = []
  ) {
    self.init(
      remediation, state: state, attempt: attempt, polls: polls, timeLeft: timeLeft,
      previous: previous, problems: problems, isPicked: false, ownRoutes: [])
  }

  init(
    _ remediation: Remediation, state: FlowState, attempt: Int, polls: Int, timeLeft: Duration?,
    previous: Answers?, problems: [InvalidAnswers.Problem], isPicked: Bool,
    ownRoutes: Set<Route>
  ) {
    self.remediation = remediation
    self.state = state
    self.attempt = attempt
    self.polls = polls
    self.timeLeft = timeLeft
    self.previous = previous
    self.problems = problems
    self.isPicked = isPicked
    self.ownRoutes = ownRoutes
  }

  /// What the server said last.
  public var response: IDXResponse { state.response }

  /// Whether the step was waited for as long as one may, and nothing happened.
  public var isOverdue: Bool { timeLeft.map { $0 <= .zero } ?? false }

  /// What the server says about this step: about the whole, then about the remediation.
  ///
  /// What it says about one field stands with the field.
  public var messages: [IDXMessage] { response.messages + remediation.messages }

  /// The authenticator that the step is about: the one it relates to, else the current one.
  public var authenticator: IDXAuthenticator? {
    remediation.authenticators.first ?? response.currentAuthenticator
  }

  /// Whether the step is about the authenticator itself, and not a choice that stands beside it.
  var isAboutAuthenticator: Bool {
    remediation == response.remediations.first || !remediation.authenticators.isEmpty
  }

  /// What else can be done from here: other remediations, pages to go to with a browser, what can be
  /// done with the authenticator, and starting over, which comes last.
  ///
  /// Polls are left out, and so is what cannot be done by a person alone (``UnsupportedStep``), unless a
  /// handler is registered for it.
  public var alternatives: [Remediation] {
    // What can be done with the authenticator is no help beside it, at a choice.
    let forms =
      isAboutAuthenticator ? response.allForms : response.remediations + response.actions
    let possible = forms.filter { form in
      form != remediation && !form.isPolled && form.name != .issue && form.name != "context"
        && isPossible(form)
    }
    return possible.filter { $0.name != .cancel } + possible.filter { $0.name == .cancel }
  }

  /// Whether a form can be done here: nothing is in the way, or it has a handler of its own.
  private func isPossible(_ form: Remediation) -> Bool {
    let step = Step(form, state: state)
    return UnsupportedStep(step) == nil || ownRoutes.lead(to: step)
  }

  /// What leads to another form: it is sent at once where nothing is to be filled in and no handler
  /// of its own does more.
  func turning(to form: Remediation) -> Decision {
    let isPlain = form.canBeSent && form.form.inputs().isEmpty
    return isPlain && !ownRoutes.lead(to: Step(form, state: state))
      ? .submit([:], to: form) : .choose(form)
  }
}

extension Remediation {
  /// Whether it can be sent from here: it has an address, and is not for a browser.
  public var canBeSent: Bool { href?.isEmpty == false && method?.uppercased() ?? "POST" == "POST" }

  /// The page to go to with a browser; nil where it is no such step, or leads to no web page.
  public var page: URL? {
    guard !canBeSent, let url = href.flatMap(URL.init(string:)), let host = url.host else {
      return nil
    }
    let scheme = url.scheme?.lowercased()
    let isSecure = scheme == "https" || (scheme == "http" && Origin.isLoopback(host))
    // A user in front of the host is there to make it look like another one.
    return isSecure && url.user == nil && ![.successRedirect, .failureRedirect].contains(name)
      ? url : nil
  }
}
