import CMicroHTTPD
import Foundation

/// An HTTP server on the loopback interface, by libmicrohttpd.
///
/// One thread reads and writes all connections. A connection is suspended while its request is answered, so
/// that slow answers need no threads.
public final class HTTPServer: Sendable {
  /// Answers a request.
  public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  /// The limits for requests.
  public struct Limits: Sendable {
    /// The greatest size of a body in bytes; by default 64 KiB.
    public var bodySize = 65_536
    /// The greatest number of connections, also idle ones; by default 4000.
    ///
    /// If there are more, new ones wait until another one is closed. The server raises the limit of the
    /// process for open files, as far as the system allows, to four for each connection: a request may need
    /// three more to ask the org.
    public var connections: UInt32 = 4000
    /// The seconds after which an idle connection is closed; by default 30.
    public var idleSeconds: UInt32 = 30
    /// How long a server that stops waits for the requests in progress; by default ten seconds.
    public var stopTime = Duration.seconds(10)

    /// Creates the default limits.
    public init() {}
  }

  /// The server cannot listen on the port.
  public struct CannotListen: Error, CustomStringConvertible {
    /// The port.
    public let port: UInt16
    /// The reason of the system.
    public let reason: String
    /// What happened.
    public var description: String { "Cannot listen on port \(port): \(reason)." }
  }

  /// The port.
  public let port: UInt16

  private let site: Site
  private let daemon: Daemon
  private let stopTime: Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - port: The port; 0 chooses a free one.
  ///   - limits: The limits for requests.
  ///   - sleep: Waits while the server stops.
  ///   - handler: Answers a request. It is cancelled if the server stops and cannot wait for it any longer.
  public init(
    port: UInt16, limits: Limits = Limits(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    handler: @escaping Handler
  ) throws {
    let site = Site(bodySize: limits.bodySize, handler: handler)
    self.site = site
    daemon = try Daemon(site: site, port: port, limits: limits)
    self.port = daemon.port
    stopTime = limits.stopTime
    self.sleep = sleep
  }

  /// Refuses new connections and new requests, waits for the requests in progress, and closes all connections.
  ///
  /// After ``Limits/stopTime``, it no longer waits. Call it once.
  public func stop() async {
    daemon.refuseConnections()
    await site.finish { [stopTime, sleep] in try? await sleep(stopTime) }
    daemon.stop()
  }
}
