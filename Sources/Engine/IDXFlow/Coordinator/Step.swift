public import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A form that needs an answer, with what is known about it.
public struct Step: Sendable, Hashable {
  /// The form that needs an answer.
  public let remediation: Remediation
  /// The current state of the sign-in, which can be saved and continued elsewhere.
  public let state: FlowState
  /// The number of this attempt, from 1; after a refusal, and in ``Handlers/onFailure``, it is greater.
  ///
  /// If answers of handlers were accepted, and lead back to the same form without a new one in between, each of these is
  /// an attempt too. Answers that follow a reply to a screen (``Decision/ask(_:then:)``) are not counted; a handler with
  /// views of its own counts like any other.
  public let attempt: Int
  /// How many polls in a row brought no news about this step.
  public let polls: Int
  /// How long the step will still be polled; nil for no limit.
  public let timeLeft: Duration?
  /// The answers that were refused, or did not fit the form; nil if there are none.
  public internal(set) var previous: Answers?
  /// Why the last answers were not sent, or why those of another handler do not fit the form; empty if neither is so.
  public internal(set) var problems: [InvalidAnswers.Problem]
  /// The authenticator of the step: the one that the form relates to, or the current one.
  public let authenticator: IDXAuthenticator?
  /// The user, as this or an earlier response of the sign-in named them; nil if none did.
  public internal(set) var user: IDXResponse.User?
  /// The username that the server has accepted in this sign-in, as it was typed; nil if there is none.
  var typedUsername: String?
  /// What the person wants instead of only signing in; nil if that is nothing, or if its form was offered
  /// already.
  public internal(set) var goal: Goal?
  /// Whether the person has just chosen this step among others.
  public internal(set) var wasChosen = false
  /// Why the step was chosen without asking (``Decision/choose(_:notice:)``), in a sentence for the person;
  /// nil if the handler gave no reason.
  public internal(set) var notice: String?
  /// The paths of the last answers that were typed in the clear; nil if that is not known.
  ///
  /// A server can ask again in the clear for what was hidden while it was typed.
  package internal(set) var shownAnswers: Set<String>?
  /// What the step depends on besides the sign-in.
  package var context: StepContext
  /// What the server has asked of Okta Verify in this sign-in.
  var fastPassHistory = FastPassHistory()
  /// Whether a person has replied to its screen.
  var hasReply = false
  /// The answers that were decided, if they are known to fit.
  var checked: Submission?

  /// Creates a step for a form of a state, such as to test a handler.
  public init(
    _ remediation: Remediation, state: FlowState, attempt: Int = 1, polls: Int = 0,
    timeLeft: Duration? = nil, previous: Answers? = nil,
    problems: [InvalidAnswers.Problem] = [], screens: Screens = Screens()
  ) {
    self.init(
      remediation, state: state, attempt: attempt, polls: polls, timeLeft: timeLeft,
      previous: previous, problems: problems, StepContext(screens: screens))
  }

  init(
    _ remediation: Remediation, state: FlowState, attempt: Int = 1, polls: Int = 0,
    timeLeft: Duration? = nil, previous: Answers? = nil,
    problems: [InvalidAnswers.Problem] = [], _ context: StepContext
  ) {
    self.remediation = remediation
    self.state = state
    self.attempt = attempt
    self.polls = polls
    self.timeLeft = timeLeft
    self.previous = previous
    self.problems = problems
    authenticator = remediation.firstAuthenticator ?? state.response.currentAuthenticator
    user = state.response.user
    self.context = context
  }

  /// Creates a step for another form of the same response.
  private init(_ form: Remediation, beside step: Step, _ current: IDXAuthenticator?) {
    remediation = form
    state = step.state
    (attempt, polls, timeLeft, previous, problems) = (1, 0, nil, nil, [])
    authenticator = form.firstAuthenticator ?? current
    (user, typedUsername) = (step.user, step.typedUsername)
    (context, fastPassHistory) = (step.context, step.fastPassHistory)
  }

  /// The words in which the step is shown, and what the front-end can do.
  public var screens: Screens { context.screens }

  /// Who is signing in: the username as the server names it, or as it was typed if the server names none; nil if
  /// nobody is known yet.
  public var username: String? { user?.identifier ?? typedUsername }

  /// The last response of the server.
  public var response: IDXResponse { state.response }

  /// Whether the time to wait is over, and nothing happened.
  public var isOverdue: Bool { timeLeft.map { $0 <= .zero } ?? false }

  /// The messages about the response, about the remediation, and about its fields, in this order.
  ///
  /// Some orgs report a wrong code at its field, others for the whole response.
  public var messages: [IDXMessage] { messagesOfNoField + remediation.form.allMessages }

  /// Why the last answers were refused, one sentence each: what does not fit the form, or the errors of the server; empty
  /// if they were not refused.
  ///
  /// For a handler that asks with views of its own; a ``Screen`` shows the same. Show them only as text.
  public var refusals: [String] {
    problems.isEmpty
      ? messages.filter(\.isError).compactMap(\.text)
      : problems.map { screens.words.problem($0.reason) }
  }

  /// The messages that a front-end cannot show beside an input.
  package var messagesOfNoField: [IDXMessage] { response.messages + remediation.messages }

  /// Whether the step is about its authenticator, and is not just offered beside that.
  package var isAboutAuthenticator: Bool {
    remediation == response.remediations.first || !remediation.authenticators.isEmpty
  }

  /// The other forms that are possible here: remediations, web pages, actions of the authenticator, and
  /// starting over, which comes last.
  ///
  /// Polls, `issue` and `context` are not included, nor steps that a person cannot do here
  /// (``UnsupportedStep``), unless a handler is registered for them.
  public var alternatives: [Remediation] {
    // Actions of the authenticator make no sense at a choice beside it.
    let forms =
      isAboutAuthenticator ? response.allForms : response.remediations + response.actions
    let candidates = forms.filter { form in
      form != remediation && !form.isPolled && form.name != .issue && form.name != "context"
    }
    let possible = steps(for: candidates).filter { !$0.isUnsupported }.map(\.remediation)
    return possible.filter { $0.name != .cancel } + possible.filter { $0.name == .cancel }
  }

  /// The remediations beside this one that a person cannot do here, unless a handler is registered for
  /// them.
  package var unsupportedRemediations: [Remediation] {
    steps(for: response.remediations.filter { $0 != remediation }).filter(\.isUnsupported)
      .map(\.remediation)
  }

  private var isUnsupported: Bool {
    UnsupportedStep(self) != nil && !context.canAnswer(self)
  }

  /// Steps for other forms of the response.
  private func steps(for forms: [Remediation]) -> [Step] {
    // Found once, because a response can have many forms and many authenticators.
    let current = response.currentAuthenticator
    return forms.map { Step($0, beside: self, current) }
  }

  /// The decision that opens another form of the response.
  ///
  /// It submits a form that has nothing to fill in and no handler of its own, and chooses any other form. The one that
  /// gives up a ``deviceChallenge`` is submitted with the reason.
  public func decision(toOpen form: Remediation) -> Decision {
    if Remediation.Name.pollEnds.contains(form.name),
      let end = deviceChallenge?.ended(because: .userCanceled)
    {
      return .submit([:], to: end)
    }
    let isPlain = form.canBeSent && form.form.inputs().isEmpty
    return isPlain && !context.canAnswer(Step(form, state: state))
      ? .submit([:], to: form) : .choose(form)
  }

  /// The decision that follows from the address that a browser returned to.
  ///
  /// Throws like ``RedirectReturn/init(_:of:)``, and also if a code comes to a step that asks for none: the
  /// link of an old email must not end the sign-in.
  public func decision(onReturnTo url: URL) throws -> Decision {
    let returned = try RedirectReturn(url, of: state)
    switch returned {
    case .oneTimePassword where !response.asksForCode:
      throw FlowError(.redirectMismatch, "The link contains a code, but this step asks for none.")
    case .authorizationCode where state.signInProtocol == .idx:
      throw RedirectReturn.wrongKind
    default: return .resume(returned)
    }
  }
}

extension IDXResponse {
  fileprivate var asksForCode: Bool {
    (self[.challengeAuthenticator] ?? self[.enrollAuthenticator])?["credentials.passcode"] != nil
  }
}

extension Remediation {
  /// The server's interval between polls (`refresh`), kept between 0.5 and 60 seconds; 4 seconds if the
  /// server names none.
  public var pollInterval: Duration {
    min(max(refresh ?? .seconds(4), .milliseconds(500)), .seconds(60))
  }

  /// Whether the form can be sent from here: it has an address, and does not open in a browser.
  public var canBeSent: Bool { href?.isEmpty == false && method?.uppercased() ?? "POST" == "POST" }

  /// The web page that the form opens in a browser; nil if it opens none.
  public var page: URL? {
    guard !canBeSent, let url = href.flatMap(URL.init(string:)), url.host != nil else { return nil }
    // A username before the host can make an address look like another one.
    return Origin(url).isSecure && url.user == nil
      && ![.successRedirect, .failureRedirect].contains(name)
      ? url : nil
  }
}

extension Remediation.Form {
  /// Whether a required field has no value yet.
  package var hasMissingValues: Bool {
    fields.contains { field in
      if field.isFixed { return false }
      return field.form?.hasMissingValues ?? (field.isRequired && !field.hasDefault)
    }
  }
}

/// A remediation with one authenticator or with any (nil).
package struct Route: Hashable, Sendable {
  package let name: Remediation.Name
  package let authenticator: IDXAuthenticator.Key?

  package init(name: Remediation.Name, _ authenticator: IDXAuthenticator.Key? = nil) {
    self.name = name
    self.authenticator = authenticator
  }

  /// The remediation and the authenticator of a step.
  package init(_ step: Step) {
    self.init(name: step.remediation.name, step.authenticator?.key)
  }
}

extension Set<Route> {
  /// Whether one of the routes matches a step.
  func contain(_ step: Step) -> Bool {
    contains(Route(step)) || contains(Route(name: step.remediation.name))
  }
}
