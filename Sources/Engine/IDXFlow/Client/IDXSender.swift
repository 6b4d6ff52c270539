package import IDX
package import IDXBase
package import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Sends the requests of Identity Engine, however a sign-in began.
package struct IDXSender: Sendable {
  package let http: IssuerClient

  package init(http: IssuerClient) { self.http = http }

  private static let ion = "application/ion+json; okta-version=1.0.0"

  package struct Received: Sendable {
    package let response: IDXResponse
    package let status: Int
    package let requestID: String?
    /// When the server accepts answers again, if it has had too many; nil if it does not say.
    package var acceptsAfter: Date?
  }

  /// Asks for the state of the sign-in that a handle or a token belongs to, which changes nothing there.
  package func introspect(
    _ name: String, _ handle: Secret, of configuration: FlowConfiguration
  ) async throws -> Received {
    let body = ([:] as JSONValue).adding(name, .string(handle.revealed))
    let url = try configuration.endpoint("/idp/idx/introspect")
    return try read(
      try await http.post(
        body.bytes, to: url, type: Self.ion, accept: Self.ion, isRepeatable: true))
  }

  /// Answers a form of the state's response.
  ///
  /// Some servers refuse an answer with a text and without the form, or with an error of the classic API: then the
  /// response has the forms of `current`, and the text as its message.
  package func answer(
    _ submission: Submission, from state: FlowState, current: () async throws -> Received
  ) async throws -> Received {
    let form = submission.remediation
    let body = try submission.bytes()
    let url = try address(of: form, within: state.configuration)
    let response = try await http.post(
      body, to: url, type: form.accepts ?? "application/json", accept: Self.ion,
      headers: ["Origin": state.configuration.origin], stepName: form.name.rawValue)
    guard let text = Self.refusal(in: response) else { return try read(response, to: form) }
    let now = try await current()
    guard !now.response.remediations.isEmpty else { return try read(response, to: form) }
    return Received(
      response: now.response.adding(.error, response.printable(text)), status: response.status,
      requestID: response.requestID)
  }

  /// The text of a refused answer that has no forms and no key; nil for other responses.
  private static func refusal(in response: IssuerClient.Response) -> String? {
    guard [401, 403].contains(response.status) else { return nil }
    if let json = try? JSONValue(parsing: response.body), json["errorCode"] == "E0000004" {
      return json["errorSummary"]?.string
    }
    guard response.status == 401, let body = try? IDXResponse(parsing: response.body),
      body.remediations.isEmpty, let message = body.messages.first, message.key == nil
    else { return nil }
    return message.text
  }

  private func read(_ response: IssuerClient.Response, to form: Remediation? = nil) throws
    -> Received
  {
    let stepName = form?.name.rawValue
    guard response.status < 500 else { throw http.failure(of: response, stepName: stepName) }
    do {
      let wait = response.status == 429 ? response.timeToWait : nil
      return Received(
        response: try IDXResponse(parsing: response.body), status: response.status,
        requestID: response.requestID,
        acceptsAfter: wait.map { http.now().addingTimeInterval($0 / .seconds(1)) })
    } catch { throw http.failure(of: response, stepName: stepName, because: error) }
  }

  func address(of form: Remediation, within configuration: FlowConfiguration) throws -> URL {
    guard form.canBeSent || form.href?.isEmpty != false else {
      throw FlowError(
        .notSendable, "“\(form.name)” opens in a browser and cannot be sent from here.",
        remediation: form.name)
    }
    return try http.address(form.href, for: form.name.rawValue, within: configuration)
  }
}

extension FlowState {
  /// The same sign-in after a response of Identity Engine.
  package func advanced(
    to received: IDXSender.Received, success: Success? = nil, clientState: JSONValue? = nil
  ) -> FlowState {
    advanced(
      to: received.response, status: received.status, requestID: received.requestID,
      success: success, clientState: clientState
    )
    .accepting(after: received.acceptsAfter)
  }
}

extension IDXResponse {
  /// The same response with one more message for the person.
  package func adding(_ kind: IDXMessage.Kind, _ text: String) -> IDXResponse {
    let message: JSONValue = ["message": .string(text), "class": .string(kind.rawValue)]
    let json = raw.json
    let messages = (json["messages"]?["value"]?.array ?? []) + [message]
    let more = json.adding("messages", ["type": "array", "value": .array(messages)])
    return (try? IDXResponse(parsing: more.bytes)) ?? self
  }
}
