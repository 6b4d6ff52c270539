import IDXOAuth
import IDXBase

/// The certificate with which an authenticator's manufacturer signs attestations: X.509 with a P-256 key.
///
/// Source: RFC 5280, section 4.1; WebAuthn Level 2, section 8.2.1.
struct AttestationCertificate {
  let publicKey: P256.PublicKey
  /// The number of the version minus one, so 2 for version 3; nil for version 1.
  private let version: [UInt8]?
  /// The parts of the subject by their object identifiers.
  private let subject: [[UInt8]: String]
  private let extensions: [[UInt8]: Extension]
  /// Whether the key may sign other certificates; nil if the certificate does not say.
  private let isAuthority: Bool?
  /// The model of authenticator; nil if the certificate does not say.
  private let aaguid: [UInt8]?

  /// Reads a certificate.
  ///
  /// Its signature, its issuer and the time in which it is valid are not checked, because a test org
  /// has no list of manufacturers that it trusts.
  init(_ der: [UInt8]) throws(DERReader.InvalidDER) {
    var file = DERReader(der[...])
    var certificate = try file.elements(of: .sequence)
    try file.end()
    var fields = try certificate.elements(of: .sequence)
    try certificate.skip([.sequence, .bitString])  // The signature.
    try certificate.end()

    version = try Self.version(try fields.elementsIfPresent(of: .context(0)))
    // The serial number, the algorithm of the signature, the issuer and the time.
    try fields.skip([.integer, .sequence, .sequence, .sequence])
    subject = try Self.subject(try fields.elements(of: .sequence))
    publicKey = try P256.PublicKey(subjectPublicKeyInfo: try fields.elements(of: .sequence))
    extensions = try Self.extensions(try fields.elementsIfPresent(of: .context(3)))
    try fields.end()
    isAuthority = try extensions[.basicConstraints]?.isAuthority()
    aaguid = try extensions[.aaguid]?.octets()
  }

  /// Throws if the certificate breaks a rule of WebAuthn, or is for another model of authenticator.
  func check(aaguid model: [UInt8]) throws(PasskeyFlaw) {
    let country = subject[.country] ?? ""
    let isCountry = country.utf8.count == 2 && country.allSatisfy { ("A"..."Z").contains($0) }
    let rules = [
      (version == [2], "does not have version 3"),
      (isCountry, "names no country"),
      (subject[.organization]?.isEmpty == false, "names no manufacturer"),
      (subject[.organizationalUnit] == "Authenticator Attestation", "is not for attestations"),
      (subject[.commonName]?.isEmpty == false, "has no name"),
      (isAuthority == false, "may be an authority's"),
      (extensions[.aaguid]?.isCritical != true, "has a critical AAGUID"),
      (aaguid == nil || aaguid == model, "is for another model"),
    ]
    for (isKept, words) in rules where !isKept {
      throw PasskeyFlaw("its certificate \(words)")
    }
  }
}

// MARK: - Parts

extension AttestationCertificate {
  private struct Extension {
    let isCritical: Bool
    let content: ArraySlice<UInt8>

    func isAuthority() throws(DERReader.InvalidDER) -> Bool {
      var reader = DERReader(content)
      var constraints = try reader.elements(of: .sequence)
      try reader.end()
      let isAuthority = try constraints.flag()
      _ = try constraints.contentIfPresent(of: .integer)  // The length of the path.
      try constraints.end()
      return isAuthority
    }

    func octets() throws(DERReader.InvalidDER) -> [UInt8] {
      var reader = DERReader(content)
      let octets = try reader.content(of: .octetString)
      try reader.end()
      return Array(octets)
    }
  }

  private static func version(_ wrapper: DERReader?) throws(DERReader.InvalidDER) -> [UInt8]? {
    guard var wrapper else { return nil }
    let number = try wrapper.content(of: .integer)
    try wrapper.end()
    return Array(number)
  }

  /// Reads a name: a sequence of sets, which contain pairs of an identifier and a text.
  private static func subject(
    _ name: DERReader
  ) throws(DERReader.InvalidDER) -> [[UInt8]: String] {
    var name = name
    var parts: [[UInt8]: String] = [:]
    while !name.isAtEnd {
      var set = try name.elements(of: .set)
      while !set.isAtEnd {
        var pair = try set.elements(of: .sequence)
        let identifier = Array(try pair.content(of: .objectIdentifier))
        let (tag, content) = try pair.next()
        try pair.end()
        guard tag == .utf8String || tag == .printableString else { continue }
        parts[identifier] = String(validUTF8: content)
      }
    }
    return parts
  }

  /// Reads extensions; an extension must not be present twice.
  private static func extensions(
    _ wrapper: DERReader?
  ) throws(DERReader.InvalidDER) -> [[UInt8]: Extension] {
    guard var wrapper else { return [:] }
    var list = try wrapper.elements(of: .sequence)
    try wrapper.end()
    var extensions: [[UInt8]: Extension] = [:]
    while !list.isAtEnd {
      var members = try list.elements(of: .sequence)
      let identifier = Array(try members.content(of: .objectIdentifier))
      let isCritical = try members.flag()
      let content = try members.content(of: .octetString)
      try members.end()
      let other = extensions.updateValue(
        Extension(isCritical: isCritical, content: content), forKey: identifier)
      guard other == nil else { throw DERReader.InvalidDER() }
    }
    return extensions
  }
}

extension P256.PublicKey {
  /// Reads the key of a certificate (RFC 5480, section 2): the curve P-256, and a point without
  /// compression.
  fileprivate init(subjectPublicKeyInfo: DERReader) throws(DERReader.InvalidDER) {
    var info = subjectPublicKeyInfo
    var algorithm = try info.elements(of: .sequence)
    let identifiers = [
      Array(try algorithm.content(of: .objectIdentifier)),
      Array(try algorithm.content(of: .objectIdentifier)),
    ]
    try algorithm.end()
    let bits = try info.content(of: .bitString)
    try info.end()
    // The number of unused bits, 0, and the kind of point, 4, come first.
    guard identifiers == [.ellipticCurveKey, .p256], bits.count == 66, bits.starts(with: [0, 4])
    else { throw DERReader.InvalidDER() }
    self.init(x: Array(bits.dropFirst(2).prefix(32)), y: Array(bits.suffix(32)))
  }
}

/// Object identifiers, as DER contains them.
extension [UInt8] {
  /// 2.5.4.3.
  fileprivate static let commonName: [UInt8] = [0x55, 0x04, 0x03]
  /// 2.5.4.6.
  fileprivate static let country: [UInt8] = [0x55, 0x04, 0x06]
  /// 2.5.4.10.
  fileprivate static let organization: [UInt8] = [0x55, 0x04, 0x0a]
  /// 2.5.4.11.
  fileprivate static let organizationalUnit: [UInt8] = [0x55, 0x04, 0x0b]
  /// 2.5.29.19.
  fileprivate static let basicConstraints: [UInt8] = [0x55, 0x1d, 0x13]
  /// `id-fido-gen-ce-aaguid`, 1.3.6.1.4.1.45724.1.1.4.
  fileprivate static let aaguid: [UInt8] = [
    0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0xe5, 0x1c, 0x01, 0x01, 0x04,
  ]
  /// `id-ecPublicKey`, 1.2.840.10045.2.1.
  fileprivate static let ellipticCurveKey: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
  /// `secp256r1`, 1.2.840.10045.3.1.7.
  fileprivate static let p256: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
}
