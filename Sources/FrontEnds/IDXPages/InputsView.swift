import IDX
import IDXFlow

/// The inputs of a screen as labelled controls.
///
/// A control that can have a problem says so itself, and its details describe it, so that a screen reader reads them with
/// the label.
struct InputsView {
  let inputs: [Screen.Input]
  let words: Words
  /// The name of the control that has the focus when the page is shown; nil for none.
  var focus: String?
  /// The ID of a text that also describes the control with the focus, such as what was just done; nil for none.
  var focusDescription: String?
  /// What a program may fill in in place of the username, in the words of `autocomplete`; nil if that is nothing.
  var usernameHint: String?
  /// The rules of a new password, in the order of the texts of its input; empty if they are not known.
  var passwordRules: [PasswordRule] = []
  /// What a new password must not contain.
  var username: String?
  /// The name of the choice that the inputs belong to.
  var prefix = ""

  var html: HTML { .all(inputs.map(view)) }

  /// Whether a password or another secret is asked for, also after a choice.
  static func asksForSecret(_ inputs: [Screen.Input]) -> Bool {
    inputs.contains { $0.kind == .secret || $0.choices.contains { asksForSecret($0.inputs) } }
  }

  /// The inputs that are visible when the page is shown, with the names of their controls.
  var visible: [(input: Screen.Input, name: String)] {
    inputs.flatMap { input in
      let name = FormFields.name(of: input.id, in: prefix)
      let chosen = input.choices.first { isChosen($0, of: input) }
      // Nothing of an only choice is a control.
      let own = input.choices.count == 1 ? [] : [(input, name)]
      return own + (chosen.map { inner($0, name).visible } ?? [])
    }
  }

  private func view(_ input: Screen.Input) -> HTML {
    let name = FormFields.name(of: input.id, in: prefix)
    switch input.kind {
    case .text, .secret: return field(input, name)
    case .toggle where input.isRequired && input.suggestion == nil:
      // A box that is not checked would be a “no” that nobody gave.
      let answers = [("true", words.page(.yes)), ("false", words.page(.no))]
      return group(
        input, name,
        answers.map { value, label in
          .tag(
            "div", ["class": "choice"],
            radio(
              input, name, value: value, label: label, isChosen: false, isFirst: value == "true"))
        })
    case .toggle: return checkbox(input, name)
    case .choice(let choices) where choices.count > 8 && choices.allSatisfy(\.inputs.isEmpty):
      return menu(input, name, choices)
    case .choice(let choices) where choices.count == 1:
      return onlyChoice(choices[0], of: input, name)
    case .choice(let choices):
      return group(input, name, choices.map { choice($0, of: input, name) })
    }
  }

  /// The inputs of the only choice, without a button that has to be chosen.
  private func onlyChoice(_ choice: Screen.Choice, of input: Screen.Input, _ name: String) -> HTML {
    .all(
      [
        .tag("input", ["type": "hidden", "name": name, "value": choice.id]),
        description(of: input, name), inner(choice, name).html,
      ].compactMap(\.self))
  }

  // MARK: Kinds of inputs

  private func field(_ input: Screen.Input, _ name: String) -> HTML {
    let control = HTML.tag(
      "input",
      [
        "id": name, "name": name, "type": type(of: input),
        "inputmode": input.keyboard == .text ? nil : input.keyboard.rawValue,
        "autocomplete": autocomplete(of: input), "value": value(of: input),
        "required": isRequired(input) ? "" : nil, "autocapitalize": "none", "spellcheck": "false",
        "autofocus": name == focus ? "" : nil,
        "aria-describedby": describedBy(input, name), "aria-invalid": isInvalid(input),
        "data-show": input.kind == .secret ? words.page(.show) : nil,
        "data-show-name": input.kind == .secret
          ? "\(words.page(.showTyped)): \(input.label)" : nil,
        "data-missing": isRequired(input) ? words.missing(input) : nil,
      ])
    return .tag(
      "div", ["class": "field"], label(of: input, name),
      input.kind == .secret ? .tag("div", ["class": "with-button"], control) : control,
      description(of: input, name))
  }

  private func label(of input: Screen.Input, _ name: String) -> HTML {
    .tag("label", ["for": name], .text(input.label), need(of: input))
  }

  /// Whether an answer is needed, on a form where that differs.
  private func need(of input: Screen.Input) -> HTML? {
    let fields = inputs.filter { $0.kind != .toggle }
    guard fields.contains(where: { !$0.isRequired }) else { return nil }
    let text = words.page(input.isRequired ? .required : .optional)
    return .tag("span", ["class": "need"], .text(text))
  }

  private func type(of input: Screen.Input) -> String {
    if input.kind == .secret { return "password" }
    return switch input.contentType {
    case .email?: "email"
    case .telephone?: "tel"
    default: "text"
    }
  }

  private func autocomplete(of input: Screen.Input) -> String {
    let hint = input.contentType == .username ? usernameHint : nil
    return [input.contentType?.rawValue ?? "off", hint].compactMap(\.self).joined(separator: " ")
  }

  private func value(of input: Screen.Input) -> String? {
    input.kind == .secret ? nil : input.suggestion
  }

  private func checkbox(_ input: Screen.Input, _ name: String) -> HTML {
    .tag(
      "div", ["class": "field"],
      .tag("input", ["type": "hidden", "name": name, "value": "false"]),
      .tag(
        "div", ["class": "choice"],
        .tag(
          "input",
          [
            "id": name, "type": "checkbox", "name": name, "value": "true",
            "checked": input.suggestion == "true" ? "" : nil,
            "autofocus": name == focus ? "" : nil,
            "aria-describedby": describedBy(input, name), "aria-invalid": isInvalid(input),
          ]), .tag("label", ["class": "row", "for": name], .text(input.label))),
      description(of: input, name))
  }

  private func menu(
    _ input: Screen.Input, _ name: String, _ choices: [Screen.Choice]
  ) -> HTML {
    let options = choices.map { choice in
      HTML.tag(
        "option", ["value": choice.id, "selected": choice.id == input.suggestion ? "" : nil],
        .text(choice.label))
    }
    return .tag(
      "div", ["class": "field"], label(of: input, name),
      .tag(
        "select",
        [
          "id": name, "name": name, "required": isRequired(input) ? "" : nil,
          "autocomplete": input.contentType?.rawValue, "autofocus": name == focus ? "" : nil,
          "aria-describedby": describedBy(input, name), "aria-invalid": isInvalid(input),
        ], .tag("option", ["value": ""], ""), .all(options)),
      description(of: input, name))
  }

  /// Radio buttons with the label of the input as their heading.
  private func group(_ input: Screen.Input, _ name: String, _ choices: [HTML]) -> HTML {
    .tag(
      "fieldset",
      [
        "role": "radiogroup", "aria-describedby": describedBy(input, name),
        "aria-invalid": isInvalid(input), "aria-required": isRequired(input) ? "true" : nil,
      ],
      // The title of the page says what is chosen.
      .tag(
        "legend", ["class": inputs.count == 1 && prefix.isEmpty ? "away" : nil],
        .text(input.label), need(of: input)), description(of: input, name),
      .all(choices))
  }

  /// A radio button, and the inputs that belong to it, which the style hides until it is chosen.
  private func choice(
    _ choice: Screen.Choice, of input: Screen.Input, _ name: String
  ) -> HTML {
    .tag(
      "div", ["class": "choice"],
      radio(
        input, name, value: choice.id, label: choice.label,
        isChosen: isChosen(choice, of: input), isFirst: choice == input.choices.first),
      choice.inputs.isEmpty ? nil : .tag("div", ["class": "inner"], inner(choice, name).html))
  }

  private func inner(_ choice: Screen.Choice, _ name: String) -> InputsView {
    InputsView(
      inputs: choice.inputs, words: words, focus: focus,
      prefix: FormFields.prefix(of: choice.id, in: name))
  }

  private func isChosen(_ choice: Screen.Choice, of input: Screen.Input) -> Bool {
    choice.id == input.suggestion || input.choices.count == 1
  }

  /// The focus of the group is at its chosen button, or at the first one.
  ///
  /// The inputs of a choice follow its button, so that a style without `:has()` can hide them.
  private func radio(
    _ input: Screen.Input, _ name: String, value: String, label: String, isChosen: Bool,
    isFirst: Bool
  ) -> HTML {
    let hasChoice = input.choices.contains { self.isChosen($0, of: input) }
    let id = FormFields.prefix(of: value, in: name)
    return .all([
      .tag(
        "input",
        [
          "id": id, "type": "radio", "name": name, "value": value, "checked": isChosen ? "" : nil,
          "required": isRequired(input) ? "" : nil,
          "autofocus": name == focus && (isChosen || !hasChoice && isFirst) ? "" : nil,
        ]), .tag("label", ["class": "row", "for": id], .text(label)),
    ])
  }

  // MARK: Details

  /// Whether the browser may insist on an answer; not for inputs that may be hidden.
  private func isRequired(_ input: Screen.Input) -> Bool {
    input.isRequired && !input.isKept && prefix.isEmpty
  }

  private func isInvalid(_ input: Screen.Input) -> String? { input.problem == nil ? nil : "true" }

  /// What is said about an input: its problem, a hint, and the rules of a text.
  ///
  /// The largest number of characters matters only to somebody who has typed more.
  private func details(of input: Screen.Input) -> [HTML] {
    let problem = input.problem == words["problem.missing"] ? words.missing(input) : input.problem
    let texts = [("problem", problem), ("hint", input.hint)].compactMap { kind, text in
      text.map { HTML.tag("p", ["class": kind], .text($0)) }
    }
    if input.contentType == .newPassword { return texts + [rules(of: input)].compactMap(\.self) }
    let maximum = input.field?.maximumLength.flatMap { words.rule(atMost: $0) }
    // How long a code is helps only after a mistake.
    if input.contentType == .oneTimeCode, input.problem == nil { return texts }
    let hasAnswer = input.problem != nil && input.problem != words["problem.missing"]
    let shown = input.rules.filter { hasAnswer || $0 != maximum }
    return shown.isEmpty
      ? texts
      : texts + [.tag("p", ["class": "hint"], .text(shown.joined(separator: ", ").asTitle))]
  }

  /// The rules of a new password, each of which the script ticks while it is kept.
  private func rules(of input: Screen.Input) -> HTML? {
    guard !input.rules.isEmpty else { return nil }
    let known = passwordRules.count == input.rules.count ? passwordRules.map(\.test) : []
    let items = input.rules.enumerated().map { index, rule in
      HTML.tag(
        "li", ["data-rule": known.indices.contains(index) ? known[index] : nil],
        .text(rule.asTitle))
    }
    return .tag(
      "ul",
      [
        "class": "rules", "data-met": words.page(.rulesMet), "data-username": username,
      ], .all(items))
  }

  private func describedBy(_ input: Screen.Input, _ name: String) -> String? {
    let ids = [descriptionID(of: input, name), name == focus ? focusDescription : nil]
      .compactMap(\.self)
    return ids.isEmpty ? nil : ids.joined(separator: " ")
  }

  func descriptionID(of input: Screen.Input, _ name: String) -> String? {
    details(of: input).isEmpty ? nil : "\(name)-details"
  }

  func description(of input: Screen.Input, _ name: String) -> HTML? {
    guard let id = descriptionID(of: input, name) else { return nil }
    return .tag("div", ["id": id], .all(details(of: input)))
  }
}

extension PasswordRule {
  /// The rule in the words of the script; nil if a browser cannot test it.
  fileprivate var test: String? {
    switch self {
    case .length(let count): "length \(count)"
    case .lowerCase(let count): "lower \(count)"
    case .upperCase(let count): "upper \(count)"
    case .digits(let count): "digits \(count)"
    case .symbols(let count): "symbols \(count)"
    case .repeats(let count): "repeats \(count)"
    case .username: "username"
    case .attribute: nil
    }
  }
}

extension String {
  /// The text with a capital letter at its beginning.
  fileprivate var asTitle: String { prefix(1).uppercased() + dropFirst() }
}

extension Words {
  /// What to do about an input without an answer, by what it is for.
  fileprivate func missing(_ input: Screen.Input) -> String {
    let own = input.contentType.map { page(Key(rawValue: "page.missing.\($0)")) } ?? ""
    return own.isEmpty ? page(.missing, ["label": input.label]) : own
  }

  /// The rule about the largest number of characters, as it is among the rules of an input.
  fileprivate func rule(atMost count: Int) -> String? {
    let one = count == 1 ? text("rule.maximum.one") : nil
    return one ?? text("rule.maximum", ["count": String(count)])
  }
}
