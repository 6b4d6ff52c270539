import Foundation
import IDXFlow
import IDXPages
import IDXSimulatedOrg
import SignInSite
import WebServer

/// A browser without JavaScript at a site with a simulated org; time passes only while it waits.
final class PlainBrowser {
  static let origin = "http://localhost:8080"
  static let moment = Date(timeIntervalSince1970: 1_800_000_000)

  let demo: DemoOrg
  let site: SignInSite
  private(set) var page = PageReader("")
  private(set) var status = 0
  /// The bytes of the heaviest page so far, with its files and without its QR code.
  private(set) var heaviest = 0
  var cookies: [String: String] = [:]
  var language = "en"

  init(_ demo: DemoOrg, _ site: SignInSite) {
    self.demo = demo
    self.site = site
  }

  convenience init(
    _ scenario: OrgScenario, _ signInProtocol: SignInProtocol = .idx, proxyField: ProxyField? = nil
  ) throws {
    let demo = DemoOrg(
      scenario, origin: Self.origin, redirectURIs: [Self.origin + "/callback"], seed: 3,
      clock: { Self.moment })
    let org = demo.org
    let site = SignInSite(
      try demo.configuration, store: MemoryOpenSignInStore(now: { org.now }),
      proxyField: proxyField, style: PageStyle(name: "Demo app"), now: { org.now }
    ) { _ in demo.client(for: signInProtocol) }
    self.init(demo, site)
  }

  /// What the site has sent to the org, without requests for keys, whose time is not fixed.
  var sentRequests: [String] {
    get async { await demo.org.requests.filter { !$0.hasSuffix("/keys") } }
  }

  /// Begins a sign-in.
  func start() async {
    await open("/")
    await post("/start", [:])
  }

  /// Loads a page, and follows redirects.
  func open(_ target: String) async {
    await send(HTTPRequest(target: target))
  }

  /// Posts the form of the page with these fields besides its own.
  func post(_ address: String? = nil, _ fields: [String: String]) async {
    let own = address == "/start" ? [:] : page.fields
    await send(form(address ?? page.action, own.merging(fields) { $1 }))
  }

  func form(_ address: String, _ fields: [String: String]) -> HTTPRequest {
    var components = URLComponents()
    components.queryItems = fields.map { URLQueryItem(name: $0.key, value: $0.value) }
    let body = (components.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    return HTTPRequest(
      method: "POST", target: address,
      headers: [
        "content-type": "application/x-www-form-urlencoded", "origin": Self.origin,
        "host": "localhost:8080", "sec-fetch-site": "same-origin",
      ], body: Array(body.utf8))
  }

  func send(_ request: HTTPRequest) async {
    let response = await response(to: request)
    if response.status == 303, let location = response.header("Location") {
      let target =
        location.hasPrefix(Self.origin) ? location.dropFirst(Self.origin.count) : location[...]
      return await open(String(target))
    }
    status = response.status
    let markup = String(decoding: response.body, as: UTF8.self)
    page = PageReader(markup)
    heaviest = max(heaviest, weight(of: markup))
    // Tests/Checks/test_web_pages.py looks at each kind of page.
    guard let folder = ProcessInfo.processInfo.environment["IDX_WEB_PAGES"] else { return }
    let kinds = page.elements.map { element in
      [element.name]
        + ["class", "type", "role", "hidden", "aria-invalid"].map { element[$0] ?? "" }
    }
    let file = URL(filePath: folder).appending(path: "\(kinds.hashValue.magnitude).html")
    try? markup.write(to: file, atomically: true, encoding: .utf8)
  }

  private func weight(of markup: String) -> Int {
    let files = page.elements.compactMap { element in
      (element["src"] ?? element["href"]).flatMap { StaticFile(at: $0)?.bytes.count }
    }
    return markup.replacing(/data:image\/png[^"]*/, with: "").utf8.count + files.reduce(0, +)
  }

  func response(to request: HTTPRequest) async -> HTTPResponse {
    var request = request
    request.headers["cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    request.headers["accept-language"] = language
    let response =
      site.has(request.path) ? await site.respond(to: request) : await demo.respond(to: request)
    for (name, value) in response.headers where name == "Set-Cookie" {
      let parts = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      cookies[String(parts[0])] = value.contains("Max-Age=0") ? nil : String(parts.last ?? "")
    }
    return response
  }
}
