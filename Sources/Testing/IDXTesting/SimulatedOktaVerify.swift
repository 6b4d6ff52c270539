public import Foundation
public import IDXBase
import IDXFlow
import IDXOAuth
public import IDXSimulatedOrg

/// Okta Verify on a computer, for tests: it answers challenges of Okta FastPass for a user of a
/// ``/IDXSimulatedOrg/SimulatedOrg``.
///
/// It responds to the requests of a client to this computer, and sends its answers to the org, signed with a key that
/// the org knows. Like the real one, it compares the `Origin` of a request with the org that has issued the challenge.
///
///     let okta = SimulatedOktaVerify(of: "ada@example.com", at: org)
///     let provider = LoopbackFastPass(transport: okta)
///
/// To reach it over the network, serve it at one of its ports.
public struct SimulatedOktaVerify: Transport {
  /// What a port does.
  public enum Reaction: Sendable, Hashable {
    /// The profile of the user answers.
    case answers
    /// The profile of another user of the computer is there: status 503.
    case isOfOtherProfile
    /// It fails with this status.
    case fails(status: Int)
    /// It never responds to the challenge.
    case isSilent
    /// It responds like another program: 404 for a probe.
    case isOtherProgram
  }

  /// Longer links and bodies are refused.
  private static let longestRequest = 1 << 16

  private let ports: [Int: Reaction]
  private let org: SimulatedOrg
  private let login: String
  /// Made for the first answer, because that takes long.
  private let key = Locked<DPoPKey?>(nil)

  /// Creates the device of a user of an org.
  ///
  /// - Parameters:
  ///   - login: The user.
  ///   - org: The org.
  ///   - ports: What each port does; nothing listens at any other. By default, port 6511 answers, which is one of those
  ///     that the org names.
  public init(
    of login: String, at org: SimulatedOrg, ports: [Int: Reaction] = [6511: .answers]
  ) {
    self.ports = ports
    self.org = org
    self.login = login
  }

  /// The key of the device, which the org knows.
  private func registeredKey() async -> DPoPKey {
    let key = key.withLock { key in
      let known = key ?? .software()
      key = known
      return known
    }
    await org.register(deviceKey: key.thumbprint, of: login)
    return key
  }

  /// Responds to a request to this computer; at a port where nothing listens, throws a ``/IDXBase/TransportError``.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    let host = request.url.host(percentEncoded: true) ?? ""
    guard Origin.isLoopback(host), let reaction = request.url.port.flatMap({ ports[$0] }) else {
      throw TransportError(
        .unreachable, message: "Nothing listens at \(request.place).", mayHaveArrived: false)
    }
    guard reaction != .isOtherProgram else { return TransportResponse(status: 404) }
    let origin = request.headers.first { $0.key.lowercased() == "origin" }?.value
    var response = TransportResponse(status: try await status(request, reaction, origin))
    // Scripts of any page may read the status; the challenge says which org may ask.
    response.headers = [
      "Access-Control-Allow-Origin": origin ?? "*", "Access-Control-Allow-Headers": "Content-Type",
      "Access-Control-Allow-Private-Network": "true", "Vary": "Origin",
    ]
    return response
  }

  private func status(
    _ request: TransportRequest, _ reaction: Reaction, _ origin: String?
  ) async throws -> Int {
    switch (request.method, request.url.path) {
    case ("OPTIONS", "/probe"), ("OPTIONS", "/challenge"): return 204
    case ("GET", "/probe"): return 200
    case ("POST", "/challenge"): break
    default: return 404
    }
    switch reaction {
    case .isOfOtherProfile: return 503
    case .fails(let status): return status
    case .isSilent:
      let never = AsyncStream<Void> { _ in }
      for await _ in never {}
      throw CancellationError()
    case .answers, .isOtherProgram: break
    }
    let body =
      request.body.count <= Self.longestRequest ? try? JSONValue(parsing: request.body) : nil
    guard let challenge = body?["challengeRequest"]?.string else {
      return 400
    }
    return try await answer(Secret(challenge), from: origin)
  }

  /// Opens a link with the scheme `com-okta-authenticator`; returns whether the org accepted the answer.
  public func open(_ link: URL) async throws -> Bool {
    let items = URLComponents(url: link, resolvingAgainstBaseURL: false)?.queryItems ?? []
    guard let challenge = items.first(where: { $0.name == "challengeRequest" })?.value else {
      return false
    }
    return try await answer(Secret(challenge), from: nil) == 200
  }

  /// Answers the org that has issued a challenge, and returns the status for the client; `origin` is nil for a link.
  private func answer(_ challenge: Secret, from origin: String?) async throws -> Int {
    guard let payload = (try? JWT(parsing: challenge))?.payload,
      let claims = try? JSONValue(parsing: payload), let issuer = claims["iss"]?.string,
      let address = claims["verificationUri"]?.string.flatMap(URL.init(string:)),
      Origin(address) == Origin(org.issuer), let nonce = claims["nonce"]
    else { return 400 }
    guard origin == nil || origin == issuer else { return 403 }
    let key = await registeredKey()
    let header: JSONValue = [
      "typ": .string(SimulatedOrg.deviceAnswerType), "alg": "ES256", "jwk": key.publicKeyJSON,
    ]
    let answer: JSONValue = [
      "aud": .string(issuer), "nonce": nonce, "tx": claims["jti"] ?? .null,
    ]
    let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(answer.bytes)
    let signature = Base64URL.encode(try key.signature(of: Array(input.utf8)))
    let body: JSONValue = ["challengeResponse": .string("\(input).\(signature)")]
    let request = TransportRequest(
      method: "POST", url: address, headers: ["Content-Type": "application/json"], body: body.bytes)
    return try await org.send(request).status
  }
}

extension SimulatedOktaVerify: Redacted {
  /// The ports.
  public var description: String { "Okta Verify at the ports \(ports.keys.sorted())" }
}
