import Expectations
import Foundation
import IDXBase
import IDXSystem
import PortSupport
import TerminalSupport
import Testing

@testable import idx_flow

/// A TLS server with a certificate of a private authority, made by the program `openssl`.
private final class TLSServer: Sendable {
  static var isAvailable: Bool {
    ExternalProgram(named: "openssl", environment: ProcessInfo.processInfo.environment) != nil
  }

  let issuer: String
  let authority: String
  private let reservation: ReservedPort
  private let folder: TemporaryFolder
  private let program: Program
  // A terminal, so that the test can wait for the output.
  private let terminal: PseudoTerminal

  init() async throws {
    terminal = try PseudoTerminal()
    folder = try TemporaryFolder()
    reservation = try ReservedPort()
    let port = reservation.number
    issuer = "https://localhost:\(port)/oauth2/default"
    authority = folder.path("ca.pem")
    let script = try folder.file(
      "server.sh",
      """
      set -e
      cd '\(folder.url.path)'
      new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
      $new -x509 -keyout ca.key -out ca.pem -days 2 -subj '/CN=Private authority'
      $new -keyout server.key -out server.csr -subj /CN=localhost
      echo subjectAltName=DNS:localhost > names
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
        -extfile names -out server.pem
      mkdir -p oauth2/default/.well-known oauth2/default/v1
      # Another issuer, so that the doctor sends nothing more: this server never answers a POST.
      printf 'HTTP/1.0 200 OK\\r\\n\\r\\n{"issuer":"https://other.example"}' \
        > oauth2/default/.well-known/openid-configuration
      exec openssl s_server -accept 127.0.0.1:\(port) -cert server.pem -key server.key -HTTP
      """)
    program = try Program(["-c", ". '\(script)'"], of: "/bin/sh", output: terminal.path)
    _ = try await terminal.shown(until: "ACCEPT")
  }

  deinit { program.send(15) }
}

@Suite(
  "A private certificate authority", .tags(.startsPrograms), .fewPrograms,
  .enabled(if: TLSServer.isAvailable))
struct PrivateAuthorityTests {
  private func tls(
    _ server: TLSServer, _ words: [String] = [], _ environment: [String: String] = [:]
  ) throws -> JSONValue? {
    let end = try Program.run(
      [
        "doctor", "--json", "--issuer", server.issuer, "--client-id", "c", "--redirect-uri", "a:/b",
        "--timeout", "600",
      ] + words, environment: environment)
    return try end.json["checks"]?.array?.first { $0["name"] == "tls" }
  }

  @Test(
    "It is trusted only if --ca-file or SSL_CERT_FILE names its certificate, and another one is not",
    .promise("private-authority"))
  func trusted() async throws {
    let server = try await TLSServer()
    let unknown = try tls(server)
    expectEqual(unknown?["result"], "failed")
    expectEqual(unknown?["remedy"]?.string?.contains("--ca-file FILE"), true)
    try expectEqual(tls(server, ["--ca-file", server.authority])?["result"], "ok")
    try expectEqual(tls(server, [], ["SSL_CERT_FILE": server.authority])?["result"], "ok")
    let another = try await TLSServer()
    let answer = try tls(server, ["--ca-file", another.authority])
    expectEqual(answer?["result"], "failed")
    expectEqual(answer?["message"]?.string?.contains("certificate is not trusted"), true)
  }

  @Test("A file that is missing or holds no certificate is explained, with status 2")
  func unusable() throws {
    let folder = try TemporaryFolder()
    let empty = try folder.file("empty.pem", "nothing")
    for (words, environment, text) in [
      (
        ["--ca-file", "/nowhere.pem"], [:],
        "The file of --ca-file cannot be used. /nowhere.pem cannot"
      ),
      (
        ["--ca-file", "/dev/null"], [:],
        "The file of --ca-file cannot be used. /dev/null is a pipe, a device or a folder."
      ),
      (
        [], ["SSL_CERT_FILE": empty],
        "The file of SSL_CERT_FILE cannot be used. \(empty) contains no"
      ),
    ] as [([String], [String: String], String)] {
      let end = try Program.run(
        ["signin", "--issuer", "https://a.invalid", "--client-id", "c", "--redirect-uri", "a:/b"]
          + words, environment: environment)
      end.expect(status: 2, end.errors.contains(text))
    }
  }
}
