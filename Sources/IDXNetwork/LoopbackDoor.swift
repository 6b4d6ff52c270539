import Dispatch
import Foundation
import IDXFlow

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The sockets of a ``LoopbackListener``, and the wait at them, which blocks a thread.
final class LoopbackDoor: Sendable {
  /// How many connections may stand at once; the oldest makes room for another.
  private static let capacity = 16

  let url: URL

  private let listeners: [Int32]
  private let bell: (ring: Int32, ear: Int32)
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
    bell = (ring: ends[1], ear: ends[0])
    listeners = sockets.map(\.descriptor)
    var components = URLComponents(url: uri, resolvingAgainstBaseURL: false)
    components?.port = (sockets.first?.port).map(Int.init)
    url = port == 0 ? components?.url ?? uri : uri
    waiting.enter()
  }

  deinit {
    close(bell.ring)
    close(bell.ear)
  }

  /// Blocks until a browser comes to the URL; to be called once.
  ///
  /// Throws `CancellationError` when the door is shut.
  func visitor() throws -> URL {
    defer {
      for listener in listeners { close(listener) }
      waiting.leave()
    }
    let reception = LoopbackReception(url)
    var guests: [LoopbackGuest] = []
    while true {
      let descriptors = [bell.ear] + listeners + guests.map(\.descriptor)
      let ready = try Self.ready(descriptors, before: guests.map(\.deadline).min())
      if ready.contains(bell.ear) { throw CancellationError() }
      var staying: [LoopbackGuest] = []
      for guest in guests where guest.deadline > .now {
        guard ready.contains(guest.descriptor) else {
          staying.append(guest)
          continue
        }
        guard guest.listen() else { continue }
        guard let reply = reception.reply(to: guest.heard) else {
          staying.append(guest)
          continue
        }
        guest.say(reply.bytes)
        if let url = reply.url { return url }
      }
      for listener in listeners where ready.contains(listener) {
        if let guest = LoopbackGuest(at: listener) { staying.append(guest) }
      }
      guests = staying.suffix(Self.capacity)
    }
  }

  /// Ends the wait; nobody listens any more when this returns.
  func shut() {
    _ = withUnsafeBytes(of: UInt8(0)) { write(bell.ring, $0.baseAddress, 1) }
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
