import Expectations
import Testing

@testable import IDXOAuth

/// Hash functions.
struct HashFunctionTests {
  private static let oneBlock = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
  private static let twoBlocks =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

  /// Messages, and their digests by SHA-1, SHA-256 and SHA-512.
  private static let digests: [(String, [String])] = [
    (
      "",
      [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
          + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
      ]
    ),
    (
      "abc",
      [
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
      ]
    ),
    (
      oneBlock,
      [
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
          + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
      ]
    ),
    (
      twoBlocks,
      [
        "a49b2446a02c645bf419f995b67091253a04a259",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
          + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
      ]
    ),
    (
      String(repeating: "a", count: 1_000_000),
      [
        "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
          + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
      ]
    ),
  ]

  // `Tests/Checks/test_cryptography.py` has messages of other lengths.
  @Test("The examples of FIPS 180-4 have the right digests")
  func examples() {
    for (message, digests) in Self.digests {
      let message = Array(message.utf8)
      for (function, digest) in zip(HashFunction.allCases, digests) {
        expectEqual(hex(function.hash(message)), digest, "\(function), \(message.count) bytes")
      }
    }
  }
}

/// HMAC.
struct HMACTests {
  @Test(
    "The examples of RFC 2202 and RFC 4231, and an empty key, have the right HMAC",
    arguments: HMACExample.all)
  func examples(_ example: HMACExample) {
    for (function, expected) in zip(HashFunction.allCases, example.expected)
    where !expected.isEmpty {
      let code = hex(function.hmac(key: example.key, example.message))
      expectEqual(code, expected, "\(function)")
    }
  }
}

/// A key, a message and its HMACs.
struct HMACExample: Sendable, CustomTestStringConvertible {
  let key: [UInt8]
  let message: [UInt8]
  /// The HMACs with SHA-1, SHA-256 and SHA-512; empty where the RFCs have none.
  let expected: [String]

  var testDescription: String { "\(key.count) and \(message.count) bytes" }

  init(
    _ key: [UInt8], _ message: [UInt8], sha1: String = "", sha256: String = "", sha512: String = ""
  ) {
    (self.key, self.message) = (key, message)
    expected = [sha1, sha256, sha512]
  }

  private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  private static let largerKey = "Test Using Larger Than Block-Size Key - Hash Key First"
  private static let largerKeyAndData =
    "Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data"
  private static let largerData =
    "This is a test using a larger than block-size key and a larger than block-size data. "
    + "The key needs to be hashed before being used by the HMAC algorithm."

  static let all: [HMACExample] = [
    HMACExample(
      [], [],
      sha1: "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d",
      sha256: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad",
      sha512: "b936cee86c9f87aa5d3c6f2e84cb5a4239a5fe50480a6ec66b70ab5b1f4ac673"
        + "0c6c515421b327ec1d69402e53dfb49ad7381eb067b338fd7b0cb22247225d47"),
    HMACExample(
      bytes(0x0b, 20), Array("Hi There".utf8),
      sha1: "b617318655057264e28bc0b6fb378c8ef146be00",
      sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
      sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    HMACExample(
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      sha1: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
      sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    HMACExample(
      bytes(0xaa, 80), Array(largerKey.utf8),
      sha1: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    HMACExample(
      bytes(0xaa, 131), Array(largerKey.utf8),
      sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    HMACExample(
      bytes(0xaa, 80), Array(largerKeyAndData.utf8),
      sha1: "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    HMACExample(
      bytes(0xaa, 131), Array(largerData.utf8),
      sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
      sha512: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
        + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
    HMACExample(
      bytes(0xaa, 20), bytes(0xdd, 50),
      sha1: "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
      sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
      sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
    HMACExample(
      Array(1...25), bytes(0xcd, 50),
      sha1: "4c9007f4026250c6bc8414f9bf50c86c2d7235da",
      sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
      sha512: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
    HMACExample(
      bytes(0x0c, 20), Array("Test With Truncation".utf8),
      sha1: "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04",
      sha256: "a3b6167473100ee06e0c796c2955552bfa6f7c0a6a8aef8b93f860aab0cd20c5",
      sha512: "415fad6271580a531d4179bc891d87a650188707922a4fbb36663a1eb16da008"
        + "711c5b50ddd0fc235084eb9d3364a1454fb2ef67cd1d29fe6773068ea266e96b"),
  ]
}
