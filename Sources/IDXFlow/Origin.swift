#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What requests must not leave: scheme, host and port (RFC 6454).
package struct Origin: Hashable, CustomStringConvertible {
  let scheme: String
  let host: String
  let port: Int?

  init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = url.host?.lowercased() ?? ""
    port = url.port ?? ["https": 443, "http": 80][scheme]
  }

  package var description: String {
    let isDefault = port == ["https": 443, "http": 80][scheme]
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(scheme)://\(name)" + (isDefault ? "" : ":\(port ?? 0)")
  }

  /// Whether a host is this machine: `localhost`, `127.0.0.0/8` or `::1` (RFC 6890).
  package static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    // Each number as it is usually written: some resolvers read 010 as eight.
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }
}
