#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension String {
  /// The form of an address with ASCII alone, which the requests use: `https://xn--dv-1-v4d.okta.com` for one with a
  /// Cyrillic е; a text that is no address stays as it is.
  ///
  /// It is shown wherever a person decides whether to trust a host.
  package var asciiAddress: String {
    isVisibleASCII ? self : URL(string: self)?.absoluteString ?? self
  }
}

/// The scheme, host and port of an address; requests stay at the issuer's origin (RFC 6454).
package struct Origin: Hashable, CustomStringConvertible {
  private let scheme: String
  package let host: String
  private let port: Int?

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = url.host?.lowercased() ?? ""
    port = url.port ?? Self.defaultPorts[scheme]
  }

  package var description: String {
    let isDefault = port == Self.defaultPorts[scheme]
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(scheme)://\(name)" + (isDefault ? "" : ":\(port ?? 0)")
  }

  private static let defaultPorts = ["https": 443, "http": 80]

  /// Whether it is plain http on this computer, which nobody else can read.
  package var isLocalHTTP: Bool { scheme == "http" && Self.isLoopback(host) }

  /// Whether secrets can go there: over https, or to this computer.
  package var isSecure: Bool { scheme == "https" || isLocalHTTP }

  /// Whether a host is this computer: `localhost`, `127.0.0.0/8` or `::1` (RFC 6890).
  package static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    // Numbers must have no leading zero, because some resolvers read 010 as eight.
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }
}
