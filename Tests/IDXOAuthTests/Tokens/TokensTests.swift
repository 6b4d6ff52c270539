import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// Token responses.
struct TokensTests {
  /// The error with which a response is refused; nil if it is read.
  private func refusal(of body: [UInt8]) -> OAuthError? {
    do throws(OAuthError) {
      _ = try Tokens(parsing: body)
      return nil
    } catch {
      return error
    }
  }

  @Test("Every member of a response is read")
  func whole() throws {
    let body = """
      {"token_type":"Bearer","expires_in":3600,"access_token":"at-1","scope":" openid  offline_access email ",
      "refresh_token":"rt-1","id_token":"id-1","device_secret":"ds-1","later":{"a":[1]}}
      """
    try expectEqual(
      Tokens(parsing: Array(body.utf8)),
      Tokens(
        accessToken: "at-1", tokenType: "Bearer", expiresIn: 3600,
        scopes: ["openid", "offline_access", "email"],
        refreshToken: "rt-1", idToken: "id-1", deviceSecret: "ds-1"))
  }

  @Test(
    "Only the access token is required; a member that is missing or has a wrong type is unknown",
    arguments: [
      ("", nil), (#","token_type":"","scope":"","refresh_token":"","id_token":"""#, nil),
      (#","token_type":null,"scope":null,"expires_in":null"#, nil),
      (#","token_type":1,"scope":["a"],"id_token":{},"refresh_token":false"#, nil),
      (#","scope":"  ","device_secret":[]"#, nil), (#","id_token":null"#, nil),
      (#","id_token":5,"refresh_token":[]"#, nil), (#","id_token":[],"refresh_token":5"#, nil),
      (#","expires_in":3600"#, 3600),
      (#","expires_in":"3600""#, 3600), (#","expires_in":3600.0"#, 3600),
      (#","expires_in":0"#, 0), (#","expires_in":-1"#, nil), (#","expires_in":"-1""#, nil),
      (#","expires_in":"an hour""#, nil), (#","expires_in":"""#, nil), (#","expires_in":1.5"#, nil),
      (#","expires_in":1e40"#, nil), (#","expires_in":4000000000"#, nil),
      (#","expires_in":true"#, nil), (#","expires_in":[]"#, nil),
    ] as [(String, Int?)])
  func sparse(_ members: String, _ lifetime: Int?) throws {
    let body = #"{"access_token":"at-1"\#(members)}"#
    try expectEqual(
      Tokens(parsing: Array(body.utf8)), Tokens(accessToken: "at-1", expiresIn: lifetime))
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
    let error = try require(refusal(of: Array(body.utf8)))
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
    expectEqual(refusal(of: Array(body.utf8))?.code, .unreadableResponse)
  }

  @Test(
    "A type of the tokens that could end a header field is refused, also in a saved credential",
    arguments: ["Bearer\r\nX-Injected: yes", "Bearer\u{1B}]0;x", "Bearer token"])
  func tokenType(_ type: String) throws {
    let json: JSONValue = ["access_token": "at", "token_type": .string(type)]
    expectEqual(refusal(of: json.bytes)?.code, .unreadableResponse)
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(Tokens.self, from: Data(json.bytes))
    }
  }

  @Test("A response that is cut off at any position, nested too deeply or not UTF-8 is refused")
  func unreadable() {
    let body = Array(#"{"access_token":"at-1","expires_in":3600,"scope":"openid"}"#.utf8)
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    let notUTF8 = Array(#"{"access_token":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
    for body in [deep, notUTF8] + (0..<body.count).map({ Array(body.prefix($0)) }) {
      expectEqual(refusal(of: body)?.code, .unreadableResponse)
    }
    expectEqual(OAuthError(parsing: deep), nil)
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
