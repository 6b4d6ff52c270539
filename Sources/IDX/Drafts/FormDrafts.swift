public import IDXBase

// Forms and fields made by code, as parts of an `IDXResponse.Draft`.

extension Remediation {
  /// A form that is made by code.
  public struct Draft: Sendable, Hashable {
    let name: Name
    let json: JSONValue

    /// Creates a form that is sent with POST.
    ///
    /// `relatesTo` has paths such as `$.currentAuthenticator`. `refresh` is the time to wait before it is
    /// sent, in whole milliseconds.
    public init(
      _ name: Name, href: String, fields: [Remediation.Field.Draft] = [], relatesTo: [String] = [],
      refresh: Duration? = nil
    ) {
      self.name = name
      let object: JSONValue = [
        "name": .string(name.rawValue), "href": .string(href), "method": "POST",
        "value": .array(fields.map(\.json)),
      ]
      let milliseconds = refresh.map { Int($0 / .milliseconds(1)) }
      json =
        object
        .adding("relatesTo", .array(relatesTo.map(JSONValue.string)), if: !relatesTo.isEmpty)
        .adding("refresh", milliseconds.map { .number(JSONValue.Number($0)) })
    }
  }
}

extension Remediation.Field {
  /// A field that is made by code.
  public struct Draft: Sendable, Hashable {
    private(set) var json: JSONValue

    /// Creates a field that the person fills in.
    public init(
      _ name: String, label: String? = nil, type: Kind? = nil, isRequired: Bool = false,
      isVisible: Bool = true, isSecret: Bool = false, value: JSONValue? = nil
    ) {
      let object: JSONValue = ["name": .string(name), "required": .bool(isRequired)]
      json = object.adding("label", label.map(JSONValue.string))
        .adding("type", type.map { .string($0.rawValue) })
        .adding("visible", false, if: !isVisible).adding("secret", true, if: isSecret)
        .adding("value", value)
    }

    /// Creates a hidden field with a value that is sent back as it is.
    public init(fixed name: String, _ value: JSONValue) {
      self.init(name, isRequired: true, isVisible: false, value: value)
      json = json.adding("mutable", false)
    }

    /// Creates a nested form.
    public init(_ name: String, form: [Remediation.Field.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("form", ["value": .array(form.map(\.json))])
    }

    /// Creates a choice between values.
    public init(_ name: String, label: String, choices: [(label: String, value: String)]) {
      self.init(name, label: label, isRequired: true)
      let options: [JSONValue] = choices.map {
        ["label": .string($0.label), "value": .string($0.value)]
      }
      json = json.adding("options", .array(options))
    }

    /// Creates a choice between all authenticators of a container, in order, each with the values to send.
    public init(
      _ name: String, among container: IDXAuthenticator.Container,
      _ choices: [(label: String, values: [String: JSONValue])]
    ) {
      let options = choices.enumerated().map { index, choice in
        Option.Draft(
          choice.label,
          form: choice.values.sorted { $0.key < $1.key }.map {
            Remediation.Field.Draft(fixed: $0, $1)
          },
          relatesTo: "$.\(container.rawValue).value[\(index)]")
      }
      self.init(name, options: options)
    }

    /// Creates a choice between forms.
    public init(_ name: String, options: [Option.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("options", .array(options.map(\.json)))
    }
  }
}

extension Remediation.Field.Option {
  /// An option that is made by code.
  public struct Draft: Sendable, Hashable {
    let json: JSONValue

    /// Creates an option with a form; `relatesTo` is the path of its authenticator.
    public init(_ label: String, form: [Remediation.Field.Draft], relatesTo: String? = nil) {
      let object: JSONValue = [
        "label": .string(label), "value": ["form": ["value": .array(form.map(\.json))]],
      ]
      json = object.adding("relatesTo", relatesTo.map(JSONValue.string))
    }
  }
}

// A draft can contain handles and secrets.
extension Remediation.Draft: Redacted {
  /// The name.
  public var description: String { "draft of \(name)" }
}

extension Remediation.Field.Draft: Redacted {
  /// A fixed text.
  public var description: String { "draft of a field" }
}

extension Remediation.Field.Option.Draft: Redacted {
  /// A fixed text.
  public var description: String { "draft of an option" }
}
