import Expectations
import Foundation
import IDXOAuth
import Testing

@testable import IDXNetwork

@Suite("Certificate authorities")
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
    #expect(authorities.file == path && authorities.certificates.count == 2)
  }

  @Test(
    "A file without a certificate is refused",
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
    #expect(error?.code == .noCertificate && error?.message.contains(path) == true)
  }

  @Test("A file that does not exist is refused")
  func missing() {
    let error = #expect(throws: CertificateAuthorities.FileError.self) {
      try CertificateAuthorities(file: "/nowhere/ca.pem")
    }
    expectEqual(error?.code, .unreadable)
  }

  #if canImport(FoundationNetworking)
    @Test("The request for curl is quoted, so that no value adds a setting")
    func settings() throws {
      let path = try file(Self.certificate)
      defer { try? FileManager.default.removeItem(atPath: path) }
      let curl = CurlProgram(
        authorities: try CertificateAuthorities(file: path),
        limits: .init(time: .seconds(9)))
      let request = TransportRequest(
        method: "POST", url: try #require(URL(string: "https://a.example/b?c=d")),
        headers: ["X-Quote": #"a"b\c"#, "X-Empty": ""],
        body: Array("@{\"a\":\"1\n\"}\nproxy = \"evil\"".utf8))
      let lines = curl.settings(for: request).split(separator: "\n").map(String.init)
      #expect(lines.contains(#"url = "https://a.example/b?c=d""#))
      #expect(lines.contains(#"header = "X-Quote: a\"b\\c""#))
      #expect(lines.contains(#"header = "X-Empty;""#))
      #expect(lines.contains(#"data-raw = "@{\"a\":\"1\n\"}\nproxy = \"evil\"""#))
      #expect(lines.contains(#"max-time = "9.0""#) && lines.contains(#"proto = "=https""#))
      #expect(!lines.contains { $0.hasPrefix("proxy") })
      // Without it, the authorities of the system would be trusted too.
      #expect(lines.contains(#"capath = "/dev/null""#))
    }

    @Test("A response is read after those with a status below 200, with repeated fields")
    func response() throws {
      let text =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\nSet-Cookie: a=1\r\n"
        + "set-cookie: b=2\r\nX: y:z\r\n\r\nbody\r\n\r\nmore"
      let response = try #require(TransportResponse(http: Array(text.utf8)))
      expectEqual(response.status, 400)
      #expect(response.header("Set-Cookie") == "a=1, b=2" && response.header("x") == "y:z")
      expectEqual(String(decoding: response.body, as: UTF8.self), "body\r\n\r\nmore")
      expectEqual(TransportResponse(http: Array("<html>".utf8)), nil)
    }
  #endif
}
