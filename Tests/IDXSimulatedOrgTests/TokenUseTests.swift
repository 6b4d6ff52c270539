import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Using tokens at the simulated org.
struct TokenUseTests {
  @Test("Userinfo has the claims of the scopes, from the current profile")
  func userInfo() async throws {
    let org = makeOrg()
    for (scope, names) in [
      ("openid", ["sub"]), ("openid email", ["sub", "email", "email_verified"]),
      ("openid profile", ["sub", "name", "given_name", "family_name", "preferred_username"]),
    ] {
      let client = try await OrgClient.withTokens(org, scope: scope)
      let response = try await client.userInfo(client.accessToken)
      expectEqual(response.status, 200)
      expectEqual(response.header("Content-Type"), "application/json")
      try await expectEqual(client.userInfo(client.accessToken, method: "POST").body, response.body)
      let claims = try require(JSONValue(parsing: response.body).object)
      expectEqual(claims.members.map(\.name), names)
      expectEqual(claims["sub"], client.idToken?.claims["sub"])
    }
    let client = try await OrgClient.withTokens(org)
    try await changeAda(org) { $0.lastName = "Lovelace" }
    let response = try await client.userInfo(client.accessToken)
    try expectEqual(JSONValue(parsing: response.body)["name"], "Ada Lovelace")
  }

  @Test("Userinfo refuses invalid tokens, and its header says why")
  func userInfoRefusals() async throws {
    let org = makeOrg()
    let client = try await OrgClient.withTokens(org, scope: "openid offline_access")
    let scopeless = try await OrgClient.withTokens(org, scope: "profile")
    let url = try client.address("/v1/userinfo")
    let bare = try await org.send(TransportRequest(url: url, headers: ["Accept": "*/*"]))
    expectEqual(bare.status, 401)
    expectEqual(bare.header("WWW-Authenticate"), "Bearer realm=\"\(org.issuer.absoluteString)\"")
    for token in ["made-up", client.refreshToken ?? "", client.accessToken + "A"] {
      let response = try await client.userInfo(token)
      expectEqual(response.status, 401)
      expectEmpty(response.body)
      let why = response.header("WWW-Authenticate")
      expectEqual(why?.hasPrefix("Bearer error=\"invalid_token\", error_description=\""), true)
    }
    let response = try await client.userInfo(scopeless.accessToken)
    expectEqual(response.status, 403)
    expectEqual(
      response.header("WWW-Authenticate")?.hasPrefix("Bearer error=\"insufficient_scope\""), true)
    try await expectEqual(client.userInfo(client.accessToken, method: "PUT").status, 405)
    let page = ["Authorization": "Bearer \(client.accessToken)", "Accept": "text/html"]
    try await expectEqual(org.send(TransportRequest(url: url, headers: page)).status, 406)
  }

  @Test("Revoking any refresh token of a sign-in revokes all its tokens")
  func revoke() async throws {
    for isOld in [false, true] {
      let org = makeOrg()
      var client = try await OrgClient.withTokens(org)
      let first = client
      let other = try await OrgClient.withTokens(org)
      try await client.refresh(first.refreshToken)
      let second = client
      _ = try await client.revoke(isOld ? first.refreshToken : second.refreshToken)
      try await client.refresh(second.refreshToken)
      expectEqual(client.error, "invalid_grant")
      try await expectEqual(client.userInfo(first.accessToken).status, 401)
      try await expectEqual(client.userInfo(second.accessToken).status, 401)
      try await expectEqual(client.userInfo(other.accessToken).status, 200)
    }
  }

  @Test(
    "A wrong revocation is refused, but not one of an unknown token",
    arguments: [
      ([:], nil, 200), (["client_id": "0oaOther"], "invalid_client", 401),
      (["token": nil], "invalid_request", 400), (["color": "blue"], "invalid_request", 400),
      (["token_type_hint": "id_token"], "unsupported_token_type", 400),
    ] as [([String: String?], String?, Int)])
  func wrongRevocation(changes: [String: String?], error: String?, status: Int) async throws {
    let response = try await OrgClient(makeOrg()).revoke("made-up", changes)
    expectEqual(response.status, status)
    expectEqual((try? JSONValue(parsing: response.body))?["error"]?.string, error)
  }

  @Test("Introspection describes valid tokens, and only reports that others are inactive")
  func introspection() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org, scope: "openid offline_access")
    let first = client
    try await client.introspect(token: first.accessToken, ["token_type_hint": "access_token"])
    expectEqual(client.json["active"], true)
    expectEqual(client.json["scope"], "openid offline_access")
    expectEqual(client.json["username"], "ada@shop.example")
    expectEqual(client.json["exp"], 1_900_003_600)
    expectEqual(client.json["token_type"], "Bearer")
    expectEqual(client.json["jti"], DecodedToken(first.accessToken)?.claims["jti"])
    let token = try require(first.refreshToken)
    try await client.introspect(token: token, ["token_type_hint": "refresh_token"])
    expectEqual(client.json["active"], true)
    expectEqual(client.json["exp"], 1_900_604_800)
    org.advance(by: 3600)
    try await client.refresh(token)
    let second = try require(client.refreshToken)
    for dead in [first.accessToken, token, "made-up"] {
      try await client.introspect(token: dead)
      expectEqual(client.json, ["active": false])
    }
    _ = try await client.revoke(second)
    try await client.introspect(token: second)
    expectEqual(client.json, ["active": false])
    try await client.introspect(token: second, ["client_id": nil])
    expectEqual(client.status, 401)
  }

  @Test("Logout redirects to registered addresses with the state, and revokes nothing")
  func logout() async throws {
    let client = try await OrgClient.withTokens(makeOrg())
    let back = "com.example.demo%3A%2Fcallback"
    let cases: [(query: String, status: Int, location: String?)] = [
      ("id_token_hint=x", 200, nil),
      ("id_token_hint=x&post_logout_redirect_uri=\(back)", 302, "com.example.demo:/callback"),
      (
        "id_token_hint=x&post_logout_redirect_uri=\(back)&state=a%20b", 302,
        "com.example.demo:/callback?state=a+b"
      ),
      ("id_token_hint=x&post_logout_redirect_uri=https%3A%2F%2Fevil.example", 400, nil),
      ("post_logout_redirect_uri=\(back)", 400, nil),
      ("id_token_hint=x&id_token_hint=x", 400, nil), ("id_token_hint=x&color=blue", 400, nil),
      ("", 400, nil),
    ]
    for (query, status, location) in cases {
      let response = try await client.org.send(
        TransportRequest(url: try client.address("/v1/logout?" + query)))
      expectEqual(response.status, status)
      expectEqual(response.header("Location"), location)
    }
    try await expectEqual(client.userInfo(client.accessToken).status, 200)
  }
}
