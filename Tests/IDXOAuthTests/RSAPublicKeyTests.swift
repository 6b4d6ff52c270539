import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

@Suite("RSASSA-PKCS1-v1_5")
struct RSAPublicKeyTests {
  private static let message = Array("a message".utf8)
  private static let digest = HashFunction.sha256.hash(message)

  private func key() throws -> RSAPublicKey {
    try #require(RSAPublicKey(modulus: InventedIssuer.modulus, exponent: [3]))
  }

  @Test("A signature holds for its message and no other")
  func message() throws {
    let key = try key()
    let signature = InventedIssuer.sign(Self.message)
    #expect(key.verify(signature, of: Self.message))
    #expect(key.verifyByOwnMeans(signature, of: Self.message))
    #expect(!key.verify(signature, of: Self.message + [0]))
    #expect(!key.verify(signature, of: []))
  }

  @Test("A signature has the modulus' length and is below it")
  func bounds() throws {
    let key = try key()
    let signature = InventedIssuer.sign(Self.message)
    let lengths = [
      [], [0], Array(signature.dropLast()), Array(signature.dropFirst()), [0] + signature,
      signature + [0],
    ]
    for other in lengths { #expect(!key.verify(other, of: Self.message)) }
    for byte in [0x00, 0x01, 0xff] as [UInt8] {
      #expect(!key.verify([UInt8](repeating: byte, count: 256), of: Self.message))
    }
    #expect(!key.verify(InventedIssuer.modulus, of: Self.message))
  }

  @Test("A number that leaves the same rest, but is above the modulus, is no signature")
  func twin() throws {
    let keys = try JSONWebKeySet(parsing: Array(ForeignTokens.keys.utf8))
    let key = try #require(keys.keys(for: "odd").first)
    let parts = ForeignTokens.tokens[1].split(separator: ".")
    let message = Array("\(parts[0]).\(parts[1])".utf8)
    var signature = try #require(Base64URL.decode(String(parts[2])))
    #expect(key.verify(signature, of: message))
    // The modulus leaves four bits of its highest byte free.
    for _ in 0..<10 {
      signature = Self.sum(signature, key.modulus)
      #expect(signature.count == key.modulus.count)
      #expect(!key.verify(signature, of: message))
      #expect(!key.verifyByOwnMeans(signature, of: message))
    }
  }

  @Test(
    "The padding is compared whole",
    arguments: [
      (
        "no null in the algorithm",
        [0x30, 0x2f, 0x30, 0x0b] + InventedIssuer.digestInfo[4..<15]
          + [0x04, 0x20]
      ),
      ("a length in a long form", [0x30, 0x81, 0x31] + InventedIssuer.digestInfo[2...]),
      (
        "SHA-1's name",
        [
          0x30, 0x2d, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x20,
        ]
      ),
      (
        "SHA-512's name",
        InventedIssuer.digestInfo[..<14] + [0x03] + InventedIssuer.digestInfo[15...]
      ),
      ("no name", []),
    ] as [(String, [UInt8])])
  func algorithm(_ name: String, _ prefix: [UInt8]) throws {
    try refuse(InventedIssuer.pad(prefix + Self.digest), name)
  }

  @Test("Bytes that a careless reader passes over are looked at")
  func forgery() throws {
    let content = InventedIssuer.digestInfo + Self.digest
    let filler = [UInt8](repeating: 0xff, count: 8)
    let rest = [UInt8](repeating: 0, count: 256 - 3 - filler.count - content.count)
    // With an exponent of 3 and bytes at the end that are free, a root needs no private key.
    try refuse([0, 1] + filler + [0] + content + rest, "bytes after the digest")
    try refuse([0, 1] + filler + rest + [0] + content, "zeros in the padding")
    try refuse([0] + InventedIssuer.pad(content).dropFirst(2) + [0], "a shift by a byte")
    var block = InventedIssuer.pad(content)
    block[1] = 2
    try refuse(block, "the block type of encryption")
    block[1] = 0
    try refuse(block, "the block type 0")
    block = InventedIssuer.pad(content)
    block[100] = 0xfe
    try refuse(block, "another byte in the padding")
    block = InventedIssuer.pad(content)
    block[255] ^= 1
    try refuse(block, "another digest")
    try refuse(InventedIssuer.pad(Self.digest + content), "another digest before it")
  }

  @Test("A modulus has 2048 to 8192 bits and is odd")
  func modulus() {
    func accepts(_ first: UInt8, _ count: Int, _ last: UInt8 = 1) -> Bool {
      let bytes = [first] + [UInt8](repeating: 0xa5, count: count - 2) + [last]
      return RSAPublicKey(modulus: bytes, exponent: [1, 0, 1]) != nil
    }
    #expect(accepts(0x80, 256))
    #expect(!accepts(0x7f, 256))
    #expect(!accepts(0xff, 255))
    #expect(accepts(0xff, 1024))
    #expect(!accepts(0x01, 1025))
    #expect(!accepts(0x80, 256, 2))
    #expect(accepts(0, 257), "Zeros before the number are passed over.")
    #expect(RSAPublicKey(modulus: [], exponent: [3]) == nil)
  }

  @Test(
    "An exponent is odd, at least 3 and below 2^32",
    arguments: [
      ([3], true), ([1, 0, 1], true), ([0, 0, 0, 0, 3], true), ([0xff, 0xff, 0xff, 0xff], true),
      ([], false), ([0], false), ([1], false), ([2], false), ([4], false), ([1, 0, 0], false),
      ([1, 0, 0, 0, 1], false),
    ] as [([UInt8], Bool)])
  func exponent(_ bytes: [UInt8], _ isAccepted: Bool) {
    let key = RSAPublicKey(modulus: InventedIssuer.modulus, exponent: bytes)
    #expect((key != nil) == isAccepted)
  }

  @Test("A key is encoded as DER")
  func encoding() throws {
    let key = try #require(
      RSAPublicKey(modulus: InventedIssuer.modulus, exponent: [0xff, 0xff, 0xff]))
    let end: [UInt8] = [0x02, 0x04, 0x00, 0xff, 0xff, 0xff]
    #expect(
      key.encoded == [0x30, 0x82, 0x01, 0x0b, 0x02, 0x82, 0x01, 0x01, 0x00]
        + InventedIssuer.modulus + end)
  }

  @Test(
    "Small numbers are raised as a loop of multiplications raises them",
    arguments: [
      3, 5, 9, 15, 255, 257, 0xffff_fffb, 0x8000_0000_0000_0001, 0x8b1c_93a5_0f6e_7d21,
      0xffff_ffff_ffff_ffff,
    ] as [UInt64])
  func arithmetic(_ value: UInt64) throws {
    let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    let modulus = try #require(MontgomeryModulus(Array(bytes.drop { $0 == 0 })))
    for base in [0, 1, 2, value / 3, value / 2, value - 2, value - 1] {
      for exponent in 1...20 as ClosedRange<UInt32> {
        let expected = (0..<exponent).reduce(1 as UInt64) { result, _ in
          value.dividingFullWidth(result.multipliedFullWidth(by: base)).remainder
        }
        let encoded = (0..<8).reversed().map { UInt8(truncatingIfNeeded: base >> UInt64($0 * 8)) }
        let power = try #require(modulus.power(encoded, exponent))
        #expect(power.reduce(0) { $0 << 8 | UInt64($1) } == expected)
      }
    }
    #expect(modulus.power(bytes, 3) == nil)
    #expect(modulus.power([1, 0, 0, 0, 0, 0, 0, 0, 0], 3) == nil)
    #expect(modulus.power([1], 0) == nil)
  }

  @Test("What is no odd modulus is none", arguments: [[], [0], [1], [2], [0, 3]] as [[UInt8]])
  func noModulus(_ bytes: [UInt8]) {
    #expect(MontgomeryModulus(bytes) == nil)
  }

  private func refuse(_ block: [UInt8], _ comment: String) throws {
    #expect(block.count == 256)
    let signature = InventedIssuer.sign(encoded: block)
    #expect(try !key().verify(signature, of: Self.message), "\(comment)")
    #expect(try !key().verifyByOwnMeans(signature, of: Self.message), "\(comment)")
  }

  private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var carry = 0
    let bytes = zip(left, right).reversed().map { pair in
      let sum = Int(pair.0) + Int(pair.1) + carry
      carry = sum >> 8
      return UInt8(truncatingIfNeeded: sum)
    }
    return bytes.reversed()
  }
}
