public import IDXBase

extension Remediation {
  /// The fields that a request may carry, in the order of the server.
  ///
  /// Source: protocol section 2.3. A remediation holds its fields under `value`; a nested form stands
  /// under `form`, or under `value` when that is an object with a `form`.
  public struct Form: Sendable, Hashable {
    /// The fields, in server order.
    ///
    /// Several may have one name.
    public let fields: [Remediation.Field]

    /// The form of these fields.
    init(fields: [Remediation.Field]) { self.fields = fields }

    /// A nested form; nil for what is none.
    init?(nested raw: RawJSON) {
      guard raw.isObject else { return nil }
      self.init(fields: raw.collection(Remediation.Field.init))
    }

    /// All fields that a dotted path leads to, such as `credentials.passcode`, in server order.
    ///
    /// A name may itself hold dots (`optedScopes.profile.read`), and one name may stand several times:
    /// every way to read the path is followed, nested forms first, then the forms of options.
    public func fields(at path: String) -> [Remediation.Field] { fields(at: path[...]) }

    /// The first field that a dotted path leads to; nil where there is none.
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
  }
}

extension RawJSON {
  /// The nested form of a field or an option: under `form`, or in an object under `value`.
  var nestedForm: Remediation.Form? {
    if let form = member("form").flatMap(Remediation.Form.init(nested:)) { return form }
    return member("value")?.member("form").flatMap(Remediation.Form.init(nested:))
  }

  /// The value of a field or an option; nil where a nested form stands in its place.
  var plainValue: RawJSON? {
    guard let value = member("value") else { return nil }
    return value.member("form")?.isObject == true ? nil : value
  }
}

extension Remediation.Form: Redacted {
  /// The names of the fields, without their values.
  public var description: String {
    "form of " + fields.map(\.name).joined(separator: ", ")
  }
}
