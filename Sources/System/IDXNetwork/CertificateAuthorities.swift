import Foundation
public import IDXBase

/// Certificate authorities that an ``HTTPTransport`` trusts in place of those of the system: for an org
/// behind a proxy that inspects TLS, or for a server with a private authority.
///
///     let authorities = try CertificateAuthorities(file: "/etc/company/ca.pem")
///     let transport = HTTPTransport(authorities: authorities)
///
/// On Linux, the file is read again later, so it must stay in its place, and only trusted people may change it.
public struct CertificateAuthorities: Sendable, Hashable {
  /// The absolute path of the file.
  public let file: String
  /// The certificates in the file, as DER.
  let certificates: [Data]

  /// Why a file cannot be used.
  public struct FileError: CodedError, Hashable {
    /// A reason why a file cannot be used.
    public struct Code: OpenSet {
      /// The name, such as `no_certificate`.
      public let rawValue: String
      /// Creates a code with this name.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The file does not exist, or must not be read.
      public static let unreadable: Code = "unreadable"
      /// The file contains no certificate in PEM form.
      public static let noCertificate: Code = "no_certificate"
    }

    /// The reason.
    public let code: Code
    /// What is wrong with the file, which it names, and what to do.
    public let message: String
  }

  /// Reads a file with one or more certificates in PEM form (RFC 7468): `-----BEGIN CERTIFICATE-----`.
  ///
  /// Texts between the certificates are ignored. Throws ``FileError``.
  public init(file: String) throws(FileError) {
    let url = URL(fileURLWithPath: file)
    self.file = url.path
    guard let content = try? Data(contentsOf: url) else {
      throw FileError(
        code: .unreadable,
        message: "\(file.printable) cannot be read. Check that it exists and that you may read it.")
    }
    certificates = Self.certificates(in: Array(content))
    guard !certificates.isEmpty else {
      throw FileError(
        code: .noCertificate,
        message:
          "\(file.printable) contains no certificate in PEM form. Such a file has lines with "
          + "\(Self.begin). To convert one: openssl x509 -inform der -in FILE -out FILE.pem")
    }
  }

  /// Where Linux systems have a file with their authorities.
  static let filesOfSystem = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The file with the authorities of the system; nil if it is at none of the usual places.
  static var fileOfSystem: String? {
    filesOfSystem.first { FileManager.default.isReadableFile(atPath: $0) }
  }

  /// Whether the file is that of the system.
  var areOfSystem: Bool {
    let own = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    return Self.filesOfSystem.contains { path in
      path == file || URL(fileURLWithPath: path).resolvingSymlinksInPath().path == own
    }
  }

  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  /// Compares bytes line by line: a search in a text takes 20 ms for the 200 KB of a system's file, before
  /// anything is shown.
  private static func certificates(in text: [UInt8]) -> [Data] {
    var certificates: [Data] = []
    var base64: Data?
    let hasByteOrderMark = text.starts(with: [0xEF, 0xBB, 0xBF])
    let content = text.dropFirst(hasByteOrderMark ? 3 : 0)
    for line in content.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let words = line.drop { $0 <= 0x20 }
      if words.starts(with: begin.utf8) {
        base64 = Data()
      } else if words.starts(with: end.utf8) {
        // A certificate is a sequence in DER.
        if let certificate = base64.flatMap({ Data(base64Encoded: $0) }), certificate.first == 0x30
        {
          certificates.append(certificate)
        }
        base64 = nil
      } else {
        base64?.append(contentsOf: line.filter { $0 > 0x20 })
      }
    }
    return certificates
  }
}
