import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Signing out in a browser.
struct LogoutRequestTests {
  private let test = Result { try TestSignIn() }

  private func configuration(
    returningTo address: String? = "https://shop.example/bye?a=b"
  ) throws -> FlowConfiguration {
    let org = try test.get().org
    return try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      logoutRedirectURI: address)
  }

  private func items(of url: URL) -> [String: String] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
  }

  @Test("The page gets the ID token, and a new state and the address to return to if there is one")
  func page() async throws {
    let credential = try await test.get().credential()
    let logout = try LogoutRequest(of: credential, for: configuration())
    expectEqual(logout.url.path, "/oauth2/default/v1/logout")
    expectEqual(
      items(of: logout.url),
      [
        "id_token_hint": try require(credential.tokens.idToken).revealed,
        "post_logout_redirect_uri": "https://shop.example/bye?a=b",
        "state": logout.state.revealed,
      ])
    try expect(LogoutRequest(of: credential, for: configuration()).state != logout.state)

    // Without an address, the browser stays at the server.
    let staying = try LogoutRequest(of: credential, for: configuration(returningTo: nil))
    expectEqual(Array(items(of: staying.url).keys), ["id_token_hint"])
    expect(!staying.isReturn(try require(URL(string: "https://shop.example/bye"))))
  }

  @Test("The simulated org returns to the address, and the return is accepted")
  func returning() async throws {
    let test = try test.get()
    let logout = try LogoutRequest(
      of: try await test.credential(), for: configuration(returningTo: test.org.redirectURI))
    // A server continues with the stored request.
    let stored = try JSONDecoder().decode(
      LogoutRequest.self, from: JSONEncoder().encode(logout))
    let response = try await test.org.send(TransportRequest(url: stored.url))
    let returned = try require(response.header("Location").flatMap(URL.init(string:)))
    try stored.check(returned)
    expect(stored.isReturn(returned))
  }

  @Test(
    "Another address, or one without the state, is refused", .promise("sign-out-return"),
    arguments: [
      "https://shop.example/bye", "https://shop.example/bye?state=other",
      "https://shop.example/other?state=STATE", "https://evil.example/bye?state=STATE",
      "http://shop.example/bye?state=STATE", "https://shop.example/bye?state=STATE&state=STATE",
      "https://shop.example/bye?state=%zz",
    ])
  func otherReturns(address: String) async throws {
    let logout = try LogoutRequest(of: try await test.get().credential(), for: configuration())
    func url(_ text: String) throws -> URL {
      try require(URL(string: text.replacingOccurrences(of: "STATE", with: logout.state.revealed)))
    }
    try logout.check(url("https://shop.example/bye?a=b&state=STATE"))
    let error = try await requireError(FlowError.self) { try logout.check(url(address)) }
    expectEqual(error.code, .redirectMismatch)
  }

  @Test("A credential without an ID token, or of another app, is refused")
  func refusals() async throws {
    let credential = try await test.get().credential()
    let bare = Credential(
      id: credential.id, tokens: Tokens(accessToken: "a"), receivedAt: TestSignIn.now)
    try await expectEqual(
      requireError(FlowError.self) { try LogoutRequest(of: bare, for: configuration()) }.code,
      .notSendable)
    let other = try FlowConfiguration(
      issuer: "https://evil.example", clientID: credential.id.clientID)
    try await expectEqual(
      requireError(FlowError.self) { try LogoutRequest(of: credential, for: other) }.code,
      .invalidConfiguration)
  }

  @Test("A saved sign-in continues after the address for the sign-out has changed")
  func savedState() async throws {
    let state = try await test.get().afterUsername()
    let read = try FlowState(snapshot: state.snapshot(), for: configuration())
    expectEqual(read.response, state.response)
  }
}
