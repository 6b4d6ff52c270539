/// One value that a form wants, or fixes.
///
/// Source: protocol section 2.3; `$.remediation.value[*].value[*]` and nested.
public struct Field: Sendable, Hashable {
  /// The type of a field's value.
  ///
  /// The server may add types.
  public struct Kind: OpenSet {
    /// The word on the wire.
    public let rawValue: String
    /// A type by its word on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Text: also what a field without a type is.
    public static let string: Self = "string"
    /// `true` or `false`.
    public static let boolean: Self = "boolean"
    /// A nested form, or a choice between such.
    public static let object: Self = "object"
  }

  /// Which characters a text may have.
  ///
  /// The server may add formats; one that is unknown here is not checked.
  public struct Format: OpenSet {
    /// The word on the wire.
    public let rawValue: String
    /// A format by its word on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Letters and digits of ASCII.
    public static let alphanumeric: Self = "alphanumeric"
  }

  /// The name on the wire, empty where it has none.
  ///
  /// It may hold dots.
  public let name: String
  /// What a person calls it; nil where the server does not say.
  public let label: String?
  /// The type; nil where the server does not say, which means text.
  public let type: Kind?
  /// Whether the request must carry it.
  ///
  /// Default false.
  public let isRequired: Bool
  /// Whether a person is meant to see it.
  ///
  /// Default true.
  public let isVisible: Bool
  /// Whether its value may be chosen; a fixed one is sent back as it is.
  ///
  /// Default true.
  public let isMutable: Bool
  /// Whether it is hidden while being typed.
  ///
  /// Default false.
  public let isSecret: Bool
  /// The value that it has: fixed, or a default; nil where it has none.
  public let value: JSON?
  /// The nested form, where it has one.
  public internal(set) var form: Form?
  /// What may be chosen; empty where nothing is to be chosen.
  public internal(set) var options: [Option]
  /// What the server says about it, such as why the last value was refused.
  public let messages: [Message]
  /// The authenticator that it relates to; nil where it names none or one that is not there.
  public internal(set) var authenticator: Authenticator?
  /// The field as sent, with what is not modelled.
  public let raw: RawJSON

  let reference: Reference?

  /// The least number of characters (`minLength`); nil where there is no limit.
  public var minimumLength: Int? { raw["minLength"]?.integer }
  /// The greatest number of characters (`maxLength`); nil where there is no limit.
  public var maximumLength: Int? { raw["maxLength"]?.integer }
  /// Which characters it may have (`format`); nil where any will do.
  public var format: Format? { raw["format"]?.string.map(Format.init(rawValue:)) }
  /// What kind of value it is meant for (`hint`), such as `captcha`; nil mostly.
  public var hint: String? { raw["hint"]?.string }
}

extension Field {
  /// One of the things that may be chosen for a field.
  ///
  /// It stands for a plain value, or for a nested form: choosing it sends all fields of that form.
  public struct Option: Sendable, Hashable {
    /// What a person calls it; nil where the server does not say.
    public let label: String?
    /// The plain value; nil where it stands for a nested form.
    public let value: JSON?
    /// The nested form; nil where it stands for a plain value.
    public internal(set) var form: Form?
    /// The authenticator that it is about; nil where it names none or one that is not there.
    public internal(set) var authenticator: Authenticator?
    /// The option as sent, with what is not modelled.
    public let raw: RawJSON

    let reference: Reference?
  }
}

extension Field {
  init(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.mark()
    var name: String?
    var label: String?
    var type: String?
    var isRequired: Bool?
    var isVisible: Bool?
    var isMutable: Bool?
    var isSecret: Bool?
    var content: (value: JSON?, form: Form?)
    var form: Form?
    var options: [Option] = []
    var messages: [Message] = []
    var references: [Reference] = []
    var members = try reader.enterObject()
    while let key = try reader.nextName(&members) {
      switch key {
      case "name": name = try reader.stringOrSkip()
      case "label": label = try reader.stringOrSkip()
      case "type": type = try reader.stringOrSkip()
      case "required": isRequired = try reader.flagOrSkip()
      case "visible": isVisible = try reader.flagOrSkip()
      case "mutable": isMutable = try reader.flagOrSkip()
      case "secret": isSecret = try reader.flagOrSkip()
      case "value": content = try Form.valueOrForm(reading: &reader)
      case "form": form = try Form(readingNested: &reader)
      case "options":
        options = try reader.objects { reader, _ throws(JSONError) in try Option(reading: &reader) }
      case "messages":
        messages = try reader.collection { reader, _ throws(JSONError) in
          try Message(reading: &reader)
        }
      case "relatesTo": references = try Reference.list(reading: &reader)
      default: try reader.skip()
      }
    }
    self.name = name ?? ""
    self.label = label
    self.type = type.map(Kind.init(rawValue:))
    self.isRequired = isRequired ?? false
    self.isVisible = isVisible ?? true
    self.isMutable = isMutable ?? true
    self.isSecret = isSecret ?? false
    self.value = content.value
    self.form = form ?? content.form
    self.options = options
    self.messages = messages
    self.reference = references.first
    self.raw = reader.raw(since: start)
  }
}

extension Field.Option {
  init(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.mark()
    var label: String?
    var content: (value: JSON?, form: Form?)
    var form: Form?
    var references: [Reference] = []
    var members = try reader.enterObject()
    while let key = try reader.nextName(&members) {
      switch key {
      case "label": label = try reader.stringOrSkip()
      case "value": content = try Form.valueOrForm(reading: &reader)
      case "form": form = try Form(readingNested: &reader)
      case "relatesTo": references = try Reference.list(reading: &reader)
      default: try reader.skip()
      }
    }
    self.label = label
    self.value = content.value
    self.form = form ?? content.form
    self.reference = references.first
    self.raw = reader.raw(since: start)
  }
}

// A value may be a state handle, so that only an explicit look at `value` shows it.
extension Field: CustomStringConvertible, CustomReflectable {
  /// The name and whether it is required, without the value.
  public var description: String { "field \(name)\(isRequired ? ", required" : "")" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Field.Option: CustomStringConvertible, CustomReflectable {
  /// The label, without the value.
  public var description: String { "option \(label ?? "without a label")" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
