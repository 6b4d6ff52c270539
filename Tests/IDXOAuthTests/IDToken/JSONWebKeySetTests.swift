import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// JSON Web Key Sets.
struct JSONWebKeySetTests {
  @Test(
    "Keys for RS256 signatures are kept, elements that are not keys are ignored, and a set can be empty",
    arguments: [
      #""alg":"RS256","use":"sig","key_ops":["verify"],"kid":"a""#, #""kid":"a""#,
      #""kid":"a","x5t":"zz","use":null,"key_ops":["sign","verify"],"d":7"#,
    ])
  func kept(_ members: String) throws {
    let keys = try TestIssuer.keys(
      #"{"kty":"RSA","n":"\#(TestIssuer.encodedModulus)","e":"Aw",\#(members)}"#)
    expect(keys.contains(keyID: "a", "RS256"))
    expect(keys.contains(keyID: nil, "RS256"))
    expect(!keys.contains(keyID: "b", "RS256"))
    expect(!keys.contains(keyID: "", "RS256"))
    let others = try TestIssuer.keys(#"null,7,"x",[],{},[{}],\#(TestIssuer.key)"#)
    expect(others.contains(keyID: TestIssuer.keyID, "RS256"))
    expect(others.contains(keyID: nil, "RS256"))
    try expect(!TestIssuer.keys("").contains(keyID: nil, "RS256"))
  }

  @Test(
    "Other keys and damaged keys are ignored",
    arguments: [
      #""alg":"RS384""#, #""alg":"PS256""#, #""alg":"RSA-OAEP""#, #""alg":"rs256""#, #""alg":7"#,
      #""use":"enc""#, #""use":["sig"]"#, #""key_ops":["encrypt"]"#, #""key_ops":[]"#,
      #""key_ops":"verify""#, #""kid":7"#, #""kty":"EC""#, #""kty":"oct""#, #""kty":"rsa""#,
      #""kty":null"#, #""n":null"#, #""n":"""#, #""n":"AA""#, #""n":"!""#, #""n":7"#, #""e":null"#,
      #""e":"""#, #""e":"AA""#, #""e":"AQ""#, #""e":"Ag""#, #""e":"AQAA""#, #""e":"AQAAAAE""#,
      #""e":"AQAB==""#, #""e":65537"#,
    ])
  func ignored(_ member: String) throws {
    var members = [
      "kty": #""RSA""#, "n": #""\#(TestIssuer.encodedModulus)""#, "e": #""AQAB""#,
      "kid": #""a""#,
    ]
    func set() throws -> JSONWebKeySet {
      try TestIssuer.keys(
        "{\(members.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ","))}")
    }
    try expect(set().contains(keyID: "a", "RS256"))
    let parts = member.split(separator: ":", maxSplits: 1)
    members[String(parts[0].dropFirst().dropLast())] = String(parts[1])
    try expect(!set().contains(keyID: "a", "RS256"))
    try expect(!set().contains(keyID: nil, "RS256"))
  }

  @Test("Text that is not a key set, or has more than 256 keys, is refused")
  func unreadable() throws {
    for body in [
      "", "null", "[]", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#, "{", "<html>",
      #"{"errorCode":"E0000022"}"#, Self.list(257), Self.list(3000),
    ] {
      let error = try #require(throws: IDTokenError.self, "\(body.prefix(30))") {
        _ = try JSONWebKeySet(parsing: Array(body.utf8))
      }
      expectEqual(error.code, .unreadableKeys, "\(body.prefix(30))")
    }
    let keys = try JSONWebKeySet(parsing: Array(Self.list(256).utf8))
    expect(keys.contains(keyID: "255", "RS256"))
  }

  private static func list(_ count: Int) -> String {
    let keys = (0..<count).map { number in
      #"{"kty":"RSA","n":"\#(TestIssuer.encodedModulus)","e":"Aw","kid":"\#(number)"}"#
    }
    return #"{"keys":[\#(keys.joined(separator: ","))]}"#
  }

  private static let elliptic =
    #""kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU""#
    + #","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#
  // RFC 7515, appendix A.3.
  private static let example =
    "eyJhbGciOiJFUzI1NiJ9"
    + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  @Test("A signature in ES256 is checked with the only key of the curve")
  func elliptic() throws {
    let keys = try TestIssuer.keys("\(TestIssuer.key),{\(Self.elliptic)}")
    expectEqual(keys.count, 2)
    try JWT(parsing: Secret(Self.example)).verify(with: keys)
    var parts = Self.example.split(separator: ".").map(String.init)
    let signature = try require(Base64URL.decode(parts[2]))
    let wrongSignatures: [[UInt8]] = [
      Array(signature.dropLast()), signature + [0], [signature[0] ^ 1] + signature.dropFirst(), [],
      [UInt8](repeating: 0, count: 64),
    ]
    for wrong in wrongSignatures {
      parts[2] = Base64URL.encode(wrong)
      let error = try #require(throws: IDTokenError.self) {
        try JWT(parsing: Secret(parts.joined(separator: "."))).verify(with: keys)
      }
      expectEqual(error.code, .signature)
    }
    // A key of the other kind with the same name is not tried.
    let named = try TestIssuer.keys("\(TestIssuer.key)")
    #expect(throws: IDTokenError.self) {
      try JWT(parsing: Secret(Self.example)).verify(with: named)
    }
  }

  @Test(
    "Keys of another curve, and points that are not on it, are ignored",
    arguments: [
      (#""crv":"P-256""#, #""crv":"P-384""#), (#""crv":"P-256""#, #""crv":7"#),
      (#""y":"x_"#, #""y":"y_"#), (#""x":"f8"#, #""x":"AA"#), (#""y":"#, #""z":"#),
      (#""kty":"EC""#, #""kty":"EC","alg":"ES384""#),
      (#""kty":"EC""#, #""kty":"EC","use":"enc""#),
    ])
  func foreignCurves(_ part: String, _ changed: String) throws {
    let key = Self.elliptic.replacingOccurrences(of: part, with: changed)
    try expect(key != Self.elliptic && TestIssuer.keys("{\(key)}").count == 0)
  }

  @Test(
    "A token without a key ID is checked with the only key, and each of several keys with its ID is tried"
  )
  func unnamed() throws {
    let header = #"{"alg":"RS256"}"#
    let token = try JWT(parsing: Secret(TestIssuer.token("{}", header: header)))
    try token.verify(with: TestIssuer.keys())
    // The same key twice is one key.
    try token.verify(with: TestIssuer.keys("\(TestIssuer.key),\(TestIssuer.key)"))
    let foreign = try JSONWebKeySet(parsing: Array(ExternalTokens.keys.utf8))
    let error = try #require(throws: IDTokenError.self) { try token.verify(with: foreign) }
    expectEqual(error.code, .unknownKey)
    let others = ExternalTokens.keys.replacing(#""kid":"two""#, with: #""kid":"invented""#)
    let list = others.dropFirst(#"{"keys":["#.count).dropLast(2)
    let named = try JWT(parsing: Secret(TestIssuer.token("{}")))
    try named.verify(with: TestIssuer.keys("\(list),\(TestIssuer.key)"))
    let refusal = try #require(throws: IDTokenError.self) {
      try named.verify(with: TestIssuer.keys(String(list)))
    }
    expectEqual(refusal.code, .signature)
  }
}
