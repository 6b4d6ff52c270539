import Expectations
import Testing

@testable import IDXOAuth

/// Hash functions.
struct HashFunctionTests {
  @Test("The examples of FIPS 180-4 have the right digests", arguments: DigestExample.examples)
  func examples(_ digest: DigestExample) {
    expectEqual(hex(digest.function.hash(digest.message)), digest.expected)
  }

  // The digests of 0 to 300 bytes are hashed again together, so that one constant covers every length
  // around the edges of one, two and more blocks.
  @Test(
    "Messages of every length up to 300 bytes, and one of a million bytes, are padded correctly",
    arguments: [
      (
        HashFunction.sha1,
        "6804e4ea9a6a8d4892d67a40ced19afe1455116c",
        "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
      ),
      (
        HashFunction.sha256,
        "b90e35153500e9a471591550ee25a954527c6b4448afff95f7949a2ca93300ce",
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
      (
        HashFunction.sha512,
        "da20b3b598f77f25e2e2d1941e345bfe16543f32378fbc8447fbb64f038964ce"
          + "a0808c9d450e5e83ac095f5656c102b2ff15a8e0501c7553a7afe1e0256b5e09",
        "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
          + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
      ),
    ])
  func everyLength(_ function: HashFunction, _ ofDigests: String, _ ofMillion: String) {
    let digests = (0...300).flatMap { length in
      function.hash((0..<length).map { UInt8($0 % 251) })
    }
    expectEqual(hex(function.hash(digests)), ofDigests)
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    expectEqual(hex(function.hash(message)), ofMillion)
  }
}

/// A message and its digest.
struct DigestExample: Sendable, CustomTestStringConvertible {
  let function: HashFunction
  let message: [UInt8]
  let expected: String

  init(_ function: HashFunction, _ message: String, _ expected: String) {
    self.function = function
    self.message = Array(message.utf8)
    self.expected = expected
  }

  var testDescription: String { "\(function) of \(message.count) bytes" }

  private static let oneBlock = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
  private static let twoBlocks =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

  static let examples: [DigestExample] = [
    DigestExample(
      .sha1, "",
      "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    DigestExample(
      .sha1, "abc",
      "a9993e364706816aba3e25717850c26c9cd0d89d"),
    DigestExample(
      .sha1, oneBlock,
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    DigestExample(
      .sha1, twoBlocks,
      "a49b2446a02c645bf419f995b67091253a04a259"),
    DigestExample(
      .sha256, "",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    DigestExample(
      .sha256, "abc",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    DigestExample(
      .sha256, oneBlock,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    DigestExample(
      .sha256, twoBlocks,
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    DigestExample(
      .sha512, "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
    DigestExample(
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
    DigestExample(
      .sha512, oneBlock,
      "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
        + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"),
    DigestExample(
      .sha512, twoBlocks,
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"),
  ]
}

/// HMAC.
struct HMACTests {
  @Test(
    "The examples of RFC 2202 and RFC 4231 have the right HMAC", arguments: HMACExample.examples)
  func examples(_ example: HMACExample) {
    let code = hex(example.function.hmac(key: example.key, example.message))
    expectEqual(code, example.expected)
  }

  @Test(
    "Keys with a length around one block have the right HMAC",
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
    expectEqual(hex(function.hash(codes)), expected)
  }
}

/// A key, a message and its HMAC.
struct HMACExample: Sendable, CustomTestStringConvertible {
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

  static let examples: [HMACExample] = [
    HMACExample(
      .sha1, bytes(0x0b, 20), "Hi There",
      "b617318655057264e28bc0b6fb378c8ef146be00"),
    HMACExample(
      .sha1, Array("Jefe".utf8), "what do ya want for nothing?",
      "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    HMACExample(
      .sha1, bytes(0xaa, 20), bytes(0xdd, 50),
      "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
    HMACExample(
      .sha1, Array(1...25), bytes(0xcd, 50),
      "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
    HMACExample(
      .sha1, bytes(0x0c, 20), "Test With Truncation",
      "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
    HMACExample(
      .sha1, bytes(0xaa, 80), largerKey,
      "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    HMACExample(
      .sha1, bytes(0xaa, 80),
      "Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
      "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    HMACExample(
      .sha256, bytes(0x0b, 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACExample(
      .sha256, Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACExample(
      .sha256, bytes(0xaa, 20), bytes(0xdd, 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACExample(
      .sha256, Array(1...25), bytes(0xcd, 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACExample(
      .sha256, bytes(0x0c, 20), "Test With Truncation",
      "a3b6167473100ee06e0c796c2955552bfa6f7c0a6a8aef8b93f860aab0cd20c5"),
    HMACExample(
      .sha256, bytes(0xaa, 131), largerKey,
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    HMACExample(
      .sha256, bytes(0xaa, 131), largerData,
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    HMACExample(
      .sha512, bytes(0x0b, 20), "Hi There",
      "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    HMACExample(
      .sha512, Array("Jefe".utf8), "what do ya want for nothing?",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    HMACExample(
      .sha512, bytes(0xaa, 20), bytes(0xdd, 50),
      "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
    HMACExample(
      .sha512, Array(1...25), bytes(0xcd, 50),
      "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
    HMACExample(
      .sha512, bytes(0x0c, 20), "Test With Truncation",
      "415fad6271580a531d4179bc891d87a650188707922a4fbb36663a1eb16da008"
        + "711c5b50ddd0fc235084eb9d3364a1454fb2ef67cd1d29fe6773068ea266e96b"),
    HMACExample(
      .sha512, bytes(0xaa, 131), largerKey,
      "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    HMACExample(
      .sha512, bytes(0xaa, 131), largerData,
      "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
        + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
  ]
}
