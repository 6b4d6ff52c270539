import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// PKCE and random bytes.
struct PKCETests {
  @Test("The example of RFC 7636, appendix B, has the right challenge")
  func appendixB() throws {
    let pkce = try require(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    expectEqual(pkce.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    expectEqual(PKCE.challenge(for: pkce.verifier.revealed), pkce.challenge)
    expectEqual(PKCE.method, "S256")
  }

  @Test("A new verifier is 32 random bytes as 43 characters")
  func newVerifier() {
    let pkce = PKCE(random: RandomBytes { count in (0..<count).map { UInt8($0) } })
    expectEqual(pkce.verifier.revealed, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    expectEqual(PKCE(verifier: pkce.verifier), pkce)
  }

  @Test(
    "Verifiers have 43 to 128 characters",
    arguments: [(42, false), (43, true), (128, true), (129, false)])
  func lengths(_ length: Int, _ isAccepted: Bool) {
    let verifier = Secret(String(repeating: "a", count: length))
    expectEqual((PKCE(verifier: verifier) != nil), isAccepted)
  }

  @Test(
    "Verifiers have unreserved characters only", arguments: ["+", "/", "=", " ", "%", "é", "\n"])
  func characters(_ character: String) {
    let rest = String(repeating: "a", count: 60) + "-._~09AZaz"
    expect(PKCE(verifier: Secret(rest)) != nil)
    expectEqual(PKCE(verifier: Secret(rest + character)), nil)
  }

  @Test("A decoded value equals the encoded one")
  func coding() throws {
    let pkce = PKCE()
    let data = try JSONEncoder().encode(pkce)
    try expectEqual(JSONDecoder().decode(PKCE.self, from: data), pkce)
  }

  @Test("An invalid verifier cannot be decoded, and the error does not contain it")
  func damaged() throws {
    let data = Data(#"{"verifier":"too-short-and-secret"}"#.utf8)
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(PKCE.self, from: data)
    }
    expect(!"\(error) \(String(reflecting: error))".contains("too-short"))
  }

  @Test("The system's random bytes differ each time")
  func systemRandom() {
    expect(RandomBytes.system(32) != RandomBytes.system(32))
    expectEqual(RandomBytes.system(0), [])
    expect(PKCE() != PKCE())
  }

  @Test("A random text has the length of its bytes", arguments: [(0, 0), (16, 22), (32, 43)])
  func token(_ bytes: Int, _ characters: Int) {
    expectEqual(RandomBytes.system.token(bytes: bytes).count, characters)
    expectEqual(RandomBytes.system.token().count, 43)
  }
}
