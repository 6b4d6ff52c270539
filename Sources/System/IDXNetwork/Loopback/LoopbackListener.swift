import Dispatch
public import Foundation
public import IDXBase
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Listens on this computer for a browser that returns to a redirect URI.
///
/// It only accepts connections at the loopback address of the URI. A GET request for the URI with a query
/// that the caller accepts gets a page that says to go back to the terminal. Every other request gets an
/// error and changes nothing, because other users of this computer and every web page in the browser can
/// send one. Connections that send nothing, which browsers open in advance, delay nothing. On Linux, it also refuses
/// all requests of other users.
///
///     let listener = try LoopbackListener(redirectURI) { state.isReturn($0) }
///     defer { listener.close() }
///     let url = try await listener.next()
///
/// Source: RFC 8252, sections 7.3 and 8.3.
public final class LoopbackListener: RedirectListener {
  private struct State {
    var result: Result<URL, any Error>?
    var waiter: CheckedContinuation<URL, any Error>?
  }

  /// The redirect URI; port 0 is replaced with the actual port.
  public let url: URL

  private let acceptor: LoopbackAcceptor
  private let state = Locked(State())

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - redirectURI: An http address whose host is in `127.0.0.0/8`, or `[::1]`, or `localhost`,
  ///     which means `127.0.0.1` and `[::1]`. The port is 80 by default; 0 means any free port.
  ///   - accepts: Whether a browser that returns to an address ends the wait. It must check the `state`
  ///     of the sign-in (RFC 6749, section 10.12).
  /// - Throws: A ``LoopbackListenerError`` if the address is not one of these, or cannot be listened at.
  public init(_ redirectURI: URL, accepts: @escaping @Sendable (URL) -> Bool) throws {
    let acceptor = try LoopbackAcceptor(redirectURI, accepts)
    url = acceptor.url
    self.acceptor = acceptor
    let thread = Thread { [state] in
      let result = Result<URL, any Error> { try acceptor.waitForBrowser() }
      let waiter = state.withLock { state in
        state.result = result
        return state.waiter.take()
      }
      waiter?.resume(with: result)
    }
    thread.name = "idx-flow.loopback"
    thread.start()
  }

  deinit { close() }

  /// Waits for the browser and returns the whole address that it returned to, without a fragment.
  ///
  /// The listener stops after the first accepted address, and later calls return the same address. If the
  /// task is canceled or ``close()`` is called, it stops too, and this throws `CancellationError`. Throws
  /// ``LoopbackListenerError/Code/alreadyWaiting`` if another task waits.
  public func next() async throws -> URL {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<URL, any Error>? in
          if state.result == nil, state.waiter == nil {
            state.waiter = continuation
            return nil
          }
          return state.result
            ?? .failure(
              LoopbackListenerError(
                .alreadyWaiting, "Another task is already waiting for the browser."))
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      close()
    }
  }

  /// An address at the redirect URI's origin that leads to a page, on Linux only for this user.
  ///
  /// It works until the listener stops, or until the next call. Elsewhere, the system does not say who sends a request,
  /// so it is the page itself.
  public func entrance(to page: URL) -> URL {
    #if os(Linux)
      acceptor.entrance(to: page, isLast: false)
    #else
      page
    #endif
  }

  /// An entrance with which the wait ends, because the browser does not return from the page; nil where it would be the
  /// page itself.
  package func lastEntrance(to page: URL) -> URL? {
    #if os(Linux)
      acceptor.entrance(to: page, isLast: true)
    #else
      nil
    #endif
  }

  /// Stops listening; idempotent.
  public func close() { acceptor.stop() }
}

/// Why a ``LoopbackListener`` cannot listen or wait.
public struct LoopbackListenerError: CodedError, Hashable {
  /// A reason why a listener cannot listen or wait.
  public struct Code: OpenSet {
    /// The name, such as `port_in_use`.
    public let rawValue: String
    /// Creates a code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The redirect URI is not an http address of this computer.
    public static let invalidRedirectURI: Code = "invalid_redirect_uri"
    /// Another program uses the port.
    public static let portInUse: Code = "port_in_use"
    /// The system reserves the port for privileged programs.
    public static let portNotPermitted: Code = "port_not_permitted"
    /// Another task waits for the same listener.
    public static let alreadyWaiting: Code = "already_waiting"
    /// A system call failed; see ``LoopbackListenerError/systemCode``.
    public static let systemFailed: Code = "system_failed"
  }

  /// The reason.
  public let code: Code
  /// What happened, and if possible what to do.
  public let message: String
  /// The `errno` of the system call; nil for other reasons.
  public let systemCode: Int32?

  /// Creates an error.
  init(_ code: Code, _ message: String, systemCode: Int32? = nil) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }

  /// The error for a failure to listen at an address.
  init(_ failure: SystemFailure, at uri: URL) {
    let (code, reason): (Code, String) =
      switch failure.code {
      case EADDRINUSE:
        (.portInUse, "another program uses the port. Close that program, or use another port")
      case EACCES:
        (.portNotPermitted, "the system reserves the port. Use a port from 1024 upwards")
      case let code: (.systemFailed, "\(String(cString: strerror(code))) (error \(code))")
      }
    self.init(code, "Cannot listen at \(uri): \(reason).", systemCode: failure.code)
  }
}

/// The sockets of a ``LoopbackListener``, and the wait for the browser, which blocks a thread.
private final class LoopbackAcceptor: Sendable {
  /// How many connections can be open at once; then the oldest is closed.
  private static let capacity = 16

  let url: URL

  private let accepts: @Sendable (URL) -> Bool
  private let entrance = Locked<LoopbackResponder.Entrance?>(nil)
  private let listeners: [Int32]
  private let wake: SelfPipe
  private let isWaiting = DispatchGroup()

  init(_ uri: URL, _ accepts: @escaping @Sendable (URL) -> Bool) throws {
    let host = (uri.host ?? "").lowercased().filter { $0 != "[" && $0 != "]" }
    guard Origin(uri).isLocalHTTP, let port = UInt16(exactly: uri.port ?? 80)
    else {
      throw LoopbackListenerError(
        .invalidRedirectURI, "\(uri) is not an http address of this machine.")
    }
    self.accepts = accepts
    do throws(SystemFailure) {
      wake = try SelfPipe()
      let sockets = try Self.openSockets(at: host, port: port)
      listeners = sockets.map(\.descriptor)
      var components = URLComponents(url: uri, resolvingAgainstBaseURL: false)
      components?.port = (sockets.first?.port).map(Int.init)
      url = port == 0 ? components?.url ?? uri : uri
    } catch {
      throw LoopbackListenerError(error, at: uri)
    }
    isWaiting.enter()
  }

  /// An address that leads to a page; no web page can guess it.
  func entrance(to page: URL, isLast: Bool) -> URL {
    let path = "/\(Base64URL.encode(randomBytes(16)))"
    guard let address = URL(string: Origin(url).description + path) else { return page }
    entrance.withLock { $0 = LoopbackResponder.Entrance(path: path, page: page, isLast: isLast) }
    return address
  }

  private func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Blocks until a browser returns to the URL; must be called once.
  ///
  /// Throws `CancellationError` after ``stop()``.
  func waitForBrowser() throws -> URL {
    defer {
      for listener in listeners {
        // A program that is just being started can have a copy, which would go on listening.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
      }
      isWaiting.leave()
    }
    let responder = LoopbackResponder(
      url, entrance: { [entrance] in entrance.withLock { $0 } }, accepts)
    var connections: [LoopbackConnection] = []
    while true {
      let descriptors = [wake.descriptor] + listeners + connections.map(\.descriptor)
      let ready = try Self.ready(descriptors, before: connections.map(\.deadline).min())
      if ready.contains(wake.descriptor) { throw CancellationError() }
      var remaining: [LoopbackConnection] = []
      for connection in connections where connection.deadline > .now {
        guard ready.contains(connection.descriptor) else {
          remaining.append(connection)
          continue
        }
        guard connection.receive() else { continue }
        guard
          let response = responder.response(
            to: connection.received, isOwn: LoopbackPeer.mayBeOwn(connection.descriptor))
        else {
          remaining.append(connection)
          continue
        }
        connection.respond(with: response.bytes)
        if let url = response.url { return url }
      }
      for listener in listeners where ready.contains(listener) {
        if let connection = LoopbackConnection(at: listener) { remaining.append(connection) }
      }
      connections = remaining.suffix(Self.capacity)
    }
  }

  /// Ends the wait; returns after the sockets are closed.
  func stop() {
    wake.send(0)
    isWaiting.wait()
  }

  /// Listens at a host.
  ///
  /// For localhost these are two addresses, because browsers may try either first.
  private static func openSockets(
    at host: String, port: UInt16
  ) throws(SystemFailure) -> [(descriptor: Int32, port: UInt16)] {
    var sockets: [(descriptor: Int32, port: UInt16)] = []
    for address in host == "localhost" ? ["127.0.0.1", "::1"] : [host] {
      do {
        let port = sockets.first?.port ?? port
        sockets.append(try LoopbackSocket.open(at: address, port: port))
      } catch {
        // A machine without IPv6 has only the first address.
        let isMissing = [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code)
        if !sockets.isEmpty, isMissing { continue }
        for socket in sockets { close(socket.descriptor) }
        throw error
      }
    }
    return sockets
  }

  /// Waits until some of the descriptors can be read from, or until the deadline.
  private static func ready(
    _ descriptors: [Int32], before deadline: ContinuousClock.Instant?
  ) throws -> Set<Int32> {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let left = deadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
    let count = poll(
      &polled, nfds_t(polled.count), left.map { Int32(max($0, 0).rounded(.up)) } ?? -1)
    guard count >= 0 || errno == EINTR else {
      let code = errno
      throw LoopbackListenerError(
        .systemFailed, "Waiting for the browser failed: \(String(cString: strerror(code))).",
        systemCode: code)
    }
    return count > 0 ? Set(polled.filter { $0.revents != 0 }.map(\.fd)) : []
  }
}
