import Expectations
import Foundation
import IDXBase
import Testing

/// Secrets.
struct SecretTests {
  private static let word = "MZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBR"

  @Test("A secret is shown as a placeholder, and is encoded as one string in the clear")
  func description() throws {
    expectEqual("\(Secret(Self.word))", "‹secret›")
    expectEqual(String(reflecting: Secret("")), "‹secret›")
    expectEmpty(Mirror(reflecting: Secret(Self.word)).children)
    let secret: Secret = "a\"b"
    let data = try JSONEncoder().encode([secret])
    expectEqual(String(decoding: data, as: UTF8.self), #"["a\"b"]"#)
    try expectEqual(JSONDecoder().decode([Secret].self, from: data), [secret])
    expectEqual(secret.revealed, "a\"b")
    expect(secret != "b")
  }

  @Test("Errors of encoders and decoders do not show a secret")
  func coders() throws {
    struct Snapshot: Codable {
      var secret: Secret
      var number: Double
    }
    let snapshot = Snapshot(secret: Secret(Self.word), number: .infinity)
    let encoding = try #require(throws: EncodingError.self) {
      _ = try JSONEncoder().encode(snapshot)
    }
    let data = Data(#"{"secret":"\#(Self.word)","number":"\#(Self.word)"}"#.utf8)
    let decoding = try #require(throws: DecodingError.self) {
      _ = try JSONDecoder().decode(Snapshot.self, from: data)
    }
    let invalid = EncodingError.invalidValue(
      snapshot.secret, EncodingError.Context(codingPath: [], debugDescription: "\(snapshot)"))
    for error in [encoding, decoding, invalid] as [any Error] {
      expect(
        !"\(error) \(String(reflecting: error)) \(error.localizedDescription)".contains(Self.word))
    }
  }

  @Test("A comparison in constant time compares every byte")
  func comparing() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    expect(equalInConstantTime(bytes, [1, 2, 3, 4]))
    expect(equalInConstantTime([], []))
    expect(!equalInConstantTime(bytes, [1, 2, 3]))
    expect(!equalInConstantTime(bytes, []))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      expect(!equalInConstantTime(bytes, other))
    }
    // Two differences must not cancel each other out.
    expect(!equalInConstantTime(bytes, [2, 1, 3, 4]))
  }
}
