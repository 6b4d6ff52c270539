import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// The sign-in page of the simulated org.
struct SignInPageTests {
  @Test("A sign-in leads from the page to tokens")
  func signsIn() async throws {
    var client = try await PageClient.opened()
    expectEqual(client.response.status, 200)
    expectEqual(client.response.headers["Content-Type"], "text/html; charset=utf-8")
    expectEqual(client.writtenTokens.first, "")
    expect((5000...5500).contains(client.pageToken.count))
    try await client.introspect()
    expectEqual(client.json["remediation"]?["value"]?[0]?["name"], "identify")
    try await client.signIn()
    expectEqual(client.json["successWithInteractionCode"], nil)
    expectEqual(client.json["success"]?["name"], "success-redirect")
    let start = "https://demo.okta.example/login/token/redirect?stateToken=02.id."
    expect(client.successAddress.hasPrefix(start))
    expect(client.successAddress.count - start.count == 40)
    try await client.get(client.successAddress)
    expectEqual(client.response.status, 302)
    expect(client.location.hasPrefix(client.org.redirectURI + "?code="))
    expectEqual(client.returned["state"], "st-1")
    expectEqual(client.returned["iss"], client.org.issuer.absoluteString)
    try await client.redeem()
    expectEqual(client.response.status, 200)
    let token = client.json["id_token"]?.string.flatMap { DecodedToken($0) }
    expectEqual(token?.claims["nonce"], "n-1")
    expectEqual(token?.claims["amr"], ["pwd"])
  }

  @Test("A token with its escapes has expired, like a token of another org")
  func wrongTokens() async throws {
    var client = try await PageClient.opened()
    var stranger = try await PageClient.opened()
    try await stranger.authorize()
    let written = try require(client.writtenTokens.last)
    expect(written.contains(#"\x2D"#) && !written.contains("-"))
    for wrong in [written, stranger.pageToken, ""] {
      try await client.introspect(wrong)
      expectEqual(client.response.status, 401)
      expectEqual(client.messageKeys, ["idx.session.expired"])
      expectEqual(client.json["stateHandle"], nil)
    }
  }

  @Test("Each response has a new handle, and the old one has expired")
  func handles() async throws {
    var client = try await PageClient.opened()
    let page = client.pageToken
    try await client.introspect()
    let first = client.stateHandle
    expect(first.wholeMatch(of: #/02\.id\.[\w\-]{40}~c\.[\w\-]{1400}/#) != nil)
    try await client.introspect(first, as: "stateHandle")
    expectEqual(client.stateHandle, first)
    // The token of the page stands for the last handle.
    try await client.identify(page)
    expectEqual(client.json["remediation"]?["value"]?[0]?["name"], "challenge-authenticator")
    let second = client.stateHandle
    expect(first != second)
    expectEqual(first.prefix { $0 != "~" }, second.prefix { $0 != "~" })
    try await client.identify(first)
    expectEqual(client.response.status, 401)
    expectEqual(client.messageKeys, ["idx.session.expired"])
    // A response can be lost, so an earlier handle still shows where the sign-in is.
    try await client.introspect(first, as: "stateHandle")
    expectEqual(client.stateHandle, second)
  }

  @Test("Each response to a poll has a new handle")
  func handlesOfPolls() async throws {
    let app = SimulatedUser.Enrollment.oktaVerify(secret: "JBSWY3DPEHPK3PXP")
    var client = try await PageClient.opened(policy: .required(.oktaVerify), [app])
    try await client.introspect()
    try await client.signIn()
    let chosen = client.json["remediation"]?["value"]?[0]?["value"]?[0]?["form"]?["value"]?.array
    let id = chosen?.first { $0["name"] == "id" }?["value"] ?? .null
    try await client.proceed("challenge", ["authenticator": ["id": id, "methodType": "push"]])
    for _ in 0..<2 {
      let before = client.stateHandle
      try await client.proceed("authenticators/poll")
      expectEqual(client.response.status, 200)
      expect(client.stateHandle != before)
    }
    await client.org.approvePush(for: "ada@shop.example")
    try await client.proceed("authenticators/poll")
    expect(!client.successAddress.isEmpty)
  }

  @Test("All requests need the cookies of the page", arguments: ["JSESSIONID", "DT"])
  func cookies(_ name: String) async throws {
    var client = try await PageClient.opened()
    let right = client.cookies
    for wrong in [nil, "other"] {
      client.cookies[name] = wrong
      try await client.introspect()
      expectEqual(client.response.status, 403)
      expect(client.response.body.isEmpty)
      client.cookies = right
      try await client.authorize()
      client.cookies = right
    }
    try await client.introspect()
    try await client.signIn()
    let success = client.successAddress
    client.cookies[name] = "other"
    try await client.get(success)
    expectEqual(client.response.status, 403)
    client.cookies = right
    try await client.get(success)
    expectEqual(client.response.status, 302)
    // It works once.
    try await client.get(success)
    expectEqual(client.response.status, 400)
  }

  @Test("A cancelled sign-in begins again with the same cookies")
  func cancels() async throws {
    var client = try await PageClient.opened()
    try await client.introspect()
    let first = client.stateHandle
    try await client.identify()
    try await client.proceed("cancel")
    expectEqual(client.json["remediation"]?["value"]?[0]?["name"], "identify")
    expect(client.stateHandle.prefix(46) != first.prefix(46))
    try await client.signIn()
    try await client.get(client.successAddress)
    expectEqual(client.returned["state"], "st-1")
  }

  @Test("The browser of an identity provider returns to the app with a code")
  func identityProvider() async throws {
    var policy = SignInPolicy.passwordOnly
    policy.accounts.identityProviders = [.init(type: "OIDC", name: "Other")]
    var client = try await PageClient.opened(policy: policy)
    try await client.introspect()
    let forms = client.json["remediation"]?["value"]?.array ?? []
    let page = try require(forms.first { $0["name"] == "redirect-idp" }?["href"]?.string)
    let end = await client.org.visit(try require(URL(string: page)))
    client.response = TransportResponse(
      status: 302, headers: ["Location": try require(end).absoluteString])
    try await client.redeem()
    expectEqual(client.response.status, 200)
  }

  @Test("Pushed parameters lead to the page")
  func pushed() async throws {
    let org = makeOrg()
    await org.changeRequests {
      $0.signInPage = OrgSignInPage()
      $0.requiresPushedRequests = true
    }
    var client = PageClient(org)
    try await client.authorize()
    expectEqual(client.response.status, 400)
    let address = org.issuer.appendingPathComponent("v1/par")
    let pushed = try await org.send(.form(address, client.parameters(["state": "st-2"])))
    let uri = try require(JSONValue(parsing: pushed.body)["request_uri"]?.string)
    try await client.get(
      "/oauth2/default/v1/authorize?client_id=\(org.clientID)&request_uri=\(uri)")
    try await client.introspect()
    try await client.signIn()
    try await client.get(client.successAddress)
    expectEqual(client.returned["state"], "st-2")
  }

  @Test("Credentials in a form for the username are refused without a key")
  func credentialsTooEarly() async throws {
    var client = try await PageClient.opened()
    try await client.introspect()
    try await client.proceed(
      "identify", ["identifier": "ada@shop.example", "credentials": ["passcode": "x"]])
    expectEqual(client.response.status, 400)
    expectEqual(client.messageTexts, ["This form takes no credentials."])
    expectEqual(client.messageKeys, [])
  }

  @Test("A classic org has a page with an empty token, and no Identity Engine")
  func classic() async throws {
    var client = try await PageClient.opened()
    try await client.get("/.well-known/okta-organization")
    expectEqual(client.json["pipeline"], "idx")
    await client.org.changeRequests { $0.pipeline = .v1 }
    try await client.get("/.well-known/okta-organization")
    expectEqual(client.json["pipeline"], "v1")
    expectEqual(
      client.json["_links"]?["organization"]?["href"], "https://demo.okta.example")
    try await client.authorize()
    expectEqual(client.response.status, 200)
    expectEqual(client.writtenTokens, ["", ""])
    try await client.introspect("00x")
    expectEqual(client.response.status, 404)
    expectEqual(client.json["errorCode"], "E0000007")
  }

  @Test("A page of a firewall, a response without a body and a text can come in place of a step")
  func faults() async throws {
    var client = try await PageClient.opened()
    let token = client.pageToken
    for status in [403, 406] {
      await client.org.inject(.webPage(status: status), at: "/authorize")
      try await client.authorize()
      expectEqual(client.response.status, status)
      expectEqual(client.response.headers["Content-Type"], "text/html; charset=utf-8")
    }
    await client.org.inject(.noBody(status: 403))
    try await client.introspect(token)
    expectEqual(client.response.status, 403)
    expect(client.response.body.isEmpty)
    await client.org.inject(.textOnly)
    try await client.introspect(token)
    expectEqual(client.response.status, 401)
    expectEqual(client.messageTexts.count, 1)
    expectEqual(client.messageKeys, [])
  }
}

/// The session of a browser at the simulated org.
struct BrowserSessionTests {
  /// A client after a whole sign-in.
  private func client() async throws -> PageClient {
    var client = try await PageClient.signedIn()
    try await client.get(client.successAddress)
    expect(client.cookies["sid"] != nil && client.cookies["idx"] != nil)
    return client
  }

  @Test("A session leads to the app at once", arguments: ["sid", "idx"])
  func atOnce(_ name: String) async throws {
    var client = try await client()
    let others = client.cookies
    client.cookies = others.filter { $0.key == name }
    for prompt in [nil, "none", "consent"] {
      try await client.authorize(["prompt": prompt, "max_age": "60"])
      expectEqual(client.response.status, 302)
      expectEqual(client.returned["state"], "st-1")
      try await client.redeem()
      expectEqual(client.response.status, 200)
    }
  }

  @Test(
    "The page asks again if the app wants it; if it may not ask, the app gets an error"
  )
  func asksAgain() async throws {
    var client = try await client()
    try await client.authorize(["prompt": "login"])
    expectEqual(client.response.status, 200)
    client.org.advance(by: 61)
    try await client.authorize(["max_age": "60"])
    expectEqual(client.response.status, 200)
    try await client.authorize(["max_age": "60", "prompt": "none"])
    expectEqual(client.returned["error"], "login_required")
    client.org.advance(by: 2 * 60 * 60)
    try await client.authorize()
    expectEqual(client.response.status, 200)

    client = try await PageClient.opened()
    try await client.authorize(["prompt": "none"])
    expectEqual(client.response.status, 302)
    expectEqual(client.returned["error"], "login_required")
    try await client.authorize(["response_type": "token"])
    expectEqual(client.returned["error"], "unsupported_response_type")
  }

  @Test("The session says whose it is, and ends there or when the browser signs out")
  func ends() async throws {
    var client = try await client()
    try await client.get("/api/v1/sessions/me")
    expectEqual(client.json["login"], "ada@shop.example")
    expectEqual(client.json["status"], "ACTIVE")
    expectEqual(client.json["expiresAt"], "2030-03-17T19:46:40.000Z")
    let cookies = client.cookies
    try await client.send("DELETE", "/api/v1/sessions/me")
    expectEqual(client.response.status, 204)
    expectEqual(Set(client.cookies.keys), ["DT", "JSESSIONID"])
    client.cookies = cookies
    for method in ["GET", "DELETE"] {
      try await client.send(method, "/api/v1/sessions/me")
      expectEqual(client.response.status, 404)
    }
    try await client.post("/api/v1/sessions/me", [:])
    expectEqual(client.response.status, 405)
    expectEqual(client.response.header("Allow"), "GET, DELETE")

    for path in ["/login/signout", "/oauth2/default/v1/logout?id_token_hint=x"] {
      var other = try await self.client()
      try await other.get(path)
      expectEqual(Set(other.cookies.keys), ["DT", "JSESSIONID"])
      try await other.authorize()
      expectEqual(other.response.status, 200)
    }
  }
}
