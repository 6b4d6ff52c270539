import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// RSA public keys.
struct RSAPublicKeyTests {
  private static let message = Array("a message".utf8)
  private static let digest = HashFunction.sha256.hash(message)

  private func key() throws -> RSAPublicKey {
    try require(RSAPublicKey(modulus: TestIssuer.modulus, exponent: [3]))
  }

  @Test("A signature is valid only for its message and with the length of the modulus")
  func message() throws {
    let key = try key()
    let signature = TestIssuer.sign(Self.message)
    expect(key.verify(signature, of: Self.message))
    expect(key.verifyInSwift(signature, of: Self.message))
    expect(!key.verify(signature, of: Self.message + [0]))
    expect(!key.verify(signature, of: []))
    let lengths = [
      [], [0], Array(signature.dropLast()), Array(signature.dropFirst()), [0] + signature,
      signature + [0],
    ]
    for other in lengths { expect(!key.verify(other, of: Self.message)) }
    for byte in [0x00, 0x01, 0xff] as [UInt8] {
      expect(!key.verify([UInt8](repeating: byte, count: 256), of: Self.message))
    }
    expect(!key.verify(TestIssuer.modulus, of: Self.message))
  }

  @Test("The sum of a signature and the modulus is refused")
  func congruent() throws {
    let keys = try TestIssuer.keys(ExternalToken.key)
    guard case .rsa(let key)? = keys.keys(for: "odd", "RS256").first else {
      Issue.record("There is no key.")
      return
    }
    let parts = ExternalToken.text.revealed.split(separator: ".")
    let message = Array("\(parts[0]).\(parts[1])".utf8)
    var signature = try require(Base64URL.decode(String(parts[2])))
    expect(key.verify(signature, of: message))
    // The four highest bits of the modulus are zero, so the sum is not longer.
    var carry = 0
    for index in signature.indices.reversed() {
      carry += Int(signature[index]) + Int(key.modulus[index])
      signature[index] = UInt8(truncatingIfNeeded: carry)
      carry >>= 8
    }
    expectEqual(carry, 0)
    expect(!key.verify(signature, of: message))
    expect(!key.verifyInSwift(signature, of: message))
  }

  @Test("Forgeries that a careless parser of the padding accepts are refused", .promise("id-token"))
  func forgery() throws {
    let content = TestIssuer.digestInfo + Self.digest
    let filler = [UInt8](repeating: 0xff, count: 8)
    let rest = [UInt8](repeating: 0, count: 256 - 3 - filler.count - content.count)
    // With exponent 3 and free bytes at the end, a cube root can be found without the private key.
    try refuse([0, 1] + filler + [0] + content + rest, "bytes after the digest")
    try refuse([0, 1] + filler + rest + [0] + content, "zeros in the padding")
    try refuse([0] + TestIssuer.pad(content).dropFirst(2) + [0], "a shift by a byte")
    var block = TestIssuer.pad(content)
    block[1] = 2
    try refuse(block, "the block type of encryption")
    block[1] = 0
    try refuse(block, "the block type 0")
    block = TestIssuer.pad(content)
    block[100] = 0xfe
    try refuse(block, "another byte in the padding")
    block = TestIssuer.pad(content)
    block[255] ^= 1
    try refuse(block, "another digest")
    try refuse(TestIssuer.pad(Self.digest + content), "another digest before it")
    let info = TestIssuer.digestInfo
    let prefixes: [(String, [UInt8])] = [
      ("no null after the algorithm", [0x30, 0x2f, 0x30, 0x0b] + info[4..<15] + [0x04, 0x20]),
      ("a length in the long form", [0x30, 0x81, 0x31] + info[2...]),
      (
        "the identifier of SHA-1",
        [
          0x30, 0x2d, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x20,
        ]
      ),
      ("the identifier of SHA-512", info[..<14] + [0x03] + info[15...]),
      ("no identifier", []),
    ]
    for (name, prefix) in prefixes { try refuse(TestIssuer.pad(prefix + Self.digest), name) }
  }

  @Test("A modulus has 2048 to 8192 bits and is odd; an exponent is odd, at least 3 and below 2^32")
  func sizes() {
    func accepts(_ first: UInt8, _ count: Int, _ last: UInt8 = 1) -> Bool {
      let bytes = [first] + [UInt8](repeating: 0xa5, count: count - 2) + [last]
      return RSAPublicKey(modulus: bytes, exponent: [1, 0, 1]) != nil
    }
    expect(accepts(0x80, 256))
    expect(!accepts(0x7f, 256))
    expect(!accepts(0xff, 255))
    expect(accepts(0xff, 1024))
    expect(!accepts(0x01, 1025))
    expect(!accepts(0x80, 256, 2))
    expect(accepts(0, 257), "Leading zeros are ignored.")
    expectEqual(RSAPublicKey(modulus: [], exponent: [3]), nil)
    for (exponent, isAccepted) in [
      ([3], true), ([1, 0, 1], true), ([0, 0, 0, 0, 3], true), ([0xff, 0xff, 0xff, 0xff], true),
      ([], false), ([0], false), ([1], false), ([2], false), ([4], false), ([1, 0, 0], false),
      ([1, 0, 0, 0, 1], false),
    ] as [([UInt8], Bool)] {
      let key = RSAPublicKey(modulus: TestIssuer.modulus, exponent: exponent)
      expectEqual((key != nil), isAccepted, "\(exponent)")
    }
  }

  @Test("A key is encoded as DER")
  func encoding() throws {
    let key = try require(
      RSAPublicKey(modulus: TestIssuer.modulus, exponent: [0xff, 0xff, 0xff]))
    let end: [UInt8] = [0x02, 0x04, 0x00, 0xff, 0xff, 0xff]
    expectEqual(
      key.encoded,
      [0x30, 0x82, 0x01, 0x0b, 0x02, 0x82, 0x01, 0x01, 0x00]
        + TestIssuer.modulus + end)
  }

  @Test(
    "Powers of small numbers equal repeated multiplication, if the modulus is odd and above 1",
    arguments: [
      3, 5, 9, 15, 255, 257, 0xffff_fffb, 0x8000_0000_0000_0001, 0x8b1c_93a5_0f6e_7d21,
      0xffff_ffff_ffff_ffff,
    ] as [UInt64])
  func arithmetic(_ value: UInt64) throws {
    let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    let modulus = try require(MontgomeryModulus(Array(bytes.drop { $0 == 0 })))
    for base in [0, 1, 2, value / 3, value / 2, value - 2, value - 1] {
      for exponent in 1...20 as ClosedRange<UInt32> {
        let expected = (0..<exponent).reduce(1 as UInt64) { result, _ in
          value.dividingFullWidth(result.multipliedFullWidth(by: base)).remainder
        }
        let encoded = (0..<8).reversed().map { UInt8(truncatingIfNeeded: base >> UInt64($0 * 8)) }
        let power = try require(modulus.power(encoded, exponent))
        expectEqual(power.reduce(0) { $0 << 8 | UInt64($1) }, expected)
      }
    }
    expectEqual(modulus.power(bytes, 3), nil)
    expectEqual(modulus.power([1, 0, 0, 0, 0, 0, 0, 0, 0], 3), nil)
    expectEqual(modulus.power([1], 0), nil)
    for bytes in [[], [0], [1], [2], [0, 3]] as [[UInt8]] {
      expectEqual(MontgomeryModulus(bytes), nil, "\(bytes)")
    }
  }

  private func refuse(_ block: [UInt8], _ comment: String) throws {
    expectEqual(block.count, 256)
    let signature = TestIssuer.sign(encoded: block)
    try expect(!key().verify(signature, of: Self.message), "\(comment)")
    try expect(!key().verifyInSwift(signature, of: Self.message), "\(comment)")
  }
}
