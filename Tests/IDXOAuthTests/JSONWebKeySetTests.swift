import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

@Suite("Sets of keys")
struct JSONWebKeySetTests {
  @Test(
    "Keys for signatures by RS256 are kept",
    arguments: [
      #""alg":"RS256","use":"sig","key_ops":["verify"],"kid":"a""#, #""kid":"a""#,
      #""kid":"a","x5t":"zz","use":null,"key_ops":["sign","verify"],"d":7"#,
    ])
  func kept(_ members: String) throws {
    let keys = try InventedIssuer.keys(
      #"{"kty":"RSA","n":"\#(InventedIssuer.encodedModulus)","e":"Aw",\#(members)}"#)
    #expect(keys.contains(keyID: "a"))
    #expect(keys.contains(keyID: nil))
    #expect(!keys.contains(keyID: "b"))
    #expect(!keys.contains(keyID: ""))
  }

  @Test(
    "Other keys, and damaged ones, are passed over",
    arguments: [
      #""alg":"RS384""#, #""alg":"PS256""#, #""alg":"RSA-OAEP""#, #""alg":"rs256""#, #""alg":7"#,
      #""use":"enc""#, #""use":["sig"]"#, #""key_ops":["encrypt"]"#, #""key_ops":[]"#,
      #""key_ops":"verify""#, #""kid":7"#, #""kty":"EC""#, #""kty":"oct""#, #""kty":"rsa""#,
      #""kty":null"#, #""n":null"#, #""n":"""#, #""n":"AA""#, #""n":"!""#, #""n":7"#, #""e":null"#,
      #""e":"""#, #""e":"AA""#, #""e":"AQ""#, #""e":"Ag""#, #""e":"AQAA""#, #""e":"AQAAAAE""#,
      #""e":"AQAB==""#, #""e":65537"#,
    ])
  func passedOver(_ member: String) throws {
    var members = [
      "kty": #""RSA""#, "n": #""\#(InventedIssuer.encodedModulus)""#, "e": #""AQAB""#,
      "kid": #""a""#,
    ]
    func set() throws -> JSONWebKeySet {
      try InventedIssuer.keys(
        "{\(members.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ","))}")
    }
    #expect(try set().contains(keyID: "a"))
    let parts = member.split(separator: ":", maxSplits: 1)
    members[String(parts[0].dropFirst().dropLast())] = String(parts[1])
    #expect(try !set().contains(keyID: "a"))
    #expect(try !set().contains(keyID: nil))
  }

  @Test(
    "Thousands of keys are refused before they keep anybody busy",
    arguments: [(256, true), (257, false), (3000, false)])
  func many(count: Int, isRead: Bool) throws {
    let list = (0..<count).map { number in
      #"{"kty":"RSA","n":"\#(InventedIssuer.encodedModulus)","e":"Aw","kid":"\#(number)"}"#
    }
    let keys = try? InventedIssuer.keys(list.joined(separator: ","))
    #expect((keys != nil) == isRead)
    #expect(keys?.contains(keyID: "255") == (isRead ? true : nil))
  }

  @Test(
    "What is no set of keys is refused",
    arguments: [
      "", "null", "[]", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#, "{", "<html>",
      #"{"errorCode":"E0000022"}"#,
    ])
  func unreadable(_ body: String) throws {
    let error = try #require(throws: IDTokenError.self) {
      _ = try JSONWebKeySet(parsing: Array(body.utf8))
    }
    #expect(error.code == .unreadableKeys)
  }

  @Test("Elements of other kinds do no harm, and an empty set holds no key")
  func elements() throws {
    let keys = try InventedIssuer.keys(#"null,7,"x",[],{},[{}],\#(InventedIssuer.key)"#)
    #expect(keys.contains(keyID: InventedIssuer.keyID))
    #expect(keys.contains(keyID: nil))
    #expect(try !InventedIssuer.keys("").contains(keyID: nil))
  }

  @Test("A token that names no key is checked by the only one there is")
  func unnamed() throws {
    let header = #"{"alg":"RS256"}"#
    let token = try JWT(parsing: Secret(InventedIssuer.token("{}", header: header)))
    try token.verify(with: InventedIssuer.keys())
    // The same key twice is one key.
    try token.verify(with: InventedIssuer.keys("\(InventedIssuer.key),\(InventedIssuer.key)"))
    let foreign = try JSONWebKeySet(parsing: Array(ForeignTokens.keys.utf8))
    let error = try #require(throws: IDTokenError.self) { try token.verify(with: foreign) }
    #expect(error.code == .unknownKey)
  }

  @Test("Where keys share a name, each is tried")
  func sharedName() throws {
    let other = ForeignTokens.keys.replacing(#""kid":"two""#, with: #""kid":"invented""#)
    let list = other.dropFirst(#"{"keys":["#.count).dropLast(2)
    let token = try JWT(parsing: Secret(InventedIssuer.token("{}")))
    try token.verify(with: InventedIssuer.keys("\(list),\(InventedIssuer.key)"))
    let error = try #require(throws: IDTokenError.self) {
      try token.verify(with: InventedIssuer.keys(String(list)))
    }
    #expect(error.code == .signature)
  }
}
