import IDXBase
import IDX

/// Writes forms and fields as the server does (protocol sections 1.5, 2.2 and 2.3).
enum OrgForm {
  /// A field that a person fills in.
  static func text(
    _ name: String, label: String, required: Bool = true, secret: Bool = false
  ) -> JSONValue {
    let field: JSONValue = ["name": .string(name), "label": .string(label)]
    return field.adding("required", true, if: required).adding("secret", true, if: secret)
  }

  static func boolean(_ name: String, label: String) -> JSONValue {
    ["name": .string(name), "type": "boolean", "label": .string(label)]
  }

  /// A value that the client sends back as it is.
  static func fixed(
    _ name: String, _ value: String, required: Bool = true, label: String? = nil,
    hidden: Bool = false
  ) -> JSONValue {
    let field: JSONValue = ["name": .string(name), "required": .bool(required)]
    return field.adding("label", label.map(JSONValue.string)).adding("value", .string(value))
      .adding("visible", false, if: hidden).adding("mutable", false)
  }

  /// A field of which one of several values is picked.
  static func choice(
    _ name: String, label: String? = nil, required: Bool,
    _ options: [(label: String, value: String)]
  ) -> JSONValue {
    let field: JSONValue = ["name": .string(name), "type": "string", "required": .bool(required)]
    let options = options.map {
      ["label": .string($0.label), "value": .string($0.value)] as JSONValue
    }
    return field.adding("label", label.map(JSONValue.string)).adding("options", .array(options))
  }

  /// A field that holds fields.
  static func nested(_ name: String, label: String? = nil, _ fields: [JSONValue]) -> JSONValue {
    let field: JSONValue = ["name": .string(name), "type": "object", "required": true]
    return field.adding("label", label.map(JSONValue.string))
      .adding("form", ["value": .array(fields)])
  }

  /// A field of which one of several forms is picked.
  static func alternatives(_ name: String, required: Bool = true, _ options: [JSONValue])
    -> JSONValue
  {
    [
      "name": .string(name), "type": "object", "required": .bool(required),
      "options": .array(options),
    ]
  }

  static func option(label: String, relatesTo: String? = nil, _ fields: [JSONValue]) -> JSONValue {
    let option: JSONValue = ["label": .string(label), "value": ["form": ["value": .array(fields)]]]
    return option.adding("relatesTo", relatesTo.map(JSONValue.string))
  }

  /// A whole form; the state handle is added to its fields.
  static func form(
    _ name: Remediation.Name, href: String, stateHandle: String, _ fields: [JSONValue] = [],
    relatesTo: String? = nil, refresh: Int? = nil
  ) -> JSONValue {
    let fields = fields + [fixed("stateHandle", stateHandle, hidden: true)]
    let form: JSONValue = ["rel": ["create-form"], "name": .string(name.rawValue)]
    return form.adding("relatesTo", relatesTo.map { [.string($0)] })
      .adding("href", .string(href)).adding("method", "POST")
      .adding("produces", .string(OrgReply.ionMediaType))
      .adding("refresh", refresh.map { .number(JSONValue.Number($0)) })
      .adding("value", .array(fields))
      .adding("accepts", "application/json; okta-version=1.0.0")
  }

  /// The fields with a message at a dotted path, in whichever option has it.
  static func placing(_ message: OrgMessage, at path: [String], in fields: JSONValue) -> JSONValue {
    guard let name = path.first, let fields = fields.array else { return fields }
    return .array(
      fields.map { field in
        guard field["name"]?.string == name else { return field }
        let rest = Array(path.dropFirst())
        if rest.isEmpty { return field.adding("messages", OrgMessage.list([message])) }
        if let nested = field["form"]?["value"] {
          return field.adding("form", ["value": placing(message, at: rest, in: nested)])
        }
        let options = field["options"]?.array?.map { option in
          guard let nested = option["value"]?["form"]?["value"] else { return option }
          let placed = placing(message, at: rest, in: nested)
          return option.adding("value", ["form": ["value": placed]])
        }
        return field.adding("options", options.map(JSONValue.array))
      })
  }
}
