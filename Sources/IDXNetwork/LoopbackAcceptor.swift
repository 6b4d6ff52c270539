import IDXOAuth
import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The sockets of a ``LoopbackListener``, and the wait at them, which blocks a thread.
final class LoopbackAcceptor: Sendable {
  /// How many connections may stand at once; the oldest makes room for another.
  private static let capacity = 16

  let url: URL

  private let listeners: [Int32]
  private let wake: (write: Int32, read: Int32)
  private let waiting = DispatchGroup()

  init(_ uri: URL) throws {
    let host = (uri.host ?? "").lowercased().filter { $0 != "[" && $0 != "]" }
    guard uri.scheme?.lowercased() == "http", Origin.isLoopback(host),
      let port = UInt16(exactly: uri.port ?? 80)
    else { throw LoopbackListenerError("\(uri) is no http address on this machine.") }
    let sockets = try Self.sockets(at: host, port: port, for: uri)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let code = errno
      for socket in sockets { close(socket.descriptor) }
      throw LoopbackListenerError("No pipe could be opened (error \(code)).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wake = (write: ends[1], read: ends[0])
    listeners = sockets.map(\.descriptor)
    var components = URLComponents(url: uri, resolvingAgainstBaseURL: false)
    components?.port = (sockets.first?.port).map(Int.init)
    url = port == 0 ? components?.url ?? uri : uri
    waiting.enter()
  }

  deinit {
    close(wake.write)
    close(wake.read)
  }

  /// Blocks until a browser comes to the URL; to be called once.
  ///
  /// Throws `CancellationError` when the acceptor is shut.
  func waitForBrowser() throws -> URL {
    defer {
      for listener in listeners { close(listener) }
      waiting.leave()
    }
    let responder = LoopbackResponder(url)
    var connections: [LoopbackConnection] = []
    while true {
      let descriptors = [wake.read] + listeners + connections.map(\.descriptor)
      let ready = try Self.ready(descriptors, before: connections.map(\.deadline).min())
      if ready.contains(wake.read) { throw CancellationError() }
      var staying: [LoopbackConnection] = []
      for connection in connections where connection.deadline > .now {
        guard ready.contains(connection.descriptor) else {
          staying.append(connection)
          continue
        }
        guard connection.receive() else { continue }
        guard let reply = responder.reply(to: connection.received) else {
          staying.append(connection)
          continue
        }
        connection.reply(reply.bytes)
        if let url = reply.url { return url }
      }
      for listener in listeners where ready.contains(listener) {
        if let connection = LoopbackConnection(at: listener) { staying.append(connection) }
      }
      connections = staying.suffix(Self.capacity)
    }
  }

  /// Ends the wait; nobody listens any more when this returns.
  func shut() {
    _ = withUnsafeBytes(of: UInt8(0)) { write(wake.write, $0.baseAddress, 1) }
    waiting.wait()
  }

  /// Listens at a host, or at both addresses of localhost, as browsers try them in an order of their
  /// own.
  private static func sockets(
    at host: String, port: UInt16, for uri: URL
  ) throws -> [(descriptor: Int32, port: UInt16)] {
    var sockets: [(descriptor: Int32, port: UInt16)] = []
    for address in host == "localhost" ? ["127.0.0.1", "::1"] : [host] {
      do {
        let port = sockets.first?.port ?? port
        sockets.append(try LoopbackSocket.listening(at: address, port: port))
      } catch {
        if !sockets.isEmpty, error.isAddressMissing { continue }
        for socket in sockets { close(socket.descriptor) }
        throw LoopbackListenerError("Nobody can listen at \(uri): \(error.description)")
      }
    }
    return sockets
  }

  /// Waits until some of the descriptors can be read from, or the time is over.
  private static func ready(
    _ descriptors: [Int32], before deadline: ContinuousClock.Instant?
  ) throws -> Set<Int32> {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let left = deadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
    let count = poll(
      &polled, nfds_t(polled.count), left.map { Int32(max($0, 0).rounded(.up)) } ?? -1)
    guard count >= 0 || errno == EINTR else {
      throw LoopbackListenerError("Waiting for the browser failed (error \(errno)).")
    }
    return count > 0 ? Set(polled.filter { $0.revents != 0 }.map(\.fd)) : []
  }
}
