import Foundation
import IDXBase
import IDXOAuth
import IDXPages
import IDXSimulatedOrg
import WebServer

/// A simulated org by HTTP, and the pages for what its users do.
///
/// The pages are at addresses that the org does not have: `/` shows the mailbox and the devices, and posts
/// go to `/devices` and `/browser`. Below `/api/echo` is an API for tests. All other requests go to the org.
struct OrgSite: Sendable {
  let org: SimulatedOrg
  let scenario: OrgScenario
  private let api: SimulatedAPI
  private let port: UInt16
  /// The start of the addresses that clients use.
  private let origin: String
  private let redirectURIs: [String]
  /// Whether the org itself has a page on which people sign in.
  private let hasSignInPage: Bool
  private let samlApps: [SAMLApp]
  /// The token in all forms.
  ///
  /// Other web sites cannot read it, so they cannot post forms to this one.
  private let formToken = UUID().uuidString + UUID().uuidString

  private static let pages: Set = [
    "/", "/devices", "/browser", "/sign-in.css", "/lists.css", "/sign-in.js",
  ]
  private static let apiPath = "/api/echo"
  /// Where a person enters the code of a sign-in on another device.
  private static let codePage = "/activate"

  init(_ options: ServedOrgOptions, port: UInt16) {
    var scenario = options.scenario
    if options.isByHand, scenario.users.contains(where: { $0.device != .init() }) {
      // The hints of such a scenario are about what the phone does by itself.
      scenario.hints = []
      for index in scenario.users.indices { scenario.users[index].device = .init() }
    }
    self.scenario = scenario
    self.port = port
    origin = options.address ?? "http://127.0.0.1:\(port)"
    redirectURIs = options.redirectURIs
    hasSignInPage = options.signInPage != nil
    samlApps = options.samlApps
    org = SimulatedOrg(
      scenario, issuer: origin + (options.isOrgServer ? "" : "/oauth2/default"),
      clientSecret: options.clientSecret.map { Secret($0) }, redirectURIs: options.redirectURIs)
    api = SimulatedAPI(org, origin: origin)
  }

  /// What a client and its user need to know.
  var facts: [(name: String, value: String)] {
    let users = scenario.users.flatMap {
      [("user", $0.login), ("password", $0.password.revealed)]
    }
    let captcha = scenario.policy.accounts.captcha != nil ? [SimulatedOrg.captchaToken] : []
    return [("scenario", scenario.name), ("issuer", org.issuer.absoluteString)]
      + [("client ID", org.clientID)] + redirectURIs.map { ("redirect URI", $0) } + users
      + captcha.map { ("token of a solved captcha", $0) } + scenario.hints.map { ("hint", $0) }
      + samlApps.map { ("app with SAML", $0.address(at: origin)) }
      + [("API for tests", origin + Self.apiPath), ("mailbox and devices", origin + "/")]
  }

  // MARK: Requests

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    // With a host name of their own that has this address, other web sites could read the answers.
    let host = origin.split(separator: "/").last.map(String.init) ?? ""
    guard
      ["127.0.0.1:\(port)", "localhost:\(port)", host].contains(request.headers["host"] ?? "")
    else {
      return .text(421, "This server answers only at \(origin).")
    }
    // The org has requests with more methods than the pages.
    let methods =
      ["GET", "HEAD", "POST"]
      + (Self.pages.contains(request.path) ? [] : ["DELETE", "OPTIONS"])
    guard methods.contains(request.method) else {
      let names = methods.joined(separator: ", ")
      var refused = HTTPResponse.text(405, "Only these methods are supported: \(names).")
      refused.headers.append(("Allow", names))
      return refused
    }
    guard request.target.hasPrefix("/"), let url = URL(string: origin + request.target) else {
      return .text(400, "The address must be a path.")
    }
    if request.method != "POST", let file = StaticFile(at: request.path) { return .file(file) }
    switch (request.path, request.method) {
    case ("/", "GET"), ("/", "HEAD"): return await devices(for: request)
    case ("/devices", "POST"), ("/browser", "POST"):
      guard isOurForm(request) else {
        return .text(403, "This form is not from this site, or from before it was restarted.")
      }
      return request.path == "/devices"
        ? await act(request.form) : await useBrowser(request.form)
    case (Self.codePage, "GET"), (Self.codePage, "HEAD"): return browserPage(at: url, .userCode)
    case (Self.apiPath, _): return await apiResponse(to: request, at: url)
    case (let path, _) where path.hasPrefix(Self.apiPath + "/"):
      return await apiResponse(to: request, at: url)
    default: return await orgResponse(to: request, at: url)
    }
  }

  private func isOurForm(_ request: HTTPRequest) -> Bool {
    let origin = request.headers["origin"] ?? ""
    return request.form[DevicesPage.token] == formToken
      && ["", self.origin, "http://localhost:\(port)"].contains(origin)
  }

  private func orgResponse(to request: HTTPRequest, at url: URL) async -> HTTPResponse {
    let sent = TransportRequest(
      method: request.method == "HEAD" ? "GET" : request.method, url: url,
      headers: request.headers, body: request.body)
    if sent.method == "GET", isPage(url) { return browserPage(at: url, .page) }
    guard let response = try? await org.send(sent) else {
      return .text(502, "The org did not answer.")
    }
    if response.isLoginRequired, !url.allowsNoPage { return browserPage(at: url, .signIn) }
    return HTTPResponse(response)
  }

  /// The response of the API, for which the method HEAD is not GET: a proof (DPoP) names the method.
  private func apiResponse(to request: HTTPRequest, at url: URL) async -> HTTPResponse {
    let sent = TransportRequest(
      method: request.method, url: url, headers: request.headers, body: request.body)
    guard let response = try? await api.send(sent) else {
      return .text(502, "The API did not answer.")
    }
    return HTTPResponse(response)
  }

  // MARK: The mailbox and the devices

  private func devices(for request: HTTPRequest) async -> HTTPResponse {
    let devices = await Devices(of: org)
    if request.headers["accept"]?.contains("application/json") == true {
      return .json(devices.json(token: formToken))
    }
    let site = scenario.policy.accounts.passwordSite
    return .page(
      DevicesPage(devices, facts: facts, passwordSite: site, token: formToken).page)
  }

  private func act(_ form: [String: String]) async -> HTTPResponse {
    let login = form["login"] ?? ""
    if form["action"] != "follow", !(await org.users.contains { $0.login == login }) {
      return .text(404, "There is no such user.")
    }
    switch form["action"] {
    case "approve", "reject":
      guard !(await org.pushes(for: login).isEmpty) else {
        return .text(409, "No push waits for this user.")
      }
      if form["action"] == "approve" {
        await org.approvePush(for: login, choosing: form["number"])
      } else {
        await org.rejectPush(for: login)
      }
    case "set-up":
      guard !(await org.waitingEnrollments(for: login).isEmpty) else {
        return .text(409, "No setup waits for this user.")
      }
      await org.completeEnrollment(for: login)
    case "follow":
      let messages = await org.mailbox.messages
      guard let index = form["message"].flatMap({ Int($0) }), messages.indices.contains(index)
      else { return .text(400, "There is no such message.") }
      await org.followLink(in: messages[index])
    case "change-password":
      guard let site = scenario.policy.accounts.passwordSite, let url = URL(string: site.address)
      else { return .text(400, "Passwords are changed in the org.") }
      _ = await org.visit(url, as: login)
    default: return .text(400, "There is no such action.")
    }
    return .redirect(303, to: "/")
  }

  // MARK: The browser

  /// Whether it is a page that is opened once: of an identity provider, for identity verification, or, if the org has no
  /// page, for parameters that an app has pushed.
  private func isPage(_ url: URL) -> Bool {
    let uri = url.path.hasSuffix("/authorize") ? url.parameter("request_uri") : nil
    let isForUs = uri.map { !hasSignInPage || $0.hasPrefix("urn:okta:") } ?? false
    return isForUs || url.path == "/idp/identity-verification"
  }

  private func browserPage(at url: URL, _ kind: BrowserPage.Kind) -> HTTPResponse {
    // The post redirects to the app, and the app perhaps to another host.
    .page(form(at: url, kind, userCode: url.parameter("user_code")).page)
  }

  private func form(
    at url: URL, _ kind: BrowserPage.Kind, userCode: String?, problem: String? = nil
  ) -> BrowserPage {
    BrowserPage(
      target: String(url.absoluteString.dropFirst(origin.count)), kind: kind, userCode: userCode,
      logins: scenario.users.map(\.login), token: formToken, problem: problem)
  }

  /// Signs the user in on a page, or refuses, and returns to the app.
  private func useBrowser(_ form: [String: String]) async -> HTTPResponse {
    guard let target = form["target"], target.hasPrefix("/"), let url = URL(string: origin + target)
    else { return .text(400, "The form is incomplete.") }
    let login = form["login"]
    if url.path == Self.codePage {
      let code = form["user_code"] ?? ""
      guard await org.enter(userCode: code, as: login, refusing: login == nil) else {
        let problem = "No sign-in waits for this code. Enter the code that your device shows now."
        let page = self.form(at: url, .userCode, userCode: code, problem: problem).page
        return .page(page, status: 404)
      }
      return login == nil
        ? .notice(
          200, "You refused the sign-in", "You can close this page and go back to your device.")
        : .notice(
          200, "Your device is connected", "You can close this page and go back to your device.")
    }
    let end = await org.visit(url, as: login, refusing: login == nil)
    return end.map { .redirect(302, to: $0.absoluteString) }
      ?? .notice(
        400, "No sign-in waits for this page", "Go back to the app, and start the sign-in again.")
  }
}

extension HTTPResponse {
  fileprivate init(_ response: TransportResponse) {
    // Browsers read one cookie in each header field. The org writes no commas in cookies.
    let headers = response.headers.flatMap { name, value in
      (name == "Set-Cookie" ? value.components(separatedBy: ", ") : [value]).map { (name, $0) }
    }
    self.init(status: response.status, headers: headers, body: response.body)
  }
}

extension TransportResponse {
  /// Whether it tells the app that the user must sign in first.
  fileprivate var isLoginRequired: Bool {
    let items = header("Location").flatMap { URLComponents(string: $0)?.queryItems } ?? []
    return items.contains { $0.name == "error" && $0.value == "login_required" }
  }
}

extension URL {
  /// The value of a parameter of the query; nil if there is none.
  fileprivate func parameter(_ name: String) -> String? {
    URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems?
      .first { $0.name == name }?.value
  }

  /// Whether an authorization request must be answered without a page for the user.
  fileprivate var allowsNoPage: Bool { parameter("prompt") == "none" }
}
