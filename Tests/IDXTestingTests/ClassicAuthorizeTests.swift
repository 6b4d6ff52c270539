import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXTesting

@Suite("The authorization endpoint of the simulated org")
struct ClassicAuthorizeTests {
  @Test("A session token is good once, for five minutes")
  func sessionToken() async throws {
    let org = makeOrg()
    var visitor = try await ClassicVisitor.signedIn(org)
    let token = try #require(visitor.sessionToken)
    #expect(try await visitor.authorize()["code"] != nil)
    for used in [token, "wrong", nil] {
      let answer = try await visitor.authorize(["sessionToken": used])
      #expect(visitor.response.status == 302)
      #expect(answer["error"] == "login_required")
      #expect(answer["error_description"] != nil)
      #expect(answer["state"] == "st-1")
      #expect(answer["code"] == nil)
    }
    visitor = try await .signedIn(org)
    org.advance(by: 299)
    #expect(try await visitor.authorize()["code"] != nil)
    visitor = try await .signedIn(org)
    org.advance(by: 300)
    #expect(try await visitor.authorize()["error"] == "login_required")
  }

  @Test(
    "What is wrong is said to the app, and spends the session token",
    arguments: [
      ("response_type", "token", "unsupported_response_type"),
      ("response_mode", "fragment", "invalid_request"), ("scope", "everything", "invalid_scope"),
      ("scope", nil, "invalid_scope"), ("code_challenge", nil, "invalid_request"),
      ("code_challenge_method", "plain", "invalid_request"), ("state", nil, "invalid_request"),
      ("prompt", "login", "login_required"), ("max_age", "soon", "invalid_request"),
    ] as [(String, String?, String)])
  func refused(name: String, value: String?, error: String) async throws {
    var visitor = try await ClassicVisitor.signedIn(makeOrg())
    #expect(try await visitor.authorize([name: value])["error"] == error)
    #expect(visitor.response.status == 302)
    #expect(try await visitor.authorize()["error"] == "login_required")
  }

  @Test(
    "Nobody is sent to an address that is not the app's",
    arguments: [
      ("client_id", "0oaOther"), ("redirect_uri", "https://evil.example/"), ("client_id", nil),
      ("redirect_uri", nil), ("prefer", "this"),
    ] as [(String, String?)])
  func stays(name: String, value: String?) async throws {
    var visitor = try await ClassicVisitor.signedIn(makeOrg())
    let token = visitor.sessionToken
    #expect(try await visitor.authorize([name: value]) == [:])
    #expect(visitor.response.status == 400)
    #expect(visitor.json["error"] != nil)
    #expect(try await visitor.authorize(["sessionToken": token])["code"] != nil)
  }

  @Test("A code is good once, for a minute, with the verifier and the address it was asked with")
  func code() async throws {
    let org = makeOrg()
    let changes: [[String: String?]] = [
      ["code_verifier": PKCE().verifier.revealed], ["code_verifier": nil], ["redirect_uri": nil],
      ["redirect_uri": "https://evil.example/"], ["client_id": "0oaOther"],
    ]
    for change in changes {
      var visitor = try await ClassicVisitor.signedIn(org)
      let code = try await visitor.authorize()["code"]
      try await visitor.redeem(code, change)
      #expect(visitor.json["error"] == "invalid_grant")
      try await visitor.redeem(code)
      #expect(visitor.json["error"] == "invalid_grant")
    }
    var visitor = try await ClassicVisitor.signedIn(org)
    var code = try await visitor.authorize()["code"]
    org.advance(by: 59)
    try await visitor.redeem(code)
    #expect(visitor.response.status == 200)
    visitor = try await .signedIn(org)
    code = try await visitor.authorize()["code"]
    org.advance(by: 60)
    try await visitor.redeem(code)
    #expect(visitor.json["error"] == "invalid_grant")
  }

  @Test("Codes of the two protocols do not stand for each other")
  func otherCode() async throws {
    let org = makeOrg()
    var visitor = try await ClassicVisitor.signedIn(org)
    let code = try await visitor.authorize()["code"]
    let form = ["grant_type": "interaction_code", "interaction_code": code, "code": nil]
    try await visitor.redeem(code, form)
    #expect(visitor.json["error"] == "invalid_grant")
    try await visitor.redeem(code, ["interaction_code": code])
    #expect(visitor.json["error"] == "invalid_request")
  }

  @Test("The age of the sign-in may be limited, and other parameters are known")
  func age() async throws {
    let org = makeOrg()
    let others: [String: String?] = ["login_hint": "ada", "acr_values": "urn:x", "prompt": nil]
    var visitor = try await ClassicVisitor.signedIn(org)
    org.advance(by: 60)
    #expect(
      try await visitor.authorize(others.merging(["max_age": "60"]) { $1 })["code"] != nil)
    visitor = try await .signedIn(org)
    org.advance(by: 61)
    #expect(try await visitor.authorize(["max_age": "60"])["error"] == "login_required")
  }

  @Test(
    "Who may not use the app is told so here",
    arguments: [.notAssigned, .suspended] as [SimulatedUser.Status])
  func denied(status: SimulatedUser.Status) async throws {
    let org = makeOrg()
    var visitor = try await ClassicVisitor.signedIn(org)
    visitor.expect("SUCCESS")
    var ada = try #require(await org.user(ClassicVisitor.login))
    ada.status = status
    await org.update(ada)
    #expect(try await visitor.authorize()["error"] == "access_denied")
    guard status == .notAssigned else { return }
    visitor = try await .signedIn(org)
    #expect(try await visitor.authorize()["error"] == "access_denied")
  }
}
