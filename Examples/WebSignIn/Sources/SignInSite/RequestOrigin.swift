import Foundation
import IDXOAuth
import WebServer

/// Where a request comes from: the person's computer and browser, for the org.
struct RequestOrigin {
  /// Whether a proxy of one's own is in front of this site, which writes the address of the person into each request.
  ///
  /// Otherwise the fields about it come from strangers, and say what those like.
  let isBehindProxy: Bool

  /// The context of a request; without an address that is not known for sure.
  func context(of request: HTTPRequest) -> RequestContext {
    let browser = request.headers["user-agent"]
    let address = isBehindProxy ? Self.address(in: request.headers) : nil
    return (try? RequestContext(address: address, browser: browser))
      ?? (try? RequestContext(browser: browser)) ?? .own
  }

  /// The address that the proxy has seen, which it has added last (RFC 7239; `X-Forwarded-For`).
  private static func address(in headers: [String: String]) -> String? {
    if let last = headers["x-forwarded-for"]?.split(separator: ",").last {
      return last.trimmingCharacters(in: .whitespaces)
    }
    let pairs = headers["forwarded"]?.split(separator: ",").last?.split(separator: ";") ?? []
    let values = pairs.compactMap { pair -> String? in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == "for"
      else { return nil }
      return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
    return values.first.map(withoutPort)
  }

  /// An address such as `203.0.113.7:4711` or `[2001:db8::7]:4711` without the port.
  private static func withoutPort(_ text: String) -> String {
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    return String(text.prefix { $0 != ":" })
  }
}
