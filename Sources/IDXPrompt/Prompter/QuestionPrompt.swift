import IDX
import IDXFlow

/// Asks one question and reads the reply.
struct QuestionPrompt {
  let question: Question
  let page: Page

  private var menu: Menu { Menu(page: page) }
  private var label: String { page.inline(page.wording.label(of: question), limit: 200) }

  func ask() async throws -> Reply {
    // The server's messages are about the last answer that was sent, which a problem here was not.
    if let problem = question.problem {
      page.problem(sentence(for: problem))
    } else {
      page.messages(question.field.messages, at: question.step)
    }
    while true {
      let reply =
        switch question.kind {
        case .text: try await askText(secret: false)
        case .secret: try await askText(secret: true)
        case .confirmation: try await askConfirmation()
        case .choice(let options, let beside): try await askChoice(options, beside)
        }
      if let reply { return reply }
    }
  }

  // Each of these returns nil to ask the question again.

  private func askText(secret: Bool) async throws -> Reply? {
    let hint =
      if let suggestion = question.suggestion?.string, !secret {
        " [\(page.inline(suggestion, limit: 200))]"
      } else {
        question.isRequired ? "" : " (optional)"
      }
    let prompt = label.hasSuffix("?") && hint.isEmpty ? "\(label) " : "\(label)\(hint): "
    guard case .text(let line) = try await page.terminal.readLine(prompt: prompt, secret: secret)
    else { return .cancel }
    let text = secret ? line : question.tidied(line)
    if text == "?" { return try await askForOtherOption() }
    if text.isEmpty { return question.suggestion.map { .answer(.value($0)) } ?? .nothing }
    return .answer(.value(.string(text)))
  }

  private func askConfirmation() async throws -> Reply? {
    let suggestion = question.suggestion?.bool
    let choice = suggestion == true ? "[Y/n]" : suggestion == false ? "[y/N]" : "[y/n]"
    let hint = choice + (question.isRequired || suggestion != nil ? "" : " (optional)")
    guard let text = try await page.ask("\(label) \(hint): ") else { return .cancel }
    switch text {
    case "?": return try await askForOtherOption()
    case "" where suggestion != nil: return .answer(.value(.bool(suggestion == true)))
    case "" where !question.isRequired: return .nothing
    default: return page.confirmation(in: text).map { .answer(.value(.bool($0))) }
    }
  }

  private func askChoice(
    _ options: [Remediation.Field.Option], _ beside: [Remediation]
  ) async throws -> Reply? {
    let labels =
      options.map(page.wording.label) + beside.map(page.wording.title(ofAlternative:))
    if !question.isAlone { page.caption(page.wording.label(of: question)) }
    page.list(labels)
    while true {
      let prompt = "\(menu.prompt(for: labels))\(question.isRequired ? "" : " (optional)"): "
      guard let text = try await page.ask(prompt) else { return .cancel }
      if text == "?" { return try await askForOtherOption() }
      if text.isEmpty, !question.isRequired { return .nothing }
      if let position = menu.position(of: text, in: labels) {
        return position < options.count
          ? .answer(.option(position)) : .instead(beside[position - options.count])
      }
      page.problem("\(menu.numbers(of: labels)), or ? for other options.")
    }
  }

  private func askForOtherOption() async throws -> Reply? {
    try await menu.choose(
      among: question.step.alternatives.filter { !question.offersBeside($0) })
  }

  private func sentence(for problem: InvalidAnswers.Problem) -> String {
    switch problem.reason {
    case .missing: "Type an answer, or ? for other options."
    case .tooShort(let minimum): "It must have at least \(minimum) characters."
    case .tooLong(let maximum): "It must have at most \(maximum) characters."
    case .breaksRules(let rules):
      "It does not follow the rules: \(rules.map(\.description).joined(separator: ", "))."
    case .differs: "The two entries do not match. Type both again."
    case .notAlphanumeric: "It may contain only letters and digits."
    case .notAnOption, .notChangeable, .unknown, .wrongType: problem.description
    }
  }
}

extension Page {
  /// The answer to a yes-or-no question; nil, after a note about what to type, if it is neither.
  func confirmation(in text: String) -> Bool? {
    switch text.lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default:
      problem("Type y for yes or n for no.")
      return nil
    }
  }
}

extension Question {
  /// Whether the form asks for nothing else, so that its title is the question.
  fileprivate var isAlone: Bool {
    let form = step.remediation.form
    return !path.contains(".") && form.fields.count { !$0.isFixed && $0.isVisible } <= 1
  }

  /// Whether a form is already listed beside the options.
  fileprivate func offersBeside(_ form: Remediation) -> Bool {
    if case .choice(_, let beside) = kind { beside.contains(form) } else { false }
  }

  /// The typed text without surrounding spaces; a code of digits also without spaces inside.
  fileprivate func tidied(_ line: String) -> String {
    let text = line.trimmed()
    let compact = text.filter { $0 != " " && $0 != "-" }
    let isCode = ["credentials.passcode", "credentials.totp"].contains(path)
    return isCode && compact.allSatisfy(\.isNumber) ? compact : text
  }
}
