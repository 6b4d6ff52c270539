import Foundation
public import IDXBase

/// Certificate authorities that a ``URLSessionTransport`` trusts in place of those of the system: for an org
/// behind a proxy that inspects TLS, or for a server with a private authority.
///
///     let authorities = try CertificateAuthorities(file: "/etc/company/ca.pem")
///     let transport = URLSessionTransport(authorities: authorities)
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
    certificates = Self.certificates(in: String(decoding: content, as: UTF8.self))
    guard !certificates.isEmpty else {
      throw FileError(
        code: .noCertificate,
        message:
          "\(file.printable) contains no certificate in PEM form. Such a file has lines with "
          + "\(Self.begin). To convert one: openssl x509 -inform der -in FILE -out FILE.pem")
    }
  }

  /// Whether the file is one that FoundationNetworking trusts anyway.
  var areOfSystem: Bool {
    let files = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]
    let own = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    return files.contains { path in
      path == file || URL(fileURLWithPath: path).resolvingSymlinksInPath().path == own
    }
  }

  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  private static func certificates(in text: String) -> [Data] {
    var (certificates, rest): ([Data], Substring) = ([], text[...])
    while let start = rest.firstRange(of: begin) {
      rest = rest[start.upperBound...]
      guard let stop = rest.firstRange(of: end) else { break }
      let base64 = rest[..<stop.lowerBound].filter { !$0.isWhitespace }
      // A certificate is a sequence in DER.
      if let certificate = Data(base64Encoded: String(base64)), certificate.first == 0x30 {
        certificates.append(certificate)
      }
      rest = rest[stop.upperBound...]
    }
    return certificates
  }
}
