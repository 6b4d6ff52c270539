import Expectations
import Foundation
import IDXBase
import Testing

@testable import idx_flow

/// A transport that says that a response takes long.
struct PatientTransportTests {
  private struct Server: Transport {
    let respond: @Sendable () async throws -> Void

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      try await respond()
      return TransportResponse(status: 200, headers: [:], body: [])
    }
  }

  private func request(_ host: String) throws -> TransportRequest {
    TransportRequest(url: try require(URL(string: "https://\(host)/")))
  }

  @Test("It names the host of slow responses once, and none of a response that is in time")
  func slow() async throws {
    let (said, saying) = AsyncStream.makeStream(of: String.self)
    let hosts = Locked<[String]>([])
    // Each response comes when the wait of the first one was noted.
    let isNoted = Locked(false)
    let server = Server {
      if !isNoted.withLock({ $0 }) { for await _ in said { break } }
      isNoted.withLock { $0 = true }
    }
    let transport = PatientTransport(server, pause: {}) { host in
      hosts.withLock { $0.append(host) }
      saying.yield(host)
    }
    _ = try await transport.send(request("a.example"))
    _ = try await transport.send(request("b.example"))
    expectEqual(hosts.withLock { $0 }, ["a.example"])
    let isSaid = Locked(false)
    let quick = PatientTransport(
      Server {},
      pause: {
        // Ends when the wait is over.
        let never = AsyncStream<Void> { _ in }
        for await _ in never {}
      }
    ) { _ in isSaid.withLock { $0 = true } }
    _ = try await quick.send(request("a.example"))
    expect(!isSaid.withLock { $0 })
  }
}
