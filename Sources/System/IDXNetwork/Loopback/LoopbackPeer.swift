import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program at the other end of a connection within this computer.
///
/// On Linux, the system says to which user it belongs (`/proc/net/tcp`, in proc(5)).
enum LoopbackPeer {
  /// Whether a connection may be one of this user: it is so, or belongs to root, which can do everything anyway, or the
  /// system has no table of connections.
  ///
  /// A connection that the table does not have is that of a program that has ended, which another user can start too.
  static func mayBeOwn(_ descriptor: Int32) -> Bool {
    #if os(Linux)
      guard let own = address(of: descriptor, getsockname),
        let peer = address(of: descriptor, getpeername)
      else { return false }
      // A program can reach an address of IPv4 with a socket of IPv6. Twice, because a table that is read in parts can
      // miss an entry while others change.
      let mapped = "0000000000000000FFFF0000"
      let places = [
        ("/proc/net/tcp", peer, own), ("/proc/net/tcp6", peer, own),
        ("/proc/net/tcp6", mapped + peer, mapped + own),
      ]
      for _ in 0..<2 {
        let tables = places.map { content(of: $0.0) }
        guard tables.contains(where: { $0 != nil }) else { return true }
        for (table, (_, peer, own)) in zip(tables, places) {
          if let owner = table.flatMap({ self.owner(of: peer, connectedTo: own, in: $0) }) {
            return owner == 0 || owner == geteuid()
          }
        }
      }
      return false
    #else
      return true
    #endif
  }

  /// The user of the other end of a connection; nil if no program has it any more, which the table writes as root.
  static func owner(of peer: String, connectedTo own: String, in table: String) -> uid_t? {
    for line in table.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ")
      // The local address, the remote one, and behind some counters the user and the number of the socket.
      guard fields.count > 9, fields[1] == peer, fields[2] == own, fields[9] != "0" else {
        continue
      }
      return uid_t(fields[7])
    }
    return nil
  }

  #if os(Linux)
    /// The content of a file of the system, whose size is not known before; nil if it cannot be read.
    private static func content(of path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return (try? readAll(of: descriptor, limit: 16 << 20)).map {
        String(decoding: $0, as: UTF8.self)
      }
    }

    /// An address as in the table: its words as the computer reads them, and the port.
    private static func address(
      of descriptor: Int32,
      _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String? {
      var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
      var size = socklen_t(bytes.count)
      let isKnown = bytes.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return false }
        return name(descriptor, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
      }
      guard isKnown else { return nil }
      let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
      let words = Int32(bytes[0]) == AF_INET6 ? Array(bytes[8..<24]) : Array(bytes[4..<8])
      return words.withUnsafeBytes { words in
        stride(from: 0, to: words.count, by: 4)
          .map { hex(words.loadUnaligned(fromByteOffset: $0, as: UInt32.self), 8) }.joined()
      } + ":" + hex(port, 4)
    }

    private static func hex(_ number: some BinaryInteger, _ count: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
  #endif
}
