public import IDXBase

extension IDXResponse {
  /// Reads a response from its bytes.
  ///
  /// What is merely odd is tolerated: flags written as strings, missing members, references that
  /// lead nowhere, stray elements of lists. What is no IDX response, is nested more than
  /// ``JSONValue/maximumDepth`` levels or longer than ``JSONValue/maximumSize`` is an error.
  public init(parsing bytes: some Sequence<UInt8>) throws(IDXResponseError) {
    let json: JSONDocument
    do throws(JSONError) { json = try JSONDocument(parsing: Array(bytes)) } catch {
      throw .notJSON(error)
    }
    guard json.isObject(0) else { throw .notAnObject }
    guard Self.identifyingNames.contains(where: { json.member($0, of: 0) != nil }) else {
      throw .notIDX(names: json.children(of: 0).map(json.name(of:)))
    }
    raw = RawJSON(document: ResponseDocument(json), node: 0)
    remediations = raw.collection("remediation", Remediation.init)
    actions = raw.actions(but: Self.namesOfNoAction).map(Remediation.init)
  }

  /// At least one of these stands in every IDX response.
  static let identifyingNames: [StaticString] = [
    "version", "stateHandle", "remediation", "messages", "successWithInteractionCode",
  ]

  /// What stands for something else, whatever it looks like.
  private static let namesOfNoAction: [StaticString] =
    ["version", "stateHandle", "remediation", "messages", "intent", "expiresAt", "user", "app"]
    + IDXAuthenticator.Container.allCases.map(\.literal)
}

extension IDXResponse: Redacted {
  /// The names of what may be done next and how many messages there are; nothing that is secret.
  public var description: String {
    let offered = (remediations + actions).map(\.name.rawValue).joined(separator: ", ")
    return "IDX response offering \(offered.isEmpty ? "nothing" : offered); "
      + "\(messages.count) messages"
  }
}
