import Expectations
import Foundation
import IDXBase
import IDXNetwork
import Testing

@Suite("Requests to this computer alone", .timeLimit(.minutes(3)))
struct LoopbackTransportTests {
  @Test(
    "A connection to another computer, and plain http to a name, are refused before it is opened",
    .promise("fastpass-local"),
    arguments: [
      "https://192.0.2.1:6511/probe", "https://[2001:db8::1]:6511/probe",
      "http://id.shop.example:6511/probe",
    ])
  func otherComputer(address: String) async throws {
    let url = try require(URL(string: address))
    let error = try await failure(of: LoopbackTransport(), TransportRequest(url: url))
    expectEqual(error.code, .schemeRefused)
    expect(!error.mayHaveArrived)
  }

  @Test(
    "A program on this computer responds, but more than 64 KiB are not read",
    .promise("fastpass-delay"))
  func longResponse() async throws {
    let body = String(repeating: "a", count: 1 << 17)
    let script: LoopbackServer.Script = { _ in [.respond(body: body), .close] }
    try await LoopbackServer.run(script: script) { server in
      let request = try TransportRequest(url: server.url("/probe"))
      let error = try await failure(of: LoopbackTransport(), request)
      expectEqual(error.code, .responseTooLarge)
    }
    let short: LoopbackServer.Script = { _ in [.respond("204 No Content"), .close] }
    try await LoopbackServer.run(script: short) { server in
      let request = try TransportRequest(url: server.url("/probe"))
      try await expectEqual(LoopbackTransport().send(request).status, 204)
    }
  }
}
