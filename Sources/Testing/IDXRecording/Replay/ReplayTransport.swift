public import IDXBase
public import IDXFlow
public import IDXOAuth
import IDXTokenSigning

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Plays a recorded conversation to a client, and checks that the client still follows it.
///
/// A test of a sign-in that was recorded at an org needs no network:
///
///     let replay = try ReplayTransport(Recording(parsing: Data(contentsOf: recordingFile)))
///     let person = ScriptedFrontEnd([.answer("identifier", "ada"), .answer("credentials.passcode", "x")])
///     let coordinator = FlowCoordinator(client: replay.client, handlers: .showing(on: person))
///     _ = try await coordinator.run(replay.configuration)
///     try await replay.finish()
///
/// The requests must come in the recorded order, at the recorded addresses. A form of the response before it
/// must offer each request: no unknown field, no missing one, no fixed value that was changed. What a
/// person enters may differ from the recording; what the client repeats of earlier responses, such as a
/// handle, may not. How often the client polls may differ. The PKCE verifier must fit the challenge. Keys,
/// metadata and pictures get a response at any time. ID tokens are signed again, for the `nonce` of this
/// sign-in, and all times are moved to the present.
public actor ReplayTransport: Transport {
  /// The org and the app of the recording, as far as its requests name them.
  public nonisolated let configuration: FlowConfiguration
  /// The protocol of the recorded sign-in.
  public nonisolated let signInProtocol: SignInProtocol

  private let exchanges: [Recording.Exchange]
  private let now: @Sendable () -> Date
  /// By how many seconds the times of the current response are moved.
  private var shift: TimeInterval = 0
  private var position = 0
  private var problem: RecordingError?
  /// All strings of the responses until now.
  private var received: Set<String> = []
  /// The last response, if it can have forms.
  private var last: JSONValue?
  /// What the client chose in place of a recorded value.
  private var chosen: [String: String] = [:]
  private static let chosenNames: Set<String> = ["code_challenge", "nonce", "state"]

  /// Prepares a replay.
  ///
  /// `now` is the time of the client. Throws a ``RecordingError`` if the recording has no
  /// request of a sign-in, and a ``/IDXOAuth/FlowError`` if its first requests do not fit a configuration.
  public init(
    _ recording: Recording, now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let start = try ReplayStart(recording)
    configuration = start.configuration
    signInProtocol = start.signInProtocol
    exchanges = recording.exchanges
    self.now = now
    guard exchanges.contains(where: { !Self.isPublic($0.request) }) else {
      throw RecordingError("The recording has no request of a sign-in.")
    }
  }

  /// The client of Identity Engine that sends to this replay and uses its time.
  public nonisolated var client: IDXClient { IDXClient(transport: self, tokens: tokenClient) }

  /// A client for tokens that sends to this replay and uses its time.
  public nonisolated var tokenClient: TokenClient { TokenClient(transport: self, now: now) }

  /// How many exchanges have been played, and how many there are.
  public var progress: (played: Int, count: Int) { (position, exchanges.count) }

  /// Throws a ``RecordingError`` if a request did not fit, or if requests are missing.
  public func finish() throws {
    if let problem { throw problem }
    skipPublicExchanges()
    guard position < exchanges.count else { return }
    throw RecordingError(
      "The client ended before this request: \(exchanges[position].request).",
      exchange: position + 1)
  }

  /// Acts as a browser at a page, and returns the recorded return: the redirect URI with the code of the
  /// recording and the `state` of this sign-in; nil if the recording has no such code.
  public func visit(_ page: URL) -> URL? {
    guard let address = configuration.redirectURI, let result = browserResult else { return nil }
    var parameters = [result]
    if signInProtocol == .browser {
      // No request has them, unless the parameters were pushed.
      let own = FormURLEncoding.decode(page.query(percentEncoded: true) ?? "") ?? []
      for (name, value) in own where Self.chosenNames.contains(name) { chosen[name] = value }
    }
    if [.browser, .hosted].contains(signInProtocol) {
      parameters.append(("iss", configuration.issuer.absoluteString))
    }
    let query = FormURLEncoding.encode(parameters + [("state", chosen["state"] ?? "")])
    return URL(string: "\(address)?\(query)")
  }

  /// What the browser brought back in the recording: the code, or that more steps follow.
  private var browserResult: (String, String)? {
    let rest = exchanges[position...].map(\.request)
    if rest.first(where: { !Self.isPublic($0) })?.url.path.hasSuffix("/introspect") == true {
      return ("error", "interaction_required")
    }
    for form in rest.map(Self.form) {
      for name in ["interaction_code", "code"] {
        if let code = form[name] { return (name, code) }
      }
    }
    return nil
  }

  /// Checks a request and returns the recorded response.
  ///
  /// Throws a ``/IDXBase/TransportError`` if the recording has one here, or if the request does not fit.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    if let response = publicResponse(to: request) { return response }
    skipPublicExchanges()
    if let response = poll(request) { return response }
    do throws(RecordingError) { try check(request) } catch {
      // The first problem is the reason of all others.
      let first = problem ?? error
      problem = first
      throw TransportError(
        "replay_mismatch", message: first.description, mayHaveArrived: false, underlying: first)
    }
    let exchange = exchanges[position]
    position += 1
    switch exchange.result {
    case .failure(let failure):
      throw TransportError(
        failure.code,
        message: "\(request): no response came, as recorded (\(failure.code.rawValue)).",
        mayHaveArrived: failure.mayHaveArrived)
    case .success(let response): return adapted(response, of: exchange, to: request)
    }
  }
}

// MARK: - Keys, metadata and pictures

extension ReplayTransport {
  /// Whether a request changes nothing, so that its place does not matter: keys, metadata and pictures, but not
  /// the request for the code.
  private static func isPublic(_ request: TransportRequest) -> Bool {
    request.method == "DELETE"
      || request.method == "GET"
        && !["/authorize", "/token/redirect"].contains { request.url.path.hasSuffix($0) }
  }

  private func skipPublicExchanges() {
    while position < exchanges.count, Self.isPublic(exchanges[position].request) { position += 1 }
  }

  /// The response to a request that is not part of the sign-in; nil for other requests.
  private func publicResponse(to request: TransportRequest) -> TransportResponse? {
    guard Self.isPublic(request) else { return nil }
    if request.url.path.hasSuffix("/v1/keys") {
      return TransportResponse(
        status: 200, headers: ["Content-Type": "application/json", "Date": now().httpDate],
        body: (["keys": [replayKey.jwk]] as JSONValue).bytes)
    }
    for exchange in exchanges
    where Self.isPublic(exchange.request) && exchange.request.url.path == request.url.path {
      guard case .success(var response) = exchange.result else { continue }
      response.headers["Date"] = now().httpDate
      return response
    }
    // It was not recorded, such as a picture whose request was canceled.
    return TransportResponse(status: 404, headers: ["Date": now().httpDate])
  }
}

// MARK: - Polls

extension ReplayTransport {
  /// Whether a recorded request is a poll: by its address, or because the recording repeats it.
  private func isPoll(_ index: Int) -> Bool {
    let request = exchanges[index].request
    return request.url.path.hasSuffix("/poll")
      || [index - 1, index + 1].contains { other in
        exchanges.indices.contains(other) && exchanges[other].request.url == request.url
          && exchanges[other].request.body == request.body
      }
  }

  /// The last response to a poll, if the client polls more often than in the recording; nil for other
  /// requests.
  ///
  /// How often a client polls while a person thinks depends on the time. Polls that the client leaves out are
  /// skipped.
  private func poll(_ request: TransportRequest) -> TransportResponse? {
    func isHere(_ index: Int) -> Bool {
      exchanges.indices.contains(index) && exchanges[index].request.url.path == request.url.path
    }
    let skipped = exchanges.indices[position...].prefix(while: isPoll).count
    if !isHere(position), isHere(position + skipped) { position += skipped }
    let last = exchanges.indices[..<position].last { !Self.isPublic(exchanges[$0].request) }
    guard let last, !isHere(position), case .success(let response) = exchanges[last].result
    else { return nil }
    // Before the first recorded poll, nothing has changed since the response that offers it.
    let isRepeated = isPoll(last) && exchanges[last].request.url.path == request.url.path
    guard isRepeated || request.url.path.hasSuffix("/poll") else { return nil }
    return adapted(response, of: exchanges[last], to: request)
  }
}

// MARK: - Checking a request

extension ReplayTransport {
  private func check(_ request: TransportRequest) throws(RecordingError) {
    guard position < exchanges.count else {
      throw RecordingError("The recording ends before this request of the client: \(request).")
    }
    let recorded = exchanges[position].request
    guard request.method == recorded.method, request.url.path == recorded.url.path,
      Origin(request.url) == Origin(recorded.url)
    else {
      throw mismatch("The client sent \(request), and the recording has \(recorded).")
    }
    if let body = try? JSONValue(parsing: request.body), body.object != nil,
      let old = try? JSONValue(parsing: recorded.body)
    {
      try check(body, recorded: old, request)
    } else {
      try check(form: Self.form(request), recorded: Self.form(recorded))
    }
  }

  private func mismatch(_ message: String) -> RecordingError {
    RecordingError(message, exchange: position + 1)
  }

  private func check(
    _ body: JSONValue, recorded: JSONValue, _ request: TransportRequest
  ) throws(RecordingError) {
    // The state of a sign-in can be asked for at any time.
    if [.idx, .hosted].contains(signInProtocol), let last,
      !request.url.path.hasSuffix("/introspect")
    {
      let mistakes = RecordedForms(last)
        .mistakes(of: body, method: request.method, path: request.url.path)
      guard mistakes.isEmpty else { throw mismatch(mistakes.joined(separator: " ")) }
      return try checkChoices(body, recorded: recorded)
    }
    try checkRepeated(body, recorded: recorded, at: "")
  }

  /// The person must make the same choices, or the next response would not fit.
  private func checkChoices(
    _ value: JSONValue, recorded: JSONValue
  ) throws(RecordingError) {
    for member in recorded.object?.members ?? [] {
      let own = value[member.name]
      if member.value.object != nil {
        try checkChoices(own ?? [:], recorded: member.value)
      } else if Self.choices.contains(member.name), own != member.value {
        throw mismatch(
          "“\(member.name)” is another choice than in the recording. Make the same choices.")
      }
    }
  }

  private static let choices: Set<String> = ["id", "methodType", "channel", "enrollmentId"]

  /// What the client has from a response must be the same as in the recording.
  private func checkRepeated(
    _ value: JSONValue, recorded: JSONValue, at place: String
  ) throws(RecordingError) {
    if let object = recorded.object {
      for member in object.members {
        guard let own = value[member.name] else {
          throw mismatch("“\(place)\(member.name)” is missing.")
        }
        try checkRepeated(own, recorded: member.value, at: "\(place)\(member.name).")
      }
    } else if let text = recorded.string, received.contains(text), value != recorded {
      throw mismatch("“\(place.dropLast())” is not the value that the response has.")
    }
  }

  private func check(
    form: [String: String], recorded: [String: String]
  ) throws(RecordingError) {
    for (name, old) in recorded.sorted(by: { $0.key < $1.key }) {
      guard let new = form[name], !new.isEmpty || old.isEmpty else {
        throw mismatch("“\(name)” is missing.")
      }
      switch name {
      case _ where Self.chosenNames.contains(name): chosen[name] = new
      case "code_verifier":
        let challenge = chosen["code_challenge"]
        guard challenge == nil || PKCE.challenge(for: new) == challenge else {
          throw mismatch("The code verifier does not fit the code challenge.")
        }
      default:
        let isFixed = Self.fixedNames.contains(name) || received.contains(old)
        if isFixed, new != old {
          throw mismatch("“\(name)” is not the value that the recording or its response has.")
        }
      }
    }
    for name in form.keys.sorted() where recorded[name] == nil {
      throw mismatch("“\(name)” is not in the recording.")
    }
  }

  private static let fixedNames: Set<String> = [
    "client_id", "redirect_uri", "grant_type", "scope", "response_type", "code_challenge_method",
  ]

  /// The parameters of a form, or of the query if there is no form.
  static func form(_ request: TransportRequest) -> [String: String] {
    let text =
      request.isForm
      ? String(decoding: request.body, as: UTF8.self) : request.url.query(percentEncoded: true)
    let pairs = FormURLEncoding.decode(text ?? "") ?? []
    return Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }
  }
}

// MARK: - Adapting a response

extension ReplayTransport {
  private func adapted(
    _ response: TransportResponse, of exchange: Recording.Exchange, to request: TransportRequest
  ) -> TransportResponse {
    // A response is as old as it was, also if the client is faster or slower now.
    let time = Recording.beginning.addingTimeInterval(
      (exchange.start + exchange.duration) / .seconds(1))
    shift = now().timeIntervalSince(time).rounded()
    var new = response
    for (name, value) in response.headers {
      switch name.lowercased() {
      case "date": new.headers[name] = now().httpDate
      case "x-rate-limit-reset":
        new.headers[name] = Int(value).map { String(moved($0)) } ?? value
      case "location": new.headers[name] = withOwnState(value)
      default: break
      }
    }
    last = nil
    guard var body = try? JSONValue(parsing: response.body) else {
      if case .page(let tokens) = RecordedBody(of: response) { received.formUnion(tokens) }
      return new
    }
    if let token = body["access_token"]?.string, let free = Self.withoutKey(token) {
      body = body.adding("access_token", .string(free))
    }
    last = request.isForm ? nil : body
    let accessToken = body["access_token"]?.string
    new.body = moved(body, member: "", accessToken: accessToken).bytes
    return new
  }

  /// The value with its times in the present, and with an ID token for this sign-in; its strings are remembered.
  private func moved(_ value: JSONValue, member: String, accessToken: String?) -> JSONValue {
    switch value {
    case .string(let text):
      received.insert(text)
      if member == "id_token" { return .string(signedAgain(text, accessToken)) }
      guard let time = Date(timestamp: text) else { return value }
      return .string(time.addingTimeInterval(shift).timestamp)
    case .array(let elements):
      return .array(elements.map { moved($0, member: member, accessToken: accessToken) })
    case .object(let object):
      return .object(
        .init(
          object.members.map {
            .init($0.name, moved($0.value, member: $0.name, accessToken: accessToken))
          }))
    default: return value
    }
  }

  /// A time in seconds, moved; the same number if the sum would be too large.
  private func moved(_ seconds: Int) -> Int {
    let (sum, isTooLarge) = seconds.addingReportingOverflow(Int(shift))
    return isTooLarge ? seconds : sum
  }

  private func signedAgain(_ text: String, _ accessToken: String?) -> String {
    guard var claims = SignedToken(text)?.claims else { return text }
    for name in ["iat", "exp", "nbf", "auth_time"] {
      guard let time = claims[name]?.integer else { continue }
      claims = claims.adding(name, .number(.init(moved(time))))
    }
    claims = claims.adding(
      "nonce", chosen["nonce"].map(JSONValue.string), if: claims["nonce"] != nil)
    if let accessToken, claims["at_hash"] != nil {
      claims = claims.adding("at_hash", .tokenHash(accessToken))
    }
    return UnsignedToken(claims, naming: replayKey).signed(by: replayKey)
  }

  /// An access token that fits any key, because the client of the replay has a key of its own; nil if the token names
  /// none.
  private static func withoutKey(_ text: String) -> String? {
    guard var claims = SignedToken(text)?.claims.object, claims["cnf"] != nil else { return nil }
    claims["cnf"] = nil
    return UnsignedToken(.object(claims), naming: replayKey).signed(by: replayKey)
  }

  private func withOwnState(_ address: String) -> String {
    guard let own = chosen["state"], var parts = URLComponents(string: address) else {
      return address
    }
    parts.queryItems = parts.queryItems?.map {
      $0.name == "state" ? URLQueryItem(name: "state", value: own) : $0
    }
    return parts.string ?? address
  }
}

extension TransportRequest {
  fileprivate var isForm: Bool {
    headers["Content-Type"]?.hasPrefix(FormURLEncoding.contentType) == true
  }
}

/// The key that signs the ID tokens of a replay.
private let replayKey = RSASigningKey.all[0]

/// What the requests of a recording say about the org, the app and the protocol.
struct ReplayStart {
  let configuration: FlowConfiguration
  let signInProtocol: SignInProtocol

  init(_ recording: Recording) throws {
    let requests = recording.exchanges.map(\.request)
    guard let first = requests.first else { throw RecordingError("The recording is empty.") }
    let paths = requests.map(\.url.path)
    let forms = requests.map(ReplayTransport.form)
    if paths.contains(where: { $0.contains("/idp/idx/") || $0.hasSuffix("/v1/interact") }) {
      signInProtocol = paths.contains { $0.hasSuffix("/v1/authorize") } ? .hosted : .idx
    } else if paths.contains(where: { $0.contains("/api/v1/authn") }) {
      signInProtocol = .classic
    } else if paths.contains(where: { $0.hasSuffix("/v1/device/authorize") }) {
      signInProtocol = .device
    } else {
      let hasCode = forms.contains { $0["grant_type"] == "authorization_code" }
      signInProtocol = hasCode || paths.contains { $0.hasSuffix("/v1/par") } ? .browser : .direct
    }
    func parameter(_ name: String) -> String? { forms.lazy.compactMap { $0[name] }.first }
    configuration = try FlowConfiguration(
      issuer: Self.issuer(among: requests.map(\.url)) ?? Self.origin(of: first.url),
      // The classic API names the app only when the tokens are requested.
      clientID: parameter("client_id") ?? "unknown",
      redirectURI: parameter("redirect_uri") ?? "com.example.replay:/callback",
      scopes: parameter("scope")?.split(separator: " ").map(String.init)
        ?? FlowConfiguration.defaultScopes)
  }

  /// What stands before the path of an endpoint of OAuth, such as `/v1/token`.
  private static func issuer(among urls: [URL]) -> String? {
    for url in urls where !url.path.hasPrefix("/api/") {
      guard let end = url.path.firstRange(of: "/v1/")?.lowerBound else { continue }
      // The org authorization server has its endpoints below /oauth2/v1.
      let path = url.path[..<end]
      return origin(of: url) + (path == "/oauth2" ? "" : path)
    }
    return nil
  }

  private static func origin(of url: URL) -> String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme ?? "https")://\(url.host ?? "")\(port)"
  }
}

/// Answers requests for a passkey in a replay, where no key knows the invented site.
///
/// The answers have the right form and no valid signature, which a ``ReplayTransport`` does not check.
public struct ReplayPasskeys: PasskeyProvider {
  /// Creates a provider.
  public init() {}

  /// Returns an attestation that is not valid.
  public func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    PasskeyAttestation(clientData: [1], attestationObject: [1])
  }

  /// Returns a signature that is not valid.
  public func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    PasskeyAssertion(clientData: [1], authenticatorData: [1], signature: [1], userHandle: [1])
  }
}
