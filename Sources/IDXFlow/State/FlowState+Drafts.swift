import IDXBase
public import IDX
public import IDXOAuth

// States of clients that speak another protocol than Identity Engine's, and tell in its words.
extension FlowState {
  /// A sign-in at its beginning.
  ///
  /// Secrets of its own, which tie the tokens to it, are drawn from `random`. Throws a ``FlowError``
  /// where the draft holds something of a server's that cannot be shown.
  public init(
    speaking flowProtocol: FlowProtocol, to configuration: FlowConfiguration,
    draft: IDXResponse.Draft, status: Int = 200, requestID: String? = nil, maximumAge: Int? = nil,
    random: RandomBytes = .system
  ) throws {
    self.init(
      flowProtocol: flowProtocol, configuration: configuration, interactionHandle: "",
      pkce: PKCE(random: random), redirectState: Secret(random.token()),
      nonce: Secret(random.token()), response: try Self.response(draft), status: status,
      requestID: requestID, maximumAge: maximumAge)
  }

  /// The same sign-in after another response; `success` is what it has ended in, nil where it goes on.
  ///
  /// Throws as the initialiser does.
  public func advanced(
    to draft: IDXResponse.Draft, status: Int = 200, requestID: String? = nil,
    success: Success? = nil
  ) throws -> FlowState {
    advanced(
      to: try Self.response(draft), status: status, requestID: requestID, success: success)
  }

  private static func response(_ draft: IDXResponse.Draft) throws -> IDXResponse {
    do { return try draft.response() } catch {
      throw FlowError(
        .unexpectedResponse, "The server sent something that cannot be shown. \(error)",
        underlying: error)
    }
  }
}

extension Remediation.Field.Draft {
  /// The field for the user name, with what is known of it.
  package static func username(_ known: String?) -> Remediation.Field.Draft {
    Remediation.Field.Draft(
      "identifier", label: "Username", isRequired: true, value: known.map(JSONValue.string))
  }
}
