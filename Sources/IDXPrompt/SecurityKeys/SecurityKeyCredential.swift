import IDXSystem
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new credential in the output of `fido2-cred -M`: one line each for the client data hash, the site,
/// the format, the authenticator data, the ID, the signature, and optionally the certificate.
struct SecurityKeyCredential {
  let attestationObject: [UInt8]

  init(_ lines: [String], for request: PasskeyCreationOptions) throws(PasskeyError) {
    guard lines.count >= 6, lines[0] == SecurityKey.base64(request.clientData.hash),
      lines[1] == request.site, let signature = Data(base64Encoded: lines[5]),
      let data = Self.authenticatorData(lines[3], site: request.site)
    else { throw PasskeyError(.failed, "fido2-cred returned no credential.") }
    let certificate = lines.count > 6 ? Data(base64Encoded: lines[6]) : nil
    let statement = Self.statement(
      lines[2], Array(signature), certificate.map(Array.init), Self.algorithm(of: data))
    // A client may omit the attestation statement, and must if the server does not ask for it.
    let isOmitted = request.attestation == "none" || statement == nil
    attestationObject =
      CBOR.attestation(
        format: isOmitted ? "none" : lines[2], statement: isOmitted ? [:] : statement ?? [:],
        authenticatorData: data
      ).encoded
  }

  /// The authenticator data, which libfido2 writes as a CBOR byte string; nil if it is invalid or for
  /// another site.
  static func authenticatorData(_ line: String, site: String) -> [UInt8]? {
    guard let decoded = Data(base64Encoded: line) else { return nil }
    let hash = HashFunction.sha256.hash(Array(site.utf8))
    let bytes = CBOR(decoded)?.bytes ?? Array(decoded)
    return bytes.count >= 37 && bytes.starts(with: hash) ? bytes : nil
  }

  /// The attestation statement of a format; nil if the format is not supported.
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

  /// The algorithm of the new key, for self attestation.
  private static func algorithm(of data: [UInt8]) -> CBOR? {
    guard data.count > 55 else { return nil }
    let length = Int(data[53]) << 8 | Int(data[54])
    return CBOR.prefix(of: data[55...].dropFirst(length))?.value[3]
  }
}

extension PasskeyError {
  /// Creates the error for a failed program of libfido2, whose output names an error of the library.
  init(_ program: String, failedWith outcome: ExternalProgram.Outcome) {
    let words = outcome.errors.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    let name = words.last { $0.hasPrefix("FIDO_ERR_") }.map(String.init)
    switch name {
    case "FIDO_ERR_NO_CREDENTIALS"?: self.init(.unknownCredential, SecurityKey.unknownMessage)
    case "FIDO_ERR_CREDENTIAL_EXCLUDED"?:
      self.init(.alreadyRegistered, "This security key is already set up. Use another one.")
    case "FIDO_ERR_ACTION_TIMEOUT"?, "FIDO_ERR_USER_ACTION_TIMEOUT"?, "FIDO_ERR_TIMEOUT"?:
      self.init(.timedOut, "The security key was not touched in time.")
    case "FIDO_ERR_OPERATION_DENIED"?, "FIDO_ERR_KEEPALIVE_CANCEL"?, "FIDO_ERR_NOT_ALLOWED"?:
      self.init(.cancelled, "The security key canceled the request.")
    case "FIDO_ERR_PIN_INVALID"?:
      self.init(.notVerified, "The PIN of the security key is wrong. Try again.")
    case "FIDO_ERR_PIN_BLOCKED"?, "FIDO_ERR_PIN_AUTH_BLOCKED"?, "FIDO_ERR_UV_BLOCKED"?:
      self.init(
        .notVerified,
        "The security key is blocked after too many wrong PINs. Unplug it and plug it in again, or "
          + "reset it.")
    case "FIDO_ERR_PIN_NOT_SET"?, "FIDO_ERR_PIN_REQUIRED"?, "FIDO_ERR_UNSUPPORTED_OPTION"?,
      "FIDO_ERR_INVALID_OPTION"?:
      self.init(
        .notVerified,
        "The security key has no PIN, but the server requires one. Set it with fido2-token -S.")
    case "FIDO_ERR_UNSUPPORTED_ALGORITHM"?:
      self.init(
        .unsupported, "The security key cannot create the kind of passkey that the server requires."
      )
    case _ where outcome.errors.contains("fido_dev_open"):
      self.init(
        .failed,
        "The security key cannot be opened. Unplug it and plug it in again. If that does not help, "
          + "install the udev rules of libfido2, which let users access security keys.")
    case _ where outcome.errors.contains("invalid PIN length"):
      self.init(.notVerified, "The PIN of a security key must have 4 to 63 characters.")
    case let name?: self.init(.failed, "The security key failed (\(name)).")
    case nil: self.init(.failed, "\(program) failed (status \(outcome.status)).")
    }
  }
}
