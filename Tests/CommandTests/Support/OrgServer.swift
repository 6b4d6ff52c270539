import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSystem
import IDXSimulatedOrg

/// A simulated org that processes reach over the loopback.
final class OrgServer: Sendable {
  /// The org, whose behavior and time a test can change.
  let org: SimulatedOrg
  private let server: LoopbackServer
  private let log = Locked<[TransportRequest]>([])
  private let interruptions = Locked<[String: @Sendable () async -> Void]>([:])

  /// Creates an org whose users sign in with a username and a password, or by another policy.
  init(
    users: [SimulatedUser] = [.demo], policy: SignInPolicy = SignInPolicy(start: .withPassword),
    redirectURI: String = "com.example.demo:/callback", clientSecret: Secret? = nil
  ) throws {
    server = try LoopbackServer()
    // Codes of the org do not expire while a busy machine starts a program.
    let start = Date()
    org = SimulatedOrg(
      issuer: "\(server.address)/oauth2/default",
      clientSecret: clientSecret, redirectURIs: [redirectURI], users: users, policy: policy,
      clock: { start })
    server.start { [org, log, interruptions] request in
      log.withLock { $0.append(request) }
      let name = request.url.lastPathComponent
      if let interruption = interruptions.withLock({ $0.removeValue(forKey: name) }) {
        await interruption()
      }
      return (try? await org.send(request)).map(Self.bytes)
    }
  }

  var issuer: String { org.issuer.absoluteString }

  /// The host and the port.
  var host: String { "127.0.0.1:\(org.issuer.port ?? 0)" }

  /// The options that name the org and its app.
  var options: [String] {
    ["--issuer", issuer, "--client-id", org.clientID, "--redirect-uri", org.redirectURI]
  }

  /// The paths of all requests, in order.
  var paths: [String] { log.withLock { $0 }.map(\.url.path) }

  /// The forms that were posted to addresses with this ending, in order.
  func forms(to path: String) -> [[String: String]] {
    log.withLock { $0 }.filter { $0.url.path.hasSuffix(path) }.map { request in
      let pairs = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? []
      return Dictionary(pairs) { $1 }
    }
  }

  /// The different values of a header field in all requests.
  func values(of header: String) -> Set<String?> {
    Set(log.withLock { $0 }.map { $0.headers[header] })
  }

  /// The refresh tokens that were used, in order.
  var refreshTokens: [String] {
    forms(to: "/token").filter { $0["grant_type"] == "refresh_token" }
      .compactMap { $0["refresh_token"] }
  }

  /// Runs a body before the next request to an address with this ending is answered.
  func before(_ name: String, do body: @escaping @Sendable () async -> Void) {
    interruptions.withLock { $0[name] = body }
  }

  /// Refuses further connections.
  func stop() { server.stop() }

  static func bytes(_ response: TransportResponse) -> [UInt8] {
    let fields = response.headers.filter { $0.key.lowercased() != "content-length" }
    let lines =
      ["HTTP/1.1 \(response.status) -", "Content-Length: \(response.body.count)"]
      + ["Connection: close"] + fields.map { "\($0.key): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + response.body
  }
}

extension SimulatedUser {
  /// A second user.
  static let bob = SimulatedUser(
    login: "bob@example.com", password: "Differential-1822", firstName: "Bob")
}
