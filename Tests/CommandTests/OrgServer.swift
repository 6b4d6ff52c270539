import IDXBase
import Foundation
import IDXFlow
import IDXTesting
import IDXOAuth
import IDXSystem

/// A simulated org that is reached over the loopback, by a process or in memory.
final class OrgServer: Sendable {
  /// Changes how the org behaves, and passes its time.
  let org: SimulatedOrg
  private let server: LoopbackServer
  private let log = Locked<[TransportRequest]>([])
  private let interludes = Locked<[String: @Sendable () -> Void]>([:])

  /// An org in which each of the users signs in with the name and the password alone.
  init(users: [SimulatedUser] = [.demo]) throws {
    server = try LoopbackServer()
    org = SimulatedOrg(
      issuer: "http://127.0.0.1:\(server.port)/oauth2/default", users: users,
      policy: SignInPolicy(start: .withPassword))
    server.start { [org, log, interludes] request in
      log.withLock { $0.append(request) }
      let name = request.url.lastPathComponent
      if let interlude = interludes.withLock({ $0.removeValue(forKey: name) }) { interlude() }
      return (try? await org.send(request)).map(Self.bytes)
    }
  }

  var issuer: String { org.issuer.absoluteString }

  /// The paths of all requests over the loopback, in order of arrival.
  var paths: [String] { log.withLock { $0 }.map(\.url.path) }

  /// What was posted to addresses that end so, in order of arrival.
  func forms(to path: String) -> [[String: String]] {
    log.withLock { $0 }.filter { $0.url.path.hasSuffix(path) }.map { request in
      let pairs = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? []
      return Dictionary(pairs) { $1 }
    }
  }

  /// The refresh tokens that were sent to get new tokens, in order of arrival.
  var refreshTokens: [String] {
    forms(to: "/token").filter { $0["grant_type"] == "refresh_token" }
      .compactMap { $0["refresh_token"] }
  }

  /// Does something when the next request comes to an address that ends so, before it is answered.
  ///
  /// Whoever waits for the answer waits no longer than that takes, however busy the tests are.
  func before(_ name: String, do interlude: @escaping @Sendable () -> Void) {
    interludes.withLock { $0[name] = interlude }
  }

  /// Refuses connections from now on.
  func stop() { server.stop() }

  private static func bytes(_ response: TransportResponse) -> [UInt8] {
    let fields = response.headers.filter { $0.key.lowercased() != "content-length" }
    let lines =
      ["HTTP/1.1 \(response.status) -", "Content-Length: \(response.body.count)"]
      + ["Connection: close"] + fields.map { "\($0.key): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + response.body
  }
}

extension SimulatedUser {
  /// Another person beside ``demo``.
  static let bob = SimulatedUser(
    login: "bob@example.com", password: "Differential-1822", firstName: "Bob")
}
