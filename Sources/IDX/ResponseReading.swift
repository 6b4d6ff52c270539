extension Response {
  /// Reads a response from its bytes.
  ///
  /// What is merely odd is tolerated: flags written as strings, missing members, references that
  /// lead nowhere, stray elements of lists. What is no IDX response, is nested more than
  /// ``JSON/maximumDepth`` levels or longer than ``JSON/maximumSize`` is an error.
  public init(parsing bytes: some Sequence<UInt8>) throws(ResponseError) {
    let result: Result<Response, ResponseError>
    do throws(JSONError) {
      result = try JSONReader.read(Array(bytes)) { reader throws(JSONError) in
        guard reader.isAtObject else {
          try reader.skip()
          return .failure(.notAnObject)
        }
        let start = reader.mark()
        if let response = try Response(reading: &reader) { return .success(response) }
        let names = reader.raw(since: start).json.object?.members.map(\.name) ?? []
        return .failure(.notIDX(names: names))
      }
    } catch { throw .notJSON(error) }
    self = try result.get()
  }

  /// Reads the object that stands next; nil where it is no IDX response.
  private init?(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.mark()
    var version: String?
    var intent: String?
    var stateHandle: String?
    var expiresAt: String?
    var messages: [Message] = []
    var remediations: [Remediation] = []
    var actions: [Remediation] = []
    var issue: Remediation?
    var authenticators: [Authenticator] = []
    var user: User?
    var application: Application?
    var isIDX = false
    var members = try reader.enterObject()
    while let name = try reader.nextName(&members) {
      switch name {
      case "version":
        version = try reader.stringOrSkip()
        isIDX = true
      case "stateHandle":
        stateHandle = try reader.stringOrSkip()
        isIDX = true
      case "remediation":
        remediations = try reader.collection { reader, _ throws(JSONError) in
          try Remediation(reading: &reader)
        }
        isIDX = true
      case "messages":
        messages = try reader.collection { reader, _ throws(JSONError) in
          try Message(reading: &reader)
        }
        isIDX = true
      case "successWithInteractionCode":
        issue = try Remediation(readingAction: &reader)
        if let issue { actions.append(issue) }
        isIDX = true
      case "intent": intent = try reader.stringOrSkip()
      case "expiresAt": expiresAt = try reader.stringOrSkip()
      case "user": user = try User(reading: &reader)
      case "app": application = try Application(reading: &reader)
      default:
        if let container = Authenticator.Container.allCases.first(where: { $0.literal ~= name }) {
          authenticators.removeAll { $0.container == container }
          authenticators += try reader.collection { reader, index throws(JSONError) in
            try Authenticator(reading: &reader, in: container, at: index)
          }
        } else if let action = try Remediation(readingAction: &reader) {
          actions.append(action)
        }
      }
    }
    guard isIDX else { return nil }
    let table = AuthenticatorTable(authenticators)
    for index in remediations.indices { remediations[index].resolve(among: table) }
    for index in actions.indices { actions[index].resolve(among: table) }
    self.version = version
    self.intent = intent
    self.stateHandle = stateHandle
    self.expiresAtText = expiresAt
    self.messages = messages
    self.remediations = remediations
    self.actions = actions
    self.issue = issue
    self.authenticators = Authenticator.Container.allCases.flatMap { container in
      authenticators.filter { $0.container == container }
    }
    self.user = user
    self.application = application
    self.raw = reader.raw(since: start)
  }
}

extension Authenticator.Container {
  /// The name on the wire, in the shape that a reader compares without making strings.
  fileprivate var literal: StaticString {
    switch self {
    case .currentAuthenticator: "currentAuthenticator"
    case .currentAuthenticatorEnrollment: "currentAuthenticatorEnrollment"
    case .enrollmentAuthenticator: "enrollmentAuthenticator"
    case .recoveryAuthenticator: "recoveryAuthenticator"
    case .authenticatorChallenge: "authenticatorChallenge"
    case .authenticators: "authenticators"
    case .authenticatorEnrollments: "authenticatorEnrollments"
    }
  }
}

extension Response.User {
  init?(reading reader: inout JSONReader) throws(JSONError) {
    let found = try reader.collection { reader, _ throws(JSONError) in
      let start = reader.mark()
      var id: String?
      var identifier: String?
      var members = try reader.enterObject()
      while let name = try reader.nextName(&members) {
        switch name {
        case "id": id = try reader.stringOrSkip()
        case "identifier": identifier = try reader.stringOrSkip()
        default: try reader.skip()
        }
      }
      return Self(id: id, identifier: identifier, raw: reader.raw(since: start))
    }
    guard let user = found.first else { return nil }
    self = user
  }
}

extension Response.Application {
  init?(reading reader: inout JSONReader) throws(JSONError) {
    let found = try reader.collection { reader, _ throws(JSONError) in
      let start = reader.mark()
      var id: String?
      var kind: String?
      var label: String?
      var members = try reader.enterObject()
      while let name = try reader.nextName(&members) {
        switch name {
        case "id": id = try reader.stringOrSkip()
        case "name": kind = try reader.stringOrSkip()
        case "label": label = try reader.stringOrSkip()
        default: try reader.skip()
        }
      }
      return Self(id: id, name: kind, label: label, raw: reader.raw(since: start))
    }
    guard let application = found.first else { return nil }
    self = application
  }
}

extension Response: CustomStringConvertible, CustomReflectable {
  /// The names of what may be done next and how many messages there are; nothing that is secret.
  public var description: String {
    let offered = (remediations + actions).map(\.name.rawValue).joined(separator: ", ")
    return "IDX response offering \(offered.isEmpty ? "nothing" : offered); "
      + "\(messages.count) messages"
  }
  /// The parts, each of which hides what is secret.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "messages": messages, "remediations": remediations, "actions": actions,
        "authenticators": authenticators,
      ])
  }
}
