// Responses that are made by code: for a server that speaks another protocol, and for tests. A draft is
// written as Identity Engine would write it and read like anything that came from there, so that there
// is one way in which responses look.

extension Response {
  /// What a response is made of.
  ///
  ///     var draft = Response.Draft()
  ///     draft.remediations = [
  ///       Remediation.Draft(
  ///         "identify", href: "https://example.com/identify",
  ///         fields: [Field.Draft("identifier", label: "Username", isRequired: true)])
  ///     ]
  ///     let response = try draft.response()
  public struct Draft: Sendable, Hashable {
    /// What is said to the person.
    public var messages: [Message.Draft] = []
    /// What may be done next, the current step first.
    public var remediations: [Remediation.Draft] = []
    /// What can be done beside it, such as `cancel`.
    public var actions: [Remediation.Draft] = []
    /// The authenticator that the step is about; nil for none.
    public var currentAuthenticator: Authenticator.Draft?
    /// What the person has set up, for `$.authenticatorEnrollments.value[0]` and so on.
    public var enrollments: [Authenticator.Draft] = []
    /// The user name of who signs in; nil while that is not known.
    public var username: String?

    /// A response that says nothing yet.
    public init() {}

    /// The response.
    ///
    /// Throws where it is nested more than ``JSON/maximumDepth`` levels or too large: values in it may
    /// come from a server.
    public func response() throws(ResponseError) -> Response {
      try Response(parsing: json.bytes)
    }

    private var json: JSON {
      var object = JSON.Object([JSON.Object.Member("version", "1.0.0")])
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
      if let username {
        object["user"] = ["type": "object", "value": ["identifier": .string(username)]]
      }
      for action in actions { object[action.name.rawValue] = action.json }
      return .object(object)
    }
  }
}

extension Message {
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

    fileprivate var json: JSON {
      var object: JSON = ["message": .string(text), "class": .string(kind.rawValue)]
      if let key { object = object.adding("i18n", ["key": .string(key.rawValue)]) }
      return object
    }
  }
}

extension Authenticator {
  /// What an authenticator is made of.
  public struct Draft: Sendable, Hashable {
    let key: Key
    let type: Kind
    let displayName: String
    let methods: [Method]
    let contextualData: JSON?
    let actions: [Remediation.Draft]

    /// An authenticator; its contextual data is what its own properties read, such as `correctAnswer`.
    public init(
      _ key: Key, type: Kind, displayName: String, methods: [Method] = [],
      contextualData: JSON? = nil, actions: [Remediation.Draft] = []
    ) {
      self.key = key
      self.type = type
      self.displayName = displayName
      self.methods = methods
      self.contextualData = contextualData
      self.actions = actions
    }

    fileprivate var json: JSON {
      var object: JSON = [
        "id": .string(key.rawValue), "key": .string(key.rawValue), "type": .string(type.rawValue),
        "displayName": .string(displayName),
        "methods": .array(methods.map { ["type": .string($0.rawValue)] }),
      ]
      if let contextualData { object = object.adding("contextualData", contextualData) }
      for action in actions { object = object.adding(action.name.rawValue, action.json) }
      return object
    }
  }
}

extension Remediation {
  /// What a form and its address are made of.
  public struct Draft: Sendable, Hashable {
    let name: Name
    let href: String
    let fields: [Field.Draft]
    let relatesTo: [String]
    let refresh: Duration?

    /// A form that is sent by POST; `relatesTo` holds paths such as `$.currentAuthenticator`, and
    /// `refresh` says how long to wait before it is sent, in whole milliseconds.
    public init(
      _ name: Name, href: String, fields: [Field.Draft] = [], relatesTo: [String] = [],
      refresh: Duration? = nil
    ) {
      self.name = name
      self.href = href
      self.fields = fields
      self.relatesTo = relatesTo
      self.refresh = refresh
    }

    fileprivate var json: JSON {
      var object: JSON = [
        "name": .string(name.rawValue), "href": .string(href), "method": "POST",
        "value": .array(fields.map(\.json)),
      ]
      if !relatesTo.isEmpty {
        object = object.adding("relatesTo", .array(relatesTo.map(JSON.string)))
      }
      if let refresh {
        let milliseconds = Int(refresh / .milliseconds(1))
        object = object.adding("refresh", .number(JSON.Number(milliseconds)))
      }
      return object
    }
  }
}

extension Field {
  /// What a field is made of.
  public struct Draft: Sendable, Hashable {
    fileprivate private(set) var json: JSON

    /// A field that a person fills in.
    public init(
      _ name: String, label: String? = nil, type: Kind? = nil, isRequired: Bool = false,
      isVisible: Bool = true, isSecret: Bool = false, value: JSON? = nil
    ) {
      json = ["name": .string(name), "required": .bool(isRequired)]
      if let label { json = json.adding("label", .string(label)) }
      if let type { json = json.adding("type", .string(type.rawValue)) }
      if !isVisible { json = json.adding("visible", false) }
      if isSecret { json = json.adding("secret", true) }
      if let value { json = json.adding("value", value) }
    }

    /// A value that is sent back as it is, and not shown.
    public init(fixed name: String, _ value: JSON) {
      self.init(name, isRequired: true, isVisible: false, value: value)
      json = json.adding("mutable", false)
    }

    /// A nested form.
    public init(_ name: String, form: [Field.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("form", ["value": .array(form.map(\.json))])
    }

    /// A choice.
    public init(_ name: String, options: [Option.Draft]) {
      self.init(name, type: .object, isRequired: true)
      json = json.adding("options", .array(options.map(\.json)))
    }
  }
}

extension Field.Option {
  /// What an option is made of.
  public struct Draft: Sendable, Hashable {
    fileprivate let json: JSON

    /// An option that stands for a form, and for what a path leads to; nil for nothing.
    public init(_ label: String, form: [Field.Draft], relatesTo: String? = nil) {
      let object: JSON = [
        "label": .string(label), "value": ["form": ["value": .array(form.map(\.json))]],
      ]
      json = relatesTo.map { object.adding("relatesTo", .string($0)) } ?? object
    }
  }
}

extension JSON {
  fileprivate static func collection(_ elements: [JSON]) -> JSON {
    ["type": "array", "value": .array(elements)]
  }

  /// The object with one member more.
  package func adding(_ name: String, _ value: JSON) -> JSON {
    var object = object ?? JSON.Object()
    object[name] = value
    return .object(object)
  }
}

// A draft may hold handles and secrets, as what is made of it.
extension Field.Draft: CustomReflectable, CustomStringConvertible {
  /// That it is a draft.
  public var description: String { "draft of a field" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Field.Option.Draft: CustomReflectable, CustomStringConvertible {
  /// That it is a draft.
  public var description: String { "draft of an option" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Authenticator.Draft: CustomReflectable, CustomStringConvertible {
  /// What it is called.
  public var description: String { "draft of \(displayName)" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
