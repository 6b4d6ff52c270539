import Expectations
import IDX
import IDXBase
import IDXOAuth
import Testing

@testable import IDXSimulatedOrg
@testable import IDXTokenSigning

/// Signing keys of a simulated org.
struct SigningKeyTests {
  // Made with this key, and verified with the package `cryptography` 48.0.0 of Python.
  private static let signature = """
    D6hC3IGKI1DsCcdC7HzVtx2K2OxODjpriPgKVtlmJg9ssIIId61aGal4zzj4cDEaERG9H6cfEMyvd1nwvlXVH1-1RP5P\
    y1GbYsnnmybCtHHQQddCYsxKSmNPl2RgDepVwobCCYmRuugrUTDzBbJBXixu8MNe2u_6ethPTEqqSd7PWkDb40cGanm9\
    Q7EFL5h6am_2n0OEQ6PZuv-0bLkyQbQdUsnlx4LdtMODGW8Rh2aC8y_xJkZDYE4eYl8gs1aoOifXQ-_DashKJ82qxI8l\
    AUFRSSkHdJO_ZogDgQaFfd1swOpFcLg62iDaeSTM8Ztc_RRwDz2oxiUwWs5rYEXsTg
    """
  private static let message = Array("A message to be signed.".utf8)

  @Test(
    "A signature equals one that another implementation has verified, and only its key verifies it")
  func signatures() throws {
    expectEqual(Base64URL.encode(RSASigningKey.all[0].sign(Self.message)), Self.signature)

    let keys = RSASigningKey.all + [.unpublished]
    expectEqual(Set(keys.map(\.id)).count, 4)
    for key in keys {
      let verifier = try require(RSAPublicKey(key.jwk))
      expect(key.modulus.count == 256 && key.modulus[0] >= 0x80)
      var signature = key.sign(Self.message)
      expect(verifier.verify(signature, of: Self.message))
      expect(!verifier.verify(signature, of: Self.message + [32]))
      signature[200] ^= 4
      expect(!verifier.verify(signature, of: Self.message))
    }
  }

  @Test("After the last key, the first one is used again, and each is published once")
  func rotation() {
    var keyring = SigningKeys()
    for number in 1...7 {
      let old = keyring.current.id
      keyring.rotate(keepingOld: true)
      expect(keyring.current.id != old)
      let published = keyring.published.map(\.id)
      expectEqual(published.count, min(number + 1, RSASigningKey.all.count))
      expect(Set(published).count == published.count && published.contains(old))
    }
    keyring.rotate(keepingOld: false)
    expectEqual(keyring.published.count, 1)
  }
}
