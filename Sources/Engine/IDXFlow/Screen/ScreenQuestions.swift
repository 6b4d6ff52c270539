public import IDXBase

/// Asks for the inputs of a screen one after the other, for a front-end that shows one at a time.
///
///     var questions = ScreenQuestions(screen)
///     while let input = questions.next() {
///       questions.take(try await ask(input))
///     }
///     let reply = Reply.submit(questions.values)
///
/// A value that cannot be sent is asked for again, with ``Screen/Input/problem``. What the server accepted
/// before is not asked again.
public struct ScreenQuestions: Sendable {
  /// The values so far.
  public private(set) var values: [Screen.Input.ID: Secret] = [:]
  /// How many values in a row were refused.
  public private(set) var refusals = 0

  private let screen: Screen
  private var answered: Set<Screen.Input.ID> = []
  /// The last refusal; other problems are of the server.
  private var problem: (id: Screen.Input.ID, sentence: String)?

  private let asksAgain: Bool

  /// Starts at the first input.
  ///
  /// - Parameters:
  ///   - screen: The screen with the inputs.
  ///   - asksAgain: Whether to ask also for inputs whose last answer would be sent again
  ///     (``Screen/Input/isKept``).
  public init(_ screen: Screen, asksAgain: Bool = false) {
    self.screen = screen
    self.asksAgain = asksAgain
  }

  /// The next input; nil when all have a value.
  public func next() -> Screen.Input? {
    guard var input = current else { return nil }
    if let problem { input.problem = problem.id == input.id ? problem.sentence : nil }
    return input
  }

  private var current: Screen.Input? {
    var chosen = values
    // What is suggested for a choice is not chosen before the person says so.
    for input in screen.visibleInputs(with: values)
    where !input.choices.isEmpty && !answered.contains(input.id) && !isKept(input) {
      chosen[input.id] = " "
    }
    return screen.visibleInputs(with: chosen).first { input in
      // A new password that was left out has nothing to repeat.
      let isLeftOut = input.repeats.map { values[$0] == "" } ?? false
      return !answered.contains(input.id) && !isKept(input) && !isLeftOut
    }
  }

  private func isKept(_ input: Screen.Input) -> Bool { input.isKept && !asksAgain }

  /// Takes a value for the input that is next; an empty text leaves it out.
  public mutating func take(_ value: Secret) {
    guard let input = current else { return }
    if let sentence = screen.problem(with: value, for: input, among: values) {
      refusals += 1
      // Nobody knows which of two passwords is wrong, so both are entered again.
      let first = input.repeats ?? input.id
      values[first] = nil
      answered.remove(first)
      problem = (first, sentence)
    } else {
      refusals = 0
      problem = nil
      values[input.id] = value
      answered.insert(input.id)
    }
  }
}

// The values are passwords and codes.
extension ScreenQuestions: Redacted {
  /// The number of values so far.
  public var description: String { "questions with \(values.count) answers" }
}
