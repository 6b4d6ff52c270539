import Foundation
import IDXBase
import IDXOAuth

/// The address of an org or of an authorization server, as a person types or copies it.
struct IssuerText {
  /// The issuer that is probably meant.
  let issuer: String

  /// Adds the scheme that is missing: `dev-1234.okta.com` means `https://dev-1234.okta.com`.
  ///
  /// A server on this computer is one for tests, and rarely has a certificate: it gets plain http. A single word
  /// without a port is not the name of another server, and is returned as it is.
  static func addingScheme(to text: String) -> String {
    guard !text.isEmpty, !text.contains("://") else { return text }
    let secure = "https://" + text
    let url = URL(string: secure)
    let host = url?.host ?? ""
    if Origin.isLoopback(host) { return "http://" + text }
    return host.contains(".") || host.contains(":") || url?.port != nil ? secure : text
  }

  /// The form with ASCII alone, which is kept and shown; a text that is no address is returned as it is.
  static func ascii(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : addingScheme(to: text).asciiAddress
  }

  /// Whether two texts, of settings or options, mean the same issuer; other texts are compared as they are.
  static func areSame(_ one: String, _ other: String) -> Bool {
    func plain(_ text: String) -> Substring {
      let text = addingScheme(to: text)[...]
      return text.hasSuffix("/") ? text.dropLast() : text
    }
    return plain(one) == plain(other)
  }

  /// The host of an address, with its port if it has one.
  static func host(of url: URL) -> String {
    (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
  }

  /// Completes what a person typed, such as `dev-1234.okta.com`, or copied from the address bar of a
  /// browser or from a list of endpoints.
  init(typed text: String) {
    var text = Self.addingScheme(to: text.trimmingCharacters(in: .whitespacesAndNewlines))
    for mark in ["?", "#", "/.well-known/", "/v1/"] {
      if let end = text.firstRange(of: mark)?.lowerBound { text = String(text[..<end]) }
    }
    while text.hasSuffix("/") { text.removeLast() }
    guard text.contains("://"), var parts = URLComponents(string: text) else {
      issuer = text
      return
    }
    // The issuer of the org has no path: another path is a page of the Admin Console or of the dashboard.
    if !parts.path.hasPrefix("/oauth2/") { parts.path = "" }
    let host = parts.host ?? ""
    if let console = host.firstRange(of: "-admin."), host.contains("okta") {
      parts.host = host.replacingCharacters(in: console, with: ".")
    }
    issuer = parts.string ?? text
  }
}
