import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// Signed JWTs.
struct JWTTests {
  private static let claims = #"{"sub":"00uAmal"}"#
  /// A header in UTF-16, in which every second byte is zero.
  private static let utf16 = #"{"alg":"RS256"}"#.map { "\($0)\0" }.joined()

  @Test("A token is split into its parts")
  func parts() throws {
    let header = #"{ "typ":"JWT", "alg":"RS256", "kid":"a\"b" }"#
    let token = try JWT(parsing: Secret(TestIssuer.token(Self.claims, header: header)))
    expectEqual(token.algorithm, "RS256")
    expectEqual(token.keyID, #"a"b"#)
    expectEqual(token.header, Array(header.utf8))
    expectEqual(token.payload, Array(Self.claims.utf8))
    let plain = try JWT(parsing: Secret(TestIssuer.token("", header: #"{"alg":"x"}"#)))
    expectEqual(plain.keyID, nil)
    expectEmpty(plain.payload)
  }

  @Test(
    "Names that only look the same, or are in nested objects, are not repeated, and escapes are read",
    arguments: [
      #"{"a\"b":1,"alg":"RS256"}"#, #"{"alg":"RS256","Alg":"x","alg ":"x"}"#,
      #"{"x":{"alg":1},"alg":"RS256","y":["alg","alg",{"alg":[]}],"z":"alg"}"#,
      "{\"\u{E9}\":1,\"alg\":\"RS256\",\"e\u{301}\":1}", "\r\n\t {\"\\\\\":1,\"alg\":\"RS256\"} ",
      #"{"alg":"RS25\u0036","kid":"invented"}"#,
    ])
  func names(_ header: String) throws {
    let token = try JWT(parsing: Secret(TestIssuer.token(Self.claims, header: header)))
    expectEqual(token.algorithm, "RS256")
    try token.verify(with: TestIssuer.keys())
  }

  @Test(
    "Text that is not three parts in Base64url is refused",
    arguments: [
      "", ".", "..", "...", "e30", "e30.e30", "e30.e30.", "e30.e30.AA.AA",
      "eyJhbGciOiJ4In0.e30.AA.", ".eyJhbGciOiJ4In0.e30.AA", "eyJhbGciOiJ4In0=.e30.AA",
      "eyJhbGciOiJ4In0.e30=.AA", "eyJhbGciOiJ4In0.e30.AA==", " eyJhbGciOiJ4In0.e30.AA",
      "eyJhbGciOiJ4In0.e30.AA\n", "eyJhbGciOiJ4In0.e 30.AA", "eyJhbGciOiJ4In0.e30.A",
      "eyJhbGciOiJ4In0.e30.AB", "eyJhbGciOiJ4In0.e31.AA", "eyJhbGciOiJ4In0.e30.+A",
      "eyJhbGciOiJ4In0.e30./A", "eyJhbGciOiJ4In0.e30.éé", "eyJhbGciOiJ4In0\0.e30.AA",
      #"{"payload":"e30","signatures":[]}"#,
    ])
  func form(_ text: String) throws {
    try expectEqual(tokenError { _ = try JWT(parsing: Secret(text)) }?.code, .malformed)
  }

  @Test(
    "A header that is not an object, has no algorithm or repeats a name is refused",
    arguments: [
      "", " ", "null", "7", "[]", #""RS256""#, "{}", #"{"kid":"invented"}"#, #"{"alg":null}"#,
      #"{"alg":7}"#, #"{"alg":"RS256","kid":7}"#, #"{"alg":"RS256","kid":["invented"]}"#,
      #"{"alg":"RS256""#, #"{"alg":"RS256"}}"#, #"{alg:"RS256"}"#,
      #"{"alg":"none","alg":"RS256"}"#, #"{"alg":"RS256","\u0061lg":"RS256"}"#,
      #"{"alg":"RS256","kid":"invented","x":{},"x":{}}"#, #"["alg","RS256"]"#,
      "\u{FEFF}{\"alg\":\"RS256\"}", "{\"alg\":\"RS256\"}\0", "{\"alg\":\"RS256", "{\"alg\\",
      String(repeating: #"{"a":"#, count: 5000), "]]]]{", "{\"",
      utf16,
    ])
  func header(_ header: String) throws {
    let token = TestIssuer.token(Self.claims, header: header)
    try expectEqual(tokenError { _ = try JWT(parsing: Secret(token)) }?.code, .malformed)
  }

  @Test(
    "Only RS256 and ES256 are accepted, for any signature", .promise("id-token"),
    arguments: [
      "none", "None", "NONE", "", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256", "es256",
      "ES384", "ES256K", "EdDSA", "rs256", "Rs256", "RS256 ", "RS256\\u0000", "ＲＳ２５６",
      "RS25\\u0036\\u0301",
    ])
  func algorithm(_ algorithm: String) throws {
    let header = #"{"alg":"\#(algorithm)","kid":"invented"}"#
    let token = TestIssuer.token(Self.claims, header: header)
    let parts = token.split(separator: ".")
    let texts = [
      token, "\(parts[0]).\(parts[1]).",
      // The public key used as the secret of a symmetric algorithm.
      "\(parts[0]).\(parts[1])."
        + Base64URL.encode(
          HashFunction.sha256.hmac(
            key: TestIssuer.modulus, Array("\(parts[0]).\(parts[1])".utf8))),
    ]
    for text in texts {
      let error = try tokenError {
        try JWT(parsing: Secret(text)).verify(with: TestIssuer.keys())
      }
      expectEqual(error?.code, .algorithm)
    }
  }

  @Test(
    "Critical extensions, tokens of another kind, and keys inside the token are refused",
    arguments: [
      (#""kid":"invented","crit":["exp"]"#, .algorithm),
      (#""kid":"invented","crit":["b64"],"b64":false"#, .algorithm),
      (#""kid":"invented","crit":[]"#, .algorithm), (#""kid":"invented","crit":null"#, .algorithm),
      (#""kid":"invented","crit":7"#, .algorithm), (#""kid":"invented","typ":"JWT""#, nil),
      (#""kid":"invented","typ":"jwt""#, nil), (#""kid":"invented","typ":null"#, nil),
      (#""kid":"invented","typ":"at+jwt""#, .malformed),
      (#""kid":"invented","typ":"AT+JWT""#, .malformed),
      (#""kid":"invented","typ":"dpop+jwt""#, .malformed),
      (#""kid":"invented","typ":"""#, .malformed), (#""kid":"invented","typ":"JWT ""#, .malformed),
      (#""kid":"invented","typ":7"#, .malformed),
      (#""kid":"mine","jwk":\#(TestIssuer.key)"#, .unknownKey),
    ] as [(String, IDTokenError.Code?)])
  func otherHeaders(_ members: String, _ code: IDTokenError.Code?) throws {
    let token = TestIssuer.token(Self.claims, header: #"{"alg":"RS256",\#(members)}"#)
    let error = try tokenError {
      try JWT(parsing: Secret(token)).verify(with: TestIssuer.keys())
    }
    expectEqual(error?.code, code)
  }

  @Test(
    "Signed claims that are not an object or repeat a name are refused",
    arguments: [
      "", "null", "[]", #""x""#, "{", #"{"sub":"a","sub":"b"}"#, #"{"sub":"a","s\u0075b":"b"}"#,
      #"{"sub":"a"} {}"#,
    ])
  func claims(_ claims: String) throws {
    let token = TestIssuer.token(claims)
    try JWT(parsing: Secret(token)).verify(with: TestIssuer.keys())
    try expectEqual(SampleToken.refusal(of: token)?.code, .malformed)
  }
}
