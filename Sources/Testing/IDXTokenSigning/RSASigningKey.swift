package import IDXBase
import IDXOAuth

/// A 2048-bit RSA key that signs the tokens of a simulated org or a replay, for tests only.
///
/// Its modulus has 85 prime factors, each of them 1 more than a divisor of the public exponent times the
/// private one, less 1. So the private exponent is short, and a debug build signs in two milliseconds.
/// Anyone can sign with it. It verifies like any other key.
package struct RSASigningKey: SigningKey {
  package let id: String
  package let algorithm = "RS256"
  /// 256 bytes, most significant first.
  package let modulus: [UInt8]
  private let arithmetic: MontgomeryModulus

  /// The keys that an org uses, in order.
  package static let all = published.map(RSASigningKey.init)
  /// A key that no org publishes.
  package static let unpublished = RSASigningKey(unpublishedModulus)

  private init(_ text: String) {
    guard let modulus = Base64URL.decode(text), let arithmetic = MontgomeryModulus(modulus) else {
      preconditionFailure("The key is Base64URL of an odd number.")
    }
    self.modulus = modulus
    self.arithmetic = arithmetic
    id = Base64URL.encode(HashFunction.sha256.hash(modulus))
  }

  package var jwk: JSONValue {
    [
      "kty": "RSA", "alg": "RS256", "kid": .string(id), "use": "sig", "e": "AQAB",
      "n": .string(Base64URL.encode(modulus)),
    ]
  }

  /// RFC 8017, section 8.2.1.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    let encoded = RSAPublicKey.encoding(of: message, count: modulus.count)
    return arithmetic.power(encoded, Self.privateExponent) ?? []
  }

  private static let privateExponent: UInt32 = 82_356_713

  private static let published = [
    """
    gSG2_OWhZDd_UBwzkAFvG0ZiHBindrnTwWEr05J2Y87R7MaFEm8xGNP5hOkmmEjw0n2c9jBYyeFQoq42VMd_cszy\
    38koSOmgUVyovngYxsP1bQBNJ7KUK8Y-92QCeoHMLXq5qejiceJ_42TueWUXuoJIlBxflQoWtmCluICOyXf72Hfn\
    32a96YarLWimEO2orembN629uRsAACBnpDX59EyVZ2cJD0AhredQn4BfChQd7CILK4gsXUlgIfF4uw64maPT00Mi\
    ZKxsA3Ny6XhDoKx7_Y0Y6IbB3eZA9h05FnKYJ7nqB5_AuhK1DVH5lf3HS7CBGbmV3LZSj4AZxhOfJQ
    """,
    """
    66417CqQc3X69rKXcFys6VAksJS9gGuG63K7OKN7AAYzWtbnRwIf9lYS3Gl8PctodsIuFMycYmYvO0D_Tfalgisx\
    d4dDw7iFyeWJJ-ZKXDGYDMprZm1mssOiVQ8u8PppggCpYtDfV_RwwO0oLcxy2FcMFxJsF81fwJcY7y31inFYEyVX\
    s_PQs_tJho4PBhg4VU4D-qEBbMZCIAfIGMpzrmHrFFMtZU_s-G-pKzkukvilPw-9o0Pt_xcLJrwXWM1oCjObe9q6\
    ldAAznTDHwbkwtei8sUWZ0mYgn1c-Vz4q51qe-1HXuMjC87NQpIQKjqRlIzePCPDNR2_KjgjCA22aQ
    """,
    """
    4fxiWK04bcwW7WCgQoZLqZpSv6Zb4hqnLeFbmbFj5WnysR7R4Ho70D8gjEVG3S6Crp0uSfKBz2Q07LwyQsTOpg92\
    _iJ92C1_pWRa_CYk9cP_MOG_k-u35zIobUHylTZNaIaKODff3BILFHRjh9PmyVX0_kYqqW3JDcY8s6SLY2nZ3_9w\
    L_PZLSSXRNg4Fs12vD_zKqsWD0frx-hLsQnVhSmRQtMq6labYDiFb7u847kkOMbembdn4j_AFfZYVwy2YfXbuPSc\
    thydmUxuC_z5f_MaJq08RigtnK0SieDfYYtMjNBS-0hs-KqZLwkQE-5yHLoDDZrWDJhWWk63DHuXHw
    """,
  ]
  private static let unpublishedModulus = """
    yZp8PAkjjGM6mYDIN90X8DZAcNVaXUhS9vRrVSIahOQ9Fjm_NvHOQhaY4uuOxZSo1CJ-Y8OnyI7hYHJNIsTC7U9V\
    YOqv1n_vc1evKSHKOuQtYNHQl_wpQGYHt6kMviu3MxHK_4h0WNWt_8LJmMtwou8rr7WAy7_1-Pu1s5vcXM-ryr1K\
    LBOop_g1S3ZB0DpjYZrreKN3pEzsfOmou3-JXlaAbJJJr40rk1CRPk_ELeNmp2vFLjgQnsU3_Bgg4IuE7Ur4B6QF\
    z__CY-jIS8C9aOvozq1feTdXWznothSVKd6x1vN7Vss0S_L1uPDX0-6rNW90l5WWyVXuxUtddkr8rQ
    """
}
