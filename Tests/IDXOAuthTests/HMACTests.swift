import IDXBase
import Testing

@testable import IDXOAuth

@Suite("HMAC")
struct HMACTests {
  @Test("Codes are those of RFC 2202 and RFC 4231", arguments: Authentication.examples)
  func examples(_ example: Authentication) {
    let code = hex(example.function.hmac(key: example.key, example.message))
    #expect(code == example.expected)
  }

  @Test(
    "Keys of exactly one block, and of one byte more or less, are used right",
    arguments: [
      (
        HashFunction.sha1, 64,
        "96340ad41038a57bdf8f38fdfdc87c9c34a5f09b"
      ),
      (
        HashFunction.sha256, 64,
        "33e60d8410f27b0cd9e8c47a9025d5a76c5f589fc08fa492d86da72d15b0531e"
      ),
      (
        HashFunction.sha512, 128,
        "bb1b37f975d312c2608dc6af2af7f9b5785c1fa5600efd5ed9ed8ed6a920c5ef"
          + "25f3532ee436f097a383448965e440a8088554f9eb11b0aba80403bff2b96a70"
      ),
    ])
  func keyLengths(_ function: HashFunction, _ block: Int, _ expected: String) {
    let codes = [0, block - 1, block, block + 1].flatMap { length in
      function.hmac(key: [UInt8](repeating: 7, count: length), Array("message".utf8))
    }
    #expect(hex(function.hash(codes)) == expected)
  }

  @Test("Comparing in constant time compares every byte")
  func comparing() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    #expect(equalInConstantTime(bytes, [1, 2, 3, 4]))
    #expect(equalInConstantTime([], []))
    #expect(!equalInConstantTime(bytes, [1, 2, 3]))
    #expect(!equalInConstantTime(bytes, []))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(!equalInConstantTime(bytes, other))
    }
    // Two differences must not cancel each other out.
    #expect(!equalInConstantTime(bytes, [2, 1, 3, 4]))
  }
}

/// A key, a message and the code that belongs to them.
struct Authentication: Sendable, CustomTestStringConvertible {
  let function: HashFunction
  let key: [UInt8]
  let message: [UInt8]
  let expected: String

  var testDescription: String { "\(function), \(key.count) and \(message.count) bytes" }

  init(_ function: HashFunction, _ key: [UInt8], _ message: [UInt8], _ expected: String) {
    self.function = function
    self.key = key
    self.message = message
    self.expected = expected
  }

  init(_ function: HashFunction, _ key: [UInt8], _ message: String, _ expected: String) {
    self.init(function, key, Array(message.utf8), expected)
  }

  private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  private static let largerKey = "Test Using Larger Than Block-Size Key - Hash Key First"
  private static let largerData =
    "This is a test using a larger than block-size key and a larger than block-size data. "
    + "The key needs to be hashed before being used by the HMAC algorithm."

  static let examples: [Authentication] = [
    Authentication(
      .sha1, bytes(0x0b, 20), "Hi There",
      "b617318655057264e28bc0b6fb378c8ef146be00"),
    Authentication(
      .sha1, Array("Jefe".utf8), "what do ya want for nothing?",
      "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    Authentication(
      .sha1, bytes(0xaa, 20), bytes(0xdd, 50),
      "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
    Authentication(
      .sha1, Array(1...25), bytes(0xcd, 50),
      "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
    Authentication(
      .sha1, bytes(0x0c, 20), "Test With Truncation",
      "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
    Authentication(
      .sha1, bytes(0xaa, 80), largerKey,
      "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    Authentication(
      .sha1, bytes(0xaa, 80),
      "Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
      "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    Authentication(
      .sha256, bytes(0x0b, 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Authentication(
      .sha256, Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Authentication(
      .sha256, bytes(0xaa, 20), bytes(0xdd, 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Authentication(
      .sha256, Array(1...25), bytes(0xcd, 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Authentication(
      .sha256, bytes(0x0c, 20), "Test With Truncation",
      "a3b6167473100ee06e0c796c2955552bfa6f7c0a6a8aef8b93f860aab0cd20c5"),
    Authentication(
      .sha256, bytes(0xaa, 131), largerKey,
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Authentication(
      .sha256, bytes(0xaa, 131), largerData,
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    Authentication(
      .sha512, bytes(0x0b, 20), "Hi There",
      "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    Authentication(
      .sha512, Array("Jefe".utf8), "what do ya want for nothing?",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    Authentication(
      .sha512, bytes(0xaa, 20), bytes(0xdd, 50),
      "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
    Authentication(
      .sha512, Array(1...25), bytes(0xcd, 50),
      "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
    Authentication(
      .sha512, bytes(0x0c, 20), "Test With Truncation",
      "415fad6271580a531d4179bc891d87a650188707922a4fbb36663a1eb16da008"
        + "711c5b50ddd0fc235084eb9d3364a1454fb2ef67cd1d29fe6773068ea266e96b"),
    Authentication(
      .sha512, bytes(0xaa, 131), largerKey,
      "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    Authentication(
      .sha512, bytes(0xaa, 131), largerData,
      "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
        + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
  ]
}
