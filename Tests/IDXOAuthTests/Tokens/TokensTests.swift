import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// Token responses.
struct TokensTests {
  @Test("Every member of a response is read")
  func whole() throws {
    let body = """
      {"token_type":"Bearer","expires_in":3600,"access_token":"at-1","scope":"openid profile",
      "refresh_token":"rt-1","id_token":"id-1","device_secret":"ds-1","later":{"a":[1]}}
      """
    try expectEqual(
      Tokens(parsing: Array(body.utf8)),
      Tokens(
        accessToken: "at-1", tokenType: "Bearer", expiresIn: 3600, scopes: ["openid", "profile"],
        refreshToken: "rt-1", idToken: "id-1", deviceSecret: "ds-1"))
  }

  @Test(
    "Only the access token is required; other members can be missing or have a wrong type",
    arguments: [
      #"{"access_token":"at-1"}"#,
      #"{"access_token":"at-1","token_type":"","scope":"","refresh_token":"","id_token":""}"#,
      #"{"access_token":"at-1","token_type":null,"scope":null,"expires_in":null}"#,
      #"{"access_token":"at-1","token_type":1,"scope":["a"],"id_token":{},"refresh_token":false}"#,
      #"{"access_token":"at-1","scope":"  ","device_secret":[]}"#,
    ])
  func sparse(_ body: String) throws {
    try expectEqual(Tokens(parsing: Array(body.utf8)), Tokens(accessToken: "at-1"))
  }

  @Test(
    "The lifetime is read from a number or a string; otherwise it is unknown",
    arguments: [
      ("3600", 3600), (#""3600""#, 3600), ("3600.0", 3600), ("0", 0), ("-1", nil), (#""-1""#, nil),
      (#""an hour""#, nil), (#""""#, nil), ("1.5", nil), ("1e40", nil), ("true", nil), ("[]", nil),
    ])
  func lifetime(_ value: String, _ seconds: Int?) throws {
    let body = #"{"access_token":"at-1","expires_in":\#(value)}"#
    try expectEqual(Tokens(parsing: Array(body.utf8)).expiresIn, seconds)
  }

  @Test("Scopes keep the server's order, with any spaces between them")
  func scopes() throws {
    let body = #"{"access_token":"at-1","scope":" openid  offline_access email "}"#
    try expectEqual(
      Tokens(parsing: Array(body.utf8)).scopes, ["openid", "offline_access", "email"])
  }

  @Test(
    "Without an access token there is an error that does not quote the body",
    arguments: [
      "", "null", "[]", "{}", "secret-1", #""secret-1""#, #"{"id_token":"secret-1"}"#,
      #"{"access_token":"","id_token":"secret-1"}"#, #"{"access_token":null,"x":"secret-1"}"#,
      #"{"access_token":17,"x":"secret-1"}"#, #"{"access_token":["secret-1"]}"#,
      #"{"access_token":"secret-1""#, #"{"access_token":"secret-1\u12"}"#,
      #"[{"access_token":"secret-1"}]"#,
    ])
  func damaged(_ body: String) throws {
    let error = try #require(throws: OAuthError.self) {
      _ = try Tokens(parsing: Array(body.utf8))
    }
    expectEqual(error.code, .unreadableResponse)
    expect(!"\(error) \(String(reflecting: error))".contains("secret-1"))
  }

  @Test(
    "A token with characters that are not allowed in a header field is refused",
    arguments: ["access_token", "refresh_token", "id_token", "device_secret"],
    [#"a\r\nX-Role: admin"#, #"a\nb"#, #"a\u001b[2J"#, #"a\u0000"#, #"a\u007f"#, "a\u{202e}b", "é"])
  func invalidCharacters(member: String, text: String) {
    let first = member == "access_token" ? "" : #""access_token":"at-1","#
    let body = #"{\#(first)"\#(member)":"\#(text)"}"#
    let error = #expect(throws: OAuthError.self) { try Tokens(parsing: Array(body.utf8)) }
    expectEqual(error?.code, .unreadableResponse)
  }

  @Test(
    "A type of the tokens that could end a header field is refused, also in a saved credential",
    arguments: ["Bearer\r\nX-Injected: yes", "Bearer\u{1B}]0;x", "Bearer token"])
  func tokenType(_ type: String) throws {
    let json: JSONValue = ["access_token": "at", "token_type": .string(type)]
    #expect(throws: OAuthError.self) { try Tokens(parsing: json.bytes) }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(Tokens.self, from: Data(json.bytes))
    }
  }

  @Test("A response that is nested too deeply is refused")
  func deep() {
    let body = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: OAuthError.self) { _ = try Tokens(parsing: body) }
    expectEqual(OAuthError(parsing: body), nil)
  }

  @Test("A response that is not UTF-8 is refused")
  func notUTF8() {
    let body = Array(#"{"access_token":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
    #expect(throws: OAuthError.self) { _ = try Tokens(parsing: body) }
  }

  @Test("A response that is cut off at any position is refused")
  func cutShort() {
    let body = Array(#"{"access_token":"at-1","expires_in":3600,"scope":"openid"}"#.utf8)
    for length in 0..<body.count {
      #expect(throws: OAuthError.self) { _ = try Tokens(parsing: Array(body.prefix(length))) }
    }
  }

  @Test(
    "Tokens are encoded in the format of the endpoint",
    arguments: [
      Tokens(accessToken: "at-1"),
      Tokens(
        accessToken: "at-1", tokenType: "DPoP", expiresIn: 60, scopes: ["a", "b"],
        refreshToken: "rt-1", idToken: "id-1", deviceSecret: "ds-1"),
    ])
  func coding(_ tokens: Tokens) throws {
    let data = try JSONEncoder().encode(tokens)
    try expectEqual(Tokens(parsing: Array(data)), tokens)
    try expectEqual(JSONDecoder().decode(Tokens.self, from: data), tokens)
    expect(!String(decoding: data, as: UTF8.self).contains("null"))
  }
}
