public import IDXBase

extension Remediation {
  /// The fields of a request, in server order.
  ///
  /// A remediation has its fields under `value`. A nested form is under `form`, or under `value` if that is
  /// an object with a `form`.
  public struct Form: Sendable, Hashable {
    /// The fields, in server order; several can have the same name.
    public let fields: [Remediation.Field]

    /// All fields at a dotted path such as `credentials.passcode`.
    ///
    /// Names can contain dots themselves (`optedScopes.profile.read`), and several fields can have the
    /// same name. Every way to read the path is followed: in server order, and for each field first into
    /// its nested form, then into the forms of its options.
    public func fields(at path: String) -> [Remediation.Field] { fields(at: path[...]) }

    /// The first field at a dotted path; nil if there is none.
    public subscript(path: String) -> Remediation.Field? { fields(at: path).first }

    private func fields(at path: Substring) -> [Remediation.Field] {
      fields.flatMap { field -> [Remediation.Field] in
        guard path.hasPrefix(field.name) else { return [] }
        let rest = path.dropFirst(field.name.count)
        if rest.isEmpty { return [field] }
        guard rest.first == "." else { return [] }
        let forms = [field.form].compactMap(\.self) + field.options.compactMap(\.form)
        return forms.flatMap { $0.fields(at: rest.dropFirst()) }
      }
    }

    /// All messages of the fields, including nested ones, in server order.
    public var allMessages: [IDXMessage] {
      fields.flatMap { field in
        field.messages + (field.form?.allMessages ?? [])
          + field.options.flatMap { $0.form?.allMessages ?? [] }
      }
    }
  }
}

extension Remediation.Form: Redacted {
  /// The names of the fields.
  public var description: String {
    "form of " + fields.map(\.name).joined(separator: ", ")
  }
}

// MARK: - Inputs

extension Remediation {
  /// A field that the person fills in, and its path.
  public struct Input: Sendable, Hashable, Identifiable {
    /// The dotted path from the top of the form: `credentials.passcode`.
    public let path: String
    /// The field.
    public let field: Remediation.Field
    /// Whether the form has no other input.
    package fileprivate(set) var isAlone = false
    /// Whether it is inside an object that is explicitly optional as a whole.
    package let canBeOmitted: Bool

    /// The path; unique in a form unless the server uses a name twice.
    public var id: String { path }
  }
}

extension Remediation.Form {
  /// The fields that the person fills in, in server order, including those of nested forms.
  ///
  /// Fixed and hidden fields are left out, except hidden ones that are required and have no value. A
  /// choice is one input; once it is answered, the inputs of the chosen option follow it. So a screen
  /// calls this again after each answer to a choice.
  public func inputs(answering answers: Answers = [:]) -> [Remediation.Input] {
    inputs(at: "", answering: answers)
  }

  /// The inputs of a nested form; `prefix` is its path, followed by a dot.
  package func inputs(at prefix: String, answering answers: Answers = [:]) -> [Remediation.Input] {
    var inputs = collected(at: prefix, answering: answers, canBeOmitted: false)
    if inputs.count == 1 { inputs[0].isAlone = true }
    return inputs
  }

  private func collected(
    at prefix: String, answering answers: Answers, canBeOmitted: Bool
  ) -> [Remediation.Input] {
    fields.filter(\.isInput).flatMap { field -> [Remediation.Input] in
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
  fileprivate var isInput: Bool {
    if isFixed || isStateHandle || name.isEmpty || onlyChoice != nil { return false }
    return isVisible || (isRequired && !hasDefault)
  }
}
