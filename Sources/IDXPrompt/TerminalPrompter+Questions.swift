import IDX
import IDXFlow

// Kinds of questions; nil means that the question is to be asked again.
extension TerminalPrompter {
  func askText(_ question: Question, secret: Bool) async throws -> Reply? {
    let label = page.inline(wording.label(of: question))
    let hint =
      if let suggestion = question.suggestion?.string, !secret {
        " [\(page.inline(suggestion))]"
      } else {
        question.isRequired ? "" : " (optional)"
      }
    guard
      case .text(let line) = try await terminal.readLine(
        prompt: label.hasSuffix("?") && hint.isEmpty ? "\(label) " : "\(label)\(hint): ",
        secret: secret)
    else { return .cancel }
    let text = secret ? line : question.tidied(line)
    if text == "?" { return try await askAlternatives(question) }
    if text.isEmpty { return question.suggestion.map { .answer(.value($0)) } ?? .nothing }
    return .answer(.value(.string(text)))
  }

  func askConfirmation(_ question: Question) async throws -> Reply? {
    let suggestion = question.suggestion?.bool
    let choice = suggestion == true ? "[Y/n]" : suggestion == false ? "[y/N]" : "[y/n]"
    let hint = choice + (question.isRequired || suggestion != nil ? "" : " (optional)")
    let label = page.inline(wording.label(of: question))
    guard case .text(let line) = try await terminal.readLine(prompt: "\(label) \(hint): ")
    else { return .cancel }
    switch line.trimmed {
    case "?": return try await askAlternatives(question)
    case "" where suggestion != nil: return .answer(.value(.bool(suggestion == true)))
    case "" where !question.isRequired: return .nothing
    default: return affirmation(in: line).map { .answer(.value(.bool($0))) }
    }
  }

  /// Whether a line says yes or no; nil, and a word about it, where it says neither.
  func affirmation(in line: String) -> Bool? {
    switch line.trimmed.lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default:
      page.problem("Type y for yes or n for no.")
      return nil
    }
  }

  func askChoice(
    _ question: Question, _ options: [Remediation.Field.Option], _ beside: [Remediation]
  ) async throws -> Reply? {
    let labels =
      options.map(wording.label) + beside.map(wording.title(ofAlternative:))
    if !question.isAlone { page.caption(wording.label(of: question)) }
    page.list(labels)
    while true {
      let prompt = "\(choose(labels))\(question.isRequired ? "" : " (optional)"): "
      guard case .text(let line) = try await terminal.readLine(prompt: prompt)
      else { return .cancel }
      let text = line.trimmed
      if text == "?" { return try await askAlternatives(question) }
      if text.isEmpty, !question.isRequired { return .nothing }
      if let position = position(of: text, in: labels) {
        return position < options.count
          ? .answer(.option(position)) : .instead(beside[position - options.count])
      }
      page.problem("\(numbers(of: labels)), or ? for what else can be done.")
    }
  }

  private func askAlternatives(_ question: Question) async throws -> Reply? {
    try await askAlternatives(question.step.alternatives.filter { !question.offersBeside($0) })
  }

  func sentence(for problem: InvalidAnswers.Problem, _ question: Question) -> String {
    switch problem.reason {
    case .missing: "Type an answer, or ? for what else can be done."
    case .tooShort(let minimum): "It must have at least \(minimum) characters."
    case .tooLong(let maximum): "It must have at most \(maximum) characters."
    case .breaksRules(let rules):
      "It needs \(rules.map(\.description).joined(separator: ", "))."
    case .differs: "The two were not the same. Type it again."
    case .notAlphanumeric: "It has letters and digits alone."
    case .notAnOption, .notChangeable, .unknown, .wrongType: problem.description
    }
  }
}

extension Question {
  /// Whether the form asks for nothing else, so that its title says what is asked.
  fileprivate var isAlone: Bool {
    let form = step.remediation.form
    return !path.contains(".") && form.fields.count { !$0.isFixed && $0.isVisible } <= 1
  }

  /// Whether a form stands beside the options already.
  fileprivate func offersBeside(_ form: Remediation) -> Bool {
    if case .choice(_, let beside) = kind { beside.contains(form) } else { false }
  }
}

extension Question {
  /// What was typed, without spaces around it; a code of digits also without those inside it.
  fileprivate func tidied(_ line: String) -> String {
    let text = line.trimmed
    let compact = text.filter { $0 != " " && $0 != "-" }
    let isCode = ["credentials.passcode", "credentials.totp"].contains(path)
    return isCode && compact.allSatisfy(\.isNumber) ? compact : text
  }
}

extension String {
  /// The text without white space around it.
  var trimmed: String {
    var view = self[...]
    while view.first?.isWhitespace == true { view.removeFirst() }
    while view.last?.isWhitespace == true { view.removeLast() }
    return String(view)
  }
}
