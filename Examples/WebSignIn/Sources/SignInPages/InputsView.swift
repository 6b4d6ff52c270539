import IDXScreens

/// The inputs of a screen as labelled controls.
struct InputsView {
  let inputs: [Screen.Input]
  let words: Words
  /// The name of the choice that the inputs belong to.
  var prefix = ""

  var html: HTML { .all(inputs.map(view)) }

  private func view(_ input: Screen.Input) -> HTML {
    let name = FormFields.name(of: input.id, in: prefix)
    switch input.kind {
    case .text, .secret: return field(input, name)
    case .toggle where input.isRequired && input.suggestion == nil:
      // A box that is not checked would be a “no” that nobody gave.
      let answers = [("true", words.web(.yes)), ("false", words.web(.no))]
      return group(
        input, name,
        answers.map { value, label in
          radio(input, name, value: value, label: .text(label), isChosen: false)
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
          "autocomplete": input.contentType?.rawValue ?? "off", "value": value(of: input),
          "required": isRequired(input) ? "" : nil, "autocapitalize": "none", "spellcheck": "false",
          "aria-describedby": details(of: input).isEmpty ? nil : "\(name)-details",
          "aria-invalid": input.problem == nil ? nil : "true",
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
            "aria-describedby": details(of: input).isEmpty ? nil : "\(name)-details",
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
          "autocomplete": input.contentType?.rawValue,
          "aria-describedby": details(of: input).isEmpty ? nil : "\(name)-details",
        ], .tag("option", ["value": ""], ""), .all(options)),
      description(of: input, name))
  }

  /// Radio buttons with the label of the input as their heading.
  private func group(_ input: Screen.Input, _ name: String, _ choices: [HTML]) -> HTML {
    .tag(
      "fieldset",
      ["aria-describedby": details(of: input).isEmpty ? nil : "\(name)-details"],
      .tag("legend", [:], .text(input.label)), .all(choices), description(of: input, name))
  }

  /// A radio button, and the inputs that belong to it, which the style hides until it is chosen.
  private func choice(
    _ choice: Screen.Choice, of input: Screen.Input, _ name: String
  ) -> HTML {
    let inner = InputsView(
      inputs: choice.inputs, words: words, prefix: FormFields.prefix(of: choice.id, in: name))
    return .tag(
      "div", ["class": "choice"],
      radio(
        input, name, value: choice.id, label: .text(choice.label),
        isChosen: choice.id == input.suggestion || input.choices.count == 1),
      choice.inputs.isEmpty ? nil : .tag("div", ["class": "inner"], inner.html))
  }

  private func radio(
    _ input: Screen.Input, _ name: String, value: String, label: HTML, isChosen: Bool
  ) -> HTML {
    .tag(
      "label", ["class": "row"],
      .tag(
        "input",
        [
          "type": "radio", "name": name, "value": value, "checked": isChosen ? "" : nil,
          "required": isRequired(input) ? "" : nil,
        ]), .tag("span", [:], label))
  }

  // MARK: Details

  /// Whether the browser may insist on an answer; not for inputs that may be hidden.
  private func isRequired(_ input: Screen.Input) -> Bool {
    input.isRequired && !input.isKept && prefix.isEmpty
  }

  private func details(of input: Screen.Input) -> [(kind: String, text: String)] {
    // A note of the screen has the rules of a new password.
    let rules = input.contentType == .newPassword ? "" : input.rules.joined(separator: ", ")
    return [
      ("problem", input.problem), ("hint", input.hint), ("hint", rules.isEmpty ? nil : rules),
    ]
    .compactMap { kind, text in text.map { (kind, $0) } }
  }

  private func description(of input: Screen.Input, _ name: String) -> HTML? {
    let details = details(of: input)
    guard !details.isEmpty else { return nil }
    return .tag(
      "div", ["id": "\(name)-details", "aria-live": "polite"],
      .all(details.map { .tag("p", ["class": $0.kind], .text($0.text)) }))
  }
}
