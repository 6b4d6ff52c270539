import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// PKCE and random bytes.
struct PKCETests {
  @Test(
    "The example of RFC 7636, appendix B, has its challenge; a new verifier is 32 bytes in 43 characters"
  )
  func appendixB() throws {
    let pkce = try require(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    expectEqual(pkce.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    expectEqual(PKCE.challenge(for: pkce.verifier.revealed), pkce.challenge)
    expectEqual(PKCE.method, "S256")
    let new = PKCE(random: RandomBytes { count in (0..<count).map { UInt8($0) } })
    expectEqual(new.verifier.revealed, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    expectEqual(PKCE(verifier: new.verifier), new)
  }

  @Test("Verifiers have 43 to 128 characters, which are unreserved")
  func verifiers() {
    for (length, isAccepted) in [(42, false), (43, true), (128, true), (129, false)] {
      let verifier = Secret(String(repeating: "a", count: length))
      expectEqual((PKCE(verifier: verifier) != nil), isAccepted, "\(length)")
    }
    let rest = String(repeating: "a", count: 60) + "-._~09AZaz"
    expect(PKCE(verifier: Secret(rest)) != nil)
    for character in ["+", "/", "=", " ", "%", "é", "\n"] {
      expectEqual(PKCE(verifier: Secret(rest + character)), nil, "\(character)")
    }
  }

  @Test("A decoded value equals the encoded one, and the error for an invalid one does not show it")
  func coding() throws {
    let pkce = PKCE()
    let data = try JSONEncoder().encode(pkce)
    try expectEqual(JSONDecoder().decode(PKCE.self, from: data), pkce)
    let damaged = Data(#"{"verifier":"too-short-and-secret"}"#.utf8)
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(PKCE.self, from: damaged)
    }
    expect(!"\(error) \(String(reflecting: error))".contains("too-short"))
  }

  @Test("The system's random bytes differ each time, and a random text has their length")
  func systemRandom() {
    expect(RandomBytes.system(32) != RandomBytes.system(32))
    expectEqual(RandomBytes.system(0), [])
    expect(PKCE() != PKCE())
    for (bytes, characters) in [(0, 0), (16, 22), (32, 43)] {
      expectEqual(RandomBytes.system.token(bytes: bytes).count, characters)
    }
    expectEqual(RandomBytes.system.token().count, 43)
  }
}
