import IDXOAuth

@testable import IDXSimulatedOrg

/// A certificate for attestations in which a test can change each part.
struct TestCertificate {
  /// An extension, as DER.
  struct Extension {
    var identifier: [UInt8]
    var isCritical: [UInt8] = []
    var content: [UInt8]

    static let basicConstraints = Extension(
      identifier: [0x55, 0x1d, 0x13], isCritical: TestCertificate.yes,
      content: TestCertificate.element(0x30))

    static func aaguid(_ aaguid: [UInt8]) -> Extension {
      Extension(
        identifier: [0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xe5, 0x1c, 0x01, 0x01, 0x04],
        content: TestCertificate.element(0x04, aaguid))
    }

    var der: [UInt8] {
      TestCertificate.element(
        0x30,
        TestCertificate.element(0x06, identifier) + isCritical
          + TestCertificate.element(0x04, content))
    }
  }

  static let yes: [UInt8] = [0x01, 0x01, 0xff]
  static let no: [UInt8] = [0x01, 0x01, 0x00]

  var privateKey = HashFunction.sha256.hash(Array("the key of a manufacturer".utf8))
  var version = element(0xa0, element(0x02, [2]))
  /// The last number of each part's identifier 2.5.4.…, and its text.
  var subject: [(part: UInt8, text: String)] = [
    (6, "US"), (10, "Example Keys"), (11, "Authenticator Attestation"), (3, "Blue key"),
  ]
  /// The tag of the texts of the subject: a string of UTF-8.
  var textTag: UInt8 = 0x0c
  var curve: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
  var pointPrefix: [UInt8] = [0x00, 0x04]
  var extensions = [Extension.basicConstraints]
  /// What comes after the last part.
  var more: [UInt8] = []

  /// An element: a tag, a length and the content.
  static func element(_ tag: UInt8, _ content: [UInt8] = []) -> [UInt8] {
    let count = content.count
    let bytes: [UInt8] = [16, 8, 0].map { shift in UInt8(truncatingIfNeeded: count >> shift) }
    let digits = Array(bytes.drop { $0 == 0 })
    let length: [UInt8] = count < 0x80 ? [UInt8(count)] : [UInt8(0x80 + digits.count)] + digits
    return [tag] + length + content
  }

  var der: [UInt8] {
    let algorithm = Self.element(
      0x30, Self.element(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
    let fields = Self.element(
      0x30,
      version + Self.element(0x02, [0x09, 0x1f]) + algorithm
        + Self.name([(3, "Example root")], 0x0c)
        + validity + Self.name(subject, textTag) + subjectPublicKeyInfo + extensionList + more)
    let signature = P256.sign(fields, with: privateKey).der
    return Self.element(0x30, fields + algorithm + Self.element(0x03, [0] + signature))
  }

  private static func name(_ parts: [(part: UInt8, text: String)], _ tag: UInt8) -> [UInt8] {
    let sets = parts.map { part in
      element(
        0x31,
        element(
          0x30, element(0x06, [0x55, 0x04, part.part]) + element(tag, Array(part.text.utf8))))
    }
    return element(0x30, sets.flatMap { $0 })
  }

  private var validity: [UInt8] {
    let times = ["310304000000Z", "410304000000Z"]
    return Self.element(0x30, times.flatMap { Self.element(0x17, Array($0.utf8)) })
  }

  private var subjectPublicKeyInfo: [UInt8] {
    let key = P256.publicKey(of: privateKey)
    let type = Self.element(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01])
    return Self.element(
      0x30,
      Self.element(0x30, type + Self.element(0x06, curve))
        + Self.element(0x03, pointPrefix + key.x + key.y))
  }

  private var extensionList: [UInt8] {
    extensions.isEmpty ? [] : Self.element(0xa3, Self.element(0x30, extensions.flatMap { $0.der }))
  }
}
