/// A field that a person fills in, and the path to answer it by.
public struct Input: Sendable, Hashable, Identifiable {
  /// The dotted path from the top of the form: `credentials.passcode`.
  public let path: String
  /// The field.
  public let field: Field
  /// Whether the form that it stands in asks nothing else.
  package let isAlone: Bool

  /// The path, which tells inputs of one form apart unless a server gives two fields one name.
  public var id: String { path }
}

extension Form {
  /// What a person fills in, in server order: nested forms are opened, and what is fixed or not meant
  /// to be seen is left out, unless it is required and has no value.
  ///
  /// A choice is one input. Once it is answered, the inputs of the chosen option follow it, so that a
  /// screen asks again after each answer to a choice.
  public func inputs(answering answers: Answers = [:]) -> [Input] {
    inputs(at: "", answering: answers)
  }

  /// The inputs of a form that stands at a path, which ends with a point.
  package func inputs(at prefix: String, answering answers: Answers = [:]) -> [Input] {
    let asked = fields.filter(\.isAsked)
    return asked.flatMap { field -> [Input] in
      let path = prefix + field.name
      if field.choices.isEmpty, let form = field.form {
        return form.inputs(at: path + ".", answering: answers)
      }
      let chosen = answers[path].flatMap(field.option(for:))?.form
      return [Input(path: path, field: field, isAlone: asked.count == 1)]
        + (chosen?.inputs(at: path + ".", answering: answers) ?? [])
    }
  }
}

extension Field {
  fileprivate var isAsked: Bool {
    if isFixed || name.isEmpty { return false }
    return isVisible || (isRequired && value == nil)
  }
}
