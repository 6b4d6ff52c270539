import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Starting a sign-in")
struct StartTests {
  @Test(
    "It takes two requests, to the authorization server and to the origin",
    arguments: [
      (
        "https://id.shop.example/oauth2/default",
        "https://id.shop.example/oauth2/default/v1/interact"
      ),
      ("https://id.shop.example/oauth2/aus1", "https://id.shop.example/oauth2/aus1/v1/interact"),
      ("https://id.shop.example", "https://id.shop.example/oauth2/v1/interact"),
      ("https://id.shop.example:8443", "https://id.shop.example:8443/oauth2/v1/interact"),
      ("http://localhost:8080", "http://localhost:8080/oauth2/v1/interact"),
      ("http://[::1]:8080", "http://[::1]:8080/oauth2/v1/interact"),
    ])
  func endpoints(issuer: String, interact: String) async throws {
    let line = RecordingTransport(StubServer(document: Wire.document([])))
    _ = try await IDXClient(transport: line).start(Wire.configuration(issuer))
    let origin = issuer.components(separatedBy: "/oauth2").first ?? ""
    let urls = await line.requests.map(\.url.absoluteString)
    #expect(urls == [interact, origin + "/idp/idx/introspect"])
    #expect(await line.requests.allSatisfy { $0.method == "POST" })
  }

  @Test(
    "It works with an org's own authorization server and with a custom one",
    arguments: [
      "https://id.shop.example", "https://id.shop.example/oauth2/default",
      "https://id.shop.example/oauth2/aus1", "http://127.0.0.1:8080",
    ])
  func issuers(_ issuer: String) async throws {
    let world = try World(issuer: issuer)
    let tokens = try await world.client.redeem(world.pastPassword())
    #expect(tokens.scopes == ["openid", "profile"])
  }

  @Test("The first request carries the app, PKCE by S256, state and nonce")
  func parameters() async throws {
    let world = try World()
    let state = try await world.client.start(world.configuration)
    let request = try #require(await world.line.requests.first)
    let sent = request.parameters
    #expect(sent["client_id"] == world.org.clientID)
    #expect(sent["redirect_uri"] == world.org.redirectURI)
    #expect(sent["scope"] == "openid profile")
    #expect(sent["code_challenge_method"] == "S256")
    #expect(sent["code_challenge"]?.count == 43)
    #expect(sent["state"] == state.redirectState.revealed)
    #expect(sent["nonce"] == state.nonce.revealed)
    #expect(sent.count == 7)
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.headers["Accept"] == "application/json")
  }

  @Test("The second request carries the interaction handle alone")
  func introspection() async throws {
    let world = try World()
    _ = try await world.client.start(world.configuration)
    let request = try #require(await world.line.requests.last)
    let members = try #require(request.json?.object?.members)
    #expect(members.map(\.name) == ["interactionHandle"])
    #expect(request.headers["Content-Type"] == "application/ion+json; okta-version=1.0.0")
    #expect(request.headers["Accept"] == "application/ion+json; okta-version=1.0.0")
  }

  @Test("Verifier, state and nonce are drawn anew for each sign-in")
  func randomness() async throws {
    let world = try World()
    let client = IDXClient(transport: world.line)
    let first = try await client.start(world.configuration)
    let second = try await client.start(world.configuration)
    #expect(first.redirectState != second.redirectState)
    #expect(first.nonce != second.nonce)
    #expect(first.redirectState != first.nonce)
    let challenges = await world.line.requests.compactMap { request in
      request.url.lastPathComponent == "interact" ? request.parameters["code_challenge"] : nil
    }
    #expect(Set(challenges).count == 2)
  }

  @Test("Options become parameters, and none are sent that are not set")
  func options() async throws {
    var options = StartOptions()
    options.maximumAge = 60
    options.acrValues = ["phr", "urn:okta:loa:2fa:any"]
    options.loginHint = "ada+1@shop.example"
    options.recoveryToken = "recovery"
    options.activationToken = "activation"
    let line = RecordingTransport(StubServer(document: Wire.document([])))
    _ = try await IDXClient(transport: line).start(Wire.configuration(), options)
    let sent = try #require(await line.requests.first).parameters
    #expect(sent["max_age"] == "60")
    #expect(sent["acr_values"] == "phr urn:okta:loa:2fa:any")
    #expect(sent["login_hint"] == "ada+1@shop.example")
    #expect(sent["recovery_token"] == "recovery")
    #expect(sent["activation_token"] == "activation")
    #expect(sent.count == 12)
  }
}
