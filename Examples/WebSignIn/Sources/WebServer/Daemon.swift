import CMicroHTTPD
import Foundation

/// The daemon of libmicrohttpd, and the functions that it calls.
///
/// The pointer is only used to stop the daemon and to ask for its port, which any thread may do.
final class Daemon: @unchecked Sendable {
  let port: UInt16
  private let pointer: OpaquePointer
  /// libmicrohttpd keeps a pointer to it.
  private let site: Site

  init(site: Site, port: UInt16, limits: HTTPServer.Limits) throws {
    MHD_allow_open_files(rlim_t(limits.connections) * 4)
    let context = Unmanaged.passUnretained(site).toOpaque()
    let daemon = MHD_start_on_loopback(
      port, limits.connections, limits.idleSeconds, start, handle, context, complete)
    guard let daemon else {
      throw HTTPServer.CannotListen(port: port, reason: String(cString: strerror(errno)))
    }
    pointer = daemon
    self.site = site
    self.port = MHD_bound_port(daemon)
  }

  func stop() { MHD_stop_daemon(pointer) }
}

/// A connection may be resumed from any thread.
private struct Connection: @unchecked Sendable {
  let pointer: OpaquePointer

  func resume() { MHD_resume_connection(pointer) }

  func send(_ response: HTTPResponse) -> MHD_Result {
    let made = response.body.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
    return MHD_queue_response(pointer, UInt32(response.status), made)
  }

  /// All header fields; several with one name are joined.
  var headers: [String: String] {
    var fields: [String: String] = [:]
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values(
        pointer, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name, let value else { return .YES }
          let fields = context.assumingMemoryBound(to: [String: String].self)
          let key = String(cString: name).withoutManyMarks.lowercased()
          guard !key.isEmpty else { return .YES }
          let separator = key == "cookie" ? "; " : ", "
          let text = String(cString: value).withoutManyMarks
          fields.pointee[key] = fields.pointee[key].map { $0 + separator + text } ?? text
          return .YES
        }, fields)
    }
    return fields
  }
}

// MARK: - Called by libmicrohttpd

/// A request line arrived: its target is only known here as it was received.
private let start:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
    -> UnsafeMutableRawPointer? = { _, target, _ in
      let target = target.map { String(cString: $0) } ?? "/"
      return Unmanaged.passRetained(Exchange(target: target)).toOpaque()
    }

/// A request ended, with or without a response.
private let complete: MHD_RequestCompletedCallback = { _, _, context, _ in
  guard let exchange = context?.pointee else { return }
  Unmanaged<Exchange>.fromOpaque(exchange).release()
  context?.pointee = nil
}

/// The head of a request arrived, a part of its body, or its end; or it was resumed.
private let handle: MHD_AccessHandlerCallback = {
  site, connection, _, method, _, data, size, context in
  guard let site, let connection, let method, let size, let context = context?.pointee else {
    return .NO
  }
  let owner = Unmanaged<Site>.fromOpaque(site).takeUnretainedValue()
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  let active = Connection(pointer: connection)
  if let response = exchange.response { return active.send(response) }
  if exchange.begin(String(cString: method), active.headers) {
    guard exchange.request.hasClearLength else { return .NO }
    let length = exchange.request.headers["content-length"].flatMap { Int($0) } ?? 0
    return length <= owner.bodySize
      ? .YES : active.send(HTTPResponse(status: 413, body: Array("The body is too long.".utf8)))
  }
  if size.pointee > 0 {
    let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
    size.pointee = 0
    return exchange.append(bytes, limit: owner.bodySize) ? .YES : .NO
  }
  let isAnswered = owner.answer(
    exchange, suspend: { MHD_suspend_connection(connection) }, resume: { active.resume() })
  return isAnswered ? .YES : active.send(HTTPResponse(status: 503))
}
