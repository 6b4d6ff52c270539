import IDX
import IDXBase
import IDXFlow

/// What a response asks for, as one JSON object: the output of `inspect --format json`.
///
/// Strings are as the server sent them; null if it sent none, or a value of another type. In the report of
/// a failed sign-in, texts are shortened and lists are cut, because a server can make them very long.
struct ResponseSummary {
  private let response: IDXResponse
  /// The state of the sign-in that is reported; nil if a response is shown as the server sent it.
  private let reported: FlowState?

  /// Everything that a response contains.
  init(_ response: IDXResponse) {
    self.response = response
    reported = nil
  }

  /// What the report of a sign-in says about its last response, without values that the server fixed, which are IDs and
  /// state handles.
  init(reporting state: FlowState) {
    response = state.response
    reported = state
  }

  private var showsFixedValues: Bool { reported == nil }

  var json: JSONValue {
    [
      "version": text(response.version),
      "intent": text(response.intent),
      "expiresAt": text(response.expiresAtText),
      "messages": messages(response.messages),
      "remediations": list(response.remediations, remediation),
      "actions": list(response.actions.map(\.name.rawValue).sorted()) { text($0) },
      "authenticators": list(response.authenticators, authenticator),
      "user": text(response.user?.identifier),
      "app": text(response.application?.label),
    ]
  }

  /// The messages; in the report of a failure, as many as are shown to a person.
  private func messages(_ messages: some Sequence<IDXMessage>) -> JSONValue {
    .array(
      showsFixedValues
        ? messages.map(message) : MessageExcerpt(messages).entries.map { message($0.message) })
  }

  private func message(_ message: IDXMessage) -> JSONValue {
    let object: JSONValue = [
      "class": text(message.kind?.rawValue),
      "text": text(message.text, limit: 1000),
      "key": text(message.key?.rawValue),
    ]
    // The report of a failure is for people too.
    let links = list(
      reported.map { Screen.links(of: message, $0.configuration.issuer) } ?? []
    ) { link in
      [
        "url": text(link.url.absoluteString, limit: Screen.Page.longestAddress),
        "label": text(link.label),
      ]
    }
    return object.adding("links", links, if: links.array?.isEmpty == false)
  }

  private func remediation(_ remediation: Remediation) -> JSONValue {
    let keys = remediation.authenticators.compactMap { $0.key?.rawValue ?? $0.type?.rawValue }
    let provider = showsFixedValues ? nil : remediation.identityProvider
    let inputs = reported.map { Step(remediation, state: $0).inputs } ?? []
    let choices = Dictionary(inputs.map { ($0.id, $0.choices) }) { first, _ in first }
    let object: JSONValue = [
      "name": text(remediation.raw["name"]?.string),
      "method": text(remediation.method),
      // The query may contain a state token.
      "href": text(
        remediation.href.map { href in
          showsFixedValues ? href : String(href.prefix { $0 != "?" && $0 != "#" })
        }),
      "accepts": text(remediation.accepts),
      "refresh": JSONValue(remediation.raw["refresh"]?.integer),
      "authenticators": list(keys.filter { !$0.isEmpty }) { text($0) },
      "fields": list(remediation.form.fields) { field($0, choices[$0.name] ?? []) },
    ]
    return object.adding(
      "provider",
      provider.map { ["id": text($0.id), "name": text($0.name), "type": text($0.kind?.rawValue)] })
  }

  private func field(_ field: Remediation.Field) -> JSONValue { self.field(field, []) }

  /// `choices` are those of the field on a screen.
  private func field(_ field: Remediation.Field, _ choices: [Screen.Choice]) -> JSONValue {
    let showsValue =
      showsFixedValues || !field.isFixed && !field.isSecret && field.name != "stateHandle"
    let object: JSONValue = [
      "name": text(field.raw["name"]?.string),
      "label": text(field.label),
      "type": text(field.type?.rawValue),
      "required": .bool(field.isRequired),
      "visible": .bool(field.isVisible),
      "mutable": .bool(field.isMutable),
      "secret": .bool(field.isSecret),
      "value": showsValue ? value(field.value) : .null,
    ]
    return
      object
      .adding("fields", field.form.map { list($0.fields, self.field) })
      .adding("options", options(of: field, choices), if: field.raw["options"]?.array != nil)
      .adding("messages", messages(field.messages), if: field.raw["messages"]?.object != nil)
  }

  /// The options, each with its line of the menu if that is not its label.
  private func options(of field: Remediation.Field, _ choices: [Screen.Choice]) -> JSONValue {
    let lines = Dictionary(choices.map { ($0.position, $0.label) }) { first, _ in first }
    let offered = field.choices
    // Options that cannot be sent are no choices.
    var position = 0
    return list(field.options) { option in
      var line: String?
      if position < offered.count, offered[position] == option {
        line = lines[position].flatMap { $0 == option.label ? nil : $0 }
        position += 1
      }
      return self.option(option).adding("line", line.map { .string($0) })
    }
  }

  private func option(_ option: Remediation.Field.Option) -> JSONValue {
    let object: JSONValue = ["label": text(option.label), "value": value(option.value)]
    // For scripts, which may choose by the key: without fixed values the reference to it is missing.
    let key = showsFixedValues ? nil : option.authenticator?.key
    return
      object
      .adding("fields", option.form.map { list($0.fields, field) })
      .adding("authenticator", key.map { text($0.rawValue) })
  }

  private func authenticator(_ authenticator: IDXAuthenticator) -> JSONValue {
    let methods = (authenticator.raw["methods"]?.array ?? []).filter { $0.object != nil }
    return [
      "in": text(authenticator.container.rawValue),
      "id": text(authenticator.id),
      "key": text(authenticator.key?.rawValue),
      "type": text(authenticator.type?.rawValue),
      "displayName": text(authenticator.displayName),
      "methods": list(methods) { text($0["type"]?.string) },
      "sharedSecret": text(authenticator.oneTimePassword?.sharedSecret?.revealed),
    ]
  }

  private func list<Entry>(
    _ entries: [Entry], _ summary: (Entry) -> JSONValue
  ) -> JSONValue {
    .array((showsFixedValues ? entries[...] : entries.prefix(100)).map(summary))
  }

  private func text(_ text: String?, limit: Int = 200) -> JSONValue {
    JSONValue(showsFixedValues ? text : text?.shortened(to: limit))
  }

  /// A value; in the report of a failure, null in place of an object or a list.
  private func value(_ value: JSONValue?) -> JSONValue {
    guard let value, !showsFixedValues else { return value ?? .null }
    if let string = value.string { return text(string) }
    return value.object == nil && value.array == nil ? value : .null
  }
}

extension JSONValue {
  /// A string, or null.
  init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  /// A number, or null.
  init(_ number: Int?) { self = number.map { .number(Number($0)) } ?? .null }
}
