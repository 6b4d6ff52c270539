import Testing

@testable import IDXOAuth

@Suite("Hash functions")
struct HashFunctionTests {
  @Test("Digests are those of FIPS 180-4's examples", arguments: Digest.examples)
  func examples(_ digest: Digest) {
    #expect(hex(digest.function.hash(digest.message)) == digest.expected)
  }

  // Each digest of 0 to 300 bytes is hashed again with all before it, so that one constant stands
  // for every length around the edges of one, two and more blocks.
  @Test(
    "Every length up to 300 bytes is padded right",
    arguments: [
      (
        HashFunction.sha1,
        "6804e4ea9a6a8d4892d67a40ced19afe1455116c"
      ),
      (
        HashFunction.sha256,
        "b90e35153500e9a471591550ee25a954527c6b4448afff95f7949a2ca93300ce"
      ),
      (
        HashFunction.sha512,
        "da20b3b598f77f25e2e2d1941e345bfe16543f32378fbc8447fbb64f038964ce"
          + "a0808c9d450e5e83ac095f5656c102b2ff15a8e0501c7553a7afe1e0256b5e09"
      ),
    ])
  func everyLength(_ function: HashFunction, _ expected: String) {
    let digests = (0...300).flatMap { length in
      function.hash((0..<length).map { UInt8($0 % 251) })
    }
    #expect(hex(function.hash(digests)) == expected)
  }

  @Test(
    "A million bytes are hashed",
    arguments: [
      (
        HashFunction.sha1,
        "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
      ),
      (
        HashFunction.sha256,
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
      (
        HashFunction.sha512,
        "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
          + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
      ),
    ])
  func million(_ function: HashFunction, _ expected: String) {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(hex(function.hash(message)) == expected)
  }
}

/// A message and what a hash function makes of it.
struct Digest: Sendable, CustomTestStringConvertible {
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

  static let examples: [Digest] = [
    Digest(
      .sha1, "",
      "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    Digest(
      .sha1, "abc",
      "a9993e364706816aba3e25717850c26c9cd0d89d"),
    Digest(
      .sha1, oneBlock,
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    Digest(
      .sha1, twoBlocks,
      "a49b2446a02c645bf419f995b67091253a04a259"),
    Digest(
      .sha256, "",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Digest(
      .sha256, "abc",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Digest(
      .sha256, oneBlock,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Digest(
      .sha256, twoBlocks,
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    Digest(
      .sha512, "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
    Digest(
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
    Digest(
      .sha512, oneBlock,
      "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
        + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"),
    Digest(
      .sha512, twoBlocks,
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"),
  ]
}
