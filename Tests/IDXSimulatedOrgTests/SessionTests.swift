import Expectations
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Sign-ins of the simulated org: handles and expiry.
struct SessionTests {
  @Test("Introspecting again shows the current step and no old messages")
  func introspect() async throws {
    var client = try await OrgClient(makeOrg())
    let first = client.json
    try await client.introspect()
    expectEqual(client.json, first)
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    let step = client.json
    try await client.answer("wrong")
    try await client.introspect()
    expectEqual(client.json, step)
    try await client.post("/idp/idx/introspect", ["stateHandle": .string(client.stateHandle)])
    expectEqual(client.json, step)
  }

  @Test("Cancelling starts again with a new handle, and the old one is invalid")
  func cancel() async throws {
    var client = try await OrgClient(makeOrg())
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    let old = client
    try await client.submit("cancel")
    expectEqual(client.status, 200)
    expectEqual(client.remediations, ["identify"])
    expectEqual(client.json["user"], nil)
    expect(client.stateHandle != old.stateHandle)
    var late = old
    try await late.answer("Analytical-1843")
    expectEqual(late.status, 401)
    expectEqual(late.messageKeys, ["idx.session.expired"])
    try await client.introspect()
    expectEqual(client.remediations, ["identify"])
    try await client.signIn()
    try await client.redeem()
    expectEqual(client.status, 200)
  }

  @Test("A sign-in lasts two hours without a user, five minutes with one, and a minute with a code")
  func lifetimes() async throws {
    let org = makeOrg()
    var client = try await OrgClient(org)
    expectEqual(client.expiresAt, "2030-03-17T19:46:40.000Z")
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    expectEqual(client.expiresAt, "2030-03-17T17:51:40.000Z")
    org.advance(by: 60)
    try await client.answer("wrong")
    expectEqual(client.expiresAt, "2030-03-17T17:51:40.000Z")
    try await client.introspect()
    expectEqual(client.expiresAt, "2030-03-17T17:51:40.000Z")
    try await client.answer("Analytical-1843")
    expectEqual(client.expiresAt, "2030-03-17T17:48:40.000Z")

    client = try await OrgClient(org)
    try await client.submit("identify", ["identifier": "ada@shop.example"])
    org.advance(by: 300)
    try await client.answer("Analytical-1843")
    expectEqual(client.status, 401)
    expectEqual(client.messageKeys, ["idx.session.expired"])
    expectEqual(client.json.object?.members.map(\.name), ["version", "messages"])
    try await client.introspect()
    expectEqual(client.status, 401)
  }

  @Test(
    "An interaction code is valid once, for a minute; a second use ends the tokens of the first")
  func code() async throws {
    let org = makeOrg()
    var client = try await OrgClient.signedIn(org)
    var second = client
    try await client.redeem()
    expectEqual(client.status, 200)
    let token = client.accessToken
    try await client.introspect(token: token)
    expectEqual(client.json["active"], true)
    try await second.redeem()
    expectEqual(second.status, 400)
    expectEqual(second.error, "invalid_grant")
    try await client.introspect(token: token)
    expectEqual(client.json["active"], false)
    try await second.introspect()
    expectEqual(second.status, 401)

    client = try await OrgClient.signedIn(org)
    org.advance(by: 60)
    try await client.redeem()
    expectEqual(client.error, "invalid_grant")
  }

  @Test(
    "A wrong request for tokens is refused; a wrong proof also ends the code, and a wrong client not",
    arguments: [
      (["redirect_uri": "com.example.other:/callback"], "invalid_grant", 400),
      (["code_verifier": "another-verifier-that-is-long-enough-0123456"], "invalid_grant", 400),
      (["code_verifier": nil], "invalid_grant", 400),
      (["interaction_code": "ic_unheard-of"], "invalid_grant", nil),
      (["interaction_code": nil], "invalid_grant", nil),
      (["client_id": "0oaAnother"], "invalid_client", 200),
      (["client_id": "0oaAnother", "interaction_code": "ic_unheard-of"], "invalid_client", 200),
      (["grant_type": "client_credentials"], "unsupported_grant_type", nil),
      (["scope": "openid profile"], "invalid_scope", nil),
      (["surprise": "1"], "invalid_request", nil),
    ] as [([String: String?], String, Int?)])
  func wrongRequests(changes: [String: String?], code: String, later: Int?) async throws {
    var client = try await OrgClient.signedIn(makeOrg())
    var again = client
    try await client.redeem(changes)
    expectEqual(client.status, code == "invalid_client" ? 401 : 400)
    expectEqual(client.error, code)
    guard let later else { return }
    try await again.redeem()
    expectEqual(again.status, later)
  }

  @Test("The same seed gives the same responses, also of the classic API")
  func seeds() async throws {
    let first = try await OrgClient.signedIn(makeOrg())
    let second = try await OrgClient.signedIn(makeOrg())
    expectEqual(first.json, second.json)
    expectEqual(first.interactionHandle, second.interactionHandle)

    var documents: [JSONValue] = []
    for _ in 0..<2 {
      var client = try await ClassicClient.signedIn(makeOrg(.required(.email), [.email]))
      try await client.verify("email")
      documents.append(client.json)
      let code = await client.org.mailbox.lastCode(to: ClassicClient.login) ?? ""
      try await client.follow("next", ["passCode": .string(code)])
      documents.append(client.json)
    }
    expectEqual(documents.prefix(2), documents.suffix(2))
  }
}
