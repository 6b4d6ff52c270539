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
/// The transport must connect to this computer alone, without a proxy, as `LoopbackTransport` of IDXNetwork does. An
/// instance passes on at most 5 challenges, and tries at most 16 ports and 2 names, whatever the server sends. Each sign-in
/// needs one of its own (``forNewSignIn()``); a `SignInModel` of IDXScreens makes it by itself.
public struct LoopbackFastPass: FastPassProvider {
  private static let maximumChallenges = 5
  private static let maximumPorts = 16
  private static let maximumNames = 2

  /// What a server has asked for so far.
  private struct Asked {
    var challenges = 0
    var ports: Set<Int> = []
    var names: Set<String> = []
  }

  private let transport: any Transport
  private let sleep: @Sendable (Duration) async throws -> Void
  private let asked = Locked(Asked())

  /// Creates a provider; `sleep` measures the time limits.
  public init(
    transport: any Transport,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.transport = transport
    self.sleep = sleep
  }

  /// A provider that has passed on nothing yet.
  public func forNewSignIn() -> any FastPassProvider {
    LoopbackFastPass(transport: transport, sleep: sleep)
  }

  /// Passes a challenge to the first address of Okta Verify that takes it.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `unsafeChallenge` after too many challenges, ports or names.
  public func pass(_ challenge: LoopbackChallenge) async throws -> FastPassResult {
    let local = Set(challenge.localAddresses)
    let isTooMuch = asked.withLock { asked in
      asked.challenges += 1
      asked.ports.formUnion(challenge.addresses.compactMap(\.port))
      asked.names.formUnion(challenge.addresses.filter { !local.contains($0) }.compactMap(\.host))
      return asked.challenges > Self.maximumChallenges || asked.ports.count > Self.maximumPorts
        || asked.names.count > Self.maximumNames
    }
    guard !isTooMuch else {
      throw FlowError(
        .unsafeChallenge,
        "The server has asked for Okta Verify on this computer too often, so it is not looked for any more."
      )
    }
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
    let (transport, sleep) = (transport, sleep)
    let status = await withTaskGroup(of: Status?.self) { group in
      group.addTask {
        do { return .of(try await transport.send(request).status) } catch {
          let error = error as? TransportError
          return error?.mayHaveArrived == false ? .notSent : .unknown
        }
      }
      group.addTask {
        try? await sleep(limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    try Task.checkCancellation()
    return status ?? .unknown
  }
}
