import IDXBase

extension Remediation.Field {
  /// What may be chosen: the options, or those inside an option that only describes how to show them.
  ///
  /// Profile attributes wrap their options so: `options[0].value.value.options`. A wrapper without
  /// options describes a text field, and nothing is to be chosen. An option that stands neither for a
  /// value nor for a form is left out beside others.
  public var choices: [Option] {
    let options = options
    guard !options.isEmpty else { return options }
    guard let drawing = Self.drawing(in: options) else {
      let sendable = options.filter { $0.raw.plainValue != nil || $0.form != nil }
      return sendable.isEmpty ? options : sendable
    }
    return drawing.objects("options", Option.init)
  }

  /// How the choice is to be shown, where the only option says that; nil where options are options.
  var drawing: RawJSON? { Self.drawing(in: options) }

  private static func drawing(in options: [Option]) -> RawJSON? {
    guard options.count == 1, let drawing = options[0].raw.plainValue?.member("value") else {
      return nil
    }
    return drawing.member("inputType") == nil ? nil : drawing
  }

  /// The option that an answer picks; nil where it picks none.
  package func option(for answer: Answer) -> Option? {
    let choices = choices
    return choices.indices.first { choices[$0].matches(answer, at: $0) }.map { choices[$0] }
  }
}

extension Remediation.Field.Option {
  /// Whether an answer picks this option, which stands at a position.
  func matches(_ answer: Answer, at position: Int) -> Bool {
    switch answer {
    case .option(let wanted): return wanted == position
    case .optionNamed(let name): return isNamed(name) || value?.plainText == name
    case .value(let wanted):
      if let value {
        return value == wanted || (value.plainText.map { $0 == wanted.plainText } ?? false)
      }
      return wanted.string.map(isNamed) ?? false
    }
  }

  private func isNamed(_ name: String) -> Bool {
    authenticator?.key?.rawValue == name || authenticator?.type?.rawValue == name || label == name
  }
}
