#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The names and addresses by which browsers and resolvers reach this computer.
///
/// This is wide on purpose, to warn of pages. What is trusted as this computer is `Origin.isLoopback`.
package enum LocalHost {
  /// Whether a host of a URL, without percent-encoding, may be this computer.
  package static func mayBeNamed(_ host: String) -> Bool {
    var name = host.lowercased()
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    // A name may end with the dot of the root, an IPv6 address with a zone.
    if name.hasSuffix(".") { name.removeLast() }
    if let zone = name.firstIndex(of: "%") { name = String(name[..<zone]) }
    return ["localhost", "ip6-localhost", "ip6-loopback"].contains(name)
      || name.hasSuffix(".localhost") || isIPv4(name) || isIPv6(name)
  }

  /// Whether a text is an address in 127.0.0.0/8 or 0.0.0.0/8, in any form that the system reads, such as
  /// `127.1` or `0x7f000001`.
  private static func isIPv4(_ text: String) -> Bool {
    var address = in_addr()
    guard inet_aton(text, &address) != 0 else { return false }
    return isLocal(firstByte: UInt8(truncatingIfNeeded: UInt32(bigEndian: address.s_addr) >> 24))
  }

  /// Whether a text is `::`, `::1`, or an IPv6 address that contains an IPv4 address of this computer.
  private static func isIPv6(_ text: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, text, &bytes) == 1 else { return false }
    let mark = Array(bytes[10..<12])
    return bytes[..<10].allSatisfy { $0 == 0 } && (mark == [0, 0] || mark == [0xFF, 0xFF])
      && isLocal(firstByte: bytes[12])
  }

  private static func isLocal(firstByte: UInt8) -> Bool { firstByte == 0 || firstByte == 127 }
}
