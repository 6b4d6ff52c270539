extension Remediation {
  /// A field that a person fills in, and the path to answer it by.
  public struct Input: Sendable, Hashable, Identifiable {
    /// The dotted path from the top of the form: `credentials.passcode`.
    public let path: String
    /// The field.
    public let field: Remediation.Field
    /// Whether the whole form asks nothing else.
    package fileprivate(set) var isAlone = false
    /// Whether it stands in an object that the server lets be left out as a whole.
    package let canBeOmitted: Bool

    /// The path, which tells inputs of one form apart unless a server gives two fields one name.
    public var id: String { path }
  }
}

extension Remediation.Form {
  /// What a person fills in, in server order: nested forms are opened, and what is fixed or not meant
  /// to be seen is left out, unless it is required and has no value.
  ///
  /// A choice is one input. Once it is answered, the inputs of the chosen option follow it, so that a
  /// screen asks again after each answer to a choice.
  public func inputs(answering answers: Answers = [:]) -> [Remediation.Input] {
    inputs(at: "", answering: answers)
  }

  /// The inputs of a form that stands at a path, which ends with a point.
  package func inputs(at prefix: String, answering answers: Answers = [:]) -> [Remediation.Input] {
    var inputs = collected(at: prefix, answering: answers, canBeOmitted: false)
    if inputs.count == 1 { inputs[0].isAlone = true }
    return inputs
  }

  private func collected(
    at prefix: String, answering answers: Answers, canBeOmitted: Bool
  ) -> [Remediation.Input] {
    fields.filter(\.isAsked).flatMap { field -> [Remediation.Input] in
      let path = prefix + field.name
      if field.choices.isEmpty, let form = field.form {
        return form.collected(
          at: path + ".", answering: answers,
          canBeOmitted: canBeOmitted || field.isExplicitlyOptional)
      }
      let chosen = answers[path].flatMap(field.option(for:))?.form
      return [Remediation.Input(path: path, field: field, canBeOmitted: canBeOmitted)]
        + (chosen?.collected(at: path + ".", answering: answers, canBeOmitted: canBeOmitted) ?? [])
    }
  }
}

extension Remediation.Field {
  /// Whether there is something to send where nothing is answered.
  ///
  /// `null` is nothing.
  package var hasDefault: Bool { value != nil && value != .null }

  /// Whether the server says that it may be left out, and does not only keep silent.
  var isExplicitlyOptional: Bool { raw.flag("required") == false }

  fileprivate var isAsked: Bool {
    if isFixed || name.isEmpty { return false }
    return isVisible || (isRequired && !hasDefault)
  }
}
