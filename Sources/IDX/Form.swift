/// The fields that a request may carry, in the order of the server.
///
/// Source: protocol section 2.3. A remediation holds its fields under `value`; a nested form stands
/// under `form`, or under `value` when that is an object with a `form`.
public struct Form: Sendable, Hashable {
  /// The fields, in server order.
  ///
  /// Several may have one name.
  public internal(set) var fields: [Field]

  /// All fields that a dotted path leads to, such as `credentials.passcode`, in server order.
  ///
  /// A name may itself hold dots (`optedScopes.profile.read`), and one name may stand several times:
  /// every way to read the path is followed, nested forms first, then the forms of options.
  public func fields(at path: String) -> [Field] { fields(at: path[...]) }

  /// The first field that a dotted path leads to; nil where there is none.
  public subscript(path: String) -> Field? { fields(at: path).first }

  private func fields(at path: Substring) -> [Field] {
    fields.flatMap { field -> [Field] in
      guard path.hasPrefix(field.name) else { return [] }
      let rest = path.dropFirst(field.name.count)
      if rest.isEmpty { return [field] }
      guard rest.first == "." else { return [] }
      let forms = [field.form].compactMap(\.self) + field.options.compactMap(\.form)
      return forms.flatMap { $0.fields(at: rest.dropFirst()) }
    }
  }
}

extension Form {
  /// Reads a nested form, or passes over what is none.
  init?(readingNested reader: inout JSONReader) throws(JSONError) {
    guard reader.isAtObject else {
      try reader.skip()
      return nil
    }
    fields = try reader.collection { reader, _ throws(JSONError) in try Field(reading: &reader) }
  }

  /// Reads what stands under `value` of a field or an option: a plain value, or the wrapper of a form.
  static func valueOrForm(
    reading reader: inout JSONReader
  ) throws(JSONError) -> (value: JSON?, form: Form?) {
    guard reader.isAtObject else { return (try reader.value(), nil) }
    let start = reader.mark()
    var form: Form?
    var members = try reader.enterObject()
    while let name = try reader.nextName(&members) {
      switch name {
      case "form": form = try Form(readingNested: &reader)
      default: try reader.skip()
      }
    }
    if let form { return (nil, form) }
    reader.rewind(to: start)
    return (try reader.value(), nil)
  }
}

extension Form: CustomStringConvertible, CustomReflectable {
  /// The names of the fields, without their values.
  public var description: String {
    "form of " + fields.map(\.name).joined(separator: ", ")
  }
  /// The fields, each of which hides its value.
  public var customMirror: Mirror { Mirror(self, children: ["fields": fields]) }
}
