#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One connection of a browser, which ends with the last reference to it; one thread uses it.
final class LoopbackConnection {
  /// How long a browser may take over its request.
  private static let timeout: Duration = .seconds(10)

  let descriptor: Int32
  /// When the connection is given up.
  let deadline: ContinuousClock.Instant
  /// What the browser has said so far.
  private(set) var received: [UInt8] = []

  /// Takes a connection; nil where there is none any more.
  init?(at listener: Int32) {
    let accepted = accept(listener, nil, nil)
    guard accepted >= 0 else { return nil }
    LoopbackSocket.prepare(accepted)
    descriptor = accepted
    deadline = .now + Self.timeout
  }

  deinit { close(descriptor) }

  /// Reads what there is; tells whether more may come.
  func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    received += buffer.prefix(count)
    return count > 0
  }

  /// Writes a short reply, which a new connection takes at once, and says that no more will come.
  func reply(_ bytes: [UInt8]) {
    #if canImport(Darwin)
      _ = send(descriptor, bytes, bytes.count, 0)
    #else
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
    shutdown(descriptor, Int32(SHUT_WR))
  }
}
