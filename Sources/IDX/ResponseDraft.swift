public import IDXBase

// Responses that are made by code: for a server that speaks another protocol, and for tests. A draft is
// written as Identity Engine would write it and read like anything that came from there, so that there
// is one way in which responses look.

extension IDXResponse {
  /// What a response is made of.
  ///
  ///     var draft = IDXResponse.Draft()
  ///     draft.remediations = [
  ///       Remediation.Draft(
  ///         "identify", href: "https://example.com/identify",
  ///         fields: [Remediation.Field.Draft("identifier", label: "Username", isRequired: true)])
  ///     ]
  ///     let response = try draft.response()
  public struct Draft: Sendable, Hashable {
    /// What is said to the person.
    public var messages: [IDXMessage.Draft] = []
    /// What may be done next, the current step first.
    public var remediations: [Remediation.Draft] = []
    /// What can be done beside it, such as `cancel`.
    public var actions: [Remediation.Draft] = []
    /// The authenticator that the step is about; nil for none.
    public var currentAuthenticator: IDXAuthenticator.Draft?
    /// What the person has set up, for `$.authenticatorEnrollments.value[0]` and so on.
    public var enrollments: [IDXAuthenticator.Draft] = []
    /// What the org offers to be set up, for `$.authenticators.value[0]` and so on.
    public var authenticators: [IDXAuthenticator.Draft] = []
    /// The user name of who signs in; nil while that is not known.
    public var username: String?
    /// When the step expires, in ISO 8601; nil where that is not known.
    public var expiresAt: String?
    /// What a server of another protocol sent, for ``IDXResponse/original``; nil for nothing.
    public var original: JSONValue?

    /// A response that says nothing yet.
    public init() {}

    /// The response.
    ///
    /// Throws where it is nested more than ``JSONValue/maximumDepth`` levels or too large: values in it may
    /// come from a server.
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
      // Within an object, it cannot be taken for something that is offered.
      if let original { object[IDXResponse.originalName] = ["value": original] }
      return .object(object)
    }
  }

  static let originalName = "original"

  /// What a server of another protocol sent, as it came; nil where the response is its own.
  ///
  /// It may hold secrets.
  public var original: JSONValue? { raw[Self.originalName]?["value"] }
}

extension IDXMessage {
  /// What a message is made of.
  public struct Draft: Sendable, Hashable {
    let text: String
    let key: Key?
    let kind: Kind

    /// A message, an error unless told otherwise.
    public init(_ text: String, key: Key? = nil, kind: Kind = .error) {
      self.text = text
      self.key = key
      self.kind = kind
    }

    fileprivate var json: JSONValue {
      var object: JSONValue = ["message": .string(text), "class": .string(kind.rawValue)]
      if let key { object = object.adding("i18n", ["key": .string(key.rawValue)]) }
      return object
    }
  }
}

extension IDXAuthenticator {
  /// What an authenticator is made of.
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

    /// An authenticator; its contextual data, profile and settings are what its own properties read,
    /// such as `correctAnswer`, `phoneNumber` and `complexity`.
    ///
    /// `id` tells it from others of its kind; nil where there is one.
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
      let parts = [
        ("contextualData", contextualData), ("profile", profile), ("settings", settings),
      ]
      for (name, value) in parts {
        if let value { object = object.adding(name, value) }
      }
      for action in actions { object = object.adding(action.name.rawValue, action.json) }
      return object
    }
  }
}

extension JSONValue {
  fileprivate static func collection(_ elements: [JSONValue]) -> JSONValue {
    ["type": "array", "value": .array(elements)]
  }

  /// The object with one member more.
  package func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    var object = object ?? JSONValue.Object()
    object[name] = value
    return .object(object)
  }
}

// What it is made of may hold tokens and handles.
extension IDXResponse.Draft: Redacted {
  /// The names of what may be done next.
  public var description: String {
    "draft of a response: " + remediations.map(\.name.rawValue).joined(separator: ", ")
  }
}

// It may hold a shared secret or a number to pick.
extension IDXAuthenticator.Draft: Redacted {
  /// What it is called.
  public var description: String { "draft of \(displayName)" }
}
