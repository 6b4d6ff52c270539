import Expectations
import Foundation
import IDXBase
import Testing

@Suite(.tags(.startsPrograms), .fewPrograms) struct RetryTests {
  @Test("The same cause of a retry is said once, whatever is requested")
  func once() async throws {
    let busy = Array(
      FixedServer.response("503 Service Unavailable", "", "Retry-After: 0").utf8)
    let seen = Locked<[String: Int]>([:])
    let server = try LoopbackServer()
    server.start { request in
      let count = seen.withLock { seen in
        seen[request.url.path, default: 0] += 1
        return seen[request.url.path] ?? 0
      }
      if count == 1 { return busy }
      let body =
        request.url.path.hasSuffix("/interact") ? #"{"interaction_handle": "ih"}"# : "{}"
      return Array(FixedServer.response("200 OK", body).utf8)
    }
    let end = try await Program.run(
      [
        "signin", "--no-input", "--issuer", "http://127.0.0.1:\(server.port)", "--client-id", "c",
        "--redirect-uri", "a:/b",
      ], environment: ["IDX_FLOW_RETRY_TIME": "3600"])
    expect(seen.withLock { $0.count { $0.value > 1 } } >= 2)
    expectEqual(end.errors.components(separatedBy: "Trying again.").count - 1, 1, "\(end.errors)")
  }
}
