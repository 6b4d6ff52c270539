import Expectations
import Foundation
import IDX
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXOAuth
import Testing

/// A sign-in that ends with a SAML response.
struct HostedSAMLTests {
  @Test("The page of the app begins the steps, and the address of the success has the response")
  func signIn() async throws {
    let org = ScriptedOrg([
      "/app/shop/exk1/sso/saml": "<script>var stateToken = \"02abc\";</script>",
      "/idp/idx/introspect": """
      {"version":"1.0.0","stateHandle":"02abc","success":{"name":"success-redirect","rel":["create-form"],
       "href":"https://id.shop.example/login/token/redirect?stateToken=02abc"}}
      """,
      "/login/token/redirect": """
      <form id="appForm" action="https&#x3a;&#x2f;&#x2f;service.example&#x2f;saml" method="POST">
      <input name="SAMLResponse" type="hidden" value="PFJlc3BvbnNlLz4&#x3d;"/></form>
      """,
    ])
    let app = try require(URL(string: "https://id.shop.example/app/shop/exk1/sso/saml"))
    let client = HostedClient(transport: org, endingWith: .saml(app))
    let configuration = try FlowConfiguration(issuer: "https://id.shop.example", clientID: "saml")
    var state = try await client.start(configuration)
    expect(state.isAtEnd && !state.isSignedIn && state.endsSuccessfully)
    // The person is not asked to start over.
    try await expect(Handlers.showing().atEnd?(state) == nil)
    let response = try await client.samlResponse(of: &state)
    expectEqual(response.destination.absoluteString, "https://service.example/saml")
    expectEqual(
      org.paths.withLock { $0 },
      ["/app/shop/exk1/sso/saml", "/idp/idx/introspect", "/login/token/redirect"])
  }

  @Test("If the first page has a response that is refused, the error says why")
  func refusedAtOnce() async throws {
    let org = ScriptedOrg([
      "/app/shop/exk1/sso/saml": """
      <form action="http://service.example/saml" method="POST">
      <input name="SAMLResponse" value="PFJlc3BvbnNlLz4="></form>
      """
    ])
    let app = try require(URL(string: "https://id.shop.example/app/shop/exk1/sso/saml"))
    let client = HostedClient(transport: org, endingWith: .saml(app))
    let configuration = try FlowConfiguration(issuer: "https://id.shop.example", clientID: "saml")
    let error = try await requireError(FlowError.self) { try await client.start(configuration) }
    expectContains(error.message, "for an address that is not https")
  }
}

/// An org with one response for each path.
private final class ScriptedOrg: Transport {
  let paths = Locked<[String]>([])
  private let pages: [String: String]

  init(_ pages: [String: String]) { self.pages = pages }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    paths.withLock { $0.append(request.url.path) }
    guard let body = pages[request.url.path] else {
      Issue.record("There is no response for \(request.method) \(request.url).")
      return TransportResponse(status: 404)
    }
    let type = body.hasPrefix("{") ? "application/ion+json; okta-version=1.0.0" : "text/html"
    return TransportResponse(
      status: 200, headers: ["Content-Type": type], body: Array(body.utf8))
  }
}
