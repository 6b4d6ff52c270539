public import IDXBase

// Responses made by code, for servers with another protocol and for tests. A draft is written as JSON in
// the format of Identity Engine and then read like a response from there, so that there is only one kind
// of response.

extension IDXResponse {
  /// The parts of a response that is made by code.
  ///
  ///     var draft = IDXResponse.Draft()
  ///     draft.remediations = [
  ///       Remediation.Draft(
  ///         "identify", href: "https://example.com/identify",
  ///         fields: [Remediation.Field.Draft("identifier", label: "Username", isRequired: true)])
  ///     ]
  ///     let response = try draft.response()
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
    /// The time when the step expires, in ISO 8601.
    public var expiresAt: String?
    /// The response of a server with another protocol, for ``IDXResponse/original``.
    public var original: JSONValue?

    /// Creates a response without forms, which is empty by default.
    public init(
      messages: [IDXMessage.Draft] = [], username: String? = nil, original: JSONValue? = nil
    ) {
      self.messages = messages
      self.username = username
      self.original = original
    }

    /// The response.
    ///
    /// Throws if it is nested more than ``JSONValue/maximumDepth`` levels or is too large, because values
    /// in it can come from a server.
    public func response() throws(IDXResponseError) -> IDXResponse {
      try IDXResponse(parsing: json.bytes)
    }

    private var json: JSONValue {
      let object: JSONValue = ["version": "1.0.0"]
      let parts =
        object
        .adding("messages", list: messages.map(\.json))
        .adding("remediation", list: remediations.map(\.json))
        .adding(
          "currentAuthenticator",
          currentAuthenticator.map { ["type": "object", "value": $0.json] }
        )
        .adding("authenticatorEnrollments", list: enrollments.map(\.json))
        .adding("authenticators", list: authenticators.map(\.json))
        .adding(
          "user", username.map { ["type": "object", "value": ["identifier": .string($0)]] }
        )
        .adding("expiresAt", expiresAt.map(JSONValue.string))
      // The object around it keeps it from being read as an action.
      return actions.reduce(parts) { $0.adding($1.name.rawValue, $1.json) }
        .adding(IDXResponse.originalName, original.map { ["value": $0] })
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
  /// A message that is made by code.
  public struct Draft: Sendable, Hashable {
    fileprivate let json: JSONValue

    /// Creates a message.
    public init(_ text: String, key: Key? = nil, kind: Kind = .error) {
      let object: JSONValue = ["message": .string(text), "class": .string(kind.rawValue)]
      json = object.adding("i18n", key.map { ["key": .string($0.rawValue)] })
    }
  }
}

extension IDXAuthenticator {
  /// An authenticator that is made by code.
  public struct Draft: Sendable, Hashable {
    fileprivate let json: JSONValue

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
      let object: JSONValue = [
        "id": .string(id ?? key.rawValue), "key": .string(key.rawValue),
        "type": .string(type.rawValue), "displayName": .string(displayName),
        "methods": .array(methods.map { ["type": .string($0.rawValue)] }),
      ]
      let data = object.adding("contextualData", contextualData)
        .adding("profile", profile).adding("settings", settings)
      json = actions.reduce(data) { $0.adding($1.name.rawValue, $1.json) }
    }
  }
}

extension JSONValue {
  fileprivate func adding(_ name: String, list: [JSONValue]) -> JSONValue {
    adding(name, ["type": "array", "value": .array(list)], if: !list.isEmpty)
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
  public var description: String { "draft of \(json["displayName"]?.string ?? "")" }
}
