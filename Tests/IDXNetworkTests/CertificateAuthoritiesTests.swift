import Expectations
import Foundation
import Testing

@testable import IDXNetwork

/// Certificate authorities.
struct CertificateAuthoritiesTests {
  private func file(_ text: String) throws -> String {
    let url = FileManager.default.temporaryDirectory.appending(path: "idx-flow-\(UUID()).pem")
    try Data(text.utf8).write(to: url)
    return url.path
  }

  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MAMC
    AQA=
    -----END CERTIFICATE-----

    """

  @Test(
    "All certificates of a file are read, and texts between them are ignored",
    arguments: ["\n", "\r\n", "\r", " \n  "])
  func several(lineBreak: String) throws {
    let text = Self.certificate + "# more\n" + Self.certificate
    let path = try file("\u{FEFF}" + text.replacingOccurrences(of: "\n", with: lineBreak))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let authorities = try CertificateAuthorities(file: path)
    expect(authorities.file == path && authorities.certificates.count == 2)
  }

  @Test(
    "A file without a certificate, or that does not exist, is refused",
    arguments: [
      "", "certificate", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----",
      "-----BEGIN CERTIFICATE-----\nMAMCAQA=",
      "-----BEGIN PRIVATE KEY-----\nMAMCAQA=\n-----END PRIVATE KEY-----",
    ])
  func noCertificate(text: String) throws {
    let path = try file(text)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let error = #expect(throws: CertificateAuthorities.FileError.self) {
      try CertificateAuthorities(file: path)
    }
    expect(error?.code == .noCertificate && error?.message.contains(path) == true)
    let missing = #expect(throws: CertificateAuthorities.FileError.self) {
      try CertificateAuthorities(file: "/nowhere/ca.pem")
    }
    expectEqual(missing?.code, .unreadable)
  }
}
