import IDX
import IDXFlow

/// A prompter that generates answers from the fields, and tries each choice once.
actor AnswerGenerator: Prompter {
  private(set) var choices = OpenChoices()
  private(set) var unsupportedSteps: [UnsupportedStep] = []
  private(set) var pages: [String] = []
  private(set) var problems: [String] = []
  /// The keys of the choices that were made, by path.
  private var keys: [String: String] = [:]
  /// The choices that were made, by path.
  private var made: [String: Int] = [:]
  private var isRepeating = false

  /// Starts another attempt.
  func restart() {
    unsupportedSteps = []
    pages = []
    problems = []
    keys = [:]
    made = [:]
    isRepeating = false
  }

  /// Repeats the answers from now on, so that a repeated form opens no new choices.
  func repeatAnswers() { isRepeating = true }

  func show(_ notice: Notice) {
    switch notice {
    case .unsupported(let unsupportedStep): unsupportedSteps.append(unsupportedStep)
    case .problem(let text): problems.append(text)
    case .step, .authenticatorApp: break
    }
  }

  func ask(_ question: Question) throws -> Reply {
    if let problem = question.problem { throw GeneratorError(description: "refused: \(problem)") }
    switch question.kind {
    case .choice(let options, _):
      let extra = question.isRequired ? 0 : 1
      let index = choose(among: options.count + extra, at: question.path)
      return index < options.count ? .answer(.option(index)) : .nothing
    case .confirmation:
      return .answer(.value(.bool(choose(among: 2, at: question.path) == 0)))
    case .text, .secret:
      if !question.isRepetition, !question.isRequired, choose(among: 2, at: question.path) == 1 {
        return .nothing
      }
      return .answer(.text(GeneratedText.text(for: question)))
    }
  }

  func choose(_ forms: [Remediation], at step: Step) -> Reply {
    forms.contains(step.remediation) && problems.isEmpty ? .instead(step.remediation) : .cancel
  }

  func wait(at step: Step) -> Reply { .nothing }

  func open(_ page: RedirectPage) throws -> Reply {
    pages.append(page.url.absoluteString)
    return .cancel
  }

  private func choose(among count: Int, at path: String) -> Int {
    if isRepeating { return min(made[path] ?? 0, count - 1) }
    let parent = keys.keys.filter { path.hasPrefix($0 + ".") }.max { $0.count < $1.count }
    let key = (parent.flatMap { keys[$0] } ?? "") + path
    let index = choices.next(among: count, at: key)
    keys[path] = "\(key)=\(index)/"
    made[path] = index
    return index
  }
}

/// The choices that were not made yet: each option of a choice, yes and no, and each optional text with
/// and without an answer.
///
/// The key of a choice is its path, after the keys and indexes of the choices above it.
struct OpenChoices {
  private var open: [String: [Int]] = [:]
  private var counts: [String: Int] = [:]

  /// Whether there is a choice that was not made yet.
  var isOpen: Bool { open.values.contains { !$0.isEmpty } }

  /// The next choice: one that was not made yet, or one that leads to such a choice.
  mutating func next(among count: Int, at key: String) -> Int {
    if counts[key] == nil {
      counts[key] = count
      open[key] = Array(0..<count)
    }
    let next = open[key]?.first ?? choiceWithOpenChoices(at: key)
    open[key]?.removeAll { $0 == next }
    return next
  }

  private func choiceWithOpenChoices(at key: String) -> Int {
    (0..<(counts[key] ?? 1)).first { index in
      open.contains { $0.key.hasPrefix("\(key)=\(index)/") && !$0.value.isEmpty }
    } ?? 0
  }
}

struct GeneratorError: Error, CustomStringConvertible {
  let description: String
}

/// Texts that follow the rules of a field.
enum GeneratedText {
  static func text(for question: Question) -> String {
    let field = question.field
    if field.type == "number" || field.type == "integer" { return "42" }
    let isPassword = question.step.setsPassword(in: field)
    var text = isPassword ? password(question.step.passwordRules) : "q7w"
    let settings =
      question.step.authenticator?.key == .nfcPIN
      ? question.step.authenticator?.raw["settings"] : nil
    let least = field.minimumLength ?? settings?["minLength"]?.integer ?? 1
    let most = field.maximumLength ?? settings?["maxLength"]?.integer ?? 1000
    while text.count < least { text.append(text.count.isMultiple(of: 2) ? "5" : "k") }
    return String(text.prefix(most))
  }

  /// A password with one character more than the rules require of each kind.
  private static func password(_ rules: IDXAuthenticator.PasswordRules?) -> String {
    guard let rules else { return "Zq7!Zq7!Zq" }
    func repeating(_ letters: String, _ count: Int) -> String {
      let letters = Array(letters)
      return String((0..<count).map { letters[$0 % letters.count] })
    }
    var text =
      repeating("zqxvjk", rules.minimumLowerCase + 1)
      + repeating("ZQXVJK", rules.minimumUpperCase + 1)
      + repeating("73951", rules.minimumDigits + 1) + repeating("!?%+", rules.minimumSymbols + 1)
    while text.count < rules.minimumLength { text.append(text.count.isMultiple(of: 2) ? "x" : "V") }
    return text
  }
}
