import IDXFlow

/// An attestation object, taken apart (WebAuthn Level 2, section 6.5.4).
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

  /// Whether the attestation is one that the org takes: none, or by the new key itself.
  func isVouchedFor(by key: P256.PublicKey, clientDataHash: [UInt8]) -> Bool {
    switch format {
    case "none": return statement == .map([:])
    case "packed":
      guard statement["alg"] == -7, statement["x5c"] == nil,
        let signature = statement["sig"]?.bytes.flatMap(P256.Signature.init(der:))
      else { return false }
      return P256.verify(signature, of: authenticatorData + clientDataHash, by: key)
    default: return false
    }
  }
}
