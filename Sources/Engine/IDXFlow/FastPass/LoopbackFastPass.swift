public import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Passes challenges to Okta Verify through its server on this computer.
///
/// It asks the addresses of a challenge one after the other (`GET /probe`), and passes the challenge to the first one
/// that responds (`POST /challenge`). An address with the status 503 belongs to another profile of the computer, so the
/// next one is tried. Bodies of responses are not used.
///
/// The transport must connect to this computer alone, without a proxy, as `LoopbackTransport` of IDXNetwork does. How
/// often a server may ask is limited for each sign-in by ``Step/loopbackChallenge``.
public struct LoopbackFastPass: FastPassProvider {
  private let transport: any Transport
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a provider; `sleep` measures the time limits.
  public init(
    transport: any Transport,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.transport = transport
    self.sleep = sleep
  }

  /// Passes a challenge to the first address of Okta Verify that takes it, for at most six minutes.
  public func pass(_ challenge: LoopbackChallenge) async throws -> FastPassResult {
    try await result(within: LoopbackChallenge.totalTimeout) { try await search(challenge) }
      ?? .refused(status: nil)
  }

  /// The result of some work; nil if it takes longer than a limit.
  private func result<Value: Sendable>(
    within limit: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let sleep = sleep
    let result = try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try? await sleep(limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    try Task.checkCancellation()
    return result
  }

  /// Asks one address after the other.
  private func search(_ challenge: LoopbackChallenge) async throws -> FastPassResult {
    for address in challenge.addresses {
      try Task.checkCancellation()
      let probe = Self.request("GET", "probe", at: address, from: challenge.origin)
      guard try await status(of: probe, within: challenge.probeTimeout).isSuccess else { continue }
      var answer = Self.request("POST", "challenge", at: address, from: challenge.origin)
      answer.headers["Content-Type"] = "application/json"
      let body: JSONValue = ["challengeRequest": .string(challenge.request.revealed)]
      answer.body = body.bytes
      switch try await status(of: answer, within: LoopbackChallenge.answerTimeout) {
      case .of(503), .notSent: continue
      case let status where status.isSuccess: return .delivered
      case .of(let status): return .refused(status: status)
      case .unknown: return .refused(status: nil)
      }
    }
    return .unreachable
  }

  /// The first address at which Okta Verify responds, without a challenge; nil if there is none.
  package func firstResponding(
    among addresses: [URL], origin: String?, within limit: Duration
  ) async throws -> URL? {
    for address in addresses {
      try Task.checkCancellation()
      let probe = Self.request("GET", "probe", at: address, from: origin)
      if try await status(of: probe, within: limit).isSuccess { return address }
    }
    return nil
  }

  private static func request(
    _ method: String, _ path: String, at address: URL, from origin: String?
  ) -> TransportRequest {
    var request = TransportRequest(
      method: method, url: address.appending(path: path), headers: ["Accept": "application/json"])
    request.headers["Origin"] = origin
    return request
  }

  /// What is known about a request.
  private enum Status {
    case of(Int)
    /// It did not arrive.
    case notSent
    /// No usable response came in time.
    case unknown

    var isSuccess: Bool { if case .of(200..<300) = self { true } else { false } }
  }

  /// Sends a request, and gives up after some time.
  private func status(of request: TransportRequest, within limit: Duration) async throws -> Status {
    let transport = transport
    let status = try await result(within: limit) { () async -> Status in
      do { return .of(try await transport.send(request).status) } catch {
        let error = error as? TransportError
        return error?.mayHaveArrived == false ? .notSent : .unknown
      }
    }
    return status ?? .unknown
  }
}
