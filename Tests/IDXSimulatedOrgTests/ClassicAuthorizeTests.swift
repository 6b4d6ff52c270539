import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg

/// The authorization endpoint of the simulated org.
struct ClassicAuthorizeTests {
  @Test("A session token is valid once, for five minutes, also one that the org made for a user")
  func sessionToken() async throws {
    let org = makeOrg()
    var client = try await ClassicClient.signedIn(org)
    let token = try require(client.sessionToken)
    try await expect(client.authorize()["code"] != nil)
    for used in [token, "wrong", nil] {
      let answer = try await client.authorize(["sessionToken": used])
      expectEqual(client.response.status, 302)
      expectEqual(answer["error"], "login_required")
      expect(answer["error_description"] != nil)
      expectEqual(answer["state"], "st-1")
      expectEqual(answer["code"], nil)
    }
    for (age, isValid) in [(299.0, true), (300, false)] {
      client = try await .signedIn(org)
      org.advance(by: age)
      let answer = try await client.authorize()
      expectEqual(answer["error"], isValid ? nil : "login_required")
      expectEqual(answer["code"] != nil, isValid)
    }

    let made = try await require(org.sessionToken(for: ClassicClient.login.uppercased()))
    client = ClassicClient(org)
    let code = try await client.authorize(["sessionToken": made.revealed])["code"]
    try await client.redeem(code)
    expectEqual(client.idToken?.claims["amr"], ["pwd"])
    await expectEqual(org.sessionToken(for: "nobody@shop.example"), nil)
  }

  @Test(
    "A wrong parameter is refused: the app gets the error, unless its address is not registered",
    arguments: [
      ("response_type", "token", "unsupported_response_type"),
      ("response_mode", "fragment", "invalid_request"), ("scope", "everything", "invalid_scope"),
      ("scope", nil, "invalid_scope"), ("code_challenge", nil, "invalid_request"),
      ("code_challenge_method", "plain", "invalid_request"), ("state", nil, "invalid_request"),
      ("prompt", "login", "login_required"), ("max_age", "soon", "invalid_request"),
      ("client_id", "0oaOther", nil), ("redirect_uri", "https://evil.example/", nil),
      ("client_id", nil, nil), ("redirect_uri", nil, nil), ("prefer", "this", nil),
    ] as [(String, String?, String?)])
  func refused(name: String, value: String?, error: String?) async throws {
    var client = try await ClassicClient.signedIn(makeOrg())
    let token = client.sessionToken
    let answer = try await client.authorize([name: value])
    if let error {
      expectEqual(answer["error"], error)
      expectEqual(client.response.status, 302)
      // The session token is not valid any more.
      try await expectEqual(
        client.authorize(["sessionToken": token])["error"], "login_required")
    } else {
      expectEqual(answer, [:])
      expectEqual(client.response.status, 400)
      expect(client.json["error"] != nil)
      try await expect(client.authorize(["sessionToken": token])["code"] != nil)
    }
  }

  @Test(
    "A code is valid once, for a minute, with its verifier and redirect URI, and in its own protocol"
  )
  func code() async throws {
    let org = makeOrg()
    let changes: [[String: String?]] = [
      ["code_verifier": PKCE().verifier.revealed], ["code_verifier": nil], ["redirect_uri": nil],
      ["redirect_uri": "https://evil.example/"],
    ]
    for change in changes {
      var client = try await ClassicClient.signedIn(org)
      let code = try await client.authorize()["code"]
      try await client.redeem(code, change)
      expectEqual(client.json["error"], "invalid_grant")
      try await client.redeem(code)
      expectEqual(client.json["error"], "invalid_grant")
    }
    for (age, error) in [(59, nil), (60, "invalid_grant")] as [(Double, String?)] {
      var client = try await ClassicClient.signedIn(org)
      let code = try await client.authorize()["code"]
      org.advance(by: age)
      try await client.redeem(code)
      expectEqual(client.json["error"]?.string, error)
      expectEqual(client.response.status, error == nil ? 200 : 400)
    }

    var client = try await ClassicClient.signedIn(org)
    let code = try await client.authorize()["code"]
    try await client.redeem(nil, ["grant_type": "interaction_code", "interaction_code": code])
    expectEqual(client.json["error"], "invalid_grant")
    try await client.redeem(code, ["interaction_code": code])
    expectEqual(client.json["error"], "invalid_request")
  }

  @Test("max_age limits the age of the sign-in, and other parameters are accepted")
  func age() async throws {
    let org = makeOrg()
    let others: [String: String?] = ["login_hint": "ada", "acr_values": "urn:x", "prompt": nil]
    var client = try await ClassicClient.signedIn(org)
    org.advance(by: 60)
    try await expect(client.authorize(others.merging(["max_age": "60"]) { $1 })["code"] != nil)
    client = try await .signedIn(org)
    org.advance(by: 61)
    try await expectEqual(client.authorize(["max_age": "60"])["error"], "login_required")
  }

  @Test(
    "A user who cannot use the app is refused",
    arguments: [.notAssigned, .suspended] as [SimulatedUser.Status])
  func denied(status: SimulatedUser.Status) async throws {
    let org = makeOrg()
    var client = try await ClassicClient.signedIn(org)
    try await changeAda(org) { $0.status = status }
    try await expectEqual(client.authorize()["error"], "access_denied")
    guard status == .notAssigned else { return }
    client = try await .signedIn(org)
    try await expectEqual(client.authorize()["error"], "access_denied")
  }
}
