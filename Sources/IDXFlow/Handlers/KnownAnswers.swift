public import IDX
import IDXBase

/// Answers steps with what a program knows, and asks nobody.
///
///     let handlers = Handlers.answering(
///       ["identifier": "ada@example.com", "credentials.passcode": "correct horse"],
///       choosing: [.oktaVerify(.push)])
///
/// Of each form, it answers the fields for which there is an answer. Where the server offers several authenticators, it
/// chooses the first of ``AuthenticatorChoice`` that is offered, in every protocol. It polls what is polled, skips what can
/// be skipped, and cancels a search for Okta Verify on this device. An answer that the server refuses is not sent again:
/// the sign-in ends (``Outcome/ended(_:)``), and its state has the server's message.
///
/// `credentials.passcode` is the password. It is sent only where the person's current password is asked for, so that no
/// other authenticator receives it as a code.
public struct KnownAnswers: StepHandler {
  private let answers: Answers
  private let choices: [AuthenticatorChoice]

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - answers: The answers by the paths of fields.
  ///   - choices: The authenticators to use, the best one first; the password comes last unless it is among them.
  public init(_ answers: Answers, choosing choices: [AuthenticatorChoice] = []) {
    self.answers = answers
    let isPassword = answers[Self.passcode] != nil && !choices.contains { $0.key == .password }
    self.choices = choices + (isPassword ? [.password] : [])
  }

  private static let passcode = "credentials.passcode"

  /// Decides about one step; leaves it to the next handler if there is no answer to it.
  public func decide(_ step: Step) async throws -> Decision {
    let isRefused = step.state.isRefusal || step.attempt > 1 && step.previous != nil
    if isRefused { return .end }
    // An accepted answer that leads back to its form does so again.
    guard step.attempt == 1 else { return .decline }
    let form = step.remediation
    if let end = step.endOfSearch { return .submit([:], to: end) }
    guard UnsupportedStep(step) == nil, form.canBeSent else { return .decline }
    if form.isPolled, !form.form.hasMissingValues { return .poll() }
    if form.name == .skip { return .submit([:]) }
    let known = try await knownAnswers(to: step)
    if !known.entries.isEmpty { return .submit(known) }
    // A form beside the first one, such as one to create an account, is opened only by somebody who wants it.
    let isPlain = form == step.response.remediations.first && form.form.inputs().isEmpty
    return isPlain ? .submit([:]) : .decline
  }

  private func knownAnswers(to step: Step) async throws -> Answers {
    var known = choices.lazy.compactMap { $0.answers(in: step) }.first ?? [:]
    for (path, answer) in answers.entries {
      guard let field = step.remediation[path], !field.isFixed,
        path != Self.passcode || step.asksForCurrentPassword(in: field)
      else { continue }
      known[path] = answer
    }
    let choice = choices.first { $0.code != nil && $0.key == step.authenticator?.key }
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
  public static func answering(
    _ answers: Answers, choosing choices: [AuthenticatorChoice] = []
  ) -> Handlers {
    var handlers = Handlers()
    handlers.fallback = KnownAnswers(answers, choosing: choices)
    return handlers
  }
}

extension Step {
  /// Whether a field is for the password that the person has now.
  fileprivate func asksForCurrentPassword(in field: Remediation.Field) -> Bool {
    guard !setsPassword(in: field) else { return false }
    return remediation.name == .identify || authenticator?.isPassword == true
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
