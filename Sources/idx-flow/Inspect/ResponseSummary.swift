import IDX
import IDXBase

/// What a response asks for, as one JSON object: the output of `inspect --format json`.
///
/// Strings are as the server sent them; null if it sent none, or a value of another type. In the report of
/// a failed sign-in, messages and labels are shortened.
struct ResponseSummary {
  let response: IDXResponse
  /// Whether to include values that the server fixed, which are IDs and state handles; false in the report
  /// of a failed sign-in.
  var showsFixedValues = true

  var json: JSONValue {
    [
      "version": JSONValue(response.version),
      "intent": JSONValue(response.intent),
      "expiresAt": JSONValue(response.expiresAtText),
      "messages": .array(
        showsFixedValues
          ? response.messages.map(message)
          : MessageExcerpt(response.messages).entries.map { message($0.message) }),
      "remediations": .array(response.remediations.map(remediation)),
      "actions": .array(response.actions.map(\.name.rawValue).sorted().map(JSONValue.string)),
      "authenticators": .array(response.authenticators.map(authenticator)),
      "user": JSONValue(response.user?.identifier),
      "app": JSONValue(response.application?.label),
    ]
  }

  private func message(_ message: IDXMessage) -> JSONValue {
    [
      "class": JSONValue(message.kind?.rawValue),
      "text": text(message.text),
      "key": text(message.key?.rawValue),
    ]
  }

  private func text(_ text: String?) -> JSONValue {
    JSONValue(showsFixedValues ? text : text?.shortened())
  }

  private func remediation(_ remediation: Remediation) -> JSONValue {
    let keys = remediation.authenticators.compactMap { $0.key?.rawValue ?? $0.type?.rawValue }
    return [
      "name": JSONValue(remediation.raw["name"]?.string),
      "method": JSONValue(remediation.method),
      // The query may contain a state token.
      "href": JSONValue(
        remediation.href.map { href in
          showsFixedValues ? href : String(href.prefix { $0 != "?" && $0 != "#" })
        }),
      "accepts": JSONValue(remediation.accepts),
      "refresh": JSONValue(remediation.raw["refresh"]?.integer),
      "authenticators": .array(keys.filter { !$0.isEmpty }.map(JSONValue.string)),
      "fields": .array(remediation.form.fields.map(field)),
    ]
  }

  private func field(_ field: Remediation.Field) -> JSONValue {
    let showsValue =
      showsFixedValues || !field.isFixed && !field.isSecret && field.name != "stateHandle"
    let object: JSONValue = [
      "name": JSONValue(field.raw["name"]?.string),
      "label": text(field.label),
      "type": JSONValue(field.type?.rawValue),
      "required": .bool(field.isRequired),
      "visible": .bool(field.isVisible),
      "mutable": .bool(field.isMutable),
      "secret": .bool(field.isSecret),
      "value": showsValue ? field.value ?? .null : .null,
    ]
    return
      object
      .adding("fields", field.form.map { .array($0.fields.map(self.field)) })
      .adding("options", .array(field.options.map(option)), if: field.raw["options"]?.array != nil)
      .adding(
        "messages", .array(field.messages.map(message)), if: field.raw["messages"]?.object != nil)
  }

  private func option(_ option: Remediation.Field.Option) -> JSONValue {
    let object: JSONValue = ["label": text(option.label), "value": option.value ?? .null]
    // For scripts, which may choose by the key: without fixed values the reference to it is missing.
    let key = showsFixedValues ? nil : option.authenticator?.key
    return
      object
      .adding("fields", option.form.map { .array($0.fields.map(field)) })
      .adding("authenticator", key.map { .string($0.rawValue) })
  }

  private func authenticator(_ authenticator: IDXAuthenticator) -> JSONValue {
    let methods = (authenticator.raw["methods"]?.array ?? []).filter { $0.object != nil }
    return [
      "in": .string(authenticator.container.rawValue),
      "id": JSONValue(authenticator.id),
      "key": JSONValue(authenticator.key?.rawValue),
      "type": JSONValue(authenticator.type?.rawValue),
      "displayName": JSONValue(authenticator.displayName),
      "methods": .array(methods.map { JSONValue($0["type"]?.string) }),
      "sharedSecret": JSONValue(authenticator.oneTimePassword?.sharedSecret?.revealed),
    ]
  }
}

extension JSONValue {
  /// A string, or null.
  init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  /// A number, or null.
  init(_ number: Int?) { self = number.map { .number(Number($0)) } ?? .null }
}
