public import IDX
import IDXBase

/// Answers steps with what a program knows, and asks nobody.
///
///     let handlers = Handlers.answering(
///       ["identifier": "ada@example.com", "credentials.passcode": "correct horse"],
///       choosing: [.oktaVerify(.push)])
///
/// Of each form, it answers the fields for which there is an answer. Where the server offers several authenticators, it
/// chooses the first ``AuthenticatorChoice`` that is offered, in every protocol. It polls what is polled, skips what can be
/// skipped, and cancels a search for Okta Verify on this device. An answer that the server refuses is not sent again: the
/// sign-in ends (``Outcome/ended(_:)``), and its state has the server's message. It throws a ``/IDXOAuth/FlowError`` with
/// the code `invalidAnswers` if a form needs more than it knows, and with the code `limitReached` if its answers lead in a
/// circle.
///
/// `credentials.passcode` is the password. It is sent only where the person's current password is asked for, so that no
/// other authenticator receives it as a code.
public struct KnownAnswers: StepHandler {
  private let answers: Answers
  private let choices: [AuthenticatorChoice]
  private let enrollments: [AuthenticatorChoice]

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - answers: The answers by the paths of fields.
  ///   - choices: The authenticators to use, the best one first; the password comes last unless it is among them.
  ///   - enrollments: The authenticators to set up if the org offers it, the best one first.
  public init(
    _ answers: Answers, choosing choices: [AuthenticatorChoice] = [],
    settingUp enrollments: [AuthenticatorChoice] = []
  ) {
    self.answers = answers
    let isPassword = answers[Self.passcode] != nil && !choices.contains { $0.key == .password }
    self.choices = choices + (isPassword ? [.password] : [])
    self.enrollments = enrollments
  }

  private static let passcode = "credentials.passcode"

  /// Decides about one step; leaves it to the next handler if there is no answer to it.
  public func decide(_ step: Step) async throws -> Decision {
    if step.state.isRefusal { return .end }
    try checkAttempt(step)
    let form = step.remediation
    if let end = step.endOfSearch { return .submit([:], to: end) }
    guard UnsupportedStep(step) == nil, form.canBeSent else { return .decline }
    if form.isPolled, !form.form.hasMissingValues { return .poll() }
    if form.name == .skip { return .submit([:]) }
    // A form that nobody asked for, such as one to reset a password, is not opened.
    let isFirst = form == step.response.remediations.first
    guard isFirst || Self.mayComeLater.contains(form.name) else { return .decline }
    let known = try await knownAnswers(to: step)
    guard !known.entries.isEmpty else { return isPlain(step) ? .submit([:]) : .decline }
    do { _ = try form.encoding(known) } catch {
      // What can be skipped needs no answers.
      if step.response[.skip] != nil { return .decline }
      throw FlowError(
        .invalidAnswers, "The known answers do not fit “\(form.name)”. \(error)",
        remediation: form.name, underlying: error)
    }
    return .submit(known)
  }

  /// Throws if an answer has led back to its form, because the same answer would do so again.
  private func checkAttempt(_ step: Step) throws {
    // What did not fit the form was not sent.
    guard step.attempt > 1, step.problems.isEmpty else { return }
    let name = step.remediation.name
    guard step.previous == nil else {
      throw FlowError(
        .refused, "The server asks for “\(name)” again, and gives no reason.", remediation: name)
    }
    throw FlowError(
      .limitReached,
      "The server accepted the known answers to “\(name)”, and asks for it again. They lead in a circle.",
      remediation: name)
  }

  /// The forms that are answered also if they are not the first one.
  private static let mayComeLater: Set<Remediation.Name> = [
    .identify, .selectAuthenticatorAuthenticate, .selectAuthenticatorEnroll,
    .challengeAuthenticator, .authenticatorVerificationData,
  ]

  /// Whether a form is sent without an answer: the first one, about no authenticator that was not chosen.
  ///
  /// It could send a message to a person.
  private func isPlain(_ step: Step) -> Bool {
    let isWanted =
      step.response[.selectAuthenticatorAuthenticate] == nil
      || used(at: step).contains { $0.key == step.authenticator?.key }
    return isWanted && step.remediation == step.response.remediations.first
      && step.remediation.form.inputs().isEmpty
  }

  /// The authenticators that may be used at a step: to sign in, or to be set up.
  private func used(at step: Step) -> [AuthenticatorChoice] {
    step.remediation.name.rawValue.contains("enroll") ? enrollments : choices
  }

  private func knownAnswers(to step: Step) async throws -> Answers {
    let used = used(at: step)
    var known = used.lazy.compactMap { $0.answers(in: step) }.first ?? [:]
    for (path, answer) in answers.entries {
      guard let field = step.remediation[path], !field.isFixed,
        path != Self.passcode || step.asksForCurrentPassword(in: field)
      else { continue }
      known[path] = answer
    }
    let choice = used.first { $0.code != nil && $0.key == step.authenticator?.key }
    if let code = choice?.code, let path = step.pathOfCode, known[path] == nil {
      known[path] = .text(try await code(step))
    }
    return known
  }
}

// They are passwords and codes.
extension KnownAnswers: Redacted {
  /// The paths.
  public var description: String { "known \(answers)" }
}

extension Handlers {
  /// Handlers that answer with what a program knows, without a person; see ``KnownAnswers``.
  ///
  /// Handlers that are registered later come first.
  ///
  /// - Parameters:
  ///   - answers: The answers by the paths of fields, such as `identifier` and `credentials.passcode`.
  ///   - choices: The authenticators to use, the best one first.
  ///   - enrollments: The authenticators to set up if the org offers it, the best one first.
  public static func answering(
    _ answers: Answers, choosing choices: [AuthenticatorChoice] = [],
    settingUp enrollments: [AuthenticatorChoice] = []
  ) -> Handlers {
    var handlers = Handlers()
    handlers.fallback = KnownAnswers(answers, choosing: choices, settingUp: enrollments)
    return handlers
  }
}

extension Step {
  /// Whether a field is for the password that the person has now.
  fileprivate func asksForCurrentPassword(in field: Remediation.Field) -> Bool {
    guard field.isVisible, !setsPassword(in: field) else { return false }
    let isPassword = authenticator?.isPassword == true
    return isPassword || remediation.name == .identify && remediation.firstAuthenticator == nil
  }

  /// The path of the field for the code of the step's authenticator, or for the answer to its question; nil if there is
  /// none, or if the step asks for more than one.
  fileprivate var pathOfCode: String? {
    guard remediation.name != .identify, let form = remediation["credentials"]?.form else {
      return nil
    }
    let open = form.fields.filter { !$0.isFixed && $0.isVisible && $0.choices.isEmpty }
    return open.count == 1 ? "credentials.\(open[0].name)" : nil
  }
}
