import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

@Suite("JSON Web Key Sets")
struct JSONWebKeySetTests {
  @Test(
    "Keys for RS256 signatures are kept",
    arguments: [
      #""alg":"RS256","use":"sig","key_ops":["verify"],"kid":"a""#, #""kid":"a""#,
      #""kid":"a","x5t":"zz","use":null,"key_ops":["sign","verify"],"d":7"#,
    ])
  func kept(_ members: String) throws {
    let keys = try TestIssuer.keys(
      #"{"kty":"RSA","n":"\#(TestIssuer.encodedModulus)","e":"Aw",\#(members)}"#)
    expect(keys.contains(keyID: "a"))
    expect(keys.contains(keyID: nil))
    expect(!keys.contains(keyID: "b"))
    expect(!keys.contains(keyID: ""))
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
    try expect(set().contains(keyID: "a"))
    let parts = member.split(separator: ":", maxSplits: 1)
    members[String(parts[0].dropFirst().dropLast())] = String(parts[1])
    try expect(!set().contains(keyID: "a"))
    try expect(!set().contains(keyID: nil))
  }

  @Test(
    "More than 256 keys are refused",
    arguments: [(256, true), (257, false), (3000, false)])
  func many(count: Int, isRead: Bool) throws {
    let list = (0..<count).map { number in
      #"{"kty":"RSA","n":"\#(TestIssuer.encodedModulus)","e":"Aw","kid":"\#(number)"}"#
    }
    let keys = try? TestIssuer.keys(list.joined(separator: ","))
    expectEqual((keys != nil), isRead)
    expectEqual(keys?.contains(keyID: "255"), (isRead ? true : nil))
  }

  @Test(
    "Text that is not a key set is refused",
    arguments: [
      "", "null", "[]", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#, "{", "<html>",
      #"{"errorCode":"E0000022"}"#,
    ])
  func unreadable(_ body: String) throws {
    let error = try #require(throws: IDTokenError.self) {
      _ = try JSONWebKeySet(parsing: Array(body.utf8))
    }
    expectEqual(error.code, .unreadableKeys)
  }

  @Test("Other elements are ignored, and a set can be empty")
  func elements() throws {
    let keys = try TestIssuer.keys(#"null,7,"x",[],{},[{}],\#(TestIssuer.key)"#)
    expect(keys.contains(keyID: TestIssuer.keyID))
    expect(keys.contains(keyID: nil))
    try expect(!TestIssuer.keys("").contains(keyID: nil))
  }

  @Test("A token without a key ID is checked with the only key")
  func unnamed() throws {
    let header = #"{"alg":"RS256"}"#
    let token = try JWT(parsing: Secret(TestIssuer.token("{}", header: header)))
    try token.verify(with: TestIssuer.keys())
    // The same key twice is one key.
    try token.verify(with: TestIssuer.keys("\(TestIssuer.key),\(TestIssuer.key)"))
    let foreign = try JSONWebKeySet(parsing: Array(ExternalTokens.keys.utf8))
    let error = try #require(throws: IDTokenError.self) { try token.verify(with: foreign) }
    expectEqual(error.code, .unknownKey)
  }

  @Test("If keys share an ID, each is tried")
  func sharedName() throws {
    let other = ExternalTokens.keys.replacing(#""kid":"two""#, with: #""kid":"invented""#)
    let list = other.dropFirst(#"{"keys":["#.count).dropLast(2)
    let token = try JWT(parsing: Secret(TestIssuer.token("{}")))
    try token.verify(with: TestIssuer.keys("\(list),\(TestIssuer.key)"))
    let error = try #require(throws: IDTokenError.self) {
      try token.verify(with: TestIssuer.keys(String(list)))
    }
    expectEqual(error.code, .signature)
  }
}
