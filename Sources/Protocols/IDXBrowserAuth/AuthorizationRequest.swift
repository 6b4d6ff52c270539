import IDXBase
import IDXFlow
import IDXOAuth

/// What each authorization request of a sign-in contains besides its secrets, saved in `FlowState.clientState`.
struct AuthorizationRequest: Sendable, Hashable {
  struct Parameter: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// The authorization endpoint.
  let endpoint: String
  /// Where the parameters are sent first; nil if they are in the address.
  let pushEndpoint: String?
  /// The name that the server gives itself; nil in a sign-in that an older version saved.
  let issuer: String?
  /// Whether the address at which the browser returns must name the issuer.
  let returnsIssuer: Bool
  /// The parameters that the app has chosen, such as `login_hint`.
  let parameters: [Parameter]

  init(_ metadata: ServerMetadata, _ parameters: [(String, String)]) throws {
    guard let endpoint = metadata.authorizationEndpoint else {
      throw FlowError(
        .notOffered, "The server has no authorization endpoint, which a sign-in in a browser needs."
      )
    }
    self.endpoint = endpoint
    pushEndpoint = metadata.requiredPushEndpoint
    issuer = metadata.issuer
    returnsIssuer = metadata.returnsIssuer
    self.parameters = parameters.map(Parameter.init)
  }

  /// Reads what ``json`` wrote.
  init?(_ json: JSONValue?) {
    guard let json, let endpoint = json["authorization_endpoint"]?.string else { return nil }
    self.endpoint = endpoint
    pushEndpoint = json["push_endpoint"]?.string
    issuer = json[FlowState.issuerName]?.string
    returnsIssuer = json[FlowState.returnsIssuer]?.bool == true
    parameters = (json["parameters"]?.object?.members ?? []).compactMap { member in
      member.value.string.map { Parameter(name: member.name, value: $0) }
    }
  }

  var json: JSONValue {
    let members = parameters.map { JSONValue.Object.Member($0.name, .string($0.value)) }
    let json: JSONValue = [
      "authorization_endpoint": .string(endpoint), FlowState.returnsIssuer: .bool(returnsIssuer),
      "parameters": .object(JSONValue.Object(members)),
    ]
    return json.adding("push_endpoint", pushEndpoint.map(JSONValue.string))
      .adding(FlowState.issuerName, issuer.map(JSONValue.string))
  }
}

// The username is private.
extension AuthorizationRequest: Redacted {
  var description: String { "authorization request" }
}
