import CMicroHTTPD
import Foundation
import Synchronization

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

  /// Starts a server; the port 0 chooses a free one.
  public init(port: UInt16, limits: Limits = Limits(), handler: @escaping Handler) throws {
    let site = Site(bodySize: limits.bodySize, handler: handler)
    self.site = site
    daemon = try Daemon(site: site, port: port, limits: limits)
    self.port = daemon.port
  }

  /// Waits for the requests that are being answered, and closes all connections.
  public func stop() async {
    await site.finish()
    daemon.stop()
  }
}

/// What all connections share.
final class Site: Sendable {
  let bodySize: Int
  private let handler: HTTPServer.Handler
  /// The requests that are being answered; nil when no more are answered.
  private let tasks = Mutex<[ObjectIdentifier: Task<Void, Never>]?>([:])

  init(bodySize: Int, handler: @escaping HTTPServer.Handler) {
    self.bodySize = bodySize
    self.handler = handler
  }

  /// Suspends a connection and answers its request; returns false if the server ends.
  func answer(
    _ exchange: Exchange, suspend: () -> Void, resume: @escaping @Sendable () -> Void
  ) -> Bool {
    let request = exchange.request
    return tasks.withLock { running in
      guard running != nil else { return false }
      suspend()
      running?[ObjectIdentifier(exchange)] = Task {
        exchange.finish(await handler(request))
        resume()
        tasks.withLock { $0?[ObjectIdentifier(exchange)] = nil }
      }
      return true
    }
  }

  /// Waits for all answers, because no connection may be suspended when the daemon stops.
  func finish() async {
    while let task = next() { await task.value }
  }

  private func next() -> Task<Void, Never>? {
    tasks.withLock { running in
      let next = running?.first?.value
      if next == nil { running = nil }
      return next
    }
  }
}

/// One request and its response.
///
/// libmicrohttpd calls it from its own thread, and the handler finishes it from another.
final class Exchange: Sendable {
  private struct State {
    var request: HTTPRequest
    var isBegun = false
    var response: HTTPResponse?
  }

  private let state: Mutex<State>

  init(target: String) { state = Mutex(State(request: HTTPRequest(target: target))) }

  var request: HTTPRequest { state.withLock { $0.request } }
  var response: HTTPResponse? { state.withLock { $0.response } }

  /// Takes the head of the request; returns false if that has happened before.
  func begin(_ method: String, _ headers: [String: String]) -> Bool {
    state.withLock { state in
      guard !state.isBegun else { return false }
      state.isBegun = true
      state.request.method = method
      state.request.headers = headers
      return true
    }
  }

  /// Takes a part of the body; returns false if the body is too long.
  func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    state.withLock { state in
      guard state.request.body.count + bytes.count <= limit else { return false }
      state.request.body += bytes
      return true
    }
  }

  func finish(_ response: HTTPResponse) { state.withLock { $0.response = response } }
}
