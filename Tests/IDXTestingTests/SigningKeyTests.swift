import IDXBase
import IDX
import Testing

@testable import IDXTesting

@Suite("The keys that a simulated org signs with")
struct SigningKeyTests {
  // Made by this key, and verified with the package `cryptography` 48.0.0 of Python.
  private static let signature = """
    iCK1thcQ9F8kaotq81GLpiPYpEPOO8eQcQNB7OYvl-KqLzGATrcehfwAQL6k-cP2Y3233di9YOxZWidwWNBZlomaTUgm\
    cAVM3j0rWeRivpM83Fk3GRgLoBVcBav5XtweSiDaMjqGXMABxqgOW4-RFfChW_mI6HfmCLwLk4J4znbHzwHp6aHhlbWq\
    mXXViw92rf5r9reGFUGA6FY56Lx5CDQLUJUR-fWHlKl9c79kFao08mrIAmA6yR_0HjRE4uLLf_vjCbHSceRvuKe5Rlwi\
    HCDD_MOKv4XbGjoue-Zmnn_PgXhR-EbMRNO-clI6BCDRTv_O3f3ixiG52jwy8mUUow
    """
  private static let message = Array("A message to be signed.".utf8)

  @Test("A signature is what others find to be right")
  func literal() {
    let signature = OrgSigningKey.standard.sign(Self.message)
    #expect(Base64URL.encode(signature) == Self.signature)
  }

  @Test(
    "Every seed makes a key of 2048 bits whose signatures its public key opens", arguments: [1, 2])
  func seeds(seed: UInt64) throws {
    let key = OrgSigningKey(seed: seed)
    let verifier = try #require(SignatureVerifier(key.jwk))
    #expect(key.modulus.count == 256 && key.modulus[0] >= 0x80)
    #expect(key.id == OrgSigningKey(seed: seed).id)
    #expect(key.id != OrgSigningKey(seed: seed + 1).id)
    let message = Array("A message as good as any".utf8)
    var signature = key.sign(message)
    #expect(verifier.accepts(signature, of: message))
    #expect(!verifier.accepts(signature, of: message + [32]))
    signature[200] ^= 4
    #expect(!verifier.accepts(signature, of: message))
  }

  @Test(
    "Primes are told from what looks like them",
    arguments: [
      (0xFFFF_FFFF_FFFF_FFC5, true), (0xFFFF_FFFF_FFFF_FFFF, false), (127, true), (121, false),
      // Carmichael numbers, and one that deceives the bases up to 29.
      (252_601, false), (9_746_347_772_161, false), (3_825_123_056_546_413_051, false),
      // The square of the greatest prime of 32 bits.
      (4_294_967_291 * 4_294_967_291, false),
    ] as [(UInt64, Bool)])
  func primes(number: UInt64, isPrime: Bool) {
    #expect(WordArithmetic.isPrime(number) == isPrime)
  }
}
