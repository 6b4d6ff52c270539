import IDXOAuth
import IDXFlow

/// An attestation object (WebAuthn Level 2, section 6.5.4).
struct AttestationObject {
  let authenticatorData: [UInt8]
  private let format: CBOR
  private let statement: CBOR

  init?(_ bytes: [UInt8]) {
    guard let object = CBOR(bytes), let data = object["authData"]?.bytes,
      let format = object["fmt"], let statement = object["attStmt"]
    else { return nil }
    authenticatorData = data
    self.format = format
    self.statement = statement
  }

  /// Throws unless the statement is empty (format `none`), or a valid signature of the authenticator data
  /// by the passkey or by a manufacturer (format `packed`).
  func verify(
    _ attested: AuthenticatorData.Attested, clientDataHash: [UInt8]
  ) throws(PasskeyFlaw) {
    switch format {
    case "none":
      guard statement == .map([:]) else { throw PasskeyFlaw("it is not empty") }
    case "packed": try verifyPacked(attested, clientDataHash: clientDataHash)
    default: throw PasskeyFlaw("its format is unknown")
    }
  }

  /// Source: WebAuthn Level 2, section 8.2.
  private func verifyPacked(
    _ attested: AuthenticatorData.Attested, clientDataHash: [UInt8]
  ) throws(PasskeyFlaw) {
    guard statement["alg"] == -7,
      let signature = statement["sig"]?.bytes.flatMap(P256.Signature.init(der:))
    else { throw PasskeyFlaw("it has no signature of ES256") }
    let certificate = try certificate()
    try certificate?.check(aaguid: attested.aaguid)
    let key = certificate?.publicKey ?? attested.publicKey
    guard P256.verify(signature, of: authenticatorData + clientDataHash, by: key) else {
      throw PasskeyFlaw("its signature is wrong")
    }
  }

  /// The manufacturer's certificate, the first of a list; nil if the passkey itself has signed.
  private func certificate() throws(PasskeyFlaw) -> AttestationCertificate? {
    guard let list = statement["x5c"] else { return nil }
    guard case .array(let certificates) = list, let first = certificates.first?.bytes,
      certificates.allSatisfy({ $0.bytes != nil })
    else { throw PasskeyFlaw("its certificates cannot be read") }
    do {
      return try AttestationCertificate(first)
    } catch {
      throw PasskeyFlaw("its certificate cannot be read")
    }
  }
}
