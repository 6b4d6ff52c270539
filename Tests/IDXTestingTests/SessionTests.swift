import IDX
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

@Suite("The life of a sign-in in the simulated org")
struct SessionTests {
  @Test("Introspecting again shows the current step and no old messages")
  func introspect() async throws {
    var visitor = try await Visitor(makeOrg())
    let first = visitor.json
    try await visitor.introspect()
    #expect(visitor.json == first)
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    let step = visitor.json
    try await visitor.answer("wrong")
    try await visitor.introspect()
    #expect(visitor.json == step)
    try await visitor.post("/idp/idx/introspect", ["stateHandle": .string(visitor.stateHandle)])
    #expect(visitor.json == step)
  }

  @Test("Cancelling goes back to the start under a new handle, and the old one is dead")
  func cancel() async throws {
    var visitor = try await Visitor(makeOrg())
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    let old = visitor
    try await visitor.submit("cancel")
    #expect(visitor.status == 200)
    #expect(visitor.remediations == ["identify"])
    #expect(visitor.json["user"] == nil)
    #expect(visitor.stateHandle != old.stateHandle)
    var late = old
    try await late.answer("Analytical-1843")
    #expect(late.status == 401)
    #expect(late.messageKeys == ["idx.session.expired"])
    try await visitor.introspect()
    #expect(visitor.remediations == ["identify"])
    try await visitor.signIn()
    try await visitor.redeem()
    #expect(visitor.status == 200)
  }

  @Test("Two hours stand for someone unknown, five minutes for a user, one for the code")
  func lifetimes() async throws {
    let org = makeOrg()
    var visitor = try await Visitor(org)
    #expect(visitor.expiresAt == "2030-03-17T19:46:40.000Z")
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    #expect(visitor.expiresAt == "2030-03-17T17:51:40.000Z")
    org.advance(by: 60)
    try await visitor.answer("wrong")
    #expect(visitor.expiresAt == "2030-03-17T17:51:40.000Z")
    try await visitor.introspect()
    #expect(visitor.expiresAt == "2030-03-17T17:51:40.000Z")
    try await visitor.answer("Analytical-1843")
    #expect(visitor.expiresAt == "2030-03-17T17:48:40.000Z")
  }

  @Test("Past its time a step is answered with a message and nothing else")
  func expiry() async throws {
    let org = makeOrg()
    var visitor = try await Visitor(org)
    try await visitor.submit("identify", ["identifier": "ada@shop.example"])
    org.advance(by: 300)
    try await visitor.answer("Analytical-1843")
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == ["idx.session.expired"])
    #expect(visitor.json.object?.members.map(\.name) == ["version", "messages"])
    try await visitor.introspect()
    #expect(visitor.status == 401)
  }

  @Test("Unknown handles are expired ones")
  func unknownHandles() async throws {
    var visitor = try await Visitor(makeOrg())
    try await visitor.post("/idp/idx/introspect", ["interactionHandle": "ih_unheard-of"])
    #expect(visitor.status == 401)
    try await visitor.post(
      "/idp/idx/identify", ["stateHandle": "02unheard-of", "identifier": "ada@shop.example"])
    #expect(visitor.status == 401)
    #expect(visitor.messageKeys == ["idx.session.expired"])
  }

  @Test("An interaction code is used once, and the sign-in is over then")
  func codeUsedTwice() async throws {
    var visitor = try await Visitor(makeOrg())
    try await visitor.signIn()
    var second = visitor
    try await visitor.redeem()
    #expect(visitor.status == 200)
    try await second.redeem()
    #expect(second.status == 400)
    #expect(OAuthError(parsing: second.response.body)?.code == .invalidGrant)
    try await second.introspect()
    #expect(second.status == 401)
  }

  @Test("An interaction code lives for a minute")
  func codeExpires() async throws {
    let org = makeOrg()
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    org.advance(by: 60)
    try await visitor.redeem()
    #expect(OAuthError(parsing: visitor.response.body)?.code == .invalidGrant)
  }

  @Test(
    "An interaction code is bound to its client, its proof and its redirect URI",
    arguments: [
      ["client_id": "0oaAnother"], ["redirect_uri": "com.example.other:/callback"],
      ["code_verifier": "another-verifier-that-is-long-enough-0123456"], ["code_verifier": nil],
      ["interaction_code": "ic_unheard-of"], ["interaction_code": nil],
    ])
  func codeIsBound(changes: [String: String?]) async throws {
    var visitor = try await Visitor(makeOrg())
    try await visitor.signIn()
    let done = visitor
    try await visitor.redeem(changes)
    #expect(visitor.status == 400)
    #expect(OAuthError(parsing: visitor.response.body)?.code == .invalidGrant)
    if changes.keys.contains("interaction_code") { return }
    var again = done
    try await again.redeem()
    #expect(again.status == 400)
  }

  @Test(
    "The token endpoint refuses other grants, scopes and parameters",
    arguments: [
      (["grant_type": "client_credentials"], "unsupported_grant_type"),
      (["scope": "openid profile"], "invalid_scope"),
      (["surprise": "1"], "invalid_request"),
    ])
  func tokenRefusals(changes: [String: String?], code: String) async throws {
    var visitor = try await Visitor(makeOrg())
    try await visitor.signIn()
    try await visitor.redeem(changes)
    #expect(visitor.json["error"]?.string == code)
  }

  @Test("The same seed makes the same run")
  func seeds() async throws {
    var first = try await Visitor(makeOrg())
    var second = try await Visitor(makeOrg())
    try await first.signIn()
    try await second.signIn()
    #expect(first.json == second.json)
    #expect(first.interactionHandle == second.interactionHandle)
  }
}
