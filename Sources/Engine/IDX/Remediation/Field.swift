public import IDXBase

extension Remediation {
  /// One field of a form.
  ///
  /// Its place is `$.remediation.value[*].value[*]`, or inside a nested form or an option. A property is nil
  /// if the server did not send it.
  public struct Field: Sendable, Hashable {
    /// The type of a field's value (`type`).
    public struct Kind: OpenSet {
      /// The name, such as `object`.
      public let rawValue: String
      /// Creates a type with this name.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Text; also the meaning of a missing type.
      public static let string: Self = "string"
      /// `true` or `false`.
      public static let boolean: Self = "boolean"
      /// A nested form, or a choice between nested forms.
      public static let object: Self = "object"
    }

    /// The characters that a text may contain; formats without a name here are not checked.
    public struct Format: OpenSet {
      /// The name, such as `alphanumeric`.
      public let rawValue: String
      /// Creates a format with this name.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// ASCII letters and digits.
      public static let alphanumeric: Self = "alphanumeric"
    }

    /// The field as sent, with every member, such as `desc`.
    public let raw: RawJSON

    /// The name of its value in the request, which can contain dots; empty if the server sent none, or one
    /// of more than 256 bytes.
    ///
    /// The path of every field in a nested form repeats it.
    public var name: String { raw.string("name", atMost: 256) ?? "" }
    /// The label for people.
    public var label: String? { raw.string("label") }
    /// The type of the value; nil means text, like ``Kind/string``.
    public var type: Kind? { raw.string("type", usually: "string").map(Kind.init(rawValue:)) }
    /// Whether the request must contain it; false by default.
    public var isRequired: Bool { raw.flag("required") ?? false }
    /// Whether it is shown to the person; true by default.
    public var isVisible: Bool { raw.flag("visible") ?? true }
    /// Whether its value can be changed, or is sent back as it is; true by default.
    public var isMutable: Bool { raw.flag("mutable") ?? true }
    /// Whether the characters are hidden while they are typed; false by default.
    public var isSecret: Bool { raw.flag("secret") ?? false }
    /// The fixed value or the default; nil if there is none, or a nested form takes its place.
    public var value: JSONValue? { raw.plainValue?.json }
    /// The nested form; nil for other fields.
    public var form: Remediation.Form? { raw.nestedForm }
    /// The options as sent; ``choices`` are those that a person can choose from.
    public var options: [Option] { raw.objects("options", Option.init) }
    /// The messages about this field, such as why the last value was refused.
    public var messages: [IDXMessage] { raw.collection("messages", IDXMessage.init) }
    /// The first authenticator that `relatesTo` names and the response contains; nil if there is none.
    public var authenticator: IDXAuthenticator? { raw.firstRelatedAuthenticator }

    /// The smallest number of characters (`minLength`); nil for no limit.
    public var minimumLength: Int? { raw.integer("minLength") }
    /// The largest number of characters (`maxLength`); nil for no limit.
    public var maximumLength: Int? { raw.integer("maxLength") }
    /// The characters that it may contain (`format`); nil for any.
    public var format: Format? { raw.string("format").map(Format.init(rawValue:)) }
    /// The purpose of the value (`hint`), such as `captcha`.
    public var hint: String? { raw.string("hint") }

    /// Whether the server has fixed the value: it is sent back as it is.
    public var isFixed: Bool { (!isMutable || isStateHandle) && raw.plainValue != nil }

    /// Whether the value is the handle of the sign-in, which is never a person's to know or to change.
    var isStateHandle: Bool { name == "stateHandle" }

    /// Whether something is sent if there is no answer.
    package var hasDefault: Bool { defaultValue != nil }

    /// What is sent if there is no answer: the value unless it is `null`, or the only option of a choice.
    var defaultValue: RawJSON? {
      if let value = raw.plainValue, !value.isNull { return value }
      return onlyChoice
    }

    /// The value of a required choice with only one option, about which there is nothing to ask; nil for
    /// other fields.
    var onlyChoice: RawJSON? {
      let choices = isRequired ? choices : []
      return choices.count == 1 && !choices[0].raw.hasForm ? choices[0].raw.plainValue : nil
    }

    /// The label of the option of ``onlyChoice``; nil for other fields, and if it has none.
    package var onlyLabel: String? { onlyChoice == nil ? nil : choices.first?.label }

    /// Whether the server sent `required` as false, and did not just omit it.
    var isExplicitlyOptional: Bool { raw.flag("required") == false }

    /// Whether the value is a boolean; a field without a type has the type of its default.
    package var isBoolean: Bool { valueKind == .boolean }

    /// The type; a field without one has the type of its default, if that is not a text.
    var valueKind: Kind? {
      if let type { return type }
      switch value {
      case .bool: return .boolean
      case .number: return "number"
      default: return nil
      }
    }
  }
}

// MARK: - Options

extension Remediation.Field {
  /// One option of a choice.
  ///
  /// It has a plain value or a nested form. Choosing it sends the value, or all fields of the form. A
  /// property is nil if the server did not send it.
  public struct Option: Sendable, Hashable {
    /// The option as sent.
    public let raw: RawJSON

    /// The label for people.
    public var label: String? { raw.string("label") }
    /// The plain value; nil if it has a nested form.
    public var value: JSONValue? { raw.plainValue?.json }
    /// The nested form; nil if it has a plain value.
    public var form: Remediation.Form? { raw.nestedForm }
    /// The first authenticator that `relatesTo` names and the response contains; nil if there is none.
    public var authenticator: IDXAuthenticator? { raw.firstRelatedAuthenticator }
  }

  /// The options that a person can choose from; empty if this is not a choice.
  ///
  /// Profile attributes wrap their options in a single one that describes how to show them:
  /// `options[0].value.value.options`. A wrapper without options describes a text field, which is not a
  /// choice. Options with neither a value nor a form are left out, unless all are like that.
  public var choices: [Option] {
    let options = options
    guard !options.isEmpty else { return options }
    guard let wrapper = Self.wrapper(in: options) else {
      // Nearly always all can be sent.
      if options.allSatisfy(\.isSendable) { return options }
      let sendable = options.filter(\.isSendable)
      return sendable.isEmpty ? options : sendable
    }
    return wrapper.objects("options", Option.init)
  }

  /// Whether the options are wrapped, as those of profile attributes are.
  var hasWrappedOptions: Bool { Self.wrapper(in: options) != nil }

  private static func wrapper(in options: [Option]) -> RawJSON? {
    guard options.count == 1, let wrapper = options[0].raw.plainValue?.member("value") else {
      return nil
    }
    return wrapper.member("inputType") == nil ? nil : wrapper
  }

  /// The option that an answer chooses; nil if there is none.
  package func option(for answer: Answer) -> Option? {
    let choices = choices
    return choices.indices.first { choices[$0].matches(answer, at: $0) }.map { choices[$0] }
  }
}

extension Remediation.Field.Option {
  /// Whether an answer chooses this option, whose position in the choices is given.
  package func matches(_ answer: Answer, at position: Int) -> Bool {
    switch answer {
    case .option(let index): return index == position
    case .optionNamed(let name): return isNamed(name) || value?.plainText == name
    case .text, .value:
      if let value {
        return value == answer.json
          || (value.plainText.map { $0 == answer.json?.plainText } ?? false)
      }
      return answer.json?.string.map(isNamed) ?? false
    }
  }

  /// Whether it has a value or a form.
  fileprivate var isSendable: Bool { raw.plainValue != nil || raw.hasForm }

  private func isNamed(_ name: String) -> Bool {
    authenticator?.key?.rawValue == name || authenticator?.type?.rawValue == name || label == name
  }
}

// MARK: - Conformances

extension Remediation.Field {
  /// Whether both have the same bytes and relate to equal authenticators.
  public static func == (left: Remediation.Field, right: Remediation.Field) -> Bool {
    left.raw.isEqualWithRelations(to: right.raw)
  }
}

extension Remediation.Field.Option {
  /// Whether both have the same bytes and relate to equal authenticators.
  public static func == (left: Remediation.Field.Option, right: Remediation.Field.Option) -> Bool {
    left.raw.isEqualWithRelations(to: right.raw)
  }
}

// A value can be a state handle.
extension Remediation.Field: Redacted {
  /// The name, and whether it is required.
  public var description: String { "field \(name)\(isRequired ? ", required" : "")" }
}

extension Remediation.Field.Option: Redacted {
  /// The label.
  public var description: String { "option \(label ?? "without a label")" }
}
