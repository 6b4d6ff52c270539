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
    .page(200, ScreenPage(page, style: style).page)
  }

  /// The last page of a sign-in, whose button starts another one.
  func end(_ screen: Screen) -> HTTPResponse {
    .page(200, ScreenPage(end: screen, address: "/start", style: style).page)
  }

  /// The page about a failure, with a button that posts to an address.
  func problem(_ problem: SignInProblem, to address: String) -> HTTPResponse {
    let action = NoticePage.Action(words.page(.tryAgain), to: address)
    let page = ProblemPage(problem, words: words, style: style, action: action)
    return .page(page.status, page.page)
  }

  /// A page with a title, a text and a button; one with another status than 200 is about a problem.
  func notice(
    _ status: Int, _ title: Words.Key, text: String? = nil, button: Words.Key, to address: String
  ) -> HTTPResponse {
    let action = NoticePage.Action(words.page(button), to: address)
    let notice = NoticePage(
      words.page(title), text: text, words: words, style: style, isProblem: status != 200,
      action: action)
    return .page(status, notice.page)
  }

  /// The page of a person who is signed in.
  func account(_ name: String) -> HTTPResponse {
    let action = NoticePage.Action(
      words.page(.signOut), to: "/sign-out", token: token(for: accountID), isMain: false)
    let title = words.page(.signedIn, ["name": name])
    return .page(200, NoticePage(title, words: words, style: style, action: action).page)
  }
}

extension HTTPResponse {
  static func page(_ status: Int, _ page: RenderedPage) -> HTTPResponse {
    HTTPResponse(status: status, headers: page.headers, body: page.body)
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
