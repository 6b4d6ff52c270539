import IDX
import IDXBase
import IDXFlow
import IDXPrompt

/// The factors that a person uses: those of `--factor`, or those of the last sign-in with the profile.
///
/// In a menu of factors, the first one that is offered is on top, with its method, and Enter takes it; one of `--factor` is
/// taken without a question. A form that only asks for the method gets the usual one. Each is used once, so that “verify in
/// another way” leads to a whole menu.
struct UsualFactors {
  /// An authenticator, a method, or a method of an authenticator: `okta_verify:push`.
  struct Factor: Equatable {
    let name: String
    let method: String?

    /// Nil if the text is empty.
    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ":", maxSplits: 1).map { String($0.trimmed()) }
      guard let name = parts.first, !name.isEmpty else { return nil }
      (self.name, method) = (name.lowercased(), parts.dropFirst().first?.lowercased())
    }

    init(name: String, method: String?) { (self.name, self.method) = (name, method) }

    var text: String { method.map { "\(name):\($0)" } ?? name }
  }

  /// What a factor means in a menu: the position of a choice, and the method to choose inside of it.
  private struct Match {
    let choice: Int
    let method: (input: Screen.Input.ID, value: String)?
  }

  private var unused: [Factor]
  private let isOfOption: Bool
  /// The methods that are not asked for, by the ID of the choice that they are for.
  private var methods: [Screen.Choice.ID: (input: Screen.Input.ID, value: String)] = [:]
  /// What the person has chosen in this sign-in, in order.
  private(set) var chosen: [Factor] = []

  /// `text` is a list that is separated by commas; `isOfOption` says that it is the value of `--factor`.
  init(_ text: String?, isOfOption: Bool) {
    unused = (text ?? "").split(separator: ",").compactMap { Factor($0) }
    self.isOfOption = isOfOption
  }

  /// Those of the command line or the profile; nil without a person at a terminal.
  init?(_ settings: SignInSettings, at terminal: InteractiveTerminal?) {
    guard terminal != nil else { return nil }
    let value = settings[.factor]
    self.init(value?.text, isOfOption: value?.source == .option)
  }

  /// What the next sign-in offers first, beginning with the last choice; nil if the person has chosen nothing, or if the
  /// command line has.
  var text: String? {
    // A server chooses the names.
    let known = chosen.filter { $0.text.wholeMatch(of: /[A-Za-z0-9_.#:-]{1,100}/) != nil }
    return known.isEmpty || isOfOption
      ? nil : known.reversed().map(\.text).joined(separator: ",")
  }

  /// Changes a menu of factors; returns the reply if nobody need be asked.
  mutating func prepare(_ screen: inout Screen) -> Reply? {
    methods = [:]
    guard let index = screen.factorInput else { return nil }
    var input = screen.inputs[index]
    if input.isMethod {
      let own = screen.step?.authenticator?.key?.rawValue
      for (position, factor) in unused.enumerated() {
        guard let method = factor.name == own ? factor.method : factor.nameIfMethod,
          let choice = input.choices.first(where: { $0.id == method })
        else { continue }
        unused.remove(at: position)
        if screen.inputs.count == 1, choice.inputs.isEmpty, screen.attempt == 1 {
          return .submit([input.id: Secret(method)])
        }
        screen.inputs[index].suggestion = method
        return nil
      }
      return nil
    }
    for (position, factor) in unused.enumerated() {
      let matches = input.choices.indices.compactMap { match(factor, input, at: $0) }
      guard let match = matches.first else { continue }
      let choice = input.choices[match.choice]
      let isComplete = match.method != nil || choice.inputs.isEmpty
      if isOfOption, isComplete, matches.count == 1, screen.attempt == 1 {
        unused.remove(at: position)
        let method = match.method.map { [$0.input: Secret($0.value)] } ?? [:]
        return .submit([input.id: Secret(choice.id)].merging(method) { $1 })
      }
      var choices = input.choices
      var first = choices.remove(at: match.choice)
      if let method = match.method {
        let label = first.methodInput?.choices.first { $0.id == method.value }?.label
        first.label += label.map { ": \($0)" } ?? ""
        first.inputs.removeAll { $0.id == method.input }
        methods[first.id] = method
      }
      input.kind = .choice([first] + choices)
      input.suggestion = first.id
      screen.inputs[index] = input
      // Otherwise a form about the authenticator may ask for the method.
      if match.method != nil || factor.method == nil { unused.remove(at: position) }
      return nil
    }
    if isOfOption, let factor = unused.first, chosen.isEmpty, screen.attempt == 1 {
      let names = input.choices.flatMap { choice in
        [choice.id] + (choice.methodInput?.choices.map(\.id) ?? [])
      }
      let similar = Spelling.similar(to: factor.name, among: names.map(\.sanitized))
      let sentence: Sentence =
        similar.isEmpty
        ? "“\(factor.text.sanitized)” is not offered here."
        : "“\(factor.text.sanitized)” is not offered here. Did you mean \(similar.alternatives)?"
      screen.notes.append(screen.words.text(of: sentence))
    }
    return nil
  }

  /// The reply to a whole menu of factors, with the method that was not asked for; nil if it is no choice of one.
  ///
  /// Remembers what was chosen.
  mutating func complete(_ reply: Reply, to screen: Screen) -> Reply? {
    guard let index = screen.factorInput, case .submit(var values) = reply,
      let id = values[screen.inputs[index].id]?.revealed
    else { return nil }
    let input = screen.inputs[index]
    guard let choice = input.choices.first(where: { $0.id == id }) else { return nil }
    if let method = methods[id], values[method.input] == nil {
      values[method.input] = Secret(method.value)
    }
    let factor: Factor
    if input.isMethod {
      factor = Factor(name: screen.step?.authenticator?.key?.rawValue ?? id, method: id)
    } else {
      let method =
        choice.fixedMethod(in: input) ?? choice.methodInput.flatMap { values[$0.id] }?.revealed
        ?? methods[id]?.value
      factor = Factor(name: id, method: method)
    }
    chosen.removeAll { $0.name == factor.name }
    chosen.append(factor)
    return .submit(values)
  }

  /// What a factor means as a choice of a menu; nil if it is another one.
  private func match(_ factor: Factor, _ input: Screen.Input, at position: Int) -> Match? {
    let choice = input.choices[position]
    let fixed = choice.fixedMethod(in: input)
    let methodInput = choice.methodInput
    let id = choice.id.lowercased()
    // Equal names have a number.
    let names = [id, String(id.prefix { $0 != "#" })]
    let isNamed =
      names.contains(factor.name) || choice.label.lowercased().hasPrefix(factor.name)
    guard let method = factor.method else {
      if isNamed { return Match(choice: position, method: nil) }
      return self.match(factor.name, choice, fixed, methodInput, at: position)
    }
    guard isNamed else { return nil }
    guard fixed != nil || methodInput != nil else { return Match(choice: position, method: nil) }
    return self.match(method, choice, fixed, methodInput, at: position)
  }

  private func match(
    _ method: String, _ choice: Screen.Choice, _ fixed: String?, _ input: Screen.Input?,
    at position: Int
  ) -> Match? {
    if fixed == method { return Match(choice: position, method: nil) }
    guard let input, input.choices.contains(where: { $0.id == method }) else { return nil }
    return Match(choice: position, method: (input.id, method))
  }
}

extension UsualFactors.Factor {
  /// The name if it can be a method: a factor such as `push`.
  fileprivate var nameIfMethod: String? { method == nil ? name : nil }
}

extension Screen {
  /// The position of the input that chooses the factor of a sign-in, or its method; nil if there is none.
  fileprivate var factorInput: Int? {
    let names: [Remediation.Name] = [
      .selectAuthenticatorAuthenticate, .authenticatorVerificationData,
    ]
    guard let name = step?.remediation.name, names.contains(name) else { return nil }
    return inputs.firstIndex { !$0.choices.isEmpty }
  }
}

extension Screen.Input {
  /// Whether its choices are the methods of an authenticator.
  fileprivate var isMethod: Bool { id.hasSuffix("methodType") }
}

extension Screen.Choice {
  /// The input for the method of the authenticator; nil if there is no choice.
  fileprivate var methodInput: Screen.Input? {
    inputs.first { $0.isMethod && !$0.choices.isEmpty }
  }

  /// The method that the choice has, as an option of a field; nil if it has none, or several.
  fileprivate func fixedMethod(in input: Screen.Input) -> String? {
    input.option(of: self)?.form?["methodType"]?.value?.plainText
  }
}
