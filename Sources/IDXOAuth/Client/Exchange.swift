package import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Sends requests and turns failures into errors.
package struct Exchange: Sendable {
  private let transport: any Transport
  private let authentication: ClientAuthentication?
  private var cookies: CookieKeeper?
  private var connectionGroup: ConnectionGroup?

  /// Sends requests over a transport; `authentication` is nil for an app without a client secret.
  package init(transport: any Transport, authentication: ClientAuthentication? = nil) {
    self.transport = transport
    self.authentication = authentication
  }

  /// The same for one sign-in, with requests that carry cookies and responses that set them, over connections of
  /// a group.
  package func keeping(
    _ cookies: CookieKeeper, in connectionGroup: ConnectionGroup? = nil
  ) -> Exchange {
    var exchange = self
    exchange.cookies = cookies
    exchange.connectionGroup = connectionGroup
    return exchange
  }

  /// A response and the request that it answers.
  package struct Answer {
    let request: TransportRequest
    package let response: TransportResponse

    /// Okta's ID of the request, for errors and reports.
    package var requestID: String? {
      response.header("X-Okta-Request-Id").map { SecretRedactor(request).cleanedID($0).printable }
    }

    /// A server text without control characters and without the secrets of the request.
    package func printable(_ text: String) -> String {
      // In this order, because a part of an escape sequence is printable.
      SecretRedactor(request).removed(from: text).printable
    }
  }

  // MARK: Sending

  /// Sends a GET request.
  package func get(
    _ url: URL, _ headers: [String: String] = [:], isRepeatable: Bool = true
  ) async throws -> Answer {
    try await send(
      TransportRequest(
        url: url, headers: ["Accept": "application/json"].merging(headers) { $1 },
        isRepeatable: isRepeatable))
  }

  /// Sends a POST request; `step` names the remediation for errors.
  package func post(
    _ body: [UInt8], to url: URL, type: String, accept: String = "application/json",
    headers: [String: String] = [:], step: String? = nil, isRepeatable: Bool = false
  ) async throws -> Answer {
    try await send(
      TransportRequest(
        method: "POST", url: url,
        headers: ["Content-Type": type, "Accept": accept].merging(headers) { $1 }, body: body,
        isRepeatable: isRepeatable),
      step: step)
  }

  /// Sends a request of an app to an endpoint of OAuth; the app authenticates if it has a secret.
  package func post(
    _ request: TokenRequest, of app: AppIdentity, to url: URL, step: String? = nil,
    isRepeatable: Bool = false
  ) async throws -> Answer {
    let request = try authentication?.authenticating(request, of: app) ?? request
    return try await post(
      request.body, to: url, type: TokenRequest.contentType, headers: request.headers, step: step,
      isRepeatable: isRepeatable)
  }

  private func send(_ request: TransportRequest, step: String? = nil) async throws -> Answer {
    try Task.checkCancellation()
    var request = cookies?.adding(to: request) ?? request
    request.connectionGroup = connectionGroup
    do {
      let response = try await transport.send(request)
      cookies?.take(response, to: request)
      return Answer(request: request, response: response)
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
    _ request: TokenRequest, of app: AppIdentity, at url: URL, step: String? = nil
  ) async throws -> Tokens {
    let answer = try await post(request, of: app, to: url, step: step)
    return try await tokens(from: answer, of: app, step: step)
  }

  /// Sends a request for the tokens of a sign-in, whose code works only once.
  package func redeemCode(
    _ request: TokenRequest, of app: AppIdentity, at url: URL, step: String
  ) async throws -> Tokens {
    do { return try await redeem(request, of: app, at: url, step: step) } catch let error
      as FlowError where error.leavesUnknown
    {
      throw error.adding("The code of this sign-in may be used up, so sign in again.")
    }
  }

  /// The tokens in a response of the token endpoint; those of a response that cannot be used are revoked.
  package func tokens(
    from answer: Answer, of app: AppIdentity, step: String? = nil
  ) async throws -> Tokens {
    let response = answer.response
    guard response.status < 300 else { throw failure(of: answer, step: step) }
    do { return try Tokens(parsing: response.body) } catch {
      let failure = FlowError(
        .unexpectedResponse, Self.explanation(of: answer, error.explanation), step: step,
        status: response.status, requestID: answer.requestID, underlying: error)
      let tokens = Tokens.revocable(in: response.body)
      throw tokens.isEmpty ? failure : failure.adding(await revokeAll(tokens, of: app))
    }
  }

  /// Revokes tokens that nobody will have, even if the task is canceled; returns a sentence about it.
  func revokeAll(_ tokens: [(kind: TokenKind, token: Secret)], of app: AppIdentity) async -> String
  {
    await Task {
      var sentence = "The new tokens were revoked."
      for (kind, token) in tokens {
        let request = TokenRequest(revoking: token, kind: kind, clientID: app.clientID)
        do { try await revoke(request, of: app) } catch {
          sentence = "The new tokens could not be revoked and are valid until they expire."
        }
      }
      return sentence
    }.value
  }

  func keys(of issuer: URL) async throws -> JSONWebKeySet {
    let answer = try await get(try OAuthEndpoints(checking: issuer)["keys"])
    guard answer.response.status == 200 else { throw failure(of: answer) }
    do { return try JSONWebKeySet(parsing: answer.response.body) } catch {
      throw failure(of: answer, because: error)
    }
  }

  func revoke(_ request: TokenRequest, of app: AppIdentity) async throws {
    let url = try OAuthEndpoints(checking: app.issuer)["revoke"]
    let answer = try await post(request, of: app, to: url, isRepeatable: true)
    guard answer.response.status == 200 else { throw failure(of: answer) }
  }

  /// Whether a token is valid, as the server says.
  func introspect(_ request: TokenRequest, of app: AppIdentity) async throws -> Bool {
    let url = try OAuthEndpoints(checking: app.issuer)["introspect"]
    let answer = try await post(request, of: app, to: url, isRepeatable: true)
    guard answer.response.status == 200,
      let isActive = (try? JSONValue(parsing: answer.response.body))?["active"]?.bool
    else { throw failure(of: answer) }
    return isActive
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
  /// `isFirst` says that no request to this issuer has succeeded, so that the issuer may be wrong.
  package func failure(
    of answer: Answer, step: String? = nil, because cause: (any Error)? = nil,
    isFirst: Bool = false
  ) -> FlowError {
    let response = answer.response
    let place = answer.request.place
    let oauth = refusal(in: answer)
    let summary = (try? JSONValue(parsing: response.body))?["errorSummary"]?.string
      .map { answer.printable($0).shortened(to: 300) }
    let refusal = oauth?.description ?? summary
    let wait = [429, 503].contains(response.status) ? response.timeToWait : nil
    let tryAgain = wait.map { "Try again in \($0.components.seconds) s." } ?? "Try again later."
    let code: FlowError.Code
    var message: String
    switch response.status {
    case 429:
      code = .rateLimited
      message = "There are too many requests to \(place). \(tryAgain)"
    case 511:
      code = .serverFailed
      message =
        "The network asks for a sign-in. Open a page in a browser, sign in to the network, and try again."
    case 500...:
      code = .serverFailed
      message = "The server failed at \(place). \(tryAgain)"
    case 400... where refusal != nil:
      code = .refused
      message = "\(refusal ?? "") The request went to \(place)."
      if oauth?.code == .invalidClient { message += " " + clientHint }
    default:
      code = .unexpectedResponse
      message = Self.explanation(of: answer, cause.map { "\($0)" })
      if isFirst { message += " Check the issuer." }
    }
    return FlowError(
      code, message, step: step, status: response.status, requestID: answer.requestID,
      retryAfter: wait, underlying: oauth ?? cause)
  }

  /// What to check if the server could not authenticate the client.
  private var clientHint: String {
    authentication == nil
      ? "Check the client ID. If the app has a client secret, the client needs it too."
      : "Check the client ID and the client secret."
  }

  /// Says what came instead of the response of the protocol.
  private static func explanation(of answer: Answer, _ reason: String?) -> String {
    let (place, response) = (answer.request.place, answer.response)
    if (300..<400).contains(response.status) {
      let target = response.header("Location").flatMap(URL.init(string:))?.host
      return
        "The server redirects from \(place) to \(target.map(answer.printable) ?? "another address"), which is not "
        + "followed. \(interceptionHint)"
    }
    if response.isWebPage {
      return "The server answered with a web page at \(place). \(interceptionHint)"
    }
    return
      "The server sent a response that cannot be used, at \(place).\(reason.map { " " + $0 } ?? "")"
  }

  private static let interceptionHint =
    "A Wi-Fi sign-in page or a proxy between this computer and the server may be the reason."
}

extension TransportResponse {
  /// Whether the body is a web page.
  fileprivate var isWebPage: Bool {
    header("Content-Type")?.lowercased().hasPrefix("text/html") == true
      || body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
  }
}

extension Exchange: Redacted {
  // A dump of a client must not show what an app's own transport holds.
  package var description: String { "exchange" }
}
