import Foundation
import IDXOAuth
import WebServer

/// Where a request comes from: the person's computer and browser, for the org.
struct RequestOrigin {
  /// The proxy's field does not say from which address the request comes.
  struct Unknown: Error {}

  /// The field into which your own proxy writes the address of the person; nil without such a proxy.
  ///
  /// All other fields about it come from strangers, and say what those like.
  let proxyField: ProxyField?

  /// The context of a request.
  ///
  /// Throws ``Unknown`` if the proxy's field has no address: for the org, the person would be where this site is.
  func context(of request: HTTPRequest) throws -> PersonContext {
    let browser = request.headers["user-agent"]
    guard let proxyField else { return (try? PersonContext(browser: browser)) ?? .own }
    guard let address = proxyField.address(in: request.headers),
      let context = try? PersonContext(address: address, browser: browser)
    else { throw Unknown() }
    return context
  }
}

/// The header field into which a proxy writes the address of a person's computer.
public enum ProxyField: String, Sendable, CaseIterable {
  /// A list of addresses.
  case forwardedFor = "X-Forwarded-For"
  /// A list of parameters (RFC 7239).
  case forwarded = "Forwarded"

  /// The address that the proxy has seen, which it has added last.
  ///
  /// Only bytes count, and the list is read from its end: strangers have written what is before the last comma, such as
  /// a quote without an end, or a letter that is one `Character` with the comma.
  func address(in headers: [String: String]) -> String? {
    guard let list = headers[rawValue.lowercased()]?.utf8,
      let last = Self.parts(of: list.reversed(), separator: ",").first
    else { return nil }
    let element = last.reversed()
    if self == .forwardedFor { return Self.withoutPort(Self.trimmed(element)) }
    // It would hide the end of a quoted text.
    guard !element.contains(UInt8(ascii: "\\")) else { return nil }
    let values = Self.parts(of: element, separator: ";").compactMap { pair -> String? in
      guard let sign = pair.firstIndex(of: UInt8(ascii: "=")),
        Self.trimmed(pair[..<sign]).lowercased() == "for"
      else { return nil }
      return Self.trimmed(pair[pair.index(after: sign)...], of: " \t\"")
    }
    return values.count == 1 ? Self.withoutPort(values[0]) : nil
  }

  /// Splits at a separator that is not in quotes.
  private static func parts(of bytes: some Sequence<UInt8>, separator: Unicode.Scalar) -> [[UInt8]]
  {
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: separator), !isQuoted {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts
  }

  private static func trimmed(_ bytes: some Sequence<UInt8>, of characters: String = " \t")
    -> String
  {
    String(decoding: Array(bytes), as: UTF8.self)
      .trimmingCharacters(in: CharacterSet(charactersIn: characters))
  }

  /// An address such as `203.0.113.7:4711` or `[2001:db8::7]:4711` without the port.
  private static func withoutPort(_ text: String) -> String {
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    return text.utf8.count { $0 == UInt8(ascii: ":") } == 1
      ? String(text.prefix { $0 != ":" }) : text
  }
}
