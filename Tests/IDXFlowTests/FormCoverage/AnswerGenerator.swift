import IDX
import IDXFlow

/// A front-end that generates answers from the fields, and tries each choice once.
actor AnswerGenerator: FrontEnd {
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

  func reply(to screen: Screen) async throws -> Reply {
    guard let step = screen.step else { return .cancel }
    if let request = screen.passkey { return try await request.reply(from: GeneratedPasskeys()) }
    if let page = screen.page {
      pages.append(page.url.absoluteString)
      return .cancel
    }
    if screen.unsupported != nil { unsupportedSteps += [UnsupportedStep(step)].compactMap(\.self) }
    if screen.action.role == .wait { return .submit([:]) }
    if screen.action.role != .submit { return .cancel }
    var questions = ScreenQuestions(screen)
    while let input = questions.next() {
      if questions.refusals > 0 { throw GeneratorError(description: "refused: \(input)") }
      questions.take(Secret(value(for: input, at: step, questions.values)))
    }
    return .submit(questions.values)
  }

  private func value(
    for input: Screen.Input, at step: Step, _ values: [Screen.Input.ID: Secret]
  ) -> String {
    if let first = input.repeats { return values[first]?.revealed ?? "" }
    switch input.kind {
    case .choice(let choices):
      let index = choose(among: choices.count + (input.isRequired ? 0 : 1), at: input.id)
      return index < choices.count ? choices[index].id : ""
    case .toggle: return choose(among: 2, at: input.id) == 0 ? "true" : "false"
    case .text, .secret:
      if !input.isRequired, choose(among: 2, at: input.id) == 1 { return "" }
      return GeneratedText.text(for: input, at: step)
    }
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
  static func text(for input: Screen.Input, at step: Step) -> String {
    guard let field = step.remediation[input.id] else { return "q7w" }
    if field.type == "number" || field.type == "integer" { return "42" }
    if input.contentType == .oneTimeCode, field.minimumLength ?? 0 <= 6,
      step.authenticator?.key != .nfcPIN
    {
      return "482915"
    }
    let isPassword = step.setsPassword(in: field)
    var text = isPassword ? password(step.passwordRules) : "q7w"
    let settings =
      step.authenticator?.key == .nfcPIN
      ? step.authenticator?.raw["settings"] : nil
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
