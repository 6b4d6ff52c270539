package import IDX
package import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One request and what its response means.
///
/// Source: protocol sections 1.4 and 1.10.
package struct Exchange: Sendable {
  static let ion = "application/ion+json; okta-version=1.0.0"

  let transport: any Transport

  /// Requests over a transport.
  package init(transport: any Transport) { self.transport = transport }

  struct Reply {
    let response: IDXResponse
    let status: Int
    let requestID: String?
  }

  /// A response, and the request that it answers.
  package struct Answer {
    let request: TransportRequest
    package let response: TransportResponse
  }

  func interact(_ parameters: [(String, String)], at url: URL) async throws -> Secret {
    let answer = try await post(
      Array(FormURLEncoding.encode(parameters).utf8), to: url)
    let json = try? JSONValue(parsing: answer.response.body)
    if answer.response.status < 300, let handle = json?["interaction_handle"]?.string {
      return Secret(handle)
    }
    throw failure(of: answer)
  }

  func introspect(_ handle: Secret, of configuration: FlowConfiguration) async throws -> Reply {
    let body: JSONValue = ["interactionHandle": .string(handle.revealed)]
    let url = try configuration.endpoint("/idp/idx/introspect")
    return try reply(
      from: try await post(body.bytes, to: url, type: Self.ion, accept: Self.ion), for: nil)
  }

  func send(_ submission: Submission, of configuration: FlowConfiguration) async throws -> Reply {
    let form = submission.remediation
    let url = try address(of: form, within: configuration)
    let answer = try await post(
      try submission.body().bytes, to: url, type: form.accepts ?? "application/json",
      accept: Self.ion,
      for: form.name)
    return try reply(from: answer, for: form.name)
  }

  /// Sends the request for tokens, to where the form says; without one, to where the issuer's are.
  func redeem(
    _ request: TokenRequest, through form: Remediation?, of configuration: FlowConfiguration
  ) async throws -> Tokens {
    let url =
      try form.map { try address(of: $0, within: configuration) }
      ?? configuration.endpoints["token"]
    let name = form?.name ?? .issue
    return try tokens(from: try await post(request.body, to: url, for: name), for: name)
  }

  /// The tokens of a response of the token endpoint.
  package func tokens(from answer: Answer, for name: Remediation.Name?) throws -> Tokens {
    let response = answer.response
    guard response.status < 300 else { throw failure(of: answer, for: name) }
    do { return try Tokens(parsing: response.body) } catch {
      throw FlowError(
        .unexpectedResponse, "The server answered without usable tokens. \(error)",
        remediation: name, status: response.status, requestID: answer.requestID,
        underlying: error)
    }
  }

  // MARK: Addresses

  private func address(
    of form: Remediation, within configuration: FlowConfiguration
  ) throws -> URL {
    guard form.canBeSent || form.href?.isEmpty != false else {
      throw FlowError(
        .notSendable, "“\(form.name)” is done in a browser and cannot be sent from here.",
        remediation: form.name)
    }
    return try address(form.href, for: form.name, within: configuration)
  }

  /// The address of a link that a server sent; throws where it is none, or not at the issuer's origin.
  package func address(
    _ href: String?, for name: Remediation.Name, within configuration: FlowConfiguration
  ) throws -> URL {
    guard let href, let url = URL(string: href), url.host != nil else {
      throw FlowError(
        .notSendable, "The server offers “\(name)” without a usable address.", remediation: name)
    }
    let origin = Origin(url)
    let issuer = Origin(configuration.issuer)
    guard origin == issuer, url.user == nil else {
      throw FlowError(
        .hrefRefused,
        "The server sends “\(name)” to \(origin), which is not the issuer's \(issuer). "
          + "Nothing was sent.", remediation: name)
    }
    return url
  }

  // MARK: Requests and responses

  /// Posts a body.
  package func post(
    _ body: [UInt8], to url: URL, type: String = TokenRequest.contentType,
    accept: String = "application/json", for name: Remediation.Name? = nil
  ) async throws -> Answer {
    try await send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": type, "Accept": accept], body: body),
      for: name)
  }

  /// Sends any request; throws a ``FlowError`` where no response came.
  func send(
    _ request: TransportRequest, for name: Remediation.Name? = nil
  ) async throws -> Answer {
    try Task.checkCancellation()
    do {
      return Answer(request: request, response: try await transport.send(request))
    } catch let error as TransportError {
      throw FlowError(.network, error.message, remediation: name, underlying: error)
    } catch let error where !(error is CancellationError) {
      // Cancelled requests may end in an error of the transport's own.
      try Task.checkCancellation()
      // A transport owes a TransportError; what else it throws is still the network to a caller.
      throw FlowError(.network, "\(request) failed.", remediation: name, underlying: error)
    }
  }

  private func reply(from answer: Answer, for name: Remediation.Name?) throws -> Reply {
    let response = answer.response
    guard response.status < 500 else { throw failure(of: answer, for: name) }
    do {
      return Reply(
        response: try IDXResponse(parsing: response.body), status: response.status,
        requestID: answer.requestID)
    } catch { throw failure(of: answer, for: name, because: error) }
  }

  /// What an OAuth endpoint says against a request, without the secrets that were sent; nil where it
  /// says nothing of the kind.
  package func refusal(in answer: Answer) -> OAuthError? {
    (OAuthError(parsing: answer.response.body)
      ?? answer.response.header("WWW-Authenticate").flatMap(OAuthError.init(challenge:)))
      .map(SecretRedactor(answer.request).removed)
  }

  /// A text of a server for people, without control characters and the secrets that were sent.
  package func text(_ text: String, in answer: Answer) -> String {
    SecretRedactor(answer.request).removed(from: text.printable)
  }

  /// The error for a response that is not what was asked for.
  ///
  /// It quotes what the server says for people, without the secrets that were sent, never the body.
  package func failure(
    of answer: Answer, for name: Remediation.Name? = nil, because cause: (any Error)? = nil
  ) -> FlowError {
    let response = answer.response
    let url = answer.request.url
    let sent = SecretRedactor(answer.request)
    let port = url.port.map { ":\($0)" } ?? ""
    let place = "\(url.host ?? "The server")\(port)\(url.path(percentEncoded: true))"
    let oauth = refusal(in: answer)
    let summary = (try? JSONValue(parsing: response.body))?["errorSummary"]?.string.map {
      sent.removed(from: $0.printable)
    }
    let seconds = response.status == 429 ? response.secondsToWait : nil
    let code: FlowError.Code
    let message: String
    switch response.status {
    case 429:
      code = .rateLimited
      let wait = seconds.map { "Try again in \($0) s." } ?? "Try again later."
      message = "\(place) is getting too many requests. \(wait)"
    case 500...:
      code = .serverFailed
      message = "\(place) failed. Try again later."
    case 300..<400:
      code = .unexpectedResponse
      message =
        "\(place) redirects to another address, which is not followed. Check the issuer."
    default:
      if let oauth {
        code = .refused
        message = "\(place) refused: \(oauth)"
      } else if let summary {
        code = .refused
        message = "\(place) refused: \(summary)"
      } else {
        code = .unexpectedResponse
        let reason = cause.map { " \($0)" } ?? ""
        message = "\(place) sent something else than expected.\(reason) Check the issuer."
      }
    }
    return FlowError(
      code, message, remediation: name, status: response.status, requestID: answer.requestID,
      retryAfter: seconds.map { .seconds($0) }, underlying: oauth ?? cause)
  }
}

// A transport is anybody's, and may hold what a dump of a client must not show.
extension Exchange: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Exchange.Answer {
  /// Okta's id of the request, which errors and reports show.
  package var requestID: String? {
    response.header("X-Okta-Request-Id").map { SecretRedactor(request).removed(from: $0.printable) }
  }
}

extension TransportResponse {
  /// How long a rate limit lasts: until `X-Rate-Limit-Reset` by the server's own clock, or `Retry-After`.
  var secondsToWait: Int? {
    if let seconds = header("Retry-After").flatMap(Int.init) { return max(seconds, 1) }
    guard let reset = header("X-Rate-Limit-Reset").flatMap(Double.init),
      let now = header("Date").flatMap(Self.date)
    else { return nil }
    // A server may write any number, also one that no integer holds.
    let seconds = reset - now.timeIntervalSince1970
    return seconds.isFinite ? Int(min(max(seconds, 1), 86_400)) : nil
  }

  /// Reads the preferred form of an HTTP date (RFC 9110, section 5.6.7).
  private static func date(_ text: String) -> Date? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let parts = text.split(separator: " ")
    guard parts.count == 6, let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let pad = { (text: String) in text.count < 2 ? "0" + text : text }
    return Date(
      timestamp: "\(parts[3])-\(pad(String(month + 1)))-\(pad(String(parts[1])))T\(parts[4])Z")
  }
}
