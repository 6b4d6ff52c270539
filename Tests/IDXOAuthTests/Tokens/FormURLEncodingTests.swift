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

  @Test(
    "Decoding accepts lowercase escapes, names without values and empty pairs, but no damaged escapes"
  )
  func lenient() throws {
    let pairs = try require(FormURLEncoding.decode("&a=%c3%a9&&b&=c&d=e=f&"))
    expectEqual(pairs.map(\.name), ["a", "b", "", "d"])
    expectEqual(pairs.map(\.value), ["é", "", "c", "e=f"])
    for text in ["a=%", "a=%4", "a=%zz", "%=a", "a=%FF", "a=%C3"] {
      expect(FormURLEncoding.decode(text) == nil, "\(text)")
    }
  }

  @Test("A request for tokens has the parameters of its grant, followed by the optional ones")
  func requests() {
    expectEqual(TokenRequest.contentType, "application/x-www-form-urlencoded")
    let requests = [
      (
        TokenRequest(interactionCode: "ic_+1", clientID: "0oa client", codeVerifier: "a~b"),
        "grant_type=interaction_code&interaction_code=ic_%2B1&client_id=0oa+client"
          + "&code_verifier=a~b"
      ),
      (
        TokenRequest(
          interactionCode: "ic", clientID: "c", codeVerifier: "v",
          redirectURI: "com.example:/callback", scopes: ["openid", "profile"]),
        "grant_type=interaction_code&interaction_code=ic&client_id=c&code_verifier=v"
          + "&redirect_uri=com.example%3A%2Fcallback&scope=openid+profile"
      ),
      (
        TokenRequest(parameters: [
          ("grant_type", "refresh_token"), ("refresh_token", "rt-1"), ("client_id", "c"),
        ]), "grant_type=refresh_token&refresh_token=rt-1&client_id=c"
      ),
    ]
    for (request, body) in requests {
      expectEqual(String(decoding: request.body, as: UTF8.self), body)
    }
  }
}
