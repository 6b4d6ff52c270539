import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Looks up the addresses of a host.
enum HostLookup {
  struct Failure: Error {
    let reason: String
  }

  /// The addresses, without duplicates.
  static func addresses(of host: String) async -> Result<[String], Failure> {
    await withCheckedContinuation { continuation in
      // It waits for the network, which a task must not do, and it cannot be cancelled.
      Thread.detachNewThread { continuation.resume(returning: lookUp(host)) }
    }
  }

  /// Whether a text is an address already, which nobody has to be asked for.
  static func isAddress(_ text: String) -> Bool {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    defer { if let list { freeaddrinfo(list) } }
    return getaddrinfo(text, nil, &hints, &list) == 0
  }

  private static func lookUp(_ host: String) -> Result<[String], Failure> {
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, nil, &list)
    guard code == 0 else {
      return .failure(Failure(reason: gai_strerror(code).map { String(cString: $0) } ?? "error"))
    }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var entry = list
    while let current = entry?.pointee {
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(
        current.ai_addr, current.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        == 0
      {
        let address = String(
          decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if !addresses.contains(address) { addresses.append(address) }
      }
      entry = current.ai_next
    }
    return .success(addresses)
  }
}
