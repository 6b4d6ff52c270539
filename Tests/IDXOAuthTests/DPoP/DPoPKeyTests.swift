import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// Keys that tokens are bound to.
struct DPoPKeyTests {
  /// The public key of RFC 9449, section 4.1.
  private let published = P256.PublicKey(
    x: Base64URL.decode("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs") ?? [],
    y: Base64URL.decode("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA") ?? [])

  @Test(
    "The key of RFC 9449 has its thumbprint, and the signature of its proof is valid",
    .promise("proof-scope"))
  func publishedProof() throws {
    let key = DPoPKey(place: .keychain("none"), publicKey: published)
    expectEqual(key.thumbprint, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    let header =
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNo"
      + "UklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERW"
      + "clUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"
    let claims =
      "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUu"
      + "Y29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ"
    let signature = try require(
      Base64URL.decode(
        "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"))
    func isValid(_ input: String) -> Bool {
      P256.verify(
        P256.Signature(r: Array(signature.prefix(32)), s: Array(signature.suffix(32))),
        of: Array(input.utf8), by: published)
    }
    expect(isValid("\(header).\(claims)"))
    expect(!isValid("\(header).\(claims)A"))
  }

  @Test("A key signs the same after it was saved")
  func saved() throws {
    let key = DPoPKey.software()
    let data = try JSONEncoder().encode(key)
    let restored = try JSONDecoder().decode(DPoPKey.self, from: data)
    expectEqual(restored, key)
    try expectEqual(restored.signature(of: [1, 2, 3]), key.signature(of: [1, 2, 3]))
    let json = try JSONValue(parsing: data)
    expect(json["kty"]?.string == "EC" && json["crv"]?.string == "P-256")
  }

  @Test(
    "What is not a key, or is mixed from two keys, is refused",
    arguments: [
      ("d", ""), ("d", "AAAA"), ("d", String(repeating: "_", count: 42) + "8"), ("d", "%"),
      ("d", String(repeating: "A", count: 43)), ("x", "AAAA"), ("y", ""), ("d", nil),
    ])
  func damaged(member: String, value: String?) throws {
    let key = try JSONValue(parsing: JSONEncoder().encode(DPoPKey.software()))
    let other = try JSONValue(parsing: JSONEncoder().encode(DPoPKey.software()))
    let damaged = key.adding(member, value.map(JSONValue.string) ?? other[member])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DPoPKey.self, from: Data(damaged.bytes))
    }
  }

  @Test("A key of another device cannot be used, and the error says what to do")
  func otherDevice() {
    for place in [DPoPKey.Place.keychain("gone"), .secureEnclave("AAAA")] {
      let key = DPoPKey(place: place, publicKey: published)
      #expect {
        try key.signature(of: [1])
      } throws: {
        guard let error = $0 as? FlowError else { return false }
        return error.code == .wrongKey && error.message.contains("Sign in again.")
      }
    }
  }

  @Test("No description of a key shows the private key", .promise("descriptions"))
  func redaction() throws {
    let key = DPoPKey.software()
    guard case .software(let secret) = key.place else { throw CancellationError() }
    expect(!printedTexts(of: key).contains(secret.revealed))
    let tokens = Tokens(accessToken: "at", tokenType: "DPoP", key: key)
    expect(!printedTexts(of: tokens).contains(secret.revealed))
  }
}
