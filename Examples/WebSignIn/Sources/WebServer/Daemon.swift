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

  /// Accepts no more connections; those that are open stay.
  func refuseConnections() {
    let listener = MHD_quiesce_daemon(pointer)
    if listener >= 0 { close(listener) }
  }

  /// Closes all connections; none may be suspended.
  func stop() { MHD_stop_daemon(pointer) }
}

/// A connection may be resumed from any thread.
private struct Connection: @unchecked Sendable {
  let pointer: OpaquePointer

  func suspend() { MHD_suspend_connection(pointer) }
  func resume() { MHD_resume_connection(pointer) }

  /// Sends a response; after the last one, the connection is closed.
  func send(_ response: HTTPResponse, isLast: Bool) -> MHD_Result {
    let made = response.body.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
    if isLast { MHD_add_response_header(made, "Connection", "close") }
    return MHD_queue_response(pointer, UInt32(response.status), made)
  }

  /// Refuses a request whose body may not have been read.
  func refuse(_ status: Int, _ reason: String) -> MHD_Result {
    let response = HTTPResponse(
      status: status, headers: [("Content-Type", "text/plain")], body: Array(reason.utf8))
    return send(response, isLast: true)
  }

  /// The head of the request.
  func head(
    _ method: UnsafePointer<CChar>, _ target: String, _ version: UnsafePointer<CChar>
  ) -> RequestHead {
    var reader = FieldReader(lineEnd: version + strlen(version))
    withUnsafeMutablePointer(to: &reader) { reader in
      _ = MHD_get_connection_values_n(
        pointer, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          guard let context, let name else { return .YES }
          context.assumingMemoryBound(to: FieldReader.self).pointee
            .read(name, nameSize, value, valueSize)
          return .YES
        }, reader)
    }
    let methodSize = strlen(method)
    let isLineWhole = method + methodSize + 1 + target.utf8.count + 1 == version
    // CR LF after the last line, and another one for the empty line.
    let isEndWhole = method + MHD_head_size(pointer) == reader.lineEnd + 4
    return RequestHead(
      method: String(cString: method), target: target, version: String(cString: version),
      fields: reader.fields, hasOtherBytes: !isLineWhole || reader.hasGap || !isEndWhole)
  }
}

/// Reads the fields of a request, and finds bytes between them.
///
/// libmicrohttpd 0.9.75 ends a value at a NUL, skips fields without a name, and copies those that are
/// continued in the next line. All other fields stay where they were received, so each begins two bytes (CR LF)
/// after the line before it.
private struct FieldReader {
  private(set) var fields: [(name: [UInt8], value: [UInt8])] = []
  private(set) var hasGap = false
  /// The end of the last line, without CR LF.
  private(set) var lineEnd: UnsafePointer<CChar>

  init(lineEnd: UnsafePointer<CChar>) { self.lineEnd = lineEnd }

  mutating func read(
    _ name: UnsafePointer<CChar>, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
  ) {
    hasGap = hasGap || name != lineEnd + 2
    lineEnd = value.map { $0 + valueSize } ?? name + nameSize
    let valueBytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
    fields.append((Array(UnsafeRawBufferPointer(start: name, count: nameSize)), trim(valueBytes)))
  }

  /// A value without the spaces at its end, which do not belong to it.
  private func trim(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let end = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? -1
    return Array(bytes.prefix(end + 1))
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
private let complete: MHD_RequestCompletedCallback = { site, _, context, _ in
  guard let site, let pointer = context?.pointee else { return }
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer)
  Unmanaged<Site>.fromOpaque(site).takeUnretainedValue().end(exchange.takeUnretainedValue())
  exchange.release()
  context?.pointee = nil
}

/// The head of a request arrived, a part of its body, or its end; or it was resumed.
private let handle: MHD_AccessHandlerCallback = {
  site, connection, _, method, version, data, size, context in
  guard let site, let connection, let method, let version, let size, let context = context?.pointee
  else { return .NO }
  let owner = Unmanaged<Site>.fromOpaque(site).takeUnretainedValue()
  let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  let active = Connection(pointer: connection)
  if let response = exchange.response { return active.send(response, isLast: owner.isStopping) }
  if !exchange.isBegun {
    let head = active.head(method, exchange.request.target, version)
    if let status = head.refusal { return active.refuse(status, "The request is not clear.") }
    guard !owner.isStopping else { return active.refuse(503, stopping) }
    exchange.begin(head)
    let length = exchange.request.headers["content-length"].map { Int($0) ?? .max } ?? 0
    return length <= owner.bodySize ? .YES : active.refuse(413, "The body is too long.")
  }
  if size.pointee > 0 {
    let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
    size.pointee = 0
    return exchange.append(bytes, limit: owner.bodySize) ? .YES : .NO
  }
  let isAnswered = owner.answer(
    exchange, suspend: { active.suspend() }, resume: { active.resume() })
  return isAnswered ? .YES : active.refuse(503, stopping)
}

private let stopping = "The server is stopping."
