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

  private static let ellipticKey =
    #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU""#
    + #","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#

  /// A key of each kind, and members that make it another or a damaged one.
  private static let changes: [(String, [String])] = [
    (
      #"{"kty":"RSA","n":"\#(TestIssuer.encodedModulus)","e":"AQAB","kid":"a"}"#,
      [
        #""alg":"RS384""#, #""alg":"PS256""#, #""alg":"RSA-OAEP""#, #""alg":"rs256""#, #""alg":7"#,
        #""use":"enc""#, #""use":["sig"]"#, #""key_ops":["encrypt"]"#, #""key_ops":[]"#,
        #""key_ops":"verify""#, #""kid":7"#, #""kty":"EC""#, #""kty":"oct""#, #""kty":"rsa""#,
        #""kty":null"#, #""n":null"#, #""n":"""#, #""n":"AA""#, #""n":"!""#, #""n":7"#,
        #""e":null"#, #""e":"""#, #""e":"AA""#, #""e":"AQ""#, #""e":"Ag""#, #""e":"AQAA""#,
        #""e":"AQAAAAE""#, #""e":"AQAB==""#, #""e":65537"#,
      ]
    ),
    (
      ellipticKey,
      [
        #""crv":"P-384""#, #""crv":7"#, #""y":null"#, #""alg":"ES384""#, #""use":"enc""#,
        #""y":"y_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#,
        #""x":"AA3OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU""#,
      ]
    ),
  ]

  @Test("Other keys, damaged keys and points that are not on the curve are ignored")
  func ignored() throws {
    for (key, members) in Self.changes {
      // The last member with a name counts.
      let changedBack = #"\#(key.dropLast()),"use":"enc","use":"sig"}"#
      try expectEqual(TestIssuer.keys(changedBack).count, 1)
      for member in members {
        try expectEqual(TestIssuer.keys("\(key.dropLast()),\(member)}").count, 0, member)
      }
    }
  }

  @Test("Text that is not a key set, or has more than 256 keys, is refused")
  func unreadable() throws {
    for body in [
      "", "null", "[]", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#, "{", "<html>",
      #"{"errorCode":"E0000022"}"#, Self.list(257), Self.list(3000),
    ] {
      let error = try tokenError { _ = try JSONWebKeySet(parsing: Array(body.utf8)) }
      expectEqual(error?.code, .unreadableKeys, "\(body.prefix(30))")
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

  // RFC 7515, appendix A.3.
  private static let example =
    "eyJhbGciOiJFUzI1NiJ9"
    + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  @Test("A signature in ES256 is checked with the only key of the curve")
  func elliptic() throws {
    let keys = try TestIssuer.keys("\(TestIssuer.key),\(Self.ellipticKey)")
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
      let error = try tokenError {
        try JWT(parsing: Secret(parts.joined(separator: "."))).verify(with: keys)
      }
      expectEqual(error?.code, .signature)
    }
    // A key of the other kind with the same name is not tried.
    let error = try tokenError {
      try JWT(parsing: Secret(Self.example)).verify(with: TestIssuer.keys())
    }
    expectEqual(error?.code, .unknownKey)
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
    let error = try tokenError {
      try token.verify(with: TestIssuer.keys("\(ExternalToken.key),\(TestIssuer.key)"))
    }
    expectEqual(error?.code, .unknownKey)
    let other = ExternalToken.key.replacing(#""kid":"odd""#, with: #""kid":"invented""#)
    let named = try JWT(parsing: Secret(TestIssuer.token("{}")))
    try named.verify(with: TestIssuer.keys("\(other),\(TestIssuer.key)"))
    let refusal = try tokenError { try named.verify(with: TestIssuer.keys(other)) }
    expectEqual(refusal?.code, .signature)
  }
}
