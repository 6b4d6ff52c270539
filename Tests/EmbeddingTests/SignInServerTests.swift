import Expectations
import Foundation
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import Embedding

/// A browser: it keeps cookies, and posts the form of the page that it shows.
struct Browser {
  let server: SignInServer
  var cookies: [String: String] = [:]
  private(set) var response = SignInServer.Response(html: "")

  init(_ server: SignInServer) { self.server = server }

  mutating func open() async throws {
    take(try await server.respond(to: SignInServer.Request(cookies: cookies)))
  }

  /// Opens the page, and posts the username and the password of the demo user.
  mutating func enterPassword() async throws {
    try await open()
    try await post(["identifier": login])
    try await post(["credentials.passcode": password])
  }

  mutating func post(_ fields: [String: String]) async throws {
    take(try await server.respond(to: request(posting: fields)))
  }

  /// The request with the hidden fields of the page.
  func request(posting fields: [String: String]) -> SignInServer.Request {
    var form: [String: String] = [:]
    for match in response.html.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/) {
      form[String(match.1)] = String(match.2)
    }
    // Of two fields with one name, the last one counts.
    form.merge(fields) { $1 }
    return SignInServer.Request(cookies: cookies, form: form)
  }

  mutating func take(_ response: SignInServer.Response) {
    self.response = response
    cookies.merge(response.cookies) { $1 }
    cookies = cookies.filter { !$0.value.isEmpty }
  }
}

/// The core of a web site.
struct SignInServerTests {
  /// The accounts of the site.
  private actor Accounts {
    private(set) var usernames: [String?] = []

    func add(_ credential: Credential) -> String {
      usernames.append(credential.username)
      return "account-\(usernames.count)"
    }
  }

  private let accounts = Accounts()

  /// A server of which the second of two requests at the same time waits with `pause`.
  private func server(
    _ org: SimulatedOrg, pause: @escaping @Sendable () async -> Void = {}
  ) -> SignInServer {
    SignInServer(
      signIns: OpenSignIns(
        client: org.client, configuration: org.configuration,
        keep: { [accounts] in await accounts.add($0.credential) }, now: { org.now },
        sleep: { try await $0 < .seconds(1) ? pause() : Task.sleep(for: .seconds(3600)) }))
  }

  private static let people = ["ada", "grace", "mary"].map {
    SimulatedUser(login: "\($0)@example.com", password: Secret("Engine-\($0)-1843"))
  }

  @Test("Three people sign in at once, and each gets their own account")
  func threePeople() async throws {
    let server = server(SimulatedOrg(users: Self.people, policy: .passwordOnly))
    var browsers = Self.people.map { _ in Browser(server) }
    for index in browsers.indices { try await browsers[index].open() }
    for (index, person) in Self.people.enumerated().reversed() {
      try await browsers[index].post(["identifier": person.login])
    }
    // One of them makes a mistake, which the others do not see.
    try await browsers[1].post(["credentials.passcode": "wrong"])
    expectContains(browsers[1].response.html, "wrong")
    for (index, person) in Self.people.enumerated() {
      expectContains(browsers[index].response.html, person.login)
      try await browsers[index].post(["credentials.passcode": person.password.revealed])
      expectContains(browsers[index].response.html, "Welcome, \(person.login)")
    }
    expectEqual(browsers.map(\.cookies), (1...3).map { ["account": "account-\($0)"] })
    await expectEqual(accounts.usernames, Self.people.map(\.login))
  }

  @Test(
    "After a double click on the last page, both requests return the account, which is kept once")
  func doubleClick() async throws {
    let org = SimulatedOrg(users: Self.people, policy: .passwordOnly)
    let (others, ended) = AsyncStream<Never>.makeStream()
    let server = server(org) { for await _ in others {} }
    var browser = Browser(server)
    try await browser.open()
    try await browser.post(["identifier": Self.people[0].login])
    let request = browser.request(posting: [
      "credentials.passcode": Self.people[0].password.revealed
    ])
    func send() async throws -> SignInServer.Response {
      defer { ended.finish() }
      return try await server.respond(to: request)
    }
    async let first = send()
    async let second = send()
    let cookies = try await [first.cookies, second.cookies]
    expectEqual(cookies[0], ["signin": "", "account": "account-1"])
    expectEqual(cookies[1], cookies[0])
    await expectEqual(accounts.usernames.count, 1)
    await expectEqual(org.count(of: "/challenge/answer"), 1)
  }

  @Test("A page is shown again after a reload, and a form of another site does nothing")
  func reload() async throws {
    let org = SimulatedOrg(users: Self.people, policy: .passwordOnly)
    var browser = Browser(server(org))
    try await browser.open()
    let page = browser.response.html
    try await browser.open()
    expectEqual(browser.response.html, page)
    var forged = browser.request(posting: ["identifier": Self.people[0].login])
    forged.form?["_token"] = "guessed"
    browser.take(try await browser.server.respond(to: forged))
    expectEqual(browser.response.html, page)
    await expectEqual(org.count(of: "/identify"), 0)
  }

  @Test("Google Authenticator is set up with the key on the page, after a choice")
  func enrollment() async throws {
    let org = SimulatedOrg(.demo)
    var browser = Browser(server(org))
    try await browser.open()
    try await browser.post(["identifier": login, "credentials.passcode": password])
    expectContains(browser.response.html, "google_otp")
    try await browser.post(["authenticator": "google_otp"])
    expectContains(browser.response.html, "data:image/png;base64")
    let code = try require(await org.authenticatorCode(for: login))
    try await browser.post(["credentials.passcode": code])
    expectContains(browser.response.html, "Welcome")
  }

  @Test("A page that waits for a push reloads itself, and then asks to continue")
  func push() async throws {
    let org = SimulatedOrg(OrgScenario["push"])
    var browser = Browser(server(org))
    try await browser.enterPassword()
    try await browser.post(["authenticator.methodType": "push"])
    expectContains(browser.response.html, "http-equiv=\"refresh\"")
    await org.approvePush(for: login)
    org.advance(by: 4)
    try await browser.open()
    try await browser.post([:])
    expectContains(browser.response.html, "Welcome")
    await expectEqual(accounts.usernames.count, 1)
  }

  @Test("The person skips, quits, or comes back with an old cookie")
  func otherEnds() async throws {
    let server = server(SimulatedOrg(.demo))
    var browser = Browser(server)
    try await browser.open()
    let cookies = browser.cookies
    try await browser.post(["identifier": login, "credentials.passcode": password])
    try await browser.post(["_option": "skip"])
    expectContains(browser.response.html, "Welcome")
    browser.cookies = cookies
    try await browser.open()
    expectEqual(browser.response.status, 400)
    expectEqual(browser.cookies, [:])
    try await browser.open()
    try await browser.post(["_option": Screen.quitID])
    expectContains(browser.response.html, "Canceled")
  }

  @Test("A box that is not checked says no, and a method belongs to its authenticator")
  func boxesAndChoices() async throws {
    var browser = Browser(server(SimulatedOrg(OrgScenario["keep-me-signed-in"])))
    try await browser.enterPassword()
    expectContains(browser.response.html, "type=\"checkbox\"")
    try await browser.post([:])
    expectContains(browser.response.html, "Welcome")

    browser = Browser(server(SimulatedOrg(OrgScenario["choose-factor"])))
    try await browser.enterPassword()
    let names = browser.response.html.matches(of: /name="(authenticator > [^"]*)"/).map(\.1)
    expect(Set(names).count > 2)
    try await browser.post([
      "authenticator": "phone_number",
      "authenticator > phone_number > authenticator.methodType": "sms",
      "authenticator > okta_verify > authenticator.methodType": "push",
    ])
    expectContains(browser.response.html, "passcode")
  }

  @Test("Texts are escaped, whoever wrote them")
  func escaped() async throws {
    var browser = Browser(server(SimulatedOrg(OrgScenario["password"])))
    try await browser.open()
    try await browser.post(["identifier": #""><script>alert(1)</script>"#])
    expect(!browser.response.html.contains("<script>"))
    expectContains(browser.response.html, "&lt;script")
  }
}
