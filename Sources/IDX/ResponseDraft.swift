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
    /// Other members, as Identity Engine writes them: `stateHandle`, `app` and so on. They replace those
    /// that have the same name.
    package var members = JSONValue.Object()

    /// A response that says nothing yet.
    public init() {}

    /// The response.
    ///
    /// Throws where it is nested more than ``JSONValue/maximumDepth`` levels or too large: values in it may
    /// come from a server.
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
      for action in actions { object[action.name.rawValue] = action.json }
      for member in members.members { object[member.name] = member.value }
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
    package let text: String
    package let key: Key?
    private let kind: Kind
    private let parameters: [String]?
    private let links: [String]

    /// A message, an error unless told otherwise.
    public init(_ text: String, key: Key? = nil, kind: Kind = .error) {
      self.init(text, key: key, kind: kind, parameters: nil)
    }

    /// A message with what its text is filled with (`i18n.params`), and addresses that say more.
    package init(
      _ text: String, key: Key?, kind: Kind = .error, parameters: [String]?, links: [String] = []
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
      let links = links.map { ["url": .string($0)] as JSONValue }
      let object: JSONValue = ["message": .string(text), "class": .string(kind.rawValue)]
      return object.adding("i18n", name?.adding("params", parameters))
        .adding("links", .array(links), if: !links.isEmpty)
    }
  }
}

extension IDXAuthenticator {
  /// What an authenticator is made of.
  public struct Draft: Sendable, Hashable {
    let displayName: String
    package private(set) var json: JSONValue

    /// An authenticator; its contextual data, profile and settings are what its own properties read,
    /// such as `correctAnswer`, `phoneNumber` and `complexity`.
    ///
    /// `id` tells it from others of its kind; nil where there is one.
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

  /// An object that stands alone as Identity Engine writes it.
  package static func single(_ element: JSONValue) -> JSONValue {
    ["type": "object", "value": element]
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
