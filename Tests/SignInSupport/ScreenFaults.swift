import IDX
package import IDXFlow

extension Screen {
  /// What is wrong with the words of the screen: missing ones, and names of the protocol.
  package var faults: [String] {
    var texts = [title, action.label] + options.map(\.label) + notes
    texts += messages.map(\.text) + [wait?.text, wait?.instruction, unsupported].compactMap(\.self)
    texts += Self.texts(of: inputs)
    let missing = texts.contains(where: \.isEmpty) ? ["“\(title)” has an empty text."] : []
    let shown = texts.flatMap { text in
      names.filter { text.contains($0) }.map { "“\(text)” shows \($0)." }
    }
    let ids = options.map(\.id) + [action.id]
    let repeated = Set(ids).count < ids.count ? ["“\(title)” repeats an ID."] : []
    return missing + shown + repeated
  }

  private static func texts(of inputs: [Input]) -> [String] {
    inputs.flatMap { (input: Input) -> [String] in
      var found = [input.label] + input.rules
      found += [input.hint, input.problem].compactMap(\.self)
      for choice in input.choices { found += [choice.label] + texts(of: choice.inputs) }
      return found
    }
  }

  /// The names of forms, fields and authenticators that people do not use.
  private var names: Set<String> {
    let response = step?.response
    let forms = response?.allForms.map(\.name.rawValue) ?? []
    let keys = response?.authenticators.compactMap(\.key?.rawValue) ?? []
    let isWord: (String) -> Bool = { name in name.allSatisfy { $0.isLetter && $0.isLowercase } }
    return Set((forms + keys + inputs.map(\.id)).filter { !isWord($0) })
  }
}
