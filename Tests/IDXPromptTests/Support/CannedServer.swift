import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// A server that returns prepared responses in order, and records the answers.
///
/// After the last one it returns a response without forms and messages.
actor CannedServer: Transport {
  private var responses: [JSONValue]
  /// The requests after the start: the last part of the address, and the body without the state handle.
  private(set) var answers: [String] = []

  init(_ responses: JSONValue...) { self.responses = responses }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if request.url.path.hasSuffix("/interact") {
      return TransportResponse(status: 200, body: (["interaction_handle": "ih"] as JSONValue).bytes)
    }
    if !request.url.path.hasSuffix("/introspect") {
      var body = try JSONValue(parsing: request.body).object
      body?["stateHandle"] = nil
      answers.append("\(request.url.lastPathComponent) \(JSONValue.object(body ?? .init()).text)")
    }
    guard !responses.isEmpty else {
      return TransportResponse(status: 200, body: JSONValue.response([]).bytes)
    }
    return TransportResponse(status: 200, body: responses.removeFirst().bytes)
  }
}

extension JSONValue {
  static func response(
    _ forms: [JSONValue], says messages: [JSONValue] = [], _ more: JSONValue = [:]
  ) -> JSONValue {
    var object = Object()
    object["version"] = "1.0.0"
    object["stateHandle"] = "02.sh"
    if !forms.isEmpty { object["remediation"] = ["type": "array", "value": .array(forms)] }
    if !messages.isEmpty { object["messages"] = ["type": "array", "value": .array(messages)] }
    for member in more.object?.members ?? [] { object[member.name] = member.value }
    return .object(object)
  }

  /// The members of a response that name the current authenticator and the user.
  static func current(
    _ key: String, _ name: String, _ data: JSONValue = [:], profile: JSONValue = [:],
    username: String? = nil
  ) -> JSONValue {
    let authenticator: JSONValue = [
      "type": "app", "key": .string(key), "displayName": .string(name), "contextualData": data,
      "profile": profile,
    ]
    let value: JSONValue = ["currentAuthenticator": ["value": authenticator]]
    guard let username else { return value }
    return value.setting("user", ["value": ["identifier": .string(username)]])
  }

  /// A form whose address ends in its name.
  static func form(_ name: String, _ fields: JSONValue..., relatesTo: JSONValue = nil) -> JSONValue
  {
    let handle: JSONValue = ["name": "stateHandle", "value": "02.sh", "mutable": false]
    return [
      "name": .string(name), "method": "POST", "relatesTo": relatesTo,
      "href": .string("https://demo.okta.example/idp/idx/\(name)"),
      "value": .array(fields + [handle]),
    ]
  }

  /// This object with a member set.
  func setting(_ name: String, _ value: JSONValue) -> JSONValue {
    var object = self.object ?? .init()
    object[name] = value
    return .object(object)
  }

  static func message(_ text: String, _ kind: String = "INFO", key: String? = nil) -> JSONValue {
    [
      "message": .string(text), "class": .string(kind),
      "i18n": ["key": key.map(JSONValue.string) ?? nil],
    ]
  }
}
