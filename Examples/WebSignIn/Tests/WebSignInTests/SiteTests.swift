import Foundation
import IDXFlow
import IDXSimulatedOrg
import SignInSite
import Synchronization
import Testing
import WebServer

@Suite("The web site")
struct SiteTests {
  private static let answers = [
    "/identifier": SimulatedUser.demo.login,
    "/credentials.passcode": SimulatedUser.demo.password.revealed,
  ]

  @Test("A post with another token, or from another site, is refused and sends nothing")
  func forged() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    let sent = await browser.sentRequests
    let form = browser.form("/sign-in", browser.page.fields.merging(Self.answers) { $1 })
    var requests = [form, form, form, form]
    requests[0].headers["origin"] = "https://evil.example"
    requests[1].headers["sec-fetch-site"] = "cross-site"
    requests[2] = browser.form(
      "/sign-in", browser.page.fields.merging(["token": "x"]) { $1 })
    // Another name for the address of this site.
    requests[3].headers["origin"] = "http://evil.example:8080"
    requests[3].headers["host"] = "evil.example:8080"
    for request in requests {
      let response = await browser.response(to: request)
      #expect(response.status == 403)
      #expect(PageReader(String(decoding: response.body, as: UTF8.self)).action == "/back")
    }
    #expect(await browser.sentRequests == sent)
    await browser.open("/sign-in")
    #expect(browser.page.problems.isEmpty && !browser.page.inputs.isEmpty)
  }

  @Test("An old page is not sent; the person sees the current one and can continue")
  func oldPage() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    let old = browser.form("/sign-in", browser.page.fields.merging(Self.answers) { $1 })
    await browser.send(old)
    let sent = await browser.sentRequests
    await browser.send(old)
    #expect(await browser.sentRequests == sent)
    #expect(!browser.page.problems.isEmpty)
    await browser.post(nil, Self.answers)
    #expect(browser.page.title.hasPrefix("Signed in as"))
  }

  @Test("A wrong password is a problem of its field, in the language of the person")
  func wrongPassword() async throws {
    for language in ["en", "de"] {
      let browser = try PlainBrowser(OrgScenario["password"])
      browser.language = language
      await browser.start()
      await browser.post(nil, Self.answers)
      await browser.post(nil, ["/credentials.passcode": "a guess"])
      let field = try #require(browser.page.inputs.first { $0["autofocus"] != nil })
      #expect(field["type"] == "password" && field["aria-invalid"] == "true")
      let details = browser.page.elements.drop { $0["id"] != field["aria-describedby"] }
      #expect(details.dropFirst().first?.text == browser.page.problems.first)
      #expect(browser.page.problems.count == 1)
      #expect(browser.page.documentTitle.hasPrefix(language == "en" ? "Error: " : "Fehler: "))
      // That a page was old is about no field, and does not hide why the password was refused.
      let refused = browser.page.problems
      let old = browser.form("/sign-in", browser.page.fields.merging(["revision": "0"]) { $1 })
      await browser.send(old)
      #expect(!browser.page.elements.contains { $0["aria-invalid"] != nil })
      #expect(browser.page.problems.count == 2 && browser.page.problems.last == refused.last)
    }
  }

  @Test("The link of an identity provider on the first page leads there, and its return signs in")
  func identityProvider() async throws {
    let browser = try PlainBrowser(OrgScenario["idp"])
    await browser.start()
    let link = try #require(
      browser.page.elements.first { $0["class"] == "button" && $0.text.contains("Google") })
    let target = try #require(link["href"]).dropFirst(PlainBrowser.origin.count)
    await browser.open(String(target))
    #expect(browser.page.title.hasPrefix("Signed in as"))
  }

  @Test("The first page has nothing to leave or to start over; the next one has")
  func firstPage() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    #expect(Set(browser.page.options.map { $0["value"] }).isDisjoint(with: ["cancel", "quit"]))
    // Also after a refused reply.
    await browser.post(nil, ["/identifier": ""])
    #expect(browser.page.problems.count == 1)
    #expect(Set(browser.page.options.map { $0["value"] }).isDisjoint(with: ["cancel", "quit"]))
    await browser.post(nil, Self.answers)
    #expect(Set(browser.page.options.map { $0["value"] }).isSuperset(of: ["cancel", "quit"]))
    // Who starts over can also leave.
    await browser.post(nil, ["choose": "cancel"])
    #expect(browser.page.options.contains { $0["value"] == "quit" })
    let recovering = try PlainBrowser(OrgScenario["register"])
    await recovering.start()
    #expect(recovering.page.options.contains { $0["value"] == "select-enroll-profile" })
  }

  @Test(
    "Without JavaScript, a page that needs it says so, and offers other ways",
    arguments: ["device-challenge", "passkey"])
  func withoutScript(name: String) async throws {
    let browser = try PlainBrowser(try #require(OrgScenario.named(name)))
    await browser.start()
    if name == "passkey" {
      await browser.post(nil, ["/identifier": SimulatedUser.demo.login])
      await browser.post(nil, Self.answers)
    }
    #expect(browser.page.mainButton?["hidden"] != nil)
    #expect(browser.page.text.contains("JavaScript. Turn it on, or choose another way."))
    #expect(browser.page.options.contains { $0["hidden"] == nil })
  }

  @Test(
    "Refused access ends the sign-in, and allowed access signs in", arguments: ["true", "false"])
  func consent(answer: String) async throws {
    let scenario = try #require(OrgScenario.named("consent"))
    let browser = try PlainBrowser(scenario)
    await browser.start()
    await browser.post(nil, ["/identifier": SimulatedUser.demo.login])
    await browser.post(nil, Self.answers)
    let buttons = browser.page.buttons.filter { $0["name"] == "/consent" }
    try #require(!buttons.isEmpty, "\(browser.page.text)")
    #expect(buttons.map { $0["value"] } == ["true", "false"])
    #expect(browser.page.elements.contains { $0.name == "li" })
    await browser.post(nil, ["/consent": answer])
    #expect(browser.page.title.hasPrefix("Signed in as") == (answer == "true"))
  }

  @Test(
    "The browser keeps what the org knows it by, and sends it with the next sign-in",
    .promise("device-cookie"))
  func device() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    await browser.post(nil, Self.answers)
    await browser.post(nil, Self.answers)
    #expect(browser.page.title.hasPrefix("Signed in as"))
    let cookie = try #require(browser.cookies["device"])
    browser.cookies = ["device": cookie]
    let before = await browser.demo.org.contexts.count
    await browser.start()
    let first = await browser.demo.org.contexts.dropFirst(before).first
    #expect(first?.deviceToken != nil)
    // Somebody has changed it.
    for text in ["", "e30", String(repeating: "a", count: 100_000), cookie + "AAAA"] {
      browser.cookies = ["device": text]
      let count = await browser.demo.org.contexts.count
      await browser.start()
      #expect(await browser.demo.org.contexts.dropFirst(count).first?.deviceToken == nil)
    }
  }

  @Test(
    "The address is that which a proxy of one's own has added, and never that of a stranger",
    .promise("person-address"))
  func address() async throws {
    let both = ["x-forwarded-for": "198.51.100.1", "forwarded": "for=203.0.113.7"]
    let cases: [([String: String], ProxyField?, String?)] = [
      (["x-forwarded-for": "198.51.100.1, 203.0.113.7"], .forwardedFor, "203.0.113.7"),
      (["forwarded": "for=198.51.100.1, for=203.0.113.7"], .forwarded, "203.0.113.7"),
      (["forwarded": "for=\"[2001:db8::7]:4711\";proto=https"], .forwarded, "2001:db8::7"),
      (both, .forwarded, "203.0.113.7"), (both, .forwardedFor, "198.51.100.1"), (both, nil, nil),
      // U+0600 is one `Character` with the comma of the proxy.
      (
        ["forwarded": "for=6.6.6.6;x=\u{600}, for=203.0.113.7"], .forwarded, "203.0.113.7"
      ),
      (["x-forwarded-for": "6.6.6.6\u{600}, 203.0.113.7"], .forwardedFor, "203.0.113.7"),
      (["forwarded": "for=\"6.6.6.6, for=203.0.113.7"], .forwarded, "203.0.113.7"),
      (["forwarded": "for=203.0.113.7;host=\"a, for=6.6.6.6\""], .forwarded, "203.0.113.7"),
      (["x-forwarded-for": "203.0.113.7:4711"], .forwardedFor, "203.0.113.7"),
    ]
    for (headers, field, address) in cases {
      let browser = try PlainBrowser(OrgScenario["password"], proxyField: field)
      var request = HTTPRequest(method: "POST", target: "/start")
      request.headers = headers.merging(["user-agent": "Mozilla/5.0"]) { $1 }
      _ = await browser.response(to: request)
      let context = await browser.demo.org.contexts.first
      #expect(context?.address == address)
      #expect(context?.userAgent == "Mozilla/5.0")
    }
  }

  @Test(
    "A request is refused if the proxy does not say its address",
    arguments: [
      ("x-forwarded-for", "198.51.100.1,"), ("x-forwarded-for", "nonsense"),
      ("x-forwarded-for", "203.0.113.7\u{7F}"), ("forwarded", "for=unknown"),
      ("forwarded", "for=6.6.6.6;for=203.0.113.7"), ("forwarded", "for=6.6.6.6;host=\"\\\""),
      ("accept", "a"),
    ])
  func unknownAddress(name: String, value: String) async throws {
    let field: ProxyField = name == "forwarded" ? .forwarded : .forwardedFor
    let browser = try PlainBrowser(OrgScenario["password"], proxyField: field)
    var request = HTTPRequest(method: "POST", target: "/start")
    request.headers[name] = value
    #expect(await browser.response(to: request).status == 400)
    #expect(await browser.demo.org.contexts.isEmpty)
  }

  @Test("Of two equal posts at once, one is sent")
  func double() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    await browser.post(nil, Self.answers)
    let form = browser.form("/sign-in", browser.page.fields.merging(Self.answers) { $1 })
    var sent = form
    sent.headers["cookie"] = browser.cookies.map { "\($0.key)=\($0.value)" }.joined()
    let before = await browser.demo.org.requests.filter { $0.hasPrefix("POST /idp/idx") }
    let site = browser.site
    let request = sent
    async let first = site.respond(to: request)
    async let second = site.respond(to: request)
    // The browser shows only one of the two, whichever it is: both lead to the person's page.
    for response in await [first, second] {
      #expect(response.headers.contains { $0.value.hasPrefix("account=") })
    }
    let after = await browser.demo.org.requests.filter { $0.hasPrefix("POST /idp/idx") }
    #expect(after.count == before.count + 1)
  }

  @Test(
    "An option that is not offered and a sign-in that is gone each have a sentence and a way on")
  func badInput() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    await browser.post(nil, ["choose": "skip"])
    #expect(browser.page.problems.count == 1 && browser.page.action == "/sign-in")
    browser.demo.org.advance(by: 2 * 3600)
    await browser.open("/sign-in")
    #expect(
      browser.status == 400 && browser.page.action == "/start" && browser.page.text.count > 30)
    browser.cookies["sign-in"] = "unknown"
    await browser.open("/sign-in")
    #expect(browser.status == 400 && browser.cookies["sign-in"] == nil)
    await browser.open("/nothing-here")
    #expect(browser.status == 404 || browser.status == 400)
  }

  @Test(
    "A visitor reads what to do about a failure of the org, and the log has the request and the reference of the page",
    arguments: [
      (Fault.unreachable, 503, "The sign-in service cannot be reached"),
      (.serverError, 503, "The sign-in service is not available at the moment"),
      (.rateLimited(seconds: 9), 503, "The sign-in service is not available at the moment"),
      (.webPage(status: 403), 502, "Signing in does not work at the moment"),
      (.refused("unauthorized_client"), 502, "Signing in does not work at the moment"),
    ])
  func orgThatFails(fault: Fault, status: Int, title: String) async throws {
    let demo = DemoOrg(
      OrgScenario["password"], origin: PlainBrowser.origin,
      redirectURIs: [PlainBrowser.origin + "/callback"])
    let lines = Lines()
    let site = SignInSite(
      try demo.configuration, store: MemoryOpenSignInStore(), log: { lines.add($0) }
    ) { _ in demo.client(for: .idx) }
    let browser = PlainBrowser(demo, site)
    // At the start, there is no page to go back to.
    await demo.org.inject(fault, at: "interact")
    await browser.start()
    #expect(browser.status == status && browser.page.title == title)
    #expect(browser.page.documentTitle == "Error: \(title)")
    let reference = try #require(
      browser.page.text.firstMatch(of: /[0-9A-Z]{4}-[0-9A-Z]{4}/)?.output)
    #expect(lines.all.last?.hasPrefix("\(reference): ") == true && lines.all.count == 1)
    for word in ["interact", "localhost", "POST", "HTTP", "org"] {
      #expect(!browser.page.text.contains(word), "\(browser.page.text)")
    }
    await browser.post(nil, [:])
    #expect(browser.page.title == "Sign in to Demo app")
    // Later, the page stays, and what was sent can be sent again.
    await demo.org.inject(fault, at: "identify")
    await browser.post(nil, ["/identifier": SimulatedUser.demo.login])
    guard browser.page.action == "/sign-in" else { return #expect(browser.page.action == "/start") }
    #expect(browser.page.text.contains(title) && !browser.page.text.contains("idp/idx"))
    #expect(lines.all.count == 2)
  }

  /// Lines of a log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test("While the store is away, the page says to try again, and its button continues the sign-in")
  func storeThatIsAway() async throws {
    let demo = DemoOrg(
      OrgScenario["password"], origin: PlainBrowser.origin,
      redirectURIs: [PlainBrowser.origin + "/callback"])
    let store = UnreliableStore()
    let site = SignInSite(try demo.configuration, store: store) { _ in demo.client(for: .idx) }
    let browser = PlainBrowser(demo, site)
    browser.language = "de"
    await browser.start()
    await store.setAway(true)
    await browser.open("/sign-in")
    #expect(browser.status == 503)
    #expect(browser.page.title == "Etwas ist schiefgegangen")
    await store.setAway(false)
    await browser.post(nil, [:])
    #expect(browser.status == 200 && browser.page.title == "Bei Demo app anmelden")
  }

  @Test(
    "Whenever the store is away for a moment, the person signs in once, and stays signed in",
    .promise("store-away"),
    arguments: 1...11)
  func storeThatIsAwayForAMoment(call: Int) async throws {
    let store = UnreliableStore()
    let browser = try Self.browser(with: store)
    await store.fail(call..<call + 3)
    for _ in 0..<12 where browser.cookies["account"] == nil {
      switch browser.page.action {
      case "/sign-in": await browser.post(nil, Self.answers)
      case "/start", "/back": await browser.post(browser.page.action, [:])
      default: await browser.open("/")
      }
    }
    while browser.status != 200 { await browser.open("/") }
    #expect(browser.page.title.hasPrefix("Signed in as"))
    #expect(await browser.demo.org.requests.filter { $0.hasSuffix("/token") }.count == 1)
    #expect(await store.hasFailed)
  }

  @Test(
    "If the store stays away after a sign-in, the page says to sign in again, and not that it ended",
    .promise("store-away")
  )
  func storeThatStaysAway() async throws {
    let store = UnreliableStore()
    let browser = try Self.browser(with: store)
    await browser.start()
    await browser.post(nil, ["/identifier": SimulatedUser.demo.login])
    // The next two calls read and claim the sign-in, and the third one saves its end.
    let calls = await store.calls
    await store.fail(calls + 4..<Int.max)
    await browser.post(nil, Self.answers)
    #expect(browser.status == 503 && browser.page.action == "/start")
    #expect(browser.cookies.isEmpty)
  }

  @Test(
    "Whenever the store hangs for some seconds, the person signs in once, and stays signed in",
    .promise("store-away"),
    arguments: 1...11, [1, 4, 8])
  func storeThatHangs(call: Int, seconds: Int) async throws {
    let store = HangingStore(call: call, for: .seconds(seconds))
    let browser = try Self.browser(
      with: store, now: { store.now }, pause: { store.advance(by: $0) })
    for _ in 0..<12 where browser.cookies["account"] == nil {
      switch browser.page.action {
      case "/sign-in": await browser.post(nil, Self.answers)
      case "/start", "/back": await browser.post(browser.page.action, [:])
      default: await browser.open("/")
      }
      // The person tries again after a moment.
      if browser.status == 503 { store.advance(by: .seconds(5)) }
    }
    while browser.status != 200 {
      store.advance(by: .seconds(5))
      await browser.open("/")
    }
    #expect(browser.page.title.hasPrefix("Signed in as"))
    // Nothing that the org has accepted is asked for again.
    for step in ["/identify", "/challenge/answer", "/token"] {
      #expect(await browser.demo.org.requests.filter { $0.hasSuffix(step) }.count == 1)
    }
    #expect(store.hasHung)
  }

  private static func browser(
    with store: any OpenSignInStore, now: @escaping @Sendable () -> Date = { Date() },
    pause: @escaping @Sendable (Duration) -> Void = { _ in }
  ) throws -> PlainBrowser {
    let demo = DemoOrg(
      OrgScenario["password"], origin: PlainBrowser.origin,
      redirectURIs: [PlainBrowser.origin + "/callback"],
      clock: now)
    let site = SignInSite(
      try demo.configuration, store: store, now: now,
      sleep: { try await $0 < .seconds(1) ? pause($0) : Task.sleep(for: .seconds(3600)) }
    ) { _ in demo.client(for: .idx) }
    return PlainBrowser(demo, site)
  }

  @Test("A page that waits is loaded again without JavaScript, at the pace of the server")
  func reload() async throws {
    let browser = try PlainBrowser(OrgScenario["push"])
    await browser.start()
    await browser.post(nil, ["/identifier": SimulatedUser.demo.login])
    await browser.post(nil, Self.answers)
    await browser.post(nil, ["/authenticator.methodType": "push"])
    let refresh = browser.page.elements.first { $0["http-equiv"] == "refresh" }
    #expect(refresh?["content"]?.hasSuffix("url=/check") == true)
    let polls = await browser.sentRequests.count
    await browser.open("/check")
    #expect(await browser.sentRequests.count == polls)
    await browser.demo.org.approvePush(for: SimulatedUser.demo.login)
    // By itself, this org approves after 6 s.
    browser.demo.org.advance(by: 4)
    await browser.open("/check")
    // Any web page can cause a GET, so it signs nobody in.
    #expect(browser.page.title == "Continue the sign-in")
    await browser.post(nil, [:])
    #expect(browser.page.title.hasPrefix("Signed in as"))
  }

  @Test("A page with news is loaded by the browser, with a policy of its own")
  func news() async throws {
    let browser = try PlainBrowser(OrgScenario["push"])
    await browser.start()
    await browser.post(nil, ["/identifier": SimulatedUser.demo.login])
    await browser.post(nil, Self.answers)
    await browser.post(nil, ["/authenticator.methodType": "push"])
    await browser.demo.org.rejectPush(for: SimulatedUser.demo.login)
    browser.demo.org.advance(by: 4)
    let response = await browser.response(to: browser.form("/poll", browser.page.fields))
    #expect(response.status == 303 && response.header("Location") == "/sign-in")
    #expect(response.body.isEmpty)
  }

  @Test("Pages are not cached, load nothing from elsewhere, and cookies are not for scripts")
  func headers() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    let started = await browser.response(to: browser.form("/start", [:]))
    #expect(started.header("Set-Cookie")?.hasSuffix("; Path=/; HttpOnly; SameSite=Lax") == true)
    let page = await browser.response(to: HTTPRequest(target: "/sign-in"))
    #expect(page.header("Cache-Control") == "no-store")
    #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
    let id = try #require(browser.cookies["sign-in"])
    #expect(!String(decoding: page.body, as: UTF8.self).contains(id))
  }

  @Test("With https, cookies are sent only by https and only to this host")
  func secureCookies() async throws {
    let org = DemoOrg(
      OrgScenario["password"], origin: "https://shop.example",
      redirectURIs: ["https://shop.example/callback"])
    let site = SignInSite(try org.configuration, store: MemoryOpenSignInStore()) { _ in
      org.client(for: .idx)
    }
    let response = await site.respond(to: HTTPRequest(method: "POST", target: "/start"))
    let cookie = try #require(response.header("Set-Cookie"))
    #expect(cookie.hasPrefix("__Host-sign-in=") && cookie.hasSuffix("; Secure"))
  }

  @Test("The browser's language chooses the words")
  func language() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    browser.language = "de-AT,de;q=0.9,en;q=0.8"
    await browser.start()
    #expect(browser.page.title == "Bei Demo app anmelden")
  }

  @Test("The HTTP server passes bodies and cookies on, and refuses bodies that are too long")
  func server() async throws {
    var limits = HTTPServer.Limits()
    limits.bodySize = 100
    let server = try HTTPServer(port: 0, limits: limits) { request in
      HTTPResponse(
        status: 200, headers: [("X-Target", request.target)],
        body: request.body + Array(request.form["a"].map { " \($0)" }?.utf8 ?? "".utf8))
    }
    func post(_ body: String) async throws -> (String, Int) {
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/x?y=%20"))
      let sent = try await LoopbackClient.post(url, body)
      return sent
    }
    #expect(try await post("a=b+c%26") == ("a=b+c%26 b c&", 200))
    #expect(try await post(String(repeating: "x", count: 101)).1 == 413)
    await server.stop()
  }
}

/// A store in memory that can be away, as a server can.
private actor UnreliableStore: OpenSignInStore {
  private struct Away: Error {}

  private let store = MemoryOpenSignInStore()
  private(set) var calls = 0
  private var failing = 0..<0

  var hasFailed: Bool { calls >= failing.lowerBound }

  func setAway(_ isAway: Bool) { failing = isAway ? 0..<Int.max : 0..<0 }

  /// Lets the calls with these numbers fail.
  func fail(_ calls: Range<Int>) { failing = calls }

  func load(_ id: String) async throws -> Data? {
    try count()
    return await store.load(id)
  }

  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool {
    try count()
    return await store.replace(expected, by: data, for: id, lifetime: lifetime)
  }

  private func count() throws {
    calls += 1
    if failing.contains(calls) { throw Away() }
  }
}

/// A store in memory that once does not answer for some seconds.
///
/// Like with the store in Redis, a request waits two seconds for it, and then all requests fail for five seconds.
private final class HangingStore: OpenSignInStore {
  private struct Away: Error {}
  private struct State {
    var calls = 0
    var time = Duration.zero
    /// When the store answers again; nil if it has not yet hung.
    var recovery: Duration?
    var nextTry = Duration.zero
  }

  private let store = MemoryOpenSignInStore()
  private let call: Int
  private let length: Duration
  private let state = Mutex(State())

  /// Creates a store that hangs from a call on.
  init(call: Int, for length: Duration) { (self.call, self.length) = (call, length) }

  var hasHung: Bool { state.withLock { $0.recovery != nil } }

  var now: Date {
    PlainBrowser.moment.addingTimeInterval(state.withLock { $0.time } / .seconds(1))
  }
  func advance(by duration: Duration) { state.withLock { $0.time += duration } }

  func load(_ id: String) async throws -> Data? {
    try waitForAnswer()
    return await store.load(id)
  }

  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool {
    try waitForAnswer()
    return await store.replace(expected, by: data, for: id, lifetime: lifetime)
  }

  private func waitForAnswer() throws {
    try state.withLock { state in
      state.calls += 1
      if state.calls == call { state.recovery = state.time + length }
      guard state.time >= state.nextTry else { throw Away() }
      guard let recovery = state.recovery, state.time < recovery else { return }
      let answer = min(recovery, state.time + .seconds(2))
      state.time = answer
      guard answer < recovery else { return }
      state.nextTry = answer + .seconds(5)
      throw Away()
    }
  }
}
