public import IDXBase

// Forms and fields that are made by code, as parts of a `IDXResponse.Draft`.

extension Remediation {
  /// What a form and its address are made of.
  public struct Draft: Sendable, Hashable {
    let name: Name
    package private(set) var json: JSONValue

    /// A form that is sent by POST; `relatesTo` holds paths such as `$.currentAuthenticator`, and
    /// `refresh` says how long to wait before it is sent, in whole milliseconds.
    public init(
      _ name: Name, href: String, fields: [Remediation.Field.Draft] = [], relatesTo: [String] = [],
      refresh: Duration? = nil
    ) {
      self.name = name
      let milliseconds = refresh.map { JSONValue.Number(Int($0 / .milliseconds(1))) }
      let object: JSONValue = [
        "name": .string(name.rawValue), "href": .string(href), "method": "POST",
        "value": .array(fields.map(\.json)),
      ]
      json = object.adding(
        "relatesTo", .array(relatesTo.map(JSONValue.string)), if: !relatesTo.isEmpty
      )
      .adding("refresh", milliseconds.map(JSONValue.number))
    }

    /// A page that a browser opens.
    package init(_ name: Name, page href: String) {
      self.name = name
      json = ["name": .string(name.rawValue), "href": .string(href), "method": "GET"]
    }

    /// The form with another member, such as `accepts`, or with the member replaced.
    package func adding(_ name: String, _ member: JSONValue?) -> Self {
      var copy = self
      copy.json = json.adding(name, member)
      return copy
    }

    /// The form with a message about the field at a dotted path, in each option that has the field.
    package func adding(_ message: IDXMessage.Draft, at path: String) -> Self {
      let names = path.split(separator: ".").map(String.init)
      return adding("value", json["value"]?.placing(message, at: names[...]))
    }
  }
}

extension Remediation.Field {
  /// What a field is made of.
  public struct Draft: Sendable, Hashable {
    package private(set) var json: JSONValue

    /// A field that a person fills in.
    public init(
      _ name: String, label: String? = nil, type: Kind? = nil, isRequired: Bool = false,
      isVisible: Bool = true, isSecret: Bool = false, value: JSONValue? = nil
    ) {
      json = ["name": .string(name), "required": .bool(isRequired)]
      json = json.adding("label", label.map(JSONValue.string))
        .adding("type", type.map { .string($0.rawValue) })
        .adding("visible", false, if: !isVisible).adding("secret", true, if: isSecret)
        .adding("value", value)
    }

    /// A value that is sent back as it is; not shown unless it is made visible.
    public init(
      fixed name: String, _ value: JSONValue, isRequired: Bool = true, isVisible: Bool = false
    ) {
      self.init(name, isRequired: isRequired, isVisible: isVisible, value: value)
      json = json.adding("mutable", false)
    }

    /// A nested form.
    public init(_ name: String, form: [Remediation.Field.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("form", ["value": .array(form.map(\.json))])
    }

    /// A choice among values.
    public init(
      _ name: String, label: String? = nil, isRequired: Bool = true,
      choices: [(label: String, value: String)]
    ) {
      self.init(name, label: label, isRequired: isRequired)
      let options: [JSONValue] = choices.map {
        ["label": .string($0.label), "value": .string($0.value)]
      }
      json = json.adding("options", .array(options))
    }

    /// A choice among all authenticators of a container of the response, in their order: what each is
    /// called, and the fixed values that are sent for it.
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

    /// A choice among forms.
    public init(_ name: String, options: [Option.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("options", .array(options.map(\.json)))
    }

    /// The field with another member, such as `minLength`, or with the member replaced.
    package func adding(_ name: String, _ member: JSONValue?) -> Self {
      var copy = self
      copy.json = json.adding(name, member)
      return copy
    }
  }
}

extension Remediation.Field.Option {
  /// What an option is made of.
  public struct Draft: Sendable, Hashable {
    let json: JSONValue

    /// An option that stands for a form, and for what a path leads to; nil for nothing.
    public init(_ label: String, form: [Remediation.Field.Draft], relatesTo: String? = nil) {
      let object: JSONValue = [
        "label": .string(label), "value": ["form": ["value": .array(form.map(\.json))]],
      ]
      json = object.adding("relatesTo", relatesTo.map(JSONValue.string))
    }
  }
}

extension JSONValue {
  /// The fields with a message at a path.
  fileprivate func placing(_ message: IDXMessage.Draft, at path: ArraySlice<String>) -> JSONValue {
    guard let fields = array else { return self }
    func placing(in form: JSONValue) -> JSONValue {
      form.adding("value", form["value"]?.placing(message, at: path.dropFirst()))
    }
    return .array(
      fields.map { field in
        guard let name = path.first, field["name"]?.string == name else { return field }
        if path.count == 1 { return field.adding("messages", .collection([message.json])) }
        let options = field["options"]?.array?.map { option in
          option.adding("value", option["value"]?["form"].map { ["form": placing(in: $0)] })
        }
        return field.adding("form", field["form"].map(placing))
          .adding("options", options.map(JSONValue.array))
      })
  }
}

// A draft may hold handles and secrets, as what is made of it.
extension Remediation.Draft: Redacted {
  /// The name of the form.
  public var description: String { "draft of \(name)" }
}

extension Remediation.Field.Draft: Redacted {
  /// That it is a draft.
  public var description: String { "draft of a field" }
}

extension Remediation.Field.Option.Draft: Redacted {
  /// That it is a draft.
  public var description: String { "draft of an option" }
}
