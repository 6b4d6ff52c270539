import IDX
import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Answers steps from a ``Script``, entry by entry.
///
/// The first entry that is not used yet answers any form of the response that fits it. Optional entries that
/// do not fit are skipped, and stay for later. An entry for a poll without fields is used until the wait
/// ends, or until the response offers the form of the next entry that is not optional.
///
/// A refusal by the server does not end the script while an entry fits. If nobody knows whether an answer
/// arrived, and the server still asks for it, its entry is used once more. If no entry fits, it throws a
/// ``/IDXOAuth/FlowError``, and nothing is sent: the code is `refused` if the server has refused the last
/// answer, `inputNeeded` if all entries are used, and `scriptMismatch` if the next entry answers a form that
/// is not offered.
public actor ScriptHandler: StepHandler {
  private let script: Script
  private let code: @Sendable (TOTPGenerator) async throws -> String
  private let saveKey: @Sendable (_ key: OTPAuthURI, _ path: String) throws -> Void
  /// The indices of entries that are not used yet, in order.
  private var unused: [Int]
  private var lastUsed: Int?
  /// The entries that were used once more.
  private var repeated: Set<Int> = []
  /// The entry of the poll that is under way.
  private var polling: Int?
  private var sharedSecret: Secret?

  /// Creates a handler that uses a script once.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - saveKey: Saves the key that the sign-in showed for an entry with `saveKey`, before
  ///     its code is sent; by default does nothing.
  ///   - code: Returns the code of a key when the script needs one; by default the current code. A server accepts
  ///     each code once, so a program that signs in more often than a code changes waits for the next one here.
  public init(
    _ script: Script,
    saveKey: @escaping @Sendable (_ key: OTPAuthURI, _ path: String) throws -> Void = { _, _ in },
    code: @escaping @Sendable (TOTPGenerator) async throws -> String = { $0.code(at: Date()) }
  ) {
    self.script = script
    self.saveKey = saveKey
    self.code = code
    unused = Array(script.entries.indices)
  }

  /// Handlers that leave every step, and the end, to this script.
  public nonisolated var handlers: Handlers {
    var handlers = Handlers()
    handlers.fallback = self
    handlers.atEnd = { state in try await self.submission(at: state).map(EndDecision.submit) }
    handlers.onFailure = { error, step in await self.repeatedDecision(after: error, at: step) }
    return handlers
  }

  /// The number of unused entries, without optional ones.
  public var remaining: Int { unused.count { !script.entries[$0].isOptional } }

  /// Takes the next entry for the response of the step.
  public func decide(_ step: Step) async throws -> Decision {
    if let form = pollAgain(at: step.state) { return .poll(form) }
    takeBackUsedCode(at: step.state)
    let next: (index: Int, forms: [Remediation])?
    do { next = try nextEntry(at: step.state) } catch let error as FlowError {
      throw refusal(at: step) ?? error
    }
    guard let next else { throw refusal(at: step) ?? usedUp(at: step) }
    use(next.index)
    let entry = script.entries[next.index]
    if entry.isPlain, let form = next.forms.first, form.isPolled, !form.form.hasMissingValues {
      polling = next.index
      return .poll(form)
    }
    let submission = try await submission(of: next.index, to: next.forms, at: step.state)
    return .submit(submission.answers, to: submission.remediation)
  }

  /// Makes the last entry the next one again if the server says that its code was used before, by another program.
  ///
  /// That happens once for each entry: the next code is another one, if the codes of this handler wait for it.
  private func takeBackUsedCode(at state: FlowState) {
    guard let index = lastUsed,
      state.response.allMessages.contains(where: { $0.key == .softTokenUsed }),
      script.entries[index].hasCode, repeated.insert(index).inserted
    else { return }
    unused.insert(index, at: 0)
  }

  private func repeatedDecision(after error: FlowError, at step: Step) -> Decision? {
    guard error.code == .answerUnconfirmed, let index = lastUsed,
      repeated.insert(index).inserted
    else { return nil }
    lastUsed = nil
    unused.insert(index, at: 0)
    return .choose(step.remediation)
  }

  /// At the end of a sign-in, entries that do not fit are left over.
  private func submission(at state: FlowState) async throws -> Submission? {
    guard let next = try? nextEntry(at: state) else { return nil }
    use(next.index)
    return try await submission(of: next.index, to: next.forms, at: state)
  }

  // MARK: The next entry

  private func use(_ index: Int) {
    unused.removeAll { $0 == index }
    lastUsed = index
  }

  /// The form of the poll that is under way; nil if the wait has ended.
  private func pollAgain(at state: FlowState) -> Remediation? {
    guard let index = polling else { return nil }
    let next = unused.first { !script.entries[$0].isOptional }
    let isNextOffered = next.map { !forms(of: script.entries[$0], in: state).isEmpty } == true
    let form = forms(of: script.entries[index], in: state).first
    if let form, form.isPolled, !isNextOffered { return form }
    polling = nil
    return nil
  }

  /// The first unused entry, after optional ones that do not fit, and its forms; nil if there is none.
  ///
  /// Throws if the entry is not optional and does not fit.
  private func nextEntry(at state: FlowState) throws -> (index: Int, forms: [Remediation])? {
    for index in unused {
      let entry = script.entries[index]
      let forms = forms(of: entry, in: state)
      if !forms.isEmpty { return (index, forms) }
      if !entry.isOptional { throw mismatch(index, state) }
    }
    return nil
  }

  private func forms(of entry: Script.Entry, in state: FlowState) -> [Remediation] {
    state.response.allForms.filter { form in
      guard form.name == entry.formName else { return false }
      guard let name = entry.authenticator else { return true }
      let authenticator = Step(form, state: state).authenticator
      return authenticator?.key?.rawValue == name || authenticator?.type?.rawValue == name
    }
  }

  // MARK: Answers

  private func submission(
    of index: Int, to forms: [Remediation], at state: FlowState
  ) async throws -> Submission {
    if let secret = state.response.authenticators.lazy.compactMap(\.oneTimePassword?.sharedSecret)
      .first
    {
      sharedSecret = secret
    }
    let entry = script.entries[index]
    if let path = entry.keyFile { try saveKey(shownKey(for: index, at: state), path) }
    // Several forms may have the same name. Take the first one that fits the answers.
    var refusal: FlowError?
    // Each code is one that no other answer has, so it is the same for all forms.
    var codes: [JSONValue: String] = [:]
    for form in forms {
      do {
        let answers = try await answers(of: index, to: form, at: state, &codes)
        _ = try form.encoding(answers)
        return Submission(form, answers)
      } catch let error as InvalidAnswers {
        let message =
          "Entry \(index + 1) of the script does not fit “\(form.name)”. \(error)"
          + Step(form, state: state).offer
        refusal =
          refusal
          ?? FlowError(.invalidAnswers, message, remediation: form.name, underlying: error)
      } catch let error as FlowError { refusal = refusal ?? error }
    }
    throw refusal ?? mismatch(index, state)
  }

  private func answers(
    of index: Int, to form: Remediation, at state: FlowState, _ codes: inout [JSONValue: String]
  ) async throws -> Answers {
    let entry = script.entries[index]
    let asked = entry.fieldsIfAsked.filter { form[$0.key] != nil }
    var answers = Answers()
    for (path, value) in entry.fields.merging(asked, uniquingKeysWith: { own, _ in own }) {
      if codes[value] == nil { codes[value] = try await code(for: value, of: index) }
      answers[path] = codes[value].map(Answer.text) ?? Answer(value)
    }
    let step = Step(form, state: state)
    let inputs = step.inputs
    if let choice = entry.choice {
      if let (path, line) = inputs.choice(labeled: choice) {
        answers[path] = .option(line.position)
        return answers
      }
      guard let path = form.form.path(ofChoice: choice, at: "") else {
        throw FlowError(
          .scriptMismatch,
          "Entry \(index + 1) of the script chooses “\(choice)”, which “\(form.name)” does not offer."
            + step.offer, remediation: entry.formName)
      }
      // A program must not get one of several phones without saying which; fields of one say it too.
      let hasFields = (Array(entry.fields.keys) + asked.keys).contains { $0.hasPrefix(path + ".") }
      let lines = inputs.choices(named: choice, at: path)
      guard lines.count < 2 || hasFields else { throw severalFit(index, form, lines) }
      answers[path] = .optionNamed(choice)
    }
    let lines = inputs.choices(fitting: answers, of: form)
    guard lines.count < 2 else { throw severalFit(index, form, lines) }
    return answers
  }

  private func severalFit(_ index: Int, _ form: Remediation, _ lines: [String]) -> FlowError {
    let labels = lines.prefix(20).map { "“\($0)”" }.joined(separator: ", ")
    return FlowError(
      .scriptMismatch,
      "Entry \(index + 1) of the script fits several choices of “\(form.name)”: \(labels). Name one of them with "
        + "“choose”.", remediation: script.entries[index].formName)
  }

  /// The TOTP code that a value stands for; nil if it is another value.
  private func code(for value: JSONValue, of index: Int) async throws -> String? {
    if let text = value["totp"]?.string {
      guard let key = TOTPGenerator(storedKey: text) else { return nil }
      return try await code(key)
    }
    guard value["totp"]?.bool == true else { return nil }
    guard let totp = sharedSecret.flatMap({ TOTPGenerator(base32: $0) }) else {
      throw missingKey(index, "needs a TOTP code, and this sign-in showed no shared secret")
    }
    return try await code(totp)
  }

  private func shownKey(for index: Int, at state: FlowState) throws -> OTPAuthURI {
    guard let sharedSecret else {
      throw missingKey(index, "saves a key, and this sign-in showed no shared secret")
    }
    let user = state.response.user?.identifier
    return OTPAuthURI(
      issuer: state.configuration.issuer.host, account: user ?? "", secret: sharedSecret)
  }

  // MARK: Errors

  private func missingKey(_ index: Int, _ reason: String) -> FlowError {
    FlowError(
      .scriptMismatch,
      "Entry \(index + 1) of the script \(reason). For a key that was set up earlier, use "
        + "{\"totp\": {\"file\": \"…\"}}.", remediation: script.entries[index].formName)
  }

  private func mismatch(_ index: Int, _ state: FlowState) -> FlowError {
    let entry = script.entries[index]
    let authenticator = entry.authenticator.map { " with \($0)" } ?? ""
    return FlowError(
      .scriptMismatch,
      "Entry \(index + 1) of the script answers “\(entry.formName)”\(authenticator), and the server offers "
        + "\(state.response.namesOfForms).",
      remediation: state.response.remediations.first?.name, status: state.status,
      requestID: state.requestID)
  }

  private func usedUp(at step: Step) -> FlowError {
    let name = step.remediation.name
    return FlowError(
      .inputNeeded,
      script.entries.isEmpty
        ? "The server asks for “\(name)”, and the script is empty."
        : "The server asks for “\(name)”, and all entries of the script are used."
          + step.offer,
      remediation: name)
  }

  /// The error if the server has refused the last answer, with its message; nil if it has not.
  private func refusal(at step: Step) -> FlowError? {
    guard let index = lastUsed, step.state.isRefusal else { return nil }
    let texts = step.response.allMessages.filter(\.isError).compactMap(\.text)
    let isLimit = step.state.status == 429 || step.response.isRateLimited
    return FlowError(
      isLimit ? .rateLimited : .refused,
      "The server refused entry \(index + 1) of the script, “\(script.entries[index].formName)”. "
        + texts.prefix(3).joined(separator: " ") + step.offer,
      remediation: step.remediation.name, status: step.state.status,
      requestID: step.state.requestID)
  }
}

extension Script.Entry {
  /// Whether the entry has no answers.
  fileprivate var isPlain: Bool {
    choice == nil && fields.isEmpty && fieldsIfAsked.isEmpty && keyFile == nil
  }
}

extension IDXResponse {
  fileprivate var namesOfForms: String {
    allForms.map { form in
      let key = form.firstAuthenticator?.key.map { " with \($0)" }
      return form.name.rawValue + (key ?? "")
    }.joined(separator: ", ")
  }
}

extension Step {
  /// Sentences about the lines that an entry can choose, and the fields that it can fill in, after a space; empty if there
  /// are none.
  fileprivate var offer: String {
    let lines = inputs.flatMap { input in
      input.choices.map { line -> String in
        let authenticator = input.option(of: line)?.authenticator
        let key = authenticator?.key?.rawValue ?? authenticator?.type?.rawValue
        return key.map { "\($0) (\(line.label))" } ?? "“\(line.label)”"
      }
    }
    let fields = inputs.filter { $0.choices.isEmpty }.map(\.id.printable)
    func sentence(_ start: String, _ names: [String]) -> String {
      names.isEmpty ? "" : " \(start) \(names.prefix(20).joined(separator: ", "))."
    }
    return sentence("It offers", lines) + sentence("Its fields are", fields)
  }
}

extension [Screen.Input] {
  /// The line of a choice with exactly this label, and the path of its input; nil if there is none.
  fileprivate func choice(labeled label: String) -> (path: String, line: Screen.Choice)? {
    for input in self {
      if let line = input.choices.first(where: { $0.label == label }) { return (input.id, line) }
    }
    return nil
  }

  /// The labels of the lines that answers to fields of a choice fit, if none of them is chosen; empty if there is no such
  /// choice.
  fileprivate func choices(fitting answers: Answers, of form: Remediation) -> [String] {
    for field in form.form.fields where answers[field.name] == nil {
      let start = field.name + "."
      let inner = answers.entries.filter { $0.key.hasPrefix(start) }
        .map { (path: String($0.key.dropFirst(start.count)), answer: $0.value) }
      guard !inner.isEmpty else { continue }
      guard let input = first(where: { $0.id == field.name }) else { return [] }
      let lines = input.choices.filter { line in
        guard let form = input.option(of: line)?.form else { return false }
        return inner.allSatisfy { form[$0.path]?.accepts($0.answer) ?? false }
      }
      return lines.map(\.label)
    }
    return []
  }

  /// The labels of the lines of an input that a name can mean.
  fileprivate func choices(named name: String, at path: String) -> [String] {
    guard let input = first(where: { $0.id == path }) else { return [] }
    return input.choices.filter { line in
      input.option(of: line)?.matches(.optionNamed(name), at: line.position) == true
    }.map(\.label)
  }
}

extension Remediation.Field {
  /// Whether an answer can be one to this field: the fixed value, one of the choices, or any text.
  fileprivate func accepts(_ answer: Answer) -> Bool {
    if isFixed { return value == answer.json }
    return choices.isEmpty || option(for: answer) != nil
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
