import Foundation
import IDXOAuth
import WebServer

/// Where a request comes from: the person's computer and browser, for the org.
struct RequestOrigin {
  /// The field into which your own proxy writes the address of the person; nil without such a proxy.
  ///
  /// All other fields about it come from strangers, and say what those like.
  let proxyField: ProxyField?

  /// The context of a request; without an address that is not known for sure.
  func context(of request: HTTPRequest) -> PersonContext {
    let browser = request.headers["user-agent"]
    let address = proxyField.flatMap { $0.address(in: request.headers) }
    return (try? PersonContext(address: address, browser: browser))
      ?? (try? PersonContext(browser: browser)) ?? .own
  }

}

/// The header field into which a proxy writes the address of a person's computer.
public enum ProxyField: String, Sendable, CaseIterable {
  /// A list of addresses.
  case forwardedFor = "X-Forwarded-For"
  /// A list of parameters (RFC 7239).
  case forwarded = "Forwarded"

  /// The address that the proxy has seen, which it has added last.
  func address(in headers: [String: String]) -> String? {
    let parts = headers[rawValue.lowercased()]?.split(
      separator: ",", omittingEmptySubsequences: false)
    guard let last = parts?.last else { return nil }
    if self == .forwardedFor { return last.trimmingCharacters(in: .whitespaces) }
    let pairs = last.split(separator: ";")
    let values = pairs.compactMap { pair -> String? in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == "for"
      else { return nil }
      return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
    return values.first.map(Self.withoutPort)
  }

  /// An address such as `203.0.113.7:4711` or `[2001:db8::7]:4711` without the port.
  private static func withoutPort(_ text: String) -> String {
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    return String(text.prefix { $0 != ":" })
  }
}
