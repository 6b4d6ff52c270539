import Expectations
import Foundation
import IDXBase
import Testing

/// Header fields for one org.
struct HeaderTransportTests {
  private struct Echo: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
      TransportResponse(status: 200, headers: request.headers)
    }
  }

  private let transport: HeaderTransport

  init() throws {
    transport = HeaderTransport(
      Echo(), for: try require(URL(string: "https://acme.example/oauth2/default")),
      userAgent: "Browser/1\r\nX-Other: 1", accept: "application/json")
  }

  private func headers(_ address: String, accept: String) async throws -> [String: String] {
    let request = TransportRequest(
      url: try require(URL(string: address)), headers: ["Accept": accept])
    return try await transport.send(request).headers
  }

  @Test(
    "Requests to the org get them, without what would add another field; others stay as they are")
  func org() async throws {
    let ion = "application/ion+json; okta-version=1.0.0"
    try await expectEqual(
      headers("https://acme.example/idp/idx/identify", accept: ion),
      ["User-Agent": "Browser/1X-Other: 1", "Accept": "application/json"])
    try await expectEqual(
      headers("https://acme.example/page", accept: "text/html"),
      ["User-Agent": "Browser/1X-Other: 1", "Accept": "text/html"])
    for address in ["https://sts.example/", "https://acme.example:8443/", "http://acme.example/"] {
      try await expectEqual(
        headers(address, accept: "application/ion+json"), ["Accept": "application/ion+json"])
    }
  }
}
