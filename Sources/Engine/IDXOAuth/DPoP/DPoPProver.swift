import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends requests with a proof that their sender has the key of the tokens.
///
/// It remembers what servers say about proofs: their newest nonce, how far their clock is from this computer's, and
/// which apps must send proofs. Source: RFC 9449.
final class DPoPProver: Sendable {
  /// What a server has said.
  private struct Server {
    var nonce: String?
    /// The seconds by which its clock is ahead, if it has refused a proof because of that.
    var timeAhead: TimeInterval = 0
  }

  private struct Memory {
    var servers: [Origin: Server] = [:]
    var apps: Set<AppIdentity> = []
  }

  /// How often one request is repeated with another proof: for a nonce, and for one that changed meanwhile or the time.
  static let maximumRepeats = 2
  /// The difference between two clocks that can be the reason for a refusal, in seconds; a larger one is not believed.
  static let wrongTime: ClosedRange<TimeInterval> = 30...24 * 3600
  /// How many servers and how many apps are remembered.
  static let maximumCount = 1000

  private let now: @Sendable () -> Date
  private let random: RandomBytes
  let makeKey: @Sendable () throws -> DPoPKey
  private let memory = Locked(Memory())

  init(
    now: @escaping @Sendable () -> Date, random: RandomBytes = .system,
    makeKey: @escaping @Sendable () throws -> DPoPKey = { try DPoPKey.make() }
  ) {
    self.now = now
    self.random = random
    self.makeKey = makeKey
  }

  // MARK: What servers say

  /// Whether the server has refused a request of this app without a proof.
  func isRequired(for app: AppIdentity) -> Bool { memory.withLock { $0.apps.contains(app) } }

  func remember(isRequiredFor app: AppIdentity) {
    memory.withLock {
      if $0.apps.count >= Self.maximumCount { $0.apps = [] }
      $0.apps.insert(app)
    }
  }

  private func update(_ origin: Origin, _ change: (inout Server) -> Void) {
    memory.withLock {
      if $0.servers[origin] == nil, $0.servers.count >= Self.maximumCount { $0.servers = [:] }
      change(&$0.servers[origin, default: Server()])
    }
  }

  /// The nonce in a response; nil if there is none that can be sent back (RFC 9449, section 8.1).
  static func nonce(in response: some ProvedResponse) -> String? {
    response.header("DPoP-Nonce").flatMap { DPoPNonce.isValid($0) ? $0 : nil }
  }

  /// Takes the server's time if it is far from the time of the refused proof; returns false if it is not.
  private func adjustTime(to date: Date?, of origin: Origin) -> Bool {
    guard let date else { return false }
    let ahead = date.timeIntervalSince(now())
    let known = memory.withLock { $0.servers[origin]?.timeAhead ?? 0 }
    guard Self.wrongTime.contains(abs(ahead - known)), abs(ahead) <= Self.wrongTime.upperBound
    else { return false }
    update(origin) { $0.timeAhead = ahead }
    return true
  }

  // MARK: Sending

  /// Sends a request with a proof, and repeats it with a new one if the server asks for a nonce, or if its clock
  /// differs from this computer's.
  ///
  /// `token` is the access token in the request; nil for a request to the token endpoint.
  func send<Response: ProvedResponse>(
    _ request: TransportRequest, with key: DPoPKey, token: Secret? = nil,
    by send: (TransportRequest) async throws -> Response
  ) async throws -> Response {
    let origin = Origin(request.url)
    var nonce = memory.withLock { $0.servers[origin]?.nonce }
    var (repeats, isAdjusted) = (0, false)
    while true {
      let response = try await send(proved(request, by: key, token: token, nonce: nonce))
      let newNonce = Self.nonce(in: response)
      if let newNonce { update(origin) { $0.nonce = newNonce } }
      guard repeats < Self.maximumRepeats else { return response }
      repeats += 1
      switch response.proofRefusal {
      case .useDPoPNonce?:
        guard let newNonce else { return response }
        nonce = newNonce
      case .invalidDPoPProof?:
        guard !isAdjusted, adjustTime(to: response.date, of: origin) else { return response }
        isAdjusted = true
        nonce = newNonce ?? nonce
      default: return response
      }
    }
  }

  /// Sends a request with an access token: alone, or with a proof of the key that it is bound to.
  ///
  /// Throws a ``FlowError`` before it sends anything if the token cannot be sent.
  func send<Response: ProvedResponse>(
    _ request: TransportRequest, carrying tokens: Tokens,
    by send: (TransportRequest) async throws -> Response
  ) async throws -> Response {
    let request = try authorized(request, by: tokens)
    guard tokens.needsProof, let key = tokens.key else { return try await send(request) }
    return try await self.send(request, with: key, token: tokens.accessToken, by: send)
  }

  /// The request with an access token, still without a proof.
  func authorized(_ request: TransportRequest, by tokens: Tokens) throws -> TransportRequest {
    try tokens.checkSendable()
    var request = request
    // Names of fields are not case-sensitive, and two fields could have two tokens.
    request.headers = request.headers.filter {
      !["authorization", "dpop"].contains($0.key.lowercased())
    }
    let scheme = tokens.needsProof ? "DPoP" : "Bearer"
    request.headers["Authorization"] = "\(scheme) \(tokens.accessToken.revealed)"
    return request
  }

  /// The request with a proof, of which each further attempt has its own.
  private func proved(
    _ request: TransportRequest, by key: DPoPKey, token: Secret?, nonce: String?
  ) throws -> TransportRequest {
    var request = request
    request.perAttempt = TransportRequest.PerAttempt { [self] request in
      ["DPoP": try proof(for: request, by: key, token: token, nonce: nonce)]
    }
    return try request.nextAttempt()
  }

  /// The proof for a request (RFC 9449, section 4.2).
  func proof(
    for request: TransportRequest, by key: DPoPKey, token: Secret? = nil, nonce: String? = nil
  ) throws -> String {
    let ahead = memory.withLock { $0.servers[Origin(request.url)]?.timeAhead ?? 0 }
    let time = now().addingTimeInterval(ahead).timeIntervalSince1970
    let path = request.url.path(percentEncoded: true)
    let target = Origin(request.url).description + (path.isEmpty ? "/" : path)
    let claims: JSONValue = [
      "jti": .string(random.token(bytes: 16)), "htm": .string(request.method),
      "htu": .string(target),
      "iat": .number(JSONValue.Number(Int(exactly: time.rounded(.down)) ?? 0)),
    ]
    let hash = token.map { HashFunction.sha256.hash(Array($0.revealed.utf8)) }
    let all = claims.adding("ath", hash.map { .string(Base64URL.encode($0)) })
      .adding("nonce", nonce.map(JSONValue.string))
    let header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicKeyJSON]
    let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(all.bytes)
    return input + "." + Base64URL.encode(try key.signature(of: Array(input.utf8)))
  }
}

/// A text of a server that a proof must contain.
package enum DPoPNonce {
  /// The longest nonce that is sent back, in characters.
  static let maximumLength = 1024

  /// Whether a proof can contain it (RFC 9449, section 8.1).
  package static func isValid(_ nonce: String) -> Bool {
    (1...maximumLength).contains(nonce.utf8.count)
      && nonce.isVisibleASCII && !nonce.utf8.contains { [0x22, 0x5C].contains($0) }
  }
}

/// A response to a request with a proof.
protocol ProvedResponse {
  func header(_ name: String) -> String?
  /// Why the server has refused the request; nil if it has not, or does not say why.
  var proofRefusal: OAuthError.Code? { get }
}

extension ProvedResponse {
  /// The time of the server.
  fileprivate var date: Date? { header("Date").flatMap(Date.init(httpDate:)) }
}

extension TransportResponse: ProvedResponse {
  // A resource server says it in a challenge (RFC 9449, section 9), a token endpoint in the body.
  var proofRefusal: OAuthError.Code? {
    // Servers other than Okta's use 403 too.
    guard [400, 401, 403].contains(status) else { return nil }
    return
      (header("WWW-Authenticate").flatMap(OAuthError.init(challenge:))
      ?? OAuthError(parsing: body))?.code
  }
}

extension IssuerClient.Response: ProvedResponse {}
