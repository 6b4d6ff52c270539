import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

// What the site of “Build a web site” calls: pages as lines, and forms.

private let pages = Locked<[String: OpenSignInPage]>([:])

func html(_ page: OpenSignInPage) -> String {
  pages.withLock { $0[page.formToken] = page }
  return page.formToken
}

func reply(in form: [String: String]) -> Reply {
  if let option = form["option"] { return .choose(option) }
  let values = form.filter { !["token", "revision"].contains($0.key) }
  return .submit(values.mapValues { Secret($0) })
}

func escaped(_ text: String) -> String { text }

/// A browser with cookies, and Ada in front of it.
private struct Browser {
  let site: Site
  let org: SimulatedOrg
  var cookies: [String: String] = [:]

  mutating func load(_ line: String, _ form: [String: String] = [:]) async throws -> Response {
    let headers = ["origin": "https://shop.example", "sec-fetch-site": "same-origin"]
    let request = Request(line: line, headers: headers, cookies: cookies, form: form)
    let response = try await site.respond(to: request)
    for (name, value) in response.headers where name == "Set-Cookie" {
      let pair = value.prefix { $0 != ";" }.split(separator: "=", omittingEmptySubsequences: false)
      cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
    }
    guard let path = response.headers.first(where: { $0.0 == "Location" })?.1, path != "/" else {
      return response
    }
    return try await load("GET \(path)")
  }

  mutating func signIn(_ ada: Ada) async throws {
    let person = SimulatedPerson(of: org)
    var body = try await load("POST /start").body
    while let page = pages.withLock({ $0[body] }) {
      var form = ["token": page.formToken, "revision": String(page.revision)]
      let screen = page.screen
      ada.see(screen.title)
      var line = "POST /sign-in"
      if screen.action.role == .wait {
        org.advance(by: screen.wait.map { $0.interval / .seconds(1) } ?? 0)
        line = "POST /poll"
      } else if let later = screen.options.first(where: { $0.role == .skip }) {
        form["option"] = later.id
      } else {
        guard case .submit(let values)? = try await person.reply(to: screen) else { return }
        form.merge(values.mapValues(\.revealed)) { old, _ in old }
      }
      let response = try await load(line, form)
      if response.status != 204 { body = response.body }
    }
  }
}

@Suite("Samples on the web", .timeLimit(.minutes(10)))
struct WebSampleTests {
  @Test("Build a web site", arguments: Situation.all)
  func site(situation: Situation) async throws {
    let org = situation.org
    let kept = Locked<[Credential]>([])
    let signIns = OpenSignIns(
      client: org.client, configuration: org.configuration,
      keep: { signIn in
        kept.withLock { $0.append(signIn.credential) }
        return "account"
      }, now: { org.now })
    var browser = Browser(site: Site(signIns: signIns), org: org)
    let ada = Ada(org)
    try await browser.signIn(ada)
    expectEqual(browser.cookies, ["__Host-account": "account"], "\(ada.seen)")
    expectEqual(kept.withLock { $0.map(\.username) }, [TestSignIn.login])
  }

  @Test("Handlers and screens: a screen of a closure, in a loop and on a page")
  func ownScreen() async throws {
    let user = SimulatedUser(login: "7@example.com", password: SimulatedUser.demo.password)
    let org = SimulatedOrg(users: [user], policy: .passwordOnly)
    let person = ScriptedFrontEnd([
      .answer("identifier", "seven"), .answer("identifier", "7"), .password,
    ])
    var rows = staffHandlers()
    rows.frontEnd = person
    let outcome = try await FlowCoordinator(client: org.client, handlers: rows).run(
      org.configuration)
    expect(outcome.signIn != nil)
    await expectEqual(person.questions.map(\.input.problem), [nil, "Enter digits.", nil])

    let signIns = OpenSignIns(
      client: org.client, configuration: org.configuration, handlers: staffHandlers(),
      now: { org.now })
    guard case .page(var page) = try await signIns.start() else { throw Ended() }
    expectEqual(page.screen.title, "Welcome to the shop")
    for number in ["seven", "7"] {
      let reply = Reply.submit(["identifier": Secret(number)])
      guard
        case .page(let next) = try await signIns.reply(reply, to: page.id, revision: page.revision)
      else { throw Ended() }
      page = next
    }
    let password = Reply.submit(["credentials.passcode": SimulatedUser.demo.password])
    guard
      case .signedIn(let signIn) = try await signIns.reply(
        password, to: page.id, revision: page.revision)
    else { throw Ended() }
    expectEqual(signIn.credential.username, "7@example.com")
  }

  private struct Ended: Error {}
}
