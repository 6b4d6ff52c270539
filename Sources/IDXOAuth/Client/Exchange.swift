import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Sends requests and turns failures into errors.
///
/// Source: protocol sections 1.4, 1.10 and 6.1.
package struct Exchange: Sendable {
  private let transport: any Transport

  /// Sends requests over a transport.
  package init(transport: any Transport) { self.transport = transport }

  /// A response and the request that it answers.
  package struct Answer {
    let request: TransportRequest
    package let response: TransportResponse

    /// Okta's ID of the request, for errors and reports.
    package var requestID: String? {
      response.header("X-Okta-Request-Id").map(printable)
    }

    /// A server text without control characters and without the secrets of the request.
    package func printable(_ text: String) -> String {
      SecretRedactor(request).removed(from: text.printable)
    }
  }

  // MARK: Sending

  /// Sends a GET request.
  package func get(_ url: URL, _ headers: [String: String] = [:]) async throws -> Answer {
    try await send(
      TransportRequest(url: url, headers: ["Accept": "application/json"].merging(headers) { $1 }))
  }

  /// Sends a POST request; `step` names the remediation for errors.
  package func post(
    _ body: [UInt8], to url: URL, type: String = TokenRequest.contentType,
    accept: String = "application/json", step: String? = nil
  ) async throws -> Answer {
    try await send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": type, "Accept": accept], body: body),
      step: step)
  }

  private func send(_ request: TransportRequest, step: String? = nil) async throws -> Answer {
    try Task.checkCancellation()
    do {
      return Answer(request: request, response: try await transport.send(request))
    } catch let error as TransportError {
      throw FlowError(.network, error.message, step: step, underlying: error)
    } catch let error where !(error is CancellationError) {
      // Cancelled requests may end in an error of the transport's own.
      try Task.checkCancellation()
      throw FlowError(.network, "\(request) failed.", step: step, underlying: error)
    }
  }

  /// The address of a link that a server sent; throws unless it is at the issuer's origin.
  package func address(
    _ href: String?, for step: String, within configuration: FlowConfiguration
  ) throws -> URL {
    guard let href, let url = URL(string: href), url.host != nil else {
      throw FlowError(
        .notSendable, "The server offers “\(step)” without a usable address.", step: step)
    }
    let origin = Origin(url)
    let issuer = Origin(configuration.issuer)
    guard origin == issuer, url.user == nil else {
      throw FlowError(
        .hrefRefused,
        "The server sends “\(step)” to \(origin), which is not the issuer's origin \(issuer). "
          + "Nothing was sent.", step: step)
    }
    return url
  }

  // MARK: Token requests

  /// Sends a request for tokens; `url` is the issuer's token endpoint unless a form names another.
  package func redeem(
    _ request: TokenRequest, at url: URL, step: String? = nil
  ) async throws -> Tokens {
    try tokens(from: try await post(request.body, to: url, step: step), step: step)
  }

  /// The tokens in a response of the token endpoint.
  package func tokens(from answer: Answer, step: String? = nil) throws -> Tokens {
    let response = answer.response
    guard response.status < 300 else { throw failure(of: answer, step: step) }
    do { return try Tokens(parsing: response.body) } catch {
      throw FlowError(
        .unexpectedResponse, "The server answered without usable tokens. \(error)", step: step,
        status: response.status, requestID: answer.requestID, underlying: error)
    }
  }

  func keys(of issuer: URL) async throws -> JSONWebKeySet {
    let answer = try await get(try OAuthEndpoints(checking: issuer)["keys"])
    guard answer.response.status == 200 else { throw failure(of: answer) }
    do { return try JSONWebKeySet(parsing: answer.response.body) } catch {
      throw failure(of: answer, because: error)
    }
  }

  func revoke(_ request: TokenRequest, at issuer: URL) async throws {
    let url = try OAuthEndpoints(checking: issuer)["revoke"]
    let answer = try await post(request.body, to: url)
    guard answer.response.status == 200 else { throw failure(of: answer) }
  }

  func userInfo(_ token: Secret, at issuer: URL) async throws -> JSONValue {
    let url = try OAuthEndpoints(checking: issuer)["userinfo"]
    let answer = try await get(url, ["Authorization": "Bearer \(token.revealed)"])
    guard answer.response.status == 200 else { throw failure(of: answer) }
    let claims: JSONValue
    do { claims = try JSONValue(parsing: answer.response.body) } catch {
      throw failure(of: answer, because: error)
    }
    guard claims.object != nil else { throw failure(of: answer) }
    return claims
  }

  // MARK: Failures

  /// The OAuth error in a response, without the secrets of the request.
  package func refusal(in answer: Answer) -> OAuthError? {
    (OAuthError(parsing: answer.response.body)
      ?? answer.response.header("WWW-Authenticate").flatMap(OAuthError.init(challenge:)))
      .map(SecretRedactor(answer.request).removed)
  }

  /// The error for a response that is not what was asked for.
  ///
  /// It quotes the server's texts for people, without the secrets of the request, and never the body.
  package func failure(
    of answer: Answer, step: String? = nil, because cause: (any Error)? = nil
  ) -> FlowError {
    let response = answer.response
    let url = answer.request.url
    let port = url.port.map { ":\($0)" } ?? ""
    let place = "\(url.host ?? "The server")\(port)\(url.path(percentEncoded: true))"
    let oauth = refusal(in: answer)
    let summary = (try? JSONValue(parsing: response.body))?["errorSummary"]?.string
      .map(answer.printable)
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
      message = "\(place) redirects to another address, which is not followed. Check the issuer."
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
        message = "\(place) sent an unexpected response.\(reason) Check the issuer."
      }
    }
    return FlowError(
      code, message, step: step, status: response.status, requestID: answer.requestID,
      retryAfter: seconds.map { .seconds($0) }, underlying: oauth ?? cause)
  }
}

extension Exchange: Redacted {
  // A dump of a client must not show what an app's own transport holds.
  package var description: String { "exchange" }
}

extension TransportResponse {
  /// The seconds until a rate limit ends: `Retry-After`, or `X-Rate-Limit-Reset` by the server's clock.
  fileprivate var secondsToWait: Int? {
    if let seconds = header("Retry-After").flatMap(Int.init) { return max(seconds, 1) }
    guard let reset = header("X-Rate-Limit-Reset").flatMap(Double.init),
      let now = header("Date").flatMap(Self.date)
    else { return nil }
    // The number may be too large for an integer.
    let seconds = reset - now.timeIntervalSince1970
    return seconds.isFinite ? Int(min(max(seconds, 1), 86_400)) : nil
  }

  /// Reads an HTTP date in the preferred format (RFC 9110, section 5.6.7).
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
