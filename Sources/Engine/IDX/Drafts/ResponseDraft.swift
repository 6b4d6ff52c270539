public import IDXBase

// Responses made by code, for servers with another protocol and for tests. A draft is written as JSON in
// the format of Identity Engine and then read like a response from there, so that there is only one kind
// of response.

extension IDXResponse {
  /// A response that code makes, for a client of another protocol, a test or a preview.
  ///
  ///     var draft = IDXResponse.Draft()
  ///     draft.remediations = [
  ///       Remediation.Draft(
  ///         "identify", href: "https://example.com/identify",
  ///         fields: [Remediation.Field.Draft("identifier", label: "Username", isRequired: true)])
  ///     ]
  ///     let response = try draft.response()
  ///
  /// A property that is nil is left out of the response.
  public struct Draft: Sendable, Hashable {
    /// The messages for the person.
    public var messages: [IDXMessage.Draft]
    /// The forms that can be sent next, the current step first.
    public var remediations: [Remediation.Draft] = []
    /// Other forms, such as `cancel`.
    public var actions: [Remediation.Draft] = []
    /// The authenticator of the current step.
    public var currentAuthenticator: IDXAuthenticator.Draft?
    /// The authenticators that the person has set up, for `$.authenticatorEnrollments.value[0]` and so on.
    public var enrollments: [IDXAuthenticator.Draft] = []
    /// The authenticators that the org offers, for `$.authenticators.value[0]` and so on.
    public var authenticators: [IDXAuthenticator.Draft] = []
    /// The username of the person who signs in.
    public var username: String?
    /// The time when the step expires, in ISO 8601: `2031-03-04T10:15:00.000Z`.
    public var expiresAt: String?
    /// The code that the person enters elsewhere.
    public var userCode: UserCode?
    /// The response of a server with another protocol, for ``IDXResponse/original``.
    public var original: JSONValue?
    /// Other members such as `stateHandle`, which replace members with the same name.
    package var members = JSONValue.Object()

    /// Creates a response without forms, which is empty by default.
    public init(
      messages: [IDXMessage.Draft] = [], username: String? = nil, original: JSONValue? = nil
    ) {
      self.messages = messages
      self.username = username
      self.original = original
    }

    /// Writes the draft as JSON and reads it as a response.
    ///
    /// Throws if it is nested more than 128 levels or is too large, because
    /// values in it can come from a server.
    public func response() throws(IDXResponseError) -> IDXResponse {
      try IDXResponse(parsing: json.bytes)
    }

    package var json: JSONValue {
      var object = JSONValue.Object([JSONValue.Object.Member("version", "1.0.0")])
      if !messages.isEmpty { object["messages"] = .collection(messages.map(\.json)) }
      if !remediations.isEmpty {
        object["remediation"] = .collection(remediations.map(\.json))
      }
      if let currentAuthenticator {
        object["currentAuthenticator"] = .single(currentAuthenticator.json)
      }
      if !enrollments.isEmpty {
        object["authenticatorEnrollments"] = .collection(enrollments.map(\.json))
      }
      if !authenticators.isEmpty {
        object["authenticators"] = .collection(authenticators.map(\.json))
      }
      if let username {
        object["user"] = .single(["identifier": .string(username)])
      }
      if let expiresAt { object["expiresAt"] = .string(expiresAt) }
      if let userCode { object[IDXResponse.userCodeName] = .single(userCode.json) }
      for action in actions { object[action.name.rawValue] = action.json }
      for member in members.members { object[member.name] = member.value }
      // The object around it keeps it from being read as an action.
      if let original { object[IDXResponse.originalName] = ["value": original] }
      return .object(object)
    }
  }

  static let originalName = "original"

  /// The response of a server with another protocol, as it sent it; nil for a response of Identity
  /// Engine.
  ///
  /// It can contain secrets.
  public var original: JSONValue? { raw[Self.originalName]?["value"] }
}

extension IDXMessage {
  /// A message for the draft of a response.
  public struct Draft: Sendable, Hashable {
    package let text: String
    package let key: Key?
    private let kind: Kind
    private let parameters: [String]?
    private let links: [JSONValue]

    /// Creates a message with a sentence for the person.
    public init(_ text: String, key: Key? = nil, kind: Kind = .error) {
      self.init(text, key: key, kind: kind, parameters: nil)
    }

    /// A message with the parameters of its text (`i18n.params`), and links.
    package init(
      _ text: String, key: Key?, kind: Kind = .error, parameters: [String]?,
      links: [JSONValue] = []
    ) {
      self.text = text
      self.key = key
      self.kind = kind
      self.parameters = parameters
      self.links = links
    }

    package var json: JSONValue {
      let parameters = parameters.map { JSONValue.array($0.map(JSONValue.string)) }
      let name = key.map { ["key": .string($0.rawValue)] as JSONValue }
      let object: JSONValue = ["message": .string(text), "class": .string(kind.rawValue)]
      return object.adding("i18n", name?.adding("params", parameters))
        .adding("links", .array(links), if: !links.isEmpty)
    }
  }
}

extension IDXAuthenticator {
  /// An authenticator for the draft of a response.
  public struct Draft: Sendable, Hashable {
    let displayName: String
    package private(set) var json: JSONValue

    /// Creates an authenticator.
    ///
    /// `contextualData`, `profile` and `settings` are objects with members such as `correctAnswer`,
    /// `phoneNumber` and `complexity`. `id` distinguishes several authenticators with the same key; by
    /// default it is the key.
    public init(
      _ key: Key, type: Kind, displayName: String, id: String? = nil, methods: [Method] = [],
      contextualData: JSONValue? = nil, profile: JSONValue? = nil, settings: JSONValue? = nil,
      actions: [Remediation.Draft] = []
    ) {
      self.displayName = displayName
      let object: JSONValue = [
        "id": .string(id ?? key.rawValue), "key": .string(key.rawValue),
        "type": .string(type.rawValue), "displayName": .string(displayName),
        "methods": .array(methods.map { ["type": .string($0.rawValue)] }),
      ]
      json = object.adding("contextualData", contextualData).adding("profile", profile)
        .adding("settings", settings)
      for action in actions { json = json.adding(action.name.rawValue, action.json) }
    }

    /// The authenticator with another member, such as `credentialId`, or with the member replaced.
    package func adding(_ name: String, _ member: JSONValue?) -> Self {
      var copy = self
      copy.json = json.adding(name, member)
      return copy
    }
  }
}

extension JSONValue {
  /// A list as Identity Engine writes it.
  package static func collection(_ elements: [JSONValue]) -> JSONValue {
    ["type": "array", "value": .array(elements)]
  }

  /// A value as Identity Engine writes an object.
  package static func single(_ element: JSONValue) -> JSONValue {
    ["type": "object", "value": element]
  }
}

// It can contain tokens and handles.
extension IDXResponse.Draft: Redacted {
  /// The names of the remediations.
  public var description: String {
    "draft of a response: " + remediations.map(\.name.rawValue).joined(separator: ", ")
  }
}

// It can contain a shared secret or a number challenge.
extension IDXAuthenticator.Draft: Redacted {
  /// The display name.
  public var description: String { "draft of \(displayName)" }
}
