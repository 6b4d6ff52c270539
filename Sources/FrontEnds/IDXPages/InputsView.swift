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
  /// What a program may fill in in place of the username, in the words of `autocomplete`; nil if that is nothing.
  var usernameHint: String?
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
      return [(input, name)] + (chosen.map { inner($0, name).visible } ?? [])
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
          radio(
            input, name, value: value, label: .text(label), isChosen: false,
            isFirst: value == "true")
        })
    case .toggle: return checkbox(input, name)
    case .choice(let choices) where choices.count > 8 && choices.allSatisfy(\.inputs.isEmpty):
      return menu(input, name, choices)
    case .choice(let choices):
      return group(input, name, choices.map { choice($0, of: input, name) })
    }
  }

  // MARK: Kinds of inputs

  private func field(_ input: Screen.Input, _ name: String) -> HTML {
    .tag(
      "div", ["class": "field"],
      .tag("label", ["for": name], .text(input.label)),
      .tag(
        "input",
        [
          "id": name, "name": name, "type": type(of: input),
          "inputmode": input.keyboard == .text ? nil : input.keyboard.rawValue,
          "autocomplete": autocomplete(of: input), "value": value(of: input),
          "required": isRequired(input) ? "" : nil, "autocapitalize": "none", "spellcheck": "false",
          "autofocus": name == focus ? "" : nil, "aria-describedby": descriptionID(of: input, name),
          "aria-invalid": isInvalid(input),
          "data-show": input.kind == .secret ? words.page(.showTyped) : nil,
        ]),
      description(of: input, name))
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
        "label", ["class": "row"],
        .tag(
          "input",
          [
            "type": "checkbox", "name": name, "value": "true",
            "checked": input.suggestion == "true" ? "" : nil,
            "autofocus": name == focus ? "" : nil,
            "aria-describedby": descriptionID(of: input, name), "aria-invalid": isInvalid(input),
          ]), .tag("span", [:], .text(input.label))),
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
      "div", ["class": "field"],
      .tag("label", ["for": name], .text(input.label)),
      .tag(
        "select",
        [
          "id": name, "name": name, "required": isRequired(input) ? "" : nil,
          "autocomplete": input.contentType?.rawValue, "autofocus": name == focus ? "" : nil,
          "aria-describedby": descriptionID(of: input, name), "aria-invalid": isInvalid(input),
        ], .tag("option", ["value": ""], ""), .all(options)),
      description(of: input, name))
  }

  /// Radio buttons with the label of the input as their heading.
  private func group(_ input: Screen.Input, _ name: String, _ choices: [HTML]) -> HTML {
    .tag(
      "fieldset",
      [
        "role": "radiogroup", "aria-describedby": descriptionID(of: input, name),
        "aria-invalid": isInvalid(input), "aria-required": isRequired(input) ? "true" : nil,
      ],
      .tag("legend", [:], .text(input.label)), description(of: input, name), .all(choices))
  }

  /// A radio button, and the inputs that belong to it, which the style hides until it is chosen.
  private func choice(
    _ choice: Screen.Choice, of input: Screen.Input, _ name: String
  ) -> HTML {
    .tag(
      "div", ["class": "choice"],
      radio(
        input, name, value: choice.id, label: .text(choice.label),
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
  private func radio(
    _ input: Screen.Input, _ name: String, value: String, label: HTML, isChosen: Bool,
    isFirst: Bool
  ) -> HTML {
    let hasChoice = input.choices.contains { self.isChosen($0, of: input) }
    return .tag(
      "label", ["class": "row"],
      .tag(
        "input",
        [
          "type": "radio", "name": name, "value": value, "checked": isChosen ? "" : nil,
          "required": isRequired(input) ? "" : nil,
          "autofocus": name == focus && (isChosen || !hasChoice && isFirst) ? "" : nil,
        ]), .tag("span", [:], label))
  }

  // MARK: Details

  /// Whether the browser may insist on an answer; not for inputs that may be hidden.
  private func isRequired(_ input: Screen.Input) -> Bool {
    input.isRequired && !input.isKept && prefix.isEmpty
  }

  private func isInvalid(_ input: Screen.Input) -> String? { input.problem == nil ? nil : "true" }

  private func details(of input: Screen.Input) -> [(kind: String, text: String)] {
    let rules = input.rules.isEmpty ? nil : input.rules.joined(separator: ", ")
    return [("problem", input.problem), ("hint", input.hint), ("hint", rules)]
      .compactMap { kind, text in text.map { (kind, $0) } }
  }

  private func descriptionID(of input: Screen.Input, _ name: String) -> String? {
    details(of: input).isEmpty ? nil : "\(name)-details"
  }

  func description(of input: Screen.Input, _ name: String) -> HTML? {
    guard let id = descriptionID(of: input, name) else { return nil }
    return .tag(
      "div", ["id": id],
      .all(details(of: input).map { .tag("p", ["class": $0.kind], .text($0.text)) }))
  }
}
