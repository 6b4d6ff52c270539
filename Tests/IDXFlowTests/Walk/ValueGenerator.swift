import IDX
import IDXFlow

/// Where one walk turned: which of how many ways it took, and at what.
struct Turn: Hashable {
  /// The path of the question, with the turns above it.
  let place: String
  let taken: Int
}

/// Which ways are still to be walked: each option of each choice once, each yes and each no, each
/// optional text once with and once without.
struct Crossroads {
  private var untaken: [String: [Int]] = [:]
  private var counts: [String: Int] = [:]

  /// Whether there is a way that no walk has taken.
  var isOpen: Bool { untaken.values.contains { !$0.isEmpty } }

  /// The way to take: an untaken one, else one that leads to an untaken one.
  mutating func way(of count: Int, at place: String) -> Int {
    if counts[place] == nil {
      counts[place] = count
      untaken[place] = Array(0..<count)
    }
    let next = untaken[place]?.first ?? behind(place)
    untaken[place]?.removeAll { $0 == next }
    return next
  }

  private func behind(_ place: String) -> Int {
    (0..<(counts[place] ?? 1)).first { way in
      untaken.contains { $0.key.hasPrefix("\(place)=\(way)/") && !$0.value.isEmpty }
    } ?? 0
  }
}

/// A person who makes answers up by what the field wants, and never wants anything else.
actor ValueGenerator: Prompter {
  private(set) var crossroads = Crossroads()
  private(set) var unsupportedSteps: [UnsupportedStep] = []
  private(set) var pages: [String] = []
  private(set) var problems: [String] = []
  private var turns: [String: String] = [:]
  private var ways: [String: Int] = [:]
  private var isRepeating = false

  /// Begins another walk.
  func beginAgain() {
    unsupportedSteps = []
    pages = []
    problems = []
    turns = [:]
    ways = [:]
    isRepeating = false
  }

  /// Answers from now on as it did, so that a form that is put again opens no new ways.
  func repeatItself() { isRepeating = true }

  func show(_ notice: Notice) {
    switch notice {
    case .unsupported(let unsupportedStep): unsupportedSteps.append(unsupportedStep)
    case .problem(let words): problems.append(words)
    case .step, .authenticatorApp: break
    }
  }

  func ask(_ question: Question) throws -> Reply {
    if let problem = question.problem { throw Stuck(words: "refused: \(problem)") }
    switch question.kind {
    case .choice(let options, _):
      let extra = question.isRequired ? 0 : 1
      let way = turn(question.path, options.count + extra)
      return way < options.count ? .answer(.option(way)) : .nothing
    case .confirmation:
      return .answer(.value(.bool(turn(question.path, 2) == 0)))
    case .text, .secret:
      if !question.isRepetition, !question.isRequired, turn(question.path, 2) == 1 {
        return .nothing
      }
      return .answer(.text(MadeUp.text(for: question)))
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

  private func turn(_ path: String, _ count: Int) -> Int {
    if isRepeating { return min(ways[path] ?? 0, count - 1) }
    let above = turns.keys.filter { path.hasPrefix($0 + ".") }.max { $0.count < $1.count }
    let place = (above.flatMap { turns[$0] } ?? "") + path
    let way = crossroads.way(of: count, at: place)
    turns[path] = "\(place)=\(way)/"
    ways[path] = way
    return way
  }
}

/// A walk that cannot go on.
struct Stuck: Error, CustomStringConvertible {
  let words: String
  var description: String { words }
}

/// Texts that fit what is known of a field.
enum MadeUp {
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

  /// A password that has twice of everything that rules ask for.
  private static func password(_ rules: IDXAuthenticator.PasswordRules?) -> String {
    guard let rules else { return "Zq7!Zq7!Zq" }
    func cycle(_ letters: String, _ count: Int) -> String {
      let letters = Array(letters)
      return String((0..<count).map { letters[$0 % letters.count] })
    }
    var text =
      cycle("zqxvjk", rules.minimumLowerCase + 1) + cycle("ZQXVJK", rules.minimumUpperCase + 1)
      + cycle("73951", rules.minimumDigits + 1) + cycle("!?%+", rules.minimumSymbols + 1)
    while text.count < rules.minimumLength { text.append(text.count.isMultiple(of: 2) ? "x" : "V") }
    return text
  }
}
