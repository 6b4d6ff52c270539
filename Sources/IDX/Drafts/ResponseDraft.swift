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
      var object = JSONValue.Object([JSONValue.Object.Member("version", "1.0.0")])
      if !messages.isEmpty { object["messages"] = .collection(messages.map(\.json)) }
      if !remediations.isEmpty {
        object["remediation"] = .collection(remediations.map(\.json))
      }
      if let currentAuthenticator {
        object["currentAuthenticator"] = ["type": "object", "value": currentAuthenticator.json]
      }
      if !enrollments.isEmpty {
        object["authenticatorEnrollments"] = .collection(enrollments.map(\.json))
      }
      if !authenticators.isEmpty {
        object["authenticators"] = .collection(authenticators.map(\.json))
      }
      if let username {
        object["user"] = ["type": "object", "value": ["identifier": .string(username)]]
      }
      if let expiresAt { object["expiresAt"] = .string(expiresAt) }
      for action in actions { object[action.name.rawValue] = action.json }
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
  /// A message that is made by code.
  public struct Draft: Sendable, Hashable {
    let text: String
    let key: Key?
    let kind: Kind

    /// Creates a message.
    public init(_ text: String, key: Key? = nil, kind: Kind = .error) {
      self.text = text
      self.key = key
      self.kind = kind
    }

    fileprivate var json: JSONValue {
      let object: JSONValue = ["message": .string(text), "class": .string(kind.rawValue)]
      return object.adding("i18n", key.map { ["key": .string($0.rawValue)] })
    }
  }
}

extension IDXAuthenticator {
  /// An authenticator that is made by code.
  public struct Draft: Sendable, Hashable {
    let key: Key
    let type: Kind
    let displayName: String
    let methods: [Method]
    let contextualData: JSONValue?
    let profile: JSONValue?
    let settings: JSONValue?
    let actions: [Remediation.Draft]
    private let id: String

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
      self.id = id ?? key.rawValue
      self.profile = profile
      self.settings = settings
      self.key = key
      self.type = type
      self.displayName = displayName
      self.methods = methods
      self.contextualData = contextualData
      self.actions = actions
    }

    fileprivate var json: JSONValue {
      var object: JSONValue = [
        "id": .string(id), "key": .string(key.rawValue), "type": .string(type.rawValue),
        "displayName": .string(displayName),
        "methods": .array(methods.map { ["type": .string($0.rawValue)] }),
      ]
      object = object.adding("contextualData", contextualData)
        .adding("profile", profile).adding("settings", settings)
      for action in actions { object = object.adding(action.name.rawValue, action.json) }
      return object
    }
  }
}

extension JSONValue {
  fileprivate static func collection(_ elements: [JSONValue]) -> JSONValue {
    ["type": "array", "value": .array(elements)]
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
