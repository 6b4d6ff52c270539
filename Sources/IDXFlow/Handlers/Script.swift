public import IDX
public import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Prepared answers, one entry for each response that asks for something.
///
///     [
///       {"step": "identify", "fields": {"identifier": "ada@example.com"}},
///       {"step": "challenge-authenticator", "choose": "google_otp",
///        "fields": {"credentials.passcode": {"totp": true}}}
///     ]
public struct Script: Sendable {
  /// One entry, for one request.
  public struct Entry: Sendable {
    /// The form to answer: a remediation, an action of the response, or an action of an authenticator.
    public let step: Remediation.Name
    /// The option to choose, by the key or type of its authenticator, or by its label; nil for none.
    public let choice: String?
    /// The values by dotted path; `{"totp": true}` stands for the current TOTP code.
    public let fields: [String: JSONValue]
  }

  /// The entries, in order.
  public let entries: [Entry]

  /// Reads a script from JSON; throws a ``IDXOAuth/FlowError`` that names the wrong entry.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    func invalid(_ message: String, _ cause: (any Error)? = nil) -> FlowError {
      FlowError(.invalidConfiguration, message, underlying: cause)
    }
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw invalid("The script cannot be read. \(error)", error)
    }
    guard let elements = json.array else {
      throw invalid("The script must be a JSON array of entries such as {\"step\": \"identify\"}.")
    }
    entries = try elements.enumerated().map { index, element in
      let place = "Entry \(index + 1) of the script"
      guard let step = element["step"]?.string, !step.isEmpty else {
        throw invalid("\(place) has no “step” that names a form.")
      }
      let names = element.object?.members.map(\.name) ?? []
      if let unknown = names.first(where: { !["step", "choose", "fields"].contains($0) }) {
        throw invalid("\(place) has “\(unknown)”; only “step”, “choose” and “fields” are allowed.")
      }
      guard element["choose"] == nil || element["choose"]?.string != nil else {
        throw invalid("\(place): “choose” must be a text.")
      }
      guard element["fields"] == nil || element["fields"]?.object != nil else {
        throw invalid("\(place): “fields” must be an object of values by path.")
      }
      let fields = element["fields"]?.object?.members ?? []
      return Entry(
        step: Remediation.Name(rawValue: step), choice: element["choose"]?.string,
        fields: Dictionary(fields.map { ($0.name, $0.value) }) { $1 })
    }
  }
}

// Values are passwords and codes.
extension Script: Redacted {
  /// The steps, without the answers.
  public var description: String {
    "script for " + entries.map(\.step.rawValue).joined(separator: ", ")
  }
}

extension Script.Entry: Redacted {
  /// The step and the paths, without the values.
  public var description: String {
    "\(step): " + fields.keys.sorted().joined(separator: ", ")
  }
}

/// Answers steps from a ``Script``, entry by entry, in any order that the server offers.
///
/// A refusal by the server does not end the script while entries remain. If nobody knows whether an answer
/// arrived, and the server still asks for it, its entry is used once more. If all entries are used and the
/// server still asks, it throws the code `inputNeeded`; if the next entry answers a form that is not
/// offered, `scriptMismatch`. Nothing is sent then.
public actor ScriptHandler: StepHandler {
  private let script: Script
  private let now: @Sendable () -> Date
  private var position = 0
  /// The position after the last entry that was used once more.
  private var repeatedPosition: Int?
  private var sharedSecret: Secret?

  /// Creates a handler that uses a script once; `now` gives the time for TOTP codes.
  public init(_ script: Script, now: @escaping @Sendable () -> Date = { Date() }) {
    self.script = script
    self.now = now
  }

  /// Handlers that leave every step, and the end, to this script.
  public nonisolated var handlers: Handlers {
    var handlers = Handlers()
    handlers.fallback = self
    handlers.atEnd = { state in try await self.submission(at: state).map(TerminalAction.submit) }
    handlers.onFailure = { error, step in await self.repeatedDecision(after: error, at: step) }
    return handlers
  }

  /// The number of unused entries.
  public var remaining: Int { script.entries.count - position }

  /// Takes the next entry for the response of the step.
  public func decide(_ step: Step) async throws -> Decision {
    guard let submission = try nextSubmission(at: step.state) else {
      let name = step.remediation.name
      throw FlowError(
        .inputNeeded,
        script.entries.isEmpty
          ? "The server asks for “\(name)”, and the script is empty."
          : "The server asks for “\(name)”, and all entries of the script are used.",
        remediation: name)
    }
    return .submit(submission.answers, to: submission.remediation)
  }

  private func repeatedDecision(after error: FlowError, at step: Step) -> Decision? {
    guard error.code == .answerUnconfirmed, repeatedPosition != position, position > 0 else {
      return nil
    }
    repeatedPosition = position
    position -= 1
    return .choose(step.remediation)
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
    // Several forms may have the same name. Take the first one that fits the answers.
    var refusal: FlowError?
    for form in forms {
      do {
        let answers = try answers(of: entry, to: form)
        _ = try form.body(answering: answers)
        return Submission(form, answers)
      } catch let error as InvalidAnswers {
        let message = "Entry \(position) of the script does not fit “\(form.name)”. \(error)"
        refusal =
          refusal
          ?? FlowError(.invalidAnswers, message, remediation: form.name, underlying: error)
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
          "Entry \(position) of the script needs a TOTP code, and this sign-in showed no shared "
            + "secret to compute it from.", remediation: entry.step)
      }
      answers[path] = .value(.string(totp.code(at: now())))
    }
    if let choice = entry.choice {
      guard let path = form.form.path(ofChoice: choice, at: "") else {
        throw FlowError(
          .scriptMismatch,
          "Entry \(position) of the script chooses “\(choice)”, which “\(form.name)” does not offer.",
          remediation: entry.step)
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
  /// The path of the first field that has an option with a name, also in nested forms.
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
