import Foundation
import IDXOAuth
import WebServer

/// The cookies of the site: random IDs, and what the org knows the browser by.
///
/// Scripts cannot read them, and other sites' posts do not carry them. The browser forgets the IDs when it is
/// closed.
struct SiteCookies {
  enum Kind: String {
    case signIn = "sign-in"
    case account
    /// The cookies of the org for this browser, as ``CookieJar`` encodes them, in Base64url.
    case device
  }

  /// How long a browser keeps what the org knows it by: two years, in seconds.
  private static let deviceLifetime = 63_072_000

  /// Whether the site is reached by https, so that the cookies are never sent without it.
  let isSecure: Bool

  /// The name; with this prefix, browsers refuse a cookie that another host or plain http has set.
  func name(of kind: Kind) -> String { (isSecure ? "__Host-" : "") + kind.rawValue }

  func setting(_ kind: Kind, to id: String) -> String {
    "\(name(of: kind))=\(id); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
  }

  /// The cookie with what the org knows the browser by; nil if there is nothing.
  func setting(device jar: CookieJar) -> String? {
    guard !jar.isEmpty, let json = try? JSONEncoder().encode(jar) else { return nil }
    let text = json.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    return setting(.device, to: text) + "; Max-Age=\(Self.deviceLifetime)"
  }

  /// What the org knows the browser by; nil if the request does not say, or if somebody changed it.
  func device(of request: HTTPRequest) -> CookieJar? {
    guard let text = request.cookie(name(of: .device)) else { return nil }
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padded = plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
    return Data(base64Encoded: padded).flatMap {
      try? JSONDecoder().decode(CookieJar.self, from: $0).device
    }
  }

  func deleting(_ kind: Kind) -> String { setting(kind, to: "") + "; Max-Age=0" }
}
