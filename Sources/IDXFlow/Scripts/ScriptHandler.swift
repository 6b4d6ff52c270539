import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Answers steps from a ``Script``, entry by entry, whatever the server offers first.
///
/// A refusal by the server does not end the script while entries remain. When they are used up and
/// the server still asks, it throws ``FlowError/Code/inputNeeded`` and nothing more is sent; where the
/// next entry answers a form that is not offered, ``FlowError/Code/scriptMismatch``.
public actor ScriptHandler: StepHandler {
  private let script: Script
  private let now: @Sendable () -> Date
  private var position = 0
  private var sharedSecret: Secret?

  /// A handler that goes through a script once.
  ///
  /// `now` tells the moment of a TOTP code.
  public init(_ script: Script, now: @escaping @Sendable () -> Date = { Date() }) {
    self.script = script
    self.now = now
  }

  /// Handlers that leave every step, and the end, to a script.
  public nonisolated var handlers: Handlers {
    var handlers = Handlers()
    handlers.fallback = self
    handlers.atEnd = { state in try await self.submission(at: state).map(TerminalAction.submit) }
    return handlers
  }

  /// How many entries were not used.
  public var remaining: Int { script.entries.count - position }

  /// Takes the next entry for the response that the step belongs to.
  public func decide(_ step: Step) async throws -> Decision {
    guard let submission = try nextSubmission(at: step.state) else {
      let name = step.remediation.name
      throw FlowError(
        .inputNeeded,
        script.entries.isEmpty
          ? "The server asks for “\(name)”, and the script is empty."
          : "The script is used up, and the server asks for “\(name)”.", remediation: name)
    }
    return .submit(submission.answers, to: submission.remediation)
  }

  private func submission(at state: FlowState) throws -> Submission? {
    guard position < script.entries.count,
      state.response.allForms.contains(where: { $0.name == script.entries[position].step })
    else { return nil }
    return try nextSubmission(at: state)
  }

  private func nextSubmission(at state: FlowState) throws -> Submission? {
    let authenticators = state.response.authenticators
    if let secret = authenticators.lazy.compactMap(\.oneTimePassword?.sharedSecret).first {
      sharedSecret = secret
    }
    guard position < script.entries.count else { return nil }
    let entry = script.entries[position]
    let forms = state.response.allForms.filter { $0.name == entry.step }
    guard !forms.isEmpty else { throw mismatch(entry, state) }
    position += 1
    // One name may stand for several forms: the first one that takes the answers is meant.
    var refusal: FlowError?
    for form in forms {
      do {
        let answers = try answers(of: entry, to: form)
        _ = try form.body(answering: answers)
        return Submission(form, answers)
      } catch let error as InvalidAnswers {
        refusal =
          refusal
          ?? FlowError(
            .invalidAnswers,
            "Entry \(position) of the script does not fit “\(form.name)”. \(error)",
            remediation: form.name, underlying: error)
      } catch let error as FlowError { refusal = refusal ?? error }
    }
    throw refusal ?? mismatch(entry, state)
  }

  private func answers(of entry: Script.Entry, to form: Remediation) throws -> Answers {
    var answers = Answers()
    for (path, value) in entry.fields {
      guard value["totp"]?.bool == true else {
        answers[path] = .value(value)
        continue
      }
      guard let totp = sharedSecret.flatMap({ TOTPGenerator(base32: $0) }) else {
        throw FlowError(
          .scriptMismatch,
          "Entry \(position) of the script wants a TOTP code, and this sign-in showed no shared "
            + "secret to compute it from.", remediation: entry.step)
      }
      answers[path] = .value(.string(totp.code(at: now())))
    }
    if let choice = entry.choice {
      guard let path = form.form.path(ofChoice: choice, at: "") else {
        throw FlowError(
          .scriptMismatch,
          "Entry \(position) of the script chooses “\(choice)”, which “"
            + "\(form.name)” does not offer.", remediation: entry.step)
      }
      answers[path] = .optionNamed(choice)
    }
    return answers
  }

  private func mismatch(_ entry: Script.Entry, _ state: FlowState) -> FlowError {
    let offered = state.response.allForms.map(\.name.rawValue).joined(separator: ", ")
    return FlowError(
      .scriptMismatch,
      "Entry \(position + 1) of the script answers “\(entry.step)”, and the server offers \(offered).",
      remediation: state.response.remediations.first?.name, status: state.status,
      requestID: state.requestID)
  }
}

extension Remediation.Form {
  /// The path of the first field, nested ones among them, that has an option of a name.
  fileprivate func path(ofChoice name: String, at prefix: String) -> String? {
    for field in fields {
      let path = prefix + field.name
      if field.option(for: .optionNamed(name)) != nil { return path }
      let forms = [field.form].compactMap(\.self) + field.choices.compactMap(\.form)
      for form in forms {
        if let inner = form.path(ofChoice: name, at: path + ".") { return inner }
      }
    }
    return nil
  }
}
