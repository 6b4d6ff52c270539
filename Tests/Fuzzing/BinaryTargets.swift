import Foundation
import IDXBase

@testable import IDXFlow
@testable import IDXPrompt
@testable import IDXQRCode
@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

extension FuzzTarget {
  /// PNG images with QR codes.
  static let png = FuzzTarget(name: "png") { bytes in
    _ = try? QRCode.read(png: bytes)
    if let image = try? PNGImage(bytes) { _ = try? image.grayValues() }
  }

  /// QR codes: the modules of any version, and texts that are written and read again.
  static let qrcode = FuzzTarget(name: "qrcode", seeds: ["otpauth://totp/a?secret=GEZDGNBV", "1"]) {
    bytes in
    guard let first = bytes.first else { return }
    let version = QRVersion(1 + Int(first) % 8)
    let modules = (0..<version.size * version.size).map { index in
      bytes[index / 8 % bytes.count] >> (index % 8) & 1 == 1
    }
    _ = try? QRReader(version: version, modules: modules).text()
    // Longer texts differ only in the time they take.
    let text = String(decoding: bytes.prefix(60), as: UTF8.self)
    guard let code = try? QRCode(text, correction: first % 2 == 0 ? .low : .medium) else { return }
    precondition((try? QRCode.read(png: code.png())) == text, "A written code has another text.")
  }

  /// CBOR and attestations of security keys: a written value is read as the same one.
  static let cbor = FuzzTarget(name: "cbor") { bytes in
    _ = CBOR.prefix(of: bytes[...])
    let line = Data(bytes).base64EncodedString()
    _ = SecurityKeyCredential.authenticatorData(line, site: "id.shop.example")
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    if lines.count > 3 {
      _ = SecurityKeyCredential.authenticatorData(lines[3], site: "id.shop.example")
    }
    guard let value = CBOR(bytes) else { return }
    precondition(CBOR(value.encoded) == value, "Written CBOR is read as another value.")
  }

  /// Certificates of authenticators' manufacturers, and the attestations that contain them.
  static let attestation = FuzzTarget(name: "attestation") { bytes in
    if let certificate = try? AttestationCertificate(bytes) {
      _ = try? certificate.check(aaguid: [UInt8](repeating: 0, count: 16))
      precondition(
        (try? AttestationCertificate(bytes + [0])) == nil, "More bytes than a certificate are read."
      )
    }
    _ = AttestationObject(bytes)
    guard let data = AuthenticatorData(bytes) else { return }
    precondition(AuthenticatorData(data.bytes) == data, "Written data is read as other data.")
  }
}
