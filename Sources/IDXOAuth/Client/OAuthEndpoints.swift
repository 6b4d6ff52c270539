import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The endpoints of an authorization server.
///
/// They follow from the issuer, so that no discovery request is needed. A custom authorization server
/// has `/oauth2/` in its path; the org authorization server has its endpoints under `/oauth2/v1`.
/// Source: protocol section 1.1.
package struct OAuthEndpoints {
  private let issuer: URL

  init(issuer: URL) { self.issuer = issuer }

  /// Takes the issuer of a credential, which may come from anywhere.
  ///
  /// Throws a ``FlowError`` unless it is a valid issuer, so that no token is sent elsewhere.
  init(checking issuer: URL) throws {
    try FlowConfiguration.check(issuer)
    self.init(issuer: issuer)
  }

  /// The endpoint with a name, such as `token`.
  package subscript(name: String) -> URL {
    let isCustom = issuer.path.containsBytes(of: "/oauth2/")
    return (isCustom ? issuer : issuer.appending(path: "oauth2")).appending(path: "v1/" + name)
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

  /// Whether a host is this machine: `localhost`, `127.0.0.0/8` or `::1` (RFC 6890).
  package static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    // Numbers must have no leading zero, because some resolvers read 010 as eight.
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }
}
