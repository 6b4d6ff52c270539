public import IDXBase

extension Remediation {
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

    /// The field as sent, with what is not modelled.
    public let raw: RawJSON

    init(_ raw: RawJSON) { self.raw = raw }

    /// The name on the wire, empty where it has none.
    ///
    /// It may hold dots.
    public var name: String { raw.string("name") ?? "" }
    /// What a person calls it; nil where the server does not say.
    public var label: String? { raw.string("label") }
    /// The type; nil where the server does not say, which means text.
    public var type: Kind? { raw.string("type").map(Kind.init(rawValue:)) }
    /// Whether the request must carry it.
    ///
    /// Default false.
    public var isRequired: Bool { raw.flag("required") ?? false }
    /// Whether a person is meant to see it.
    ///
    /// Default true.
    public var isVisible: Bool { raw.flag("visible") ?? true }
    /// Whether its value may be chosen; a fixed one is sent back as it is.
    ///
    /// Default true.
    public var isMutable: Bool { raw.flag("mutable") ?? true }
    /// Whether it is hidden while being typed.
    ///
    /// Default false.
    public var isSecret: Bool { raw.flag("secret") ?? false }
    /// The value that it has: fixed, or a default; nil where it has none.
    public var value: JSONValue? { raw.plainValue?.json }
    /// The nested form, where it has one.
    public var form: Remediation.Form? { raw.nestedForm }
    /// What may be chosen; empty where nothing is to be chosen.
    public var options: [Option] { raw.objects("options", Option.init) }
    /// What the server says about it, such as why the last value was refused.
    public var messages: [IDXMessage] {
      raw.collection("messages", IDXMessage.init)
    }
    /// The authenticator that it relates to; nil where it names none or one that is not there.
    public var authenticator: IDXAuthenticator? {
      raw.references.first.flatMap(raw.document.authenticator(at:))
    }

    /// The least number of characters (`minLength`); nil where there is no limit.
    public var minimumLength: Int? { raw.integer("minLength") }
    /// The greatest number of characters (`maxLength`); nil where there is no limit.
    public var maximumLength: Int? { raw.integer("maxLength") }
    /// Which characters it may have (`format`); nil where any will do.
    public var format: Format? { raw.string("format").map(Format.init(rawValue:)) }
    /// What kind of value it is meant for (`hint`), such as `captcha`; nil mostly.
    public var hint: String? { raw.string("hint") }
  }
}

extension Remediation.Field {
  /// One of the things that may be chosen for a field.
  ///
  /// It stands for a plain value, or for a nested form: choosing it sends all fields of that form.
  public struct Option: Sendable, Hashable {
    /// The option as sent, with what is not modelled.
    public let raw: RawJSON

    init(_ raw: RawJSON) { self.raw = raw }

    /// What a person calls it; nil where the server does not say.
    public var label: String? { raw.string("label") }
    /// The plain value; nil where it stands for a nested form.
    public var value: JSONValue? { raw.plainValue?.json }
    /// The nested form; nil where it stands for a plain value.
    public var form: Remediation.Form? { raw.nestedForm }
    /// The authenticator that it is about; nil where it names none or one that is not there.
    public var authenticator: IDXAuthenticator? {
      raw.references.first.flatMap(raw.document.authenticator(at:))
    }
  }
}

extension Remediation.Field {
  /// Whether both were sent alike and relate to the same authenticators.
  public static func == (left: Remediation.Field, right: Remediation.Field) -> Bool {
    left.raw.isEqualWithRelations(to: right.raw)
  }
}

extension Remediation.Field.Option {
  /// Whether both were sent alike and relate to the same authenticators.
  public static func == (left: Remediation.Field.Option, right: Remediation.Field.Option) -> Bool {
    left.raw.isEqualWithRelations(to: right.raw)
  }
}

// A value may be a state handle, so that only an explicit look at `value` shows it.
extension Remediation.Field: Redacted {
  /// The name and whether it is required, without the value.
  public var description: String { "field \(name)\(isRequired ? ", required" : "")" }
}

extension Remediation.Field.Option: Redacted {
  /// The label, without the value.
  public var description: String { "option \(label ?? "without a label")" }
}
