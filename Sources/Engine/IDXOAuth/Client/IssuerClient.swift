public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends the requests of a protocol client to an issuer, and turns failures into errors.
///
/// A ``/IDXFlow/FlowClient`` of your own needs it to keep the promises of that protocol: errors have the codes that
/// the coordinator knows and say whether a request may have arrived, texts of the server are quoted without the secrets
/// of the request, and what the app proves itself with goes to no other origin than the issuer's. Other requests go
/// where they are sent: check a link of the server with ``address(_:for:within:)`` first.
///
///     let http = IssuerClient(transport: transport, tokens: tokens)
///     let response = try await http.post(body, to: url, type: "application/json", stepName: "identify")
///     guard response.status < 500 else { throw http.failure(of: response, stepName: "identify") }
public struct IssuerClient: Sendable {
  private let transport: any Transport
  private let authentication: ClientAuthentication?
  private var cookies: CookieKeeper?
  private var connectionGroup: ConnectionGroup?
  /// For whom the requests are sent; by default, for nobody in particular.
  public var context = PersonContext.own
  /// The time, which says whether a cookie has expired.
  package let now: @Sendable () -> Date
  let prover: DPoPProver
  /// Where the servers said that their endpoints are.
  let learned: LearnedEndpoints

  /// Sends requests over a transport.
  ///
  /// `tokens` says how the app authenticates, and which time it is.
  public init(transport: any Transport, tokens: TokenClient) {
    self.init(
      transport: transport, authentication: tokens.authentication, now: tokens.now,
      prover: tokens.http.prover, learned: tokens.http.learned)
  }

  /// `authentication` is nil for an app without a client secret.
  init(
    transport: any Transport, authentication: ClientAuthentication? = nil,
    now: @escaping @Sendable () -> Date = { Date() }, prover: DPoPProver? = nil,
    learned: LearnedEndpoints = LearnedEndpoints()
  ) {
    self.learned = learned
    self.transport = transport
    self.authentication = authentication
    self.now = now
    self.prover = prover ?? DPoPProver(now: now)
  }

  /// The same for one sign-in, with requests that carry cookies and responses that set them, over connections of
  /// a group.
  package func keeping(
    _ cookies: CookieKeeper, in connectionGroup: ConnectionGroup? = nil
  ) -> IssuerClient {
    var http = self
    http.cookies = cookies
    http.connectionGroup = connectionGroup
    return http
  }

  /// A response, and its request.
  ///
  /// Its description contains neither.
  public struct Response: Sendable {
    let request: TransportRequest
    private let response: TransportResponse
    /// The key whose proof the request had; nil if it had none.
    public fileprivate(set) var key: DPoPKey?
    /// Whether the settings do not allow a proof.
    fileprivate var isProofForbidden = false
    /// Whether the server has answered the same request before, such as to ask for a proof.
    fileprivate(set) var followsAnother = false

    init(_ response: TransportResponse, to request: TransportRequest) {
      self.request = request
      self.response = response
    }

    /// The status code.
    public var status: Int { response.status }
    /// The body.
    public var body: [UInt8] { response.body }

    /// The value of a header field, whose name is not case-sensitive; nil if there is none.
    public func header(_ name: String) -> String? { response.header(name) }

    /// Okta's ID of the request, for errors and reports (`X-Okta-Request-Id`); nil if there is none.
    public var requestID: String? {
      header("X-Okta-Request-Id").map { SecretRedactor(request).cleanedID($0).printable }
    }

    /// A server text without control characters and without the secrets of the request.
    public func printable(_ text: String) -> String {
      // In this order, because a part of an escape sequence is printable.
      SecretRedactor(request).removed(from: text).printable
    }

    var proofRefusal: OAuthError.Code? { response.proofRefusal }

    /// How long the server asks to wait; nil if it does not say.
    package var timeToWait: Duration? { response.timeToWait }

    /// Whether the body is a web page.
    package var isWebPage: Bool {
      header("Content-Type")?.lowercased().hasPrefix("text/html") == true
        || body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }
  }

  // MARK: Sending

  /// Sends a GET request.
  ///
  /// Throws a ``FlowError`` with the code `network` if no response came. `isRepeatable` says whether the server may
  /// receive the request twice.
  public func get(
    _ url: URL, _ headers: [String: String] = [:], isRepeatable: Bool = true
  ) async throws -> Response {
    try await send(
      TransportRequest(
        url: url, headers: ["Accept": "application/json"].merging(headers) { $1 },
        isRepeatable: isRepeatable))
  }

  /// Sends a DELETE request, which the server may receive twice; throws like ``get(_:_:isRepeatable:)``.
  public func delete(_ url: URL) async throws -> Response {
    try await send(TransportRequest(method: "DELETE", url: url, isRepeatable: true))
  }

  /// Sends a POST request; `stepName` names the remediation for errors.
  ///
  /// Throws a ``FlowError`` with the code `network` if no response came. `isRepeatable` says whether the server may
  /// receive the request twice, which is wrong for an answer of a person.
  public func post(
    _ body: [UInt8], to url: URL, type: String, accept: String = "application/json",
    headers: [String: String] = [:], stepName: String? = nil, isRepeatable: Bool = false
  ) async throws -> Response {
    try await send(
      TransportRequest(
        method: "POST", url: url,
        headers: ["Content-Type": type, "Accept": accept].merging(headers) { $1 }, body: body,
        isRepeatable: isRepeatable),
      stepName: stepName)
  }

  /// Sends a request of the app to an endpoint of OAuth; the app authenticates if it has a secret.
  ///
  /// Throws a ``FlowError`` with the code `hrefRefused` if the address is not at the issuer's origin, and with the code
  /// `network` if no response came.
  public func post(
    _ request: TokenRequest, of configuration: FlowConfiguration, to url: URL,
    stepName: String? = nil,
    isRepeatable: Bool = false
  ) async throws -> Response {
    try await post(
      request, of: configuration.app, to: url, stepName: stepName, isRepeatable: isRepeatable)
  }

  func post(
    _ request: TokenRequest, of app: AppIdentity, to url: URL, stepName: String? = nil,
    isRepeatable: Bool = false, key: DPoPKey? = nil
  ) async throws -> Response {
    try Self.check(url, for: stepName ?? url.lastPathComponent, of: app.issuer)
    let request = try authentication?.authenticating(request, of: app) ?? request
    let headers = ["Content-Type": TokenRequest.contentType, "Accept": "application/json"]
    let sent = TransportRequest(
      method: "POST", url: url, headers: headers.merging(request.headers) { $1 },
      body: request.body, isRepeatable: isRepeatable)
    guard let key else { return try await send(sent, stepName: stepName) }
    var count = 0
    var response = try await prover.send(sent, with: key) {
      count += 1
      return try await send($0, stepName: stepName)
    }
    response.key = key
    response.followsAnother = count > 1
    return response
  }

  /// Sends a request to the token endpoint, with a proof of a key if the configuration or the server wants one.
  ///
  /// A server that wants a proof refuses the first request without one, and the same request is sent again with one;
  /// this client then remembers it. `key` is the key of an earlier request of the same sign-in; nil if there is none.
  /// ``Response/key`` is the key that was used. Throws what ``post(_:of:to:stepName:isRepeatable:)`` throws.
  /// Source: RFC 9449, section 5.
  public func postForTokens(
    _ request: TokenRequest, of configuration: FlowConfiguration, to url: URL,
    key: DPoPKey? = nil, stepName: String? = nil
  ) async throws -> Response {
    let app = configuration.app
    var isRefused = false
    if key == nil, configuration.dpop != .always, !prover.isRequired(for: app) {
      var response = try await post(request, of: app, to: url, stepName: stepName)
      response.isProofForbidden = configuration.dpop == .never
      guard configuration.dpop == .whenRequired, let refusal = response.proofRefusal,
        [.invalidDPoPProof, .useDPoPNonce].contains(refusal)
      else { return response }
      prover.remember(isRequiredFor: app)
      isRefused = true
    }
    let used = try key ?? prover.makeKey()
    do {
      var response = try await post(
        request, of: app, to: url, stepName: stepName, key: used)
      response.followsAnother = response.followsAnother || isRefused
      return response
    } catch {
      if key == nil { used.remove() }
      throw error
    }
  }

  func send(_ request: TransportRequest, stepName: String? = nil) async throws -> Response {
    try Task.checkCancellation()
    var request = request
    if let cookies, let field = cookies.jar.header(for: request.url, at: now()) {
      request.headers["Cookie"] = field
    }
    request.headers.merge(context.headers) { $1 }
    request.connectionGroup = connectionGroup
    do {
      let response = try await transport.send(request)
      cookies?.take(response, to: request)
      return Response(response, to: request)
    } catch let error as TransportError {
      throw FlowError(.network, error.message, stepName: stepName, underlying: error)
    } catch let error where !(error is CancellationError) {
      // Cancelled requests may end in an error of the transport's own.
      try Task.checkCancellation()
      throw FlowError(.network, "\(request) failed.", stepName: stepName, underlying: error)
    }
  }

  /// The address of a link that a server sent, to which answers may be sent; `stepName` names the remediation.
  ///
  /// Throws a ``FlowError`` unless it is at the issuer's origin.
  public func address(
    _ href: String?, for stepName: String, within configuration: FlowConfiguration
  ) throws -> URL {
    guard let href, let url = URL(string: href), url.host != nil else {
      throw FlowError(
        .notSendable, "The server offers “\(stepName)” without a usable address.",
        stepName: stepName)
    }
    try Self.check(url, for: stepName, of: configuration.issuer)
    return url
  }

  static func check(_ url: URL, for stepName: String, of issuer: URL) throws {
    let (origin, issuer) = (Origin(url), Origin(issuer))
    guard origin == issuer, url.user == nil else {
      let place = "\(origin)".printable.shortened(to: 200)
      throw FlowError(
        .hrefRefused,
        "The server sends “\(stepName)” to \(place), which is not the issuer's origin \(issuer). "
          + "Nothing was sent.", stepName: stepName)
    }
  }

  // MARK: Token requests

  /// Sends a request for new tokens; `key` is the key that the old ones are bound to.
  func refresh(_ request: TokenRequest, of app: AppIdentity, key: DPoPKey?) async throws -> Tokens {
    let response = try await atEndpoint(.token, of: app.issuer) { url in
      try await post(request, of: app, to: url, key: key)
    }
    return try await tokens(from: response, of: app, requiresKey: key != nil)
  }

  /// Sends a request for the tokens of a sign-in, whose code works only once.
  ///
  /// `url` is the issuer's token endpoint if it is nil, and `key` the key that the code is bound to, if it is bound. Throws
  /// a ``FlowError`` that says whether the code may be used up.
  public func redeemCode(
    _ request: TokenRequest, of configuration: FlowConfiguration, at url: URL? = nil,
    key: DPoPKey? = nil, stepName: String
  ) async throws -> Tokens {
    var key = key
    func redeem(at url: URL) async throws -> Response {
      let response = try await postForTokens(
        request, of: configuration, to: url, key: key, stepName: stepName)
      // A second request must not leave the key of the first one behind.
      key = response.key
      return response
    }
    do {
      let response =
        if let url { try await redeem(at: url) } else {
          try await atEndpoint(.token, of: configuration.issuer, redeem)
        }
      return try await tokens(from: response, of: configuration, stepName: stepName)
    } catch let error as FlowError where error.leavesUnknown {
      throw error.adding("The code of this sign-in may be used up, so sign in again.")
    }
  }

  /// The tokens in a response of the token endpoint; those of a response that cannot be used are revoked.
  ///
  /// They must be bound to the key of the request, if its proof was wanted, and to no other one. Without tokens, the key
  /// is removed.
  public func tokens(
    from response: Response, of configuration: FlowConfiguration, stepName: String
  ) async throws -> Tokens {
    do {
      return try await tokens(
        from: response, of: configuration.app, requiresKey: response.key != nil, stepName: stepName)
    } catch {
      response.key?.remove()
      throw error
    }
  }

  private func tokens(
    from response: Response, of app: AppIdentity, requiresKey: Bool, stepName: String? = nil
  ) async throws -> Tokens {
    guard response.status < 300 else { throw failure(of: response, stepName: stepName) }
    let failure: FlowError
    do {
      var tokens = try Tokens(parsing: response.body)
      guard let flaw = tokens.bind(to: response.key, isRequired: requiresKey) else { return tokens }
      failure = FlowError(
        .invalidToken, flaw, stepName: stepName, status: response.status,
        requestID: response.requestID)
    } catch {
      failure = FlowError(
        .unexpectedResponse, Self.explanation(of: response, error.explanation), stepName: stepName,
        status: response.status, requestID: response.requestID, underlying: error)
    }
    let tokens = Tokens.revocable(in: response.body)
    throw tokens.isEmpty ? failure : failure.adding(await revokeAll(tokens, of: app))
  }

  /// Revokes tokens that nobody will have, even if the task is canceled; returns a sentence about it.
  func revokeAll(_ tokens: [(kind: TokenKind, token: Secret)], of app: AppIdentity) async -> String
  {
    await Task {
      var sentence = "The new tokens were revoked."
      for (kind, token) in tokens {
        let request = TokenRequest(about: token, kind: kind, clientID: app.clientID)
        do { try await revoke(request, of: app) } catch {
          sentence = "The new tokens could not be revoked and are valid until they expire."
        }
      }
      return sentence
    }.value
  }

  func keys(of issuer: URL) async throws -> JSONWebKeySet {
    let response = try await atEndpoint(.keys, of: issuer) { try await get($0) }
    guard response.status == 200 else { throw failure(of: response) }
    do { return try JSONWebKeySet(parsing: response.body) } catch {
      throw failure(of: response, because: error)
    }
  }

  func revoke(_ request: TokenRequest, of app: AppIdentity, key: DPoPKey? = nil) async throws {
    let response = try await atEndpoint(.revoke, of: app.issuer) { url in
      do {
        return try await post(request, of: app, to: url, isRepeatable: true, key: key)
      } catch let error as FlowError where error.code == .wrongKey {
        // Revoking needs no proof, and must be possible without the key.
        return try await post(request, of: app, to: url, isRepeatable: true)
      }
    }
    guard response.status == 200 else {
      throw refusal(to: "revoke its tokens", in: response) ?? failure(of: response)
    }
  }

  /// The error if the server does not let this app use an endpoint, although it gives it tokens; nil if it refuses for
  /// another reason.
  ///
  /// The OAuth error is not its cause, because a mistake in the setup of the app would be seen in it.
  private func refusal(to action: String, in response: Response) -> FlowError? {
    let refusal = refusal(in: response)
    let isRefused =
      refusal.map { [.unauthorizedClient, .invalidClient].contains($0.code) }
      ?? (response.status == 401)
    guard isRefused else { return nil }
    let reason = refusal?.description ?? "It may want a client secret."
    return FlowError(
      .refused, "The server does not let this app \(action): \(reason.asSentence)",
      status: response.status, requestID: response.requestID)
  }

  /// Whether a token is valid, as the server says.
  func introspect(_ request: TokenRequest, of app: AppIdentity) async throws -> Bool {
    let response = try await atEndpoint(.introspect, of: app.issuer) { url in
      try await post(request, of: app, to: url, isRepeatable: true)
    }
    guard response.status == 200,
      let isActive = (try? JSONValue(parsing: response.body))?["active"]?.bool
    else {
      throw refusal(to: "ask whether its tokens are valid", in: response) ?? failure(of: response)
    }
    return isActive
  }

  func userInfo(_ tokens: Tokens, at issuer: URL) async throws -> JSONValue {
    let response = try await atEndpoint(.userinfo, of: issuer) { url in
      let request = TransportRequest(url: url, headers: ["Accept": "application/json"])
      return try await prover.send(request, carrying: tokens) { try await send($0) }
    }
    guard response.status == 200 else { throw failure(of: response) }
    let claims: JSONValue
    do { claims = try JSONValue(parsing: response.body) } catch {
      throw failure(of: response, because: error)
    }
    guard claims.object != nil else { throw failure(of: response) }
    return claims
  }

  // MARK: Failures

  /// The OAuth error in a response, without the secrets of the request; nil if there is none.
  public func refusal(in response: Response) -> OAuthError? {
    (OAuthError(parsing: response.body)
      ?? response.header("WWW-Authenticate").flatMap(OAuthError.init(challenge:))
      ?? Self.refusal(onPage: response))
      .map(SecretRedactor(response.request).removed)
  }

  /// The error on a page for a person at the authorization endpoint (400); nil if it names no parameter of the app.
  ///
  /// In any language, the page names the parameter that is wrong. What quotes the request, or is in a script, does not
  /// count: a firewall can show a page too.
  private static func refusal(onPage response: Response) -> OAuthError? {
    guard response.status == 400, response.isWebPage,
      response.request.url.path.hasSuffix("/authorize")
    else { return nil }
    let text = String(decoding: response.body, as: UTF8.self)
      .replacing(/(?is)<script.*?(<\/script>|$)/, with: "")
    if text.contains(/redirect_uri(?!=|%3D|&#61;|&#x3D;|_)/.ignoresCase()) {
      return OAuthError(.invalidRequest, description: "The page of the org names redirect_uri.")
    }
    guard text.contains(/client_id(?!=|%3D|&#61;|&#x3D;|_)|invalid_client/.ignoresCase()) else {
      return nil
    }
    return OAuthError(.invalidClient, description: "The page of the org names client_id.")
  }

  /// The error for a response that is not what was asked for.
  ///
  /// It quotes the server's texts for people, without the secrets of the request, and never the body.
  /// `isFirst` says that no request to this issuer has succeeded, so that the issuer may be wrong.
  public func failure(
    of response: Response, stepName: String? = nil, because cause: (any Error)? = nil,
    isFirst: Bool = false
  ) -> FlowError {
    let place = response.request.place
    let oauth = refusal(in: response)
    let texts = Self.texts(in: response).filter { oauth?.description.contains($0) != true }
    let sentences = ([oauth?.description].compactMap(\.self) + texts).map(\.asSentence)
    let wait = [429, 503].contains(response.status) ? response.timeToWait : nil
    let tryAgain = wait.map { "Try again in \($0.spoken)." } ?? "Try again later."
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
      if let said = texts.first { message += " The server says: \(said.asSentence)" }
    case 400... where !sentences.isEmpty:
      code = .refused
      message = "\(sentences.joined(separator: " ")) The request went to \(place)."
      if oauth?.code == .invalidClient { message += " " + clientHint }
      if oauth?.code == .invalidDPoPProof { message += " " + Self.proofHint(response) }
    case 403 where !isFirst && (response.isWebPage || response.body.isEmpty),
      406 where !isFirst && response.isWebPage:
      code = .browserNeeded
      message =
        "The server refuses requests of this program at \(place), with the status \(response.status). Protection against "
        + "bots or a captcha may be the reason. A browser may be let through."
    default:
      code = .unexpectedResponse
      message = Self.explanation(of: response, cause.map { "\($0)" })
      if isFirst { message += " Check the issuer." }
    }
    return FlowError(
      code, message, stepName: stepName, status: response.status, requestID: response.requestID,
      retryAfter: wait, underlying: oauth ?? cause)
  }

  /// What a body that is none of the protocol says to a person, each once: the summary and the causes of an error of
  /// Okta's APIs (`errorSummary`, `errorCauses[*].errorSummary`), or the `message` of a gateway.
  private static func texts(in response: Response) -> [String] {
    guard let body = try? JSONValue(parsing: response.body) else { return [] }
    let causes = (body["errorCauses"]?.array ?? []).prefix(5).map { $0["errorSummary"] }
    var known: Set<String> = []
    return ([body["errorSummary"]] + causes + [body["message"]]).compactMap { $0?.string }
      .map { response.printable($0).shortened(to: 300) }
      .filter { !$0.trimmed().isEmpty && known.insert($0).inserted }
  }

  /// What to check if the server could not authenticate the client.
  private var clientHint: String {
    authentication == nil
      ? "Check the client ID. If the app has a client secret, the client needs it too."
      : "Check the client ID and the client secret."
  }

  /// What to do if the server refuses a request because of its proof, or because it has none.
  private static func proofHint(_ response: Response) -> String {
    if response.key != nil { return "Check the clock of this computer." }
    let reason = "The app requires tokens that are bound to a key"
    return response.isProofForbidden
      ? reason
        + ", which the settings do not allow: use another policy for DPoP than “never”."
      : reason + ", and this request had no proof of one."
  }

  /// Says what came instead of the response of the protocol.
  private static func explanation(of response: Response, _ reason: String?) -> String {
    let place = response.request.place
    if (300..<400).contains(response.status) {
      let target = response.header("Location").flatMap(URL.init(string:)).flatMap {
        $0.host == nil ? nil : Origin($0).description
      }
      return
        "The server redirects from \(place) to \(target.map(response.printable) ?? "another address"), which is not "
        + "followed. \(interceptionHint)"
    }
    if response.isWebPage {
      return "The server responded with a web page at \(place). \(interceptionHint)"
    }
    return
      "The server sent a response that cannot be used, at \(place).\(reason.map { " " + $0 } ?? "")"
  }

  private static let interceptionHint =
    "A Wi-Fi sign-in page or a proxy between this computer and the server may be the reason."
}

extension IssuerClient: Redacted {
  // A dump of a client must not show what an app's own transport holds.
  /// Says only what this is.
  public var description: String { "issuer client" }
}

extension IssuerClient.Response: Redacted {
  /// The status and the size of the body.
  public var description: String { response.description }
}
