import IDXFlow
import IDXOAuth
import IDXSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the output of the programs of libfido2.
enum SecurityKeyCredential {
  /// The attestation object for the output of `fido2-cred -M`: one line each for the client data hash,
  /// the site, the format, the authenticator data, the ID, the signature, and optionally the certificate.
  static func attestationObject(
    _ lines: [String], for request: PasskeyCreationOptions
  ) throws(PasskeyError) -> [UInt8] {
    guard lines.count >= 6, lines[0] == SecurityKey.base64(request.clientData.hash),
      lines[1] == request.site, let signature = Data(base64Encoded: lines[5]),
      let data = authenticatorData(lines[3], site: request.site)
    else { throw PasskeyError(.failed, "fido2-cred returned no credential.") }
    let certificate = lines.count > 6 ? Data(base64Encoded: lines[6]) : nil
    // A client may omit the attestation statement, and must if the server does not ask for it.
    let statement =
      request.attestation == "none"
      ? nil
      : statement(
        lines[2], Array(signature), certificate.map(Array.init), algorithm: algorithm(of: data))
    return CBOR.attestation(
      format: statement == nil ? "none" : lines[2], statement: statement ?? [:],
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
    _ format: String, _ signature: [UInt8], _ certificate: [UInt8]?, algorithm: CBOR?
  ) -> [CBOR: CBOR]? {
    let chain = certificate.map { CBOR.array([.bytes($0)]) }
    return switch (format, chain) {
    case ("packed", let chain?): ["alg": -7, "sig": .bytes(signature), "x5c": chain]
    case ("packed", nil): algorithm.map { ["alg": $0, "sig": .bytes(signature)] }
    case ("fido-u2f", let chain?): ["sig": .bytes(signature), "x5c": chain]
    default: nil
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
  init(_ program: String, failedWith exit: ExternalProgram.Exit, _ words: Words) {
    func error(_ code: Code, _ name: String, _ values: [String: String] = [:]) -> Self {
      Self(code, words.sentence(Words.Key(rawValue: "security-key.\(name)"), values))
    }
    self =
      switch exit.errors.matches(of: /\bFIDO_ERR_(\w+)/).last?.1 {
      case "NO_CREDENTIALS"?: error(.unknownCredential, "unknown")
      case "CREDENTIAL_EXCLUDED"?: error(.alreadyRegistered, "known")
      case "ACTION_TIMEOUT"?, "USER_ACTION_TIMEOUT"?, "TIMEOUT"?: error(.timedOut, "timeout")
      case "OPERATION_DENIED"?, "KEEPALIVE_CANCEL"?, "NOT_ALLOWED"?: error(.cancelled, "canceled")
      case "PIN_INVALID"?: error(.notVerified, "wrong-pin")
      case "PIN_BLOCKED"?, "PIN_AUTH_BLOCKED"?, "UV_BLOCKED"?: error(.notVerified, "blocked")
      case "PIN_NOT_SET"?, "PIN_REQUIRED"?, "UNSUPPORTED_OPTION"?, "INVALID_OPTION"?:
        error(.notVerified, "no-pin")
      case "UNSUPPORTED_ALGORITHM"?: error(.unsupported, "algorithm")
      case _ where exit.errors.contains("fido_dev_open"): error(.failed, "closed")
      case _ where exit.errors.contains("invalid PIN length"): error(.notVerified, "pin-length")
      case let name?: error(.failed, "failed", ["error": "FIDO_ERR_\(name)"])
      case nil: error(.failed, "program", ["name": program, "status": "\(exit.status)"])
      }
  }
}
