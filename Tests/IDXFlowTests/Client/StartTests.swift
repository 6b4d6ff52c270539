import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Starting a sign-in.
struct StartTests {
  @Test(
    "A sign-in starts with requests to the authorization server and to its origin, whichever they are",
    arguments: [
      (
        "https://id.shop.example/oauth2/default",
        "https://id.shop.example/oauth2/default/v1/interact"
      ),
      ("https://id.shop.example/oauth2/aus1", "https://id.shop.example/oauth2/aus1/v1/interact"),
      ("https://id.shop.example", "https://id.shop.example/oauth2/v1/interact"),
      ("https://id.shop.example:8443", "https://id.shop.example:8443/oauth2/v1/interact"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080/oauth2/v1/interact"),
      ("http://localhost:8080", "http://localhost:8080/oauth2/v1/interact"),
      ("http://[::1]:8080", "http://[::1]:8080/oauth2/v1/interact"),
    ])
  func endpoints(issuer: String, interact: String) async throws {
    let transport = RequestLog(StubServer(document: Wire.document([])))
    _ = try await transport.client.start(Wire.configuration(issuer))
    let origin = issuer.components(separatedBy: "/oauth2").first ?? ""
    let urls = await transport.requests.map(\.url.absoluteString)
    expectEqual(urls, [interact, origin + "/idp/idx/introspect"])
    await expect(transport.requests.allSatisfy { $0.method == "POST" })

    try await expectEqual(TestSignIn(issuer: issuer).credential().scopes, ["openid", "profile"])
  }

  @Test(
    "A start sends the app, a new PKCE challenge (S256), state and nonce, and then only the interaction handle",
    .promise("stolen-code"))
  func parameters() async throws {
    let test = try TestSignIn()
    let state = try await test.client.start(test.configuration)
    let request = try await require(test.transport.requests.first)
    let sent = request.parameters
    expectEqual(sent["client_id"], test.org.clientID)
    expectEqual(sent["redirect_uri"], test.org.redirectURI)
    expectEqual(sent["scope"], "openid profile")
    expectEqual(sent["code_challenge_method"], "S256")
    expectEqual(sent["code_challenge"]?.count, 43)
    expectEqual(sent["state"], state.redirectState.revealed)
    expectEqual(sent["nonce"], state.nonce.revealed)
    expectEqual(sent.count, 7)
    expectEqual(request.headers["Content-Type"], "application/x-www-form-urlencoded")
    expectEqual(request.headers["Accept"], "application/json")

    let introspection = try await require(test.transport.requests.last)
    let members = try require(introspection.json?.object?.members)
    expectEqual(members.map(\.name), ["interactionHandle"])
    expectEqual(introspection.headers["Content-Type"], "application/ion+json; okta-version=1.0.0")
    expectEqual(introspection.headers["Accept"], "application/ion+json; okta-version=1.0.0")

    let second = try await test.client.start(test.configuration)
    expect(state.redirectState != second.redirectState)
    expect(state.nonce != second.nonce)
    expect(state.redirectState != state.nonce)
    let challenges = await test.transport.requests.compactMap { request in
      request.url.lastPathComponent == "interact" ? request.parameters["code_challenge"] : nil
    }
    expectEqual(Set(challenges).count, 2)
  }

  @Test("Without a redirect URI, nothing is sent, and the error says what to do")
  func noRedirectURI() async throws {
    let transport = RequestLog(StubServer(document: Wire.document([])))
    let configuration = try FlowConfiguration(issuer: Wire.origin, clientID: "0oaShop")
    let error = try await requireError(FlowError.self) {
      try await transport.client.start(configuration)
    }
    expectEqual(error.code, .invalidConfiguration)
    expectContains(error.message, "needs a redirect URI")
    await expectEmpty(transport.requests)
  }

  @Test("Options are sent as parameters if they are set")
  func options() async throws {
    var options = StartOptions()
    options.maximumAge = 60
    options.acrValues = ["phr", "urn:okta:loa:2fa:any"]
    options.loginHint = "ada+1@shop.example"
    options.recoveryToken = "recovery"
    options.activationToken = "activation"
    let transport = RequestLog(StubServer(document: Wire.document([])))
    _ = try await transport.client.start(Wire.configuration(), options)
    let sent = try await require(transport.requests.first).parameters
    expectEqual(sent["max_age"], "60")
    expectEqual(sent["acr_values"], "phr urn:okta:loa:2fa:any")
    expectEqual(sent["login_hint"], "ada+1@shop.example")
    expectEqual(sent["recovery_token"], "recovery")
    expectEqual(sent["activation_token"], "activation")
    expectEqual(sent.count, 12)
  }
}
