public import IDXBase

// Forms and fields made by code, as parts of an `IDXResponse.Draft`.

extension Remediation {
  /// A remediation or an action for a draft of a response.
  public struct Draft: Sendable, Hashable {
    let name: Name
    package private(set) var json: JSONValue

    /// Creates a form that is sent with POST.
    ///
    /// `relatesTo` has paths such as `$.currentAuthenticator`. `refresh` is the time to wait before it is
    /// sent, in whole milliseconds.
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

    /// Creates a page that a browser opens.
    public init(_ name: Name, page href: String) {
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
  /// A field for the draft of a form.
  public struct Draft: Sendable, Hashable {
    package private(set) var json: JSONValue

    /// Creates a field that the person fills in.
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

    /// Creates a field with a value that is sent back as it is, by default a hidden one.
    public init(
      fixed name: String, _ value: JSONValue, isRequired: Bool = true, isVisible: Bool = false
    ) {
      self.init(name, isRequired: isRequired, isVisible: isVisible, value: value)
      json = json.adding("mutable", false)
    }

    /// Creates a nested form.
    public init(_ name: String, form: [Remediation.Field.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("form", ["value": .array(form.map(\.json))])
    }

    /// Creates a choice between values.
    public init(
      _ name: String, label: String? = nil, isRequired: Bool = true,
      choices: [(label: String, value: String)]
    ) {
      self.init(name, label: label, type: .string, isRequired: isRequired)
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

    /// The field with another member, such as `minLength`, or with the member replaced.
    package func adding(_ name: String, _ member: JSONValue?) -> Self {
      var copy = self
      copy.json = json.adding(name, member)
      return copy
    }

    /// The field without these members, such as `required`, which real servers often leave out.
    package func without(_ names: String...) -> Self {
      guard let members = json.object?.members else { return self }
      var copy = self
      copy.json = .object(JSONValue.Object(members.filter { !names.contains($0.name) }))
      return copy
    }
  }
}

extension Remediation.Field.Option {
  /// An option for the draft of a choice.
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

extension JSONValue {
  /// The fields, with a message at the field with this path.
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

// A draft can contain handles and secrets.
extension Remediation.Draft: Redacted {
  /// The name of the form.
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
