import Foundation
import IDXFlow
import IDXPages
import WebServer

/// A request, with the words of the person and what the cookies say.
struct Visit {
  let request: HTTPRequest
  /// The fields of the form that was posted.
  let form: [String: String]
  /// The name of the site; nil if it is unknown.
  let host: String?
  let words: Words
  let style: PageStyle
  let signIns: OpenSignIns
  /// The ID of the sign-in; nil if there is none.
  let sessionID: String?
  /// The ID of the person who is signed in; nil if there is none.
  let accountID: String?

  /// The revision of the page whose form was posted.
  var revision: Int { form[FormFields.revision].flatMap { Int($0) } ?? -1 }

  // MARK: Forged posts

  /// Whether a page of this site posted the form, as far as the browser says.
  var isFromThisSite: Bool {
    if let site = request.headers["sec-fetch-site"], site != "same-origin" { return false }
    guard let origin = request.headers["origin"] else { return true }
    guard let sender = Self.host(ofOrigin: origin) else { return false }
    // A name of another site can have this site's address, and then that site's pages would be the same
    // site for the browser. So the name must be ours; like for cookies, the port does not matter.
    if let host { return sender.lowercased() == host.lowercased() }
    return request.headers["host"]?.split(separator: ":").first.map(String.init) == sender
  }

  /// The host of an origin; nil if the text is anything but a scheme, a host and a port.
  private static func host(ofOrigin origin: String) -> String? {
    guard let url = URL(string: origin), let host = url.host, url.scheme?.hasPrefix("http") == true
    else { return nil }
    let port = url.port.map { ":\($0)" } ?? ""
    return origin.lowercased() == "\(url.scheme ?? "")://\(host)\(port)".lowercased() ? host : nil
  }

  /// Whether the form comes from a page that was made for this browser.
  func isOurForm(of id: String) -> Bool {
    let token = token(for: id)
    return isFromThisSite && !token.isEmpty && form[FormFields.token] == token
  }

  /// The token in the forms of a sign-in or of a person who is signed in.
  func token(for id: String?) -> String { id.map(OpenSignInPage.formToken) ?? "" }

  var forged: HTTPResponse {
    notice(403, .failed, text: words.page(.forged), button: .back, to: "/back")
  }

  // MARK: Pages

  /// The page of a sign-in.
  func page(_ page: OpenSignInPage) -> HTTPResponse {
    let view = ScreenPage(
      page.screen, token: page.formToken, revision: page.revision, confirmation: page.confirmation,
      style: style)
    return .html(200, view.html, requesting: view.requestedOrigins, images: style.imageSource)
  }

  /// The last page of a sign-in, whose button starts another one.
  func end(_ screen: Screen) -> HTTPResponse {
    var screen = screen
    screen.options = []
    let view = ScreenPage(screen, token: "", revision: 0, address: "/start", style: style)
    return .html(200, view.html, images: style.imageSource)
  }

  func notice(
    _ status: Int, _ title: Words.Key, text: String? = nil, button: Words.Key, to address: String
  ) -> HTTPResponse {
    notice(status, words.page(title), text: text, button: button, to: address)
  }

  func notice(
    _ status: Int, _ title: String, text: String? = nil, button: Words.Key, to address: String,
    token: String? = nil
  ) -> HTTPResponse {
    .html(
      status,
      NoticePage(
        title, text: text, words: words, style: style, button: words.page(button), to: address,
        token: token
      ).html, images: style.imageSource)
  }
}

extension HTTPResponse {
  /// A page that no cache keeps, that loads nothing from elsewhere but images from this source, and that no other page
  /// can contain; its script may request these origins.
  static func html(
    _ status: Int, _ html: HTML, requesting origins: [String] = [], images source: String? = nil
  ) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'self'; script-src 'self'; img-src \(["data:", source].compactMap(\.self).joined(separator: " ")); "
            + "connect-src \((["'self'"] + origins).joined(separator: " ")); form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
      ], body: Array(html.markup.utf8))
  }

  static func seeOther(_ address: String) -> HTTPResponse {
    HTTPResponse(status: 303, headers: [("Location", address), ("Cache-Control", "no-store")])
  }

  /// The response with a cookie.
  func setting(_ cookie: String) -> HTTPResponse {
    var response = self
    response.headers.append(("Set-Cookie", cookie))
    return response
  }
}
