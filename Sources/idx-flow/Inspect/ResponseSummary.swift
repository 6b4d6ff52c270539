import IDXBase
import IDX

/// What a response asks for, as one JSON object: the output of `inspect --format json`.
///
/// Strings are as the server sent them; null if it sent none, or a value of another type.
struct ResponseSummary {
  let response: IDXResponse
  /// Whether to include values that the server fixed, which are IDs and state handles.
  var showsFixedValues = true

  var json: JSONValue {
    [
      "version": optional(response.version),
      "intent": optional(response.intent),
      "expiresAt": optional(response.expiresAtText),
      "messages": .array(response.messages.map(message)),
      "remediations": .array(response.remediations.map(remediation)),
      "actions": .array(response.actions.map(\.name.rawValue).sorted().map(JSONValue.string)),
      "authenticators": .array(response.authenticators.map(authenticator)),
      "user": optional(response.user?.identifier),
      "app": optional(response.application?.label),
    ]
  }

  private func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  private func message(_ message: IDXMessage) -> JSONValue {
    [
      "class": optional(message.kind?.rawValue),
      "text": optional(message.text),
      "key": optional(message.key?.rawValue),
    ]
  }

  private func remediation(_ remediation: Remediation) -> JSONValue {
    let keys = remediation.authenticators.compactMap { $0.key?.rawValue ?? $0.type?.rawValue }
    return [
      "name": remediation.raw["name"].flatMap(\.string).map(JSONValue.string) ?? .null,
      "method": optional(remediation.method),
      "href": optional(showsFixedValues ? remediation.href : remediation.href.map(withoutQuery)),
      "accepts": optional(remediation.accepts),
      "refresh": remediation.raw["refresh"]?.integer.map { .number(JSONValue.Number($0)) } ?? .null,
      "authenticators": .array(keys.filter { !$0.isEmpty }.map(JSONValue.string)),
      "fields": .array(remediation.form.fields.map(field)),
    ]
  }

  /// The address without its query, which may contain a state token.
  private func withoutQuery(_ href: String) -> String {
    String(href.prefix { $0 != "?" && $0 != "#" })
  }

  private func field(_ field: Remediation.Field) -> JSONValue {
    var object = JSONValue.Object([
      JSONValue.Object.Member("name", field.raw["name"]?.string.map(JSONValue.string) ?? .null),
      JSONValue.Object.Member("label", optional(field.label)),
      JSONValue.Object.Member("type", optional(field.type?.rawValue)),
      JSONValue.Object.Member("required", .bool(field.isRequired)),
      JSONValue.Object.Member("visible", .bool(field.isVisible)),
      JSONValue.Object.Member("mutable", .bool(field.isMutable)),
      JSONValue.Object.Member("secret", .bool(field.isSecret)),
      JSONValue.Object.Member(
        "value",
        showsFixedValues || !field.isFixed && !field.isSecret && field.name != "stateHandle"
          ? field.value ?? .null : .null),
    ])
    if let form = field.form { object["fields"] = .array(form.fields.map(self.field)) }
    if field.raw["options"]?.array != nil { object["options"] = .array(field.options.map(option)) }
    if field.raw["messages"]?.object != nil {
      object["messages"] = .array(field.messages.map(message))
    }
    return .object(object)
  }

  private func option(_ option: Remediation.Field.Option) -> JSONValue {
    var object = JSONValue.Object([
      JSONValue.Object.Member("label", optional(option.label)),
      JSONValue.Object.Member("value", option.value ?? .null),
    ])
    if let form = option.form { object["fields"] = .array(form.fields.map(field)) }
    // For scripts, which may choose by the key: without fixed values the reference to it is missing.
    if !showsFixedValues, let key = option.authenticator?.key ?? nil {
      object["authenticator"] = .string(key.rawValue)
    }
    return .object(object)
  }

  private func authenticator(_ authenticator: IDXAuthenticator) -> JSONValue {
    let methods = (authenticator.raw["methods"]?.array ?? []).filter { $0.object != nil }
    return [
      "in": .string(authenticator.container.rawValue),
      "id": optional(authenticator.id),
      "key": optional(authenticator.key?.rawValue),
      "type": optional(authenticator.type?.rawValue),
      "displayName": optional(authenticator.displayName),
      "methods": .array(methods.map { $0["type"]?.string.map(JSONValue.string) ?? .null }),
      "sharedSecret": optional(authenticator.oneTimePassword?.sharedSecret?.revealed),
    ]
  }
}
