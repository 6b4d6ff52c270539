import Expectations
import Testing

@testable import IDXOAuth

/// Form encoding and token requests.
struct FormURLEncodingTests {
  @Test(
    "Pairs are written in order, with reserved bytes escaped",
    arguments: [
      ([], ""),
      ([("a", "1"), ("b", "2"), ("a", "")], "a=1&b=2&a="),
      ([("scope", "openid profile")], "scope=openid+profile"),
      ([("a&b", "c=d+e%")], "a%26b=c%3Dd%2Be%25"),
      ([("q", "-._~*")], "q=-._~%2A"),
      ([("n", "é\n🙂")], "n=%C3%A9%0A%F0%9F%99%82"),
    ] as [([(String, String)], String)])
  func encoding(_ pairs: [(String, String)], _ text: String) throws {
    expectEqual(FormURLEncoding.encode(pairs), text)
    let decoded = try require(FormURLEncoding.decode(text))
    expectEqual(decoded.map(\.name), pairs.map(\.0))
    expectEqual(decoded.map(\.value), pairs.map(\.1))
  }

  @Test("Decoding accepts lowercase escapes, names without values and empty pairs")
  func lenient() throws {
    let pairs = try require(FormURLEncoding.decode("&a=%c3%a9&&b&=c&d=e=f&"))
    expectEqual(pairs.map(\.name), ["a", "b", "", "d"])
    expectEqual(pairs.map(\.value), ["é", "", "c", "e=f"])
  }

  @Test(
    "Damaged escapes are refused", arguments: ["a=%", "a=%4", "a=%zz", "%=a", "a=%FF", "a=%C3"])
  func damaged(_ text: String) {
    expect(FormURLEncoding.decode(text) == nil)
  }

  @Test("A request with an interaction code has four parameters")
  func interactionCode() {
    let request = TokenRequest(
      interactionCode: "ic_+1", clientID: "0oa client", codeVerifier: "a~b")
    expectEqual(
      String(decoding: request.body, as: UTF8.self),
      "grant_type=interaction_code&interaction_code=ic_%2B1&client_id=0oa+client"
        + "&code_verifier=a~b")
    expectEqual(TokenRequest.contentType, "application/x-www-form-urlencoded")
  }

  @Test("Optional parameters follow the others")
  func additions() {
    let request = TokenRequest(
      interactionCode: "ic", clientID: "c", codeVerifier: "v",
      redirectURI: "com.example:/callback", scopes: ["openid", "profile"])
    expectEqual(
      String(decoding: request.body, as: UTF8.self),
      "grant_type=interaction_code&interaction_code=ic&client_id=c&code_verifier=v"
        + "&redirect_uri=com.example%3A%2Fcallback&scope=openid+profile")
  }

  @Test("Any grant can be requested")
  func anyGrant() {
    let request = TokenRequest(parameters: [
      ("grant_type", "refresh_token"), ("refresh_token", "rt-1"), ("client_id", "c"),
    ])
    expectEqual(
      String(decoding: request.body, as: UTF8.self),
      "grant_type=refresh_token&refresh_token=rt-1&client_id=c")
  }
}
