import IDXSystem
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new credential as `fido2-cred -M` writes it: a line each for the client data hash, the site, the
/// format, the authenticator data, the id, the signature and, where there is one, the certificate.
struct SecurityKeyCredential {
  let attestationObject: [UInt8]

  init(_ lines: [String], for request: PasskeyCreationOptions) throws(PasskeyError) {
    guard lines.count >= 6, lines[0] == SecurityKey.base64(request.clientData.hash),
      lines[1] == request.site, let signature = Data(base64Encoded: lines[5]),
      let data = Self.authenticatorData(lines[3], site: request.site)
    else { throw PasskeyError(.failed, "fido2-cred gave no credential.") }
    let certificate = lines.count > 6 ? Data(base64Encoded: lines[6]) : nil
    let statement = Self.statement(
      lines[2], Array(signature), certificate.map(Array.init), Self.algorithm(of: data))
    // Any client may withhold who vouches for a key; it must where the server does not ask.
    let isWithheld = request.attestation == "none" || statement == nil
    attestationObject =
      CBOR.attestation(
        format: isWithheld ? "none" : lines[2], statement: isWithheld ? [:] : statement ?? [:],
        authenticatorData: data
      ).encoded
  }

  /// The authenticator data, which libfido2 writes as a byte string in CBOR; nil where it is none for
  /// the site.
  static func authenticatorData(_ line: String, site: String) -> [UInt8]? {
    guard let decoded = Data(base64Encoded: line) else { return nil }
    let hash = HashFunction.sha256.hash(Array(site.utf8))
    let bytes = CBOR(decoded)?.bytes ?? Array(decoded)
    return bytes.count >= 37 && bytes.starts(with: hash) ? bytes : nil
  }

  /// The attestation statement of a format; nil for those that cannot be made of what is known.
  ///
  /// Source: WebAuthn Level 2, sections 8.2 and 8.6.
  private static func statement(
    _ format: String, _ signature: [UInt8], _ certificate: [UInt8]?, _ algorithm: CBOR?
  ) -> [CBOR: CBOR]? {
    let chain = certificate.map { CBOR.array([.bytes($0)]) }
    switch (format, chain) {
    case ("packed", let chain?): return ["alg": -7, "sig": .bytes(signature), "x5c": chain]
    case ("packed", nil):
      return algorithm.map { ["alg": $0, "sig": .bytes(signature)] }
    case ("fido-u2f", let chain?): return ["sig": .bytes(signature), "x5c": chain]
    default: return nil
    }
  }

  /// The algorithm of the new key, which signs for itself where no certificate does.
  private static func algorithm(of data: [UInt8]) -> CBOR? {
    guard data.count > 55 else { return nil }
    let length = Int(data[53]) << 8 | Int(data[54])
    return CBOR.prefix(of: data[55...].dropFirst(length))?.value[3]
  }
}

extension PasskeyError {
  /// What a program of libfido2 complained about, which names one of the library's errors.
  init(_ program: String, failedWith outcome: ExternalProgram.Outcome) {
    let words = outcome.errors.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    let name = words.last { $0.hasPrefix("FIDO_ERR_") }.map(String.init)
    switch name {
    case "FIDO_ERR_NO_CREDENTIALS"?: self.init(.unknownCredential, SecurityKey.unknown)
    case "FIDO_ERR_CREDENTIAL_EXCLUDED"?:
      self.init(.alreadyRegistered, "This security key is set up already. Use another.")
    case "FIDO_ERR_ACTION_TIMEOUT"?, "FIDO_ERR_USER_ACTION_TIMEOUT"?, "FIDO_ERR_TIMEOUT"?:
      self.init(.timedOut, "The security key was not touched in time.")
    case "FIDO_ERR_OPERATION_DENIED"?, "FIDO_ERR_KEEPALIVE_CANCEL"?, "FIDO_ERR_NOT_ALLOWED"?:
      self.init(.cancelled, "The security key was told not to go on.")
    case "FIDO_ERR_PIN_INVALID"?: self.init(.notVerified, "That is not the security key's PIN.")
    case "FIDO_ERR_PIN_BLOCKED"?, "FIDO_ERR_PIN_AUTH_BLOCKED"?, "FIDO_ERR_UV_BLOCKED"?:
      self.init(
        .notVerified,
        "The security key is blocked after too many wrong PINs. Plug it in anew, or reset it.")
    case "FIDO_ERR_PIN_NOT_SET"?, "FIDO_ERR_PIN_REQUIRED"?, "FIDO_ERR_UNSUPPORTED_OPTION"?,
      "FIDO_ERR_INVALID_OPTION"?:
      self.init(
        .notVerified,
        "The security key has no PIN, and the server wants one. Set it with "
          + "fido2-token -S.")
    case "FIDO_ERR_UNSUPPORTED_ALGORITHM"?:
      self.init(.unsupported, "The security key makes no passkeys of the kind that is wanted.")
    case _ where outcome.errors.contains("fido_dev_open"):
      self.init(
        .failed,
        "The security key cannot be opened. Plug it in anew; perhaps this user may not use it, which "
          + "the udev rules of libfido2 allow.")
    case _ where outcome.errors.contains("invalid PIN length"):
      self.init(.notVerified, "A security key's PIN has 4 to 63 characters.")
    case let name?: self.init(.failed, "The security key failed (\(name)).")
    case nil: self.init(.failed, "\(program) failed (status \(outcome.status)).")
    }
  }
}
