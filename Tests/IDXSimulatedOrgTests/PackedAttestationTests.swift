import Expectations
import IDX
import IDXBase
import IDXOAuth
import Testing

@testable import IDXFlow
@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

/// Packed attestations with certificates.
struct PackedAttestationTests {
  typealias Change = @Sendable (inout PasskeyAnswer) -> Void
  typealias Extension = TestCertificate.Extension

  private static let aaguid: [UInt8] = Array(0x10..<0x20)

  private static func changed(
    _ change: @Sendable @escaping (inout TestCertificate) -> Void
  ) -> Change {
    { answer in
      var certificate = TestCertificate()
      change(&certificate)
      answer.certificate = certificate
    }
  }

  private static func subject(_ part: UInt8, _ text: String?) -> Change {
    changed { certificate in
      certificate.subject = certificate.subject.compactMap { other in
        other.part == part ? text.map { (part, $0) } : other
      }
    }
  }

  private static let rightCertificates: [(String, Change)] = [
    ("as it is", { $0.certificate = TestCertificate() }),
    (
      "with extensions that the authenticator has answered",
      {
        $0.certificate = TestCertificate()
        $0.extensions = .map(["credProtect": 2])
      }
    ),
    ("texts that are not UTF-8", changed { $0.textTag = 0x13 }),
    ("for this model", changed { $0.extensions.append(.aaguid(aaguid)) }),
    (
      "that is explicitly not an authority",
      changed { $0.extensions[0].content = TestCertificate.element(0x30, TestCertificate.no) }
    ),
    (
      "with another extension",
      changed { $0.extensions.append(Extension(identifier: [0x55, 0x1d, 0x0e], content: [1])) }
    ),
    (
      "before other certificates",
      {
        let certificate = TestCertificate()
        $0.certificate = certificate
        $0.certificates = .array([.bytes(certificate.der), .bytes([0])])
      }
    ),
  ]

  private static let wrongAttestations: [(String, Change)] = [
    ("signature is wrong", { $0.changesSignature = true }),
    ("certificates cannot be read", { $0.certificates = .array([]) }),
    ("certificates cannot be read", { $0.certificates = .bytes(TestCertificate().der) }),
    (
      "certificates cannot be read",
      { $0.certificates = .array([.bytes(TestCertificate().der), .text("a")]) }
    ),
    ("certificate cannot be read", { $0.certificates = .array([.bytes([])]) }),
    ("certificate cannot be read", changed { $0.more = [0x05, 0x00] }),
    ("certificate cannot be read", changed { $0.curve[7] = 0x01 }),
    ("certificate cannot be read", changed { $0.pointPrefix = [0x00, 0x02] }),
    ("certificate cannot be read", changed { $0.extensions[0].content = [] }),
    ("certificate cannot be read", changed { $0.extensions.append(.basicConstraints) }),
    ("does not have version 3", changed { $0.version = [] }),
    ("does not have version 3", changed { $0.version[4] = 1 }),
    ("names no country", subject(6, nil)),
    ("names no country", subject(6, "us")),
    ("names no country", subject(6, "USA")),
    ("names no manufacturer", subject(10, "")),
    ("is not for attestations", subject(11, "Authenticator")),
    ("has no name", subject(3, nil)),
    ("may be an authority's", changed { $0.extensions = [] }),
    (
      "may be an authority's",
      changed { $0.extensions[0].content = TestCertificate.element(0x30, TestCertificate.yes) }
    ),
    (
      "has a critical AAGUID",
      changed {
        $0.extensions.append(.aaguid(aaguid))
        $0.extensions[1].isCritical = TestCertificate.yes
      }
    ),
    ("is for another model", changed { $0.extensions.append(.aaguid(aaguid.reversed())) }),
    ("is for another model", changed { $0.extensions.append(.aaguid([])) }),
  ]

  /// The words of the refusal; nil if the passkey was set up.
  private func enroll(_ change: Change) async throws -> String? {
    var client = try await OrgClient.enrollingPasskey()
    var answer = client.passkeyAnswer
    answer.aaguid = Self.aaguid
    change(&answer)
    try await client.submit(
      "enroll-authenticator", ["credentials": answer.attestation(format: "packed", signed: true)])
    return client.isDone ? nil : client.messageText ?? "no message"
  }

  @Test("An attestation of a manufacturer is accepted", arguments: rightCertificates)
  func accepted(name: String, change: Change) async throws {
    try await expectEqual(enroll(change), nil)
  }

  @Test("What is wrong with a certificate is named", arguments: wrongAttestations)
  func refused(words: String, change: Change) async throws {
    let text = try await enroll(change) ?? "accepted"
    expectContains(text, "its attestation is wrong: ")
    expectContains(text, words)
  }

  // MARK: An attestation by OpenSSL

  /// The key and the certificate were made with `openssl req -new -x509`, the signature with
  /// `openssl dgst -sha256 -sign`.
  private static let openSSL = """
    o2NmbXRmcGFja2VkZ2F0dFN0bXSjY2FsZyZjc2lnWEYwRAIgMYInJDT1s3yo1JqcaMxgNYgf1HOaKTmIqpqozevr8o0CIBrS\
    Kuis5Vq7E1Jml9iAHULhijPsAPPw70waHhobqsm0Y3g1Y4FZAe8wggHrMIIBkaADAgECAgISZzAKBggqhkjOPQQDAjBkMQsw\
    CQYDVQQGEwJOWjEdMBsGA1UECgwURXhhbXBsZSBLZXlzIExpbWl0ZWQxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0\
    YXRpb24xEjAQBgNVBAMMCUdyZWVuIGtleTAeFw0yNjExMjIxNjMyNTZaFw0zNjExMTkxNjMyNTZaMGQxCzAJBgNVBAYTAk5a\
    MR0wGwYDVQQKDBRFeGFtcGxlIEtleXMgTGltaXRlZDEiMCAGA1UECwwZQXV0aGVudGljYXRvciBBdHRlc3RhdGlvbjESMBAG\
    A1UEAwwJR3JlZW4ga2V5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2IJRf2x_7qY3s1vS4Vbd3qopu2SAadOjUqUbpWoy\
    k1qYvVdG1DBdujhYAvZrQv4bo0sXboPytTVfa_-BP37jqKMzMDEwDAYDVR0TAQH_BAIwADAhBgsrBgEEAYLlHAEBBAQSBBAQ\
    ERITFBUWFxgZGhscHR4fMAoGCCqGSM49BAMCA0gAMEUCIQDfDj1hO64mSeTkVLDfPV-5sCu0mbwN07qfIe1-VKJijAIgTcNU\
    hirSucMNKbXfj8Qk4YGiqoXH65W8ty_FgDRrYnJoYXV0aERhdGFYsstTDJ9t32yLsA665ZEwlVHJakxj6yeCjVfSq2ZeQIjn\
    xQAAAAAQERITFBUWFxgZGhscHR4fACBAQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX6UBAgMmIAEhWCBJS9rPbJjy\
    QDE7fKjUuDH_K9cnhoNEd2woY0YV4XRUHiJYIDmD_PqDG_OX9rJryReGjEeFXNpNKXpRLEg_GNRMOr_AoWtjcmVkUHJvdGVj\
    dAI
    """
  private static let clientData = #"""
    {"type":"webauthn.create","challenge":"AAECAwQFBgc","origin":"https://demo.okta.example",\#
    "crossOrigin":false}
    """#

  private func verify(_ bytes: [UInt8], hash: [UInt8]) -> Bool {
    guard let object = AttestationObject(bytes),
      let attested = AuthenticatorData(object.authenticatorData)?.attested
    else { return false }
    return (try? object.verify(attested, clientDataHash: hash)) != nil
  }

  @Test(
    "An attestation of OpenSSL is valid, but not for other client data or with a changed bit"
  )
  func otherImplementation() throws {
    let bytes = try require(Base64URL.decode(Self.openSSL))
    let right = HashFunction.sha256.hash(Array(Self.clientData.utf8))
    expect(verify(bytes, hash: right))
    var hash = right
    hash[31] ^= 1
    expect(!verify(bytes, hash: hash))
    let object = try require(AttestationObject(bytes))
    let data = try require(AuthenticatorData(object.authenticatorData))
    expectEqual(data.attested?.aaguid, Self.aaguid)
    expectEqual(data.attested?.credentialID, Array(0x40..<0x60))
    expectEqual(data.extensions, .map(["credProtect": 2]))
    expectEqual(data.bytes, object.authenticatorData)

    let certificate = try require(CBOR(bytes)?["attStmt"]?["x5c"])
    guard case .array(let certificates) = certificate, let der = certificates.first?.bytes else {
      Issue.record("There is no certificate.")
      return
    }
    let key = try AttestationCertificate(der).publicKey
    let signature = try require(CBOR(bytes)?["attStmt"]?["sig"]?.bytes)
    for part in [object.authenticatorData, key.x + key.y, signature] {
      let start = try require(bytes.indices.first { bytes[$0...].starts(with: part) })
      for position in stride(from: start % 5, to: part.count, by: 5) {
        var changed = bytes
        changed[start + position] ^= 1 << UInt8(position % 8)
        expect(!verify(changed, hash: right), "\(start + position)")
      }
    }
  }

  @Test("A certificate that ends early, or in which one byte has another value, is read or refused")
  func damagedCertificates() {
    let der = TestCertificate().der
    for count in der.indices {
      #expect(throws: DERReader.InvalidDER.self) {
        try AttestationCertificate(Array(der.prefix(count)))
      }
    }
    #expect(throws: DERReader.InvalidDER.self) { try AttestationCertificate(der + [0]) }
    for position in der.indices {
      for value: UInt8 in [0x00, 0x7f, 0x80, 0x83, 0x84, 0xff] {
        var changed = der
        changed[position] = value
        _ = try? AttestationCertificate(changed).check(aaguid: Self.aaguid)
      }
    }
  }
}
