import Foundation

/// nginx with TLS and HTTP/2 in front of a server, with a certificate of an authority of its own.
///
/// The authority is one of many: a file contains it after those of the system, so that requests read as many
/// as in real use.
final class TLSProxy {
  /// The start of its addresses.
  let origin: String
  /// The file with the authorities.
  let authorities: String

  private let folder: URL
  private let nginx: Process

  /// Starts nginx; nil if nginx or openssl is not installed.
  init?(before backend: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "idx-benchmark-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.path
    let (certificate, key) = ("\(path)/server.pem", "\(path)/server.key")
    guard
      let openssl = try? Self.start([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", key, "-out", certificate,
      ])
    else { return nil }
    openssl.waitUntilExit()
    guard openssl.terminationStatus == 0 else { return nil }

    let system = (try? String(contentsOfFile: Self.system, encoding: .utf8)) ?? ""
    authorities = "\(path)/authorities.pem"
    try (system + String(contentsOfFile: certificate, encoding: .utf8)).write(
      toFile: authorities, atomically: true, encoding: .utf8)

    let port = try RecordedServer.freePort()
    origin = "https://localhost:\(port)"
    let configuration = """
      pid \(path)/pid;
      error_log \(path)/error.log;
      worker_processes 2;
      worker_rlimit_nofile 20000;
      events { worker_connections 20000; }
      http {
        access_log off;
        client_body_temp_path \(path);
        proxy_temp_path \(path);
        proxy_read_timeout 600;
        server {
          listen 127.0.0.1:\(port) ssl http2 backlog=4096;
          ssl_certificate \(certificate);
          ssl_certificate_key \(key);
          location / { proxy_pass \(backend); }
        }
      }
      """
    try configuration.write(toFile: "\(path)/nginx.conf", atomically: true, encoding: .utf8)
    guard
      let nginx = try? Self.start([
        "nginx", "-p", path, "-e", "\(path)/error.log", "-c", "\(path)/nginx.conf", "-g",
        "daemon off;",
      ])
    else { return nil }
    self.nginx = nginx
    // It writes its process ID when it listens.
    guard Self.waits(for: "\(path)/pid", of: nginx) else {
      nginx.waitUntilExit()
      return nil
    }
  }

  deinit {
    nginx.terminate()
    nginx.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static let system = "/etc/ssl/certs/ca-certificates.crt"

  private static func start(_ command: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Waits until a program has written a file; false if it ends before.
  private static func waits(for file: String, of process: Process) -> Bool {
    while process.isRunning {
      if FileManager.default.fileExists(atPath: file) { return true }
      usleep(10_000)
    }
    return false
  }
}
