import Expectations
import Foundation
import IDXBase
import IDXOAuth
import SignInSupport
import Testing

/// Requests to an issuer.
struct IssuerClientTests {
  private static func configuration() throws -> FlowConfiguration {
    try FlowConfiguration(issuer: "https://dev-1234.okta.example", clientID: "0oaShop")
  }

  @Test(
    "A request of the app, which may have its secret, goes to no other origin than the issuer's",
    arguments: [
      ("https://DEV-1234.okta.example:443/oauth2/v1/token", true),
      ("https://other.example/token", false), ("http://dev-1234.okta.example/token", false),
      ("https://dev-1234.okta.example:8443/token", false),
      ("https://ada@dev-1234.okta.example/token", false),
    ])
  func origin(address: String, isOwn: Bool) async throws {
    let transport = RequestLog(
      StubServer(document: [:]) { _ in
        throw TransportError(.unreachable, message: "No.", mayHaveArrived: false)
      })
    let configuration = try Self.configuration()
    let http = IssuerClient(
      transport: transport,
      tokens: TokenClient(
        transport: transport, authentication: .secretBasic("hidden", for: configuration)))
    let request = TokenRequest(parameters: [("client_id", configuration.clientID)])
    let url = try require(URL(string: address))
    let posted = try await requireError(FlowError.self) {
      try await http.post(request, of: configuration, to: url)
    }
    expectEqual(posted.code, isOwn ? .network : .hrefRefused)
    await expectEqual(transport.requests.count, isOwn ? 1 : 0)
    guard !isOwn else { return }
    let redeemed = try await requireError(FlowError.self) {
      try await http.redeemCode(request, of: configuration, at: url, stepName: "issue")
    }
    expectEqual(redeemed.code, .hrefRefused)
    await expectEqual(transport.requests.count, 0)
  }

  @Test(
    "A text of the server becomes a sentence of its own in the message",
    arguments: [
      (
        #"{"errorSummary": "Api validation failed"}"#, "Api validation failed. The request went to "
      ),
      (#"{"errorSummary": "Not now!"}"#, "Not now! The request went to "),
      (
        #"{"error": "access_denied", "error_description": "Ask again."}"#,
        "Access was denied. (access_denied: Ask again.) The request went to "
      ),
      (
        #"{"error": "Forbidden", "message": "Denied by network policy"}"#,
        "(Forbidden) Denied by network policy. The request went to "
      ),
      (
        #"{"errorSummary": "No", "errorCauses": [{"errorSummary": "Blocked."}, {"errorSummary": "No"}]}"#,
        "No. Blocked. The request went to "
      ),
    ])
  func sentence(body: String, start: String) async throws {
    let transport = StubServer(document: [:]) { _ in
      TransportResponse(
        status: 400, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }
    let http = IssuerClient(transport: transport, tokens: TokenClient(transport: transport))
    let request = TokenRequest(parameters: [])
    let url = try require(URL(string: "https://dev-1234.okta.example/oauth2/v1/token"))
    let configuration = try Self.configuration()
    let response = try await http.post(request, of: configuration, to: url)
    expectContains(http.failure(of: response).message, start)
  }
}
