package import Foundation
import IDXBase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The environment variables that change how the system's HTTP client works.
///
/// On Linux, the system's HTTP and TLS libraries read the environment of the process. Some variables make
/// them print or save secrets, and others send requests through a proxy.
public struct NetworkEnvironment: Sendable {
  /// Variables that make the system reveal what is sent, and who reads them.
  ///
  /// - `URLSessionDebugLibcurl`, `URLSessionDebug`: FoundationNetworking prints requests and responses to
  ///   standard error, and uses them as a format string.
  /// - `SSLKEYLOGFILE`: the TLS library writes the keys of each connection to this file.
  /// - `KRB5_TRACE`: the Kerberos library writes a log.
  /// - `GNUTLS_DEBUG_LEVEL`: GnuTLS prints keys.
  static let revealing = [
    "URLSessionDebugLibcurl", "URLSessionDebug", "SSLKEYLOGFILE", "KRB5_TRACE",
    "GNUTLS_DEBUG_LEVEL",
  ]

  /// The hosts that no proxy may see, in the format of `no_proxy`.
  private static let loopback = "localhost,127.0.0.1,127.0.0.0/8,::1"

  private let variable: @Sendable (String) -> String?

  /// The environment of this process.
  static let process = NetworkEnvironment { name in getenv(name).map { String(cString: $0) } }

  /// An environment with a function that returns the value of a variable.
  init(_ variable: @escaping @Sendable (String) -> String?) { self.variable = variable }

  /// The value of a variable; nil if it is empty, which has no effect on proxies.
  private func value(_ name: String) -> String? {
    variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Makes the environment of this process safe: removes the variables that reveal secrets, and excludes
  /// loopback addresses from proxies.
  ///
  /// Call it first in a program, before other threads exist, because changing the environment is not safe
  /// later. An ``HTTPTransport`` in an unsafe environment sends nothing, and its error names the
  /// variable.
  public static func secure() {
    for name in revealing { unsetenv(name) }
    setenv("no_proxy", process.excludedWithLoopback, 1)
  }

  /// The value of `no_proxy` that also excludes loopback addresses.
  var excludedWithLoopback: String {
    let excluded = value("no_proxy") ?? value("NO_PROXY")
    guard let excluded, excluded != Self.loopback else { return Self.loopback }
    // “*” means every host, but only if it is the whole value.
    return excluded == "*" || excluded.hasSuffix("," + Self.loopback)
      ? excluded : "\(excluded),\(Self.loopback)"
  }

  /// A variable that reveals secrets and is set, also to nothing; nil if there is none.
  var revealingVariable: String? { Self.revealing.first { variable($0) != nil } }

  /// The proxy that the environment of this process names for an address, without a username and a password;
  /// nil if there is none.
  ///
  /// Only Linux reads the environment: elsewhere it is always nil.
  package static func proxy(for url: URL) -> String? {
    #if os(Linux)
      return process.proxy(for: url).map { "\($0)" }
    #else
      return nil
    #endif
  }

  /// The proxy for requests to an address; nil if they go to the host itself, like all for this computer.
  ///
  /// Source: the rules of libcurl (`CURLOPT_PROXY`, `CURLOPT_NOPROXY`).
  func proxy(for url: URL) -> Proxy? {
    let host = url.host(percentEncoded: true) ?? ""
    let scheme = url.scheme?.lowercased() ?? ""
    guard !Origin.isLoopback(host) else { return nil }
    // libcurl ignores HTTP_PROXY, because a web server sets it from a header field (CGI).
    let names = ["\(scheme)_proxy"] + (scheme == "http" ? [] : ["\(scheme.uppercased())_PROXY"])
    guard let variable = (names + ["all_proxy", "ALL_PROXY"]).first(where: { value($0) != nil }),
      let address = value(variable), !excludes(host)
    else { return nil }
    return Proxy(variable: variable, address: address)
  }

  /// A proxy and the variable that names it.
  struct Proxy: Hashable {
    let variable: String
    let address: String
  }

  private func excludes(_ host: String) -> Bool {
    guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
    if list == "*" { return true }
    let host = Self.normalized(host[...])
    return list.split { $0 == "," || $0 == " " }.contains { entry in
      if let network = IPv4Network(entry) {
        return IPv4Network(host[...])?.isPart(of: network) == true
      }
      let name = Self.normalized(entry.drop { $0 == "." })
      return host == name || host.hasSuffix(".\(name)")
    }
  }

  private static func normalized(_ name: Substring) -> String {
    let bare = name.filter { $0 != "[" && $0 != "]" }.lowercased()
    return bare.hasSuffix(".") ? String(bare.dropLast()) : bare
  }
}

extension NetworkEnvironment.Proxy: CustomStringConvertible {
  /// The address without a user name and a password, and the variable.
  var description: String {
    return "\(visible.printable) (set in \(variable))"
  }

  /// The host and the port; “…” if the address has another form, because a part of it may be a password.
  private var visible: String {
    var rest = address[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    let place = rest.prefix { !"/?#".contains($0) }
    let isBracketed = place.hasPrefix("[")
    let parts = (isBracketed ? place.drop { $0 != "]" } : place).split(
      separator: ":", omittingEmptySubsequences: false)
    let isPlace =
      !place.isEmpty && parts.count <= 2
      && (parts.count < 2 || parts[1].allSatisfy(\.isNumber))
    return isPlace ? String(place) : "…"
  }
}

/// An IPv4 address, or a network such as `127.0.0.0/8`.
private struct IPv4Network {
  let address: UInt32
  let prefix: Int

  init?(_ text: Substring) {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard parts.count == 4, halves.count <= 2,
      let prefix = halves.count == 2 ? Int(halves[1]) : 32, (0...32).contains(prefix)
    else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard let part else { return nil }
      address = address << 8 | UInt32(part)
    }
    (self.address, self.prefix) = (address, prefix)
  }

  func isPart(of network: IPv4Network) -> Bool {
    // Shifting by 32 bits gives 0: every address is part of `0.0.0.0/0`.
    (address ^ network.address) >> (32 - network.prefix) == 0
  }
}
