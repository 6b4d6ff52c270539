import IDX
import OAuth
import Testing

@testable import IDXTesting

@Suite("The keys that a simulated org signs with")
struct SigningKeyTests {
  @Test("probe")
  func probe() throws {
    let clock = ContinuousClock()
    var key = OrgSigningKey.standard
    print("PROBE make", clock.measure { key = OrgSigningKey(seed: 1) })
    var signature: [UInt8] = []
    print(
      "PROBE sign", clock.measure { signature = key.sign(Array("A message to be signed.".utf8)) })
    print("PROBE sig", Base64URL.encode(signature))
    print("PROBE n", key.jwk.text)
  }
}
