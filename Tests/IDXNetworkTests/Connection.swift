import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The server's end of a connection; one thread uses it.
final class Connection {
  private let socket: Int32
  private var unread: [UInt8] = []

  init(socket: Int32) {
    self.socket = socket
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// The next request; nil where the connection is at its end.
  func request(_ number: Int) -> LoopbackServer.Request? {
    guard let head = readHead() else { return nil }
    let lines = head.components(separatedBy: "\r\n")
    let start = lines[0].split(separator: " ").map(String.init)
    guard start.count == 3 else { return nil }
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      return (String(line[..<colon]), value)
    }
    let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap {
      Int($0.value)
    }
    while unread.count < length ?? 0 {
      guard readMore() else { return nil }
    }
    let body = Array(unread.prefix(length ?? 0))
    unread.removeFirst(body.count)
    return LoopbackServer.Request(
      connection: number, method: start[0], target: start[1], headers: headers, body: body)
  }

  /// Whether the connection is still good for another request.
  func perform(_ steps: [LoopbackServer.Step]) -> Bool {
    for step in steps {
      switch step {
      case .send(let text): guard write(Array(text.utf8)) else { return false }
      case .sendBytes(let bytes): guard write(bytes) else { return false }
      case .hold:
        while readMore() {}
        return false
      case .close: return false
      case .reset:
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        return false
      }
    }
    return true
  }

  private func readHead() -> String? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let found = unread.indices.first(where: { unread[$0...].starts(with: end) }) {
        let head = String(decoding: unread[..<found], as: UTF8.self)
        unread.removeFirst(found + end.count)
        return head
      }
      guard readMore() else { return nil }
    }
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread += buffer[..<count]
    return true
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let sent = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) }
      #else
        let sent = rest.withUnsafeBytes {
          send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
      #endif
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
