import Foundation
import IDXNetwork
import IDXOAuth
import IDXFlow
import IDXSimulatedOrg
import SignInSite
import Testing
import WebServer

@Suite("Hostile requests")
struct HostileRequestTests {
  @Test(
    "Only the cookie with exactly this name counts: browsers let other hosts set names like it",
    arguments: [
      // Browsers see neither the prefix nor the separator in these.
      "\u{2000}__Host-sign-in=theirs", "\u{A0}__Host-sign-in=theirs",
      "x=1\u{37E}__Host-sign-in=theirs", "x=1\u{37E} __Host-sign-in=theirs",
      "__Host-sign-in\u{2000}=theirs",
    ])
  func cookieNames(cookie: String) {
    let name = "__Host-sign-in"
    #expect(HTTPRequest(target: "/", headers: ["cookie": cookie]).cookie(name) == nil)
    let both = ["cookie": "\(cookie); a=b; \(name)=mine "]
    #expect(HTTPRequest(target: "/", headers: both).cookie(name) == "mine")
  }

  @Test("Texts with thousands of accents on one letter, which are slow to compare, are left out")
  func accents() throws {
    let text =
      "a"
      + ["\u{345}", "\u{301}", "\u{316}"].map {
        String(repeating: $0, count: 10_000)
      }.joined()
    let encoded = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let fields = "\(text)=1&\(encoded)=2&/identifier=\(text)&/passcode=\(encoded)&/a=n\u{303}"
    let form = HTTPRequest(
      method: "POST", target: "/\(text)",
      headers: ["content-type": "application/x-www-form-urlencoded"], body: Array(fields.utf8))
    let start = Self.threadSeconds
    #expect(form.form == ["": "2", "/identifier": "", "/passcode": "", "/a": "ñ"])
    #expect(form.path.isEmpty)
    #expect(Self.threadSeconds - start < 3)
  }

  /// The processor time of this thread, which other programs do not change.
  private static var threadSeconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }

  @Test("In the values of headers, what is not ASCII does not reach the site, and the rest stays")
  func accentsInHeaders() async throws {
    let server = try HTTPServer(port: 0) { request in
      HTTPResponse(status: 200, body: Array("[\(request.headers["c"] ?? "nil")]".utf8))
    }
    let accents = "a, " + String(repeating: "\u{301}\u{316}", count: 2) + ", b"
    let answer = await LoopbackClient.exchange(
      server.port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nC: \(accents)\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\n[a, ????????, b]"))
    await server.stop()
  }

  /// Heads that several servers read differently, without the empty line at the end.
  private static let unclearHeads = [
    // Spaces in names.
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5", "POST / HTTP/1.1\r\nHost: x\r\nX\t: 5",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length : 0",
    "GET / HTTP/1.1\r\nHost: x\r\nA b: c", "GET / HTTP/1.1\r\n Host: x\r\nHost: x",
    // NUL.
    "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\nD: e", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\0" + "0", "GET / HTTP/1.1\r\nHost: x\0y",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\0x",
    "GET / HTTP/1.1\r\nHost: x\r\nA\0: b", "GET / HTTP/1.1\r\nHost: x\r\nCookie: a=b\0; c=d",
    "GET /a\0b HTTP/1.1\r\nHost: x", "GET /?a=b\0&c=d HTTP/1.1\r\nHost: x",
    "GE\0T / HTTP/1.1\r\nHost: x", "GET / HTTP/1.1\0\r\nHost: x", "GET / HTTP/1.0\0",
    // Hosts.
    "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: x\r\nHost: x", "GET / HTTP/1.1\r\nHost: x, y",
    "GET / HTTP/1.1\r\nHost: x\r\nhost: y", "GET / HTTP/1.0\r\nHost: x\r\nHost: y",
    "GET / HTTP/1.1\r\nHost: a@x", "GET / HTTP/1.1\r\nHost: x/y",
    // Lengths.
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 50",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5",
    // Lines that continue, names that are empty, and ends of lines.
    "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\t",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n 5", "GET / HTTP/1.1\r\nHost: x\r\n: b",
    "GET / HTTP/1.1\r\nHost: x\r\n: b\r\nC: d", "GET / HTTP/1.1\r\nHost: x\r\nA",
    "GET / HTTP/1.1\r\nHost: x\nA: b", "GET / HTTP/1.1\nHost: x",
    "GET / HTTP/1.1\r\nHost: x\r\nA: b\rB: c", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r",
    // Other control characters, and names and targets that are not ASCII.
    "GET / HTTP/1.1\r\nHost: x\r\nA: b\u{1}", "GET / HTTP/1.1\r\nHost: x\r\nA: \u{7F}b",
    "GET / HTTP/1.1\r\nHost: x\r\nA\u{E9}: b", "GET /\u{E9} HTTP/1.1\r\nHost: x",
    // Request lines.
    "GET /a b HTTP/1.1\r\nHost: x", "GET  / HTTP/1.1\r\nHost: x", "GET / HTTP/1.1 \r\nHost: x",
    "G@T / HTTP/1.1\r\nHost: x", "GET /\r\nHost: x",
  ]

  @Test(
    "A request that several servers read differently is refused, and none after it is read",
    .promise("unclear-request"),
    arguments: unclearHeads)
  func unclearHead(head: String) async throws {
    let server = try HTTPServer(port: 0) { _ in HTTPResponse(status: 200) }
    let answer = await LoopbackClient.exchange(
      server.port,
      head + "\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 ") && !answer.contains(" 200 "))
    await server.stop()
  }

  @Test(
    "A body in chunks is refused, as servers read the ends of chunks differently",
    .promise("unclear-request"))
  func chunks() async throws {
    let server = try HTTPServer(port: 0) { _ in HTTPResponse(status: 200) }
    let answer = await LoopbackClient.exchange(
      server.port,
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 411 ") && !answer.contains(" 200 "))
    await server.stop()
  }

  @Test(
    "A request that every server reads in the same way is answered",
    arguments: [
      "GET / HTTP/1.0", "GET / HTTP/1.0\r\nHost: x", "\r\nGET / HTTP/1.1\r\nHost: [::1]:80",
      "GET /?a=%00#b HTTP/1.1\r\nHost:x\r\nA:\r\nB: \t c \t\r\nC: \u{E9} d",
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\na: c\r\nCookie: a\r\nCookie: b",
      "GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "b", count: 20_000))",
    ])
  func clearHead(head: String) async throws {
    let server = try HTTPServer(port: 0) { _ in HTTPResponse(status: 200) }
    let answer = await LoopbackClient.exchange(
      server.port, head + "\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    await server.stop()
  }

  @Test(
    "An origin that is more than a scheme, a host and a port is refused",
    arguments: [
      "http://evil.example\\@localhost", "http://evil.example@localhost", "//localhost",
      "file://localhost", "http://localhost/", "http://localhost?", "null", "",
    ])
  func unclearOrigin(origin: String) async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    var request = browser.form("/start", [:])
    request.headers["origin"] = origin
    #expect(await browser.response(to: request).status == 403)
    request.headers["origin"] = "http://LOCALHOST:1"
    #expect(await browser.response(to: request).status == 303)
  }

  @Test("An ID that this site has not made has no token, and finds nothing")
  func foreignID() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    let account = String(repeating: "a", count: 43)
    for id in ["x", "account:\(account)", ""] {
      browser.cookies["account"] = id
      let response = await browser.response(to: browser.form("/sign-out", ["token": ""]))
      #expect(response.status == 403)
    }
  }

  @Test("An address that the browser did not return to sends nothing, and keeps the page as it is")
  func foreignReturn() async throws {
    let browser = try PlainBrowser(OrgScenario["password"])
    await browser.start()
    let fields = browser.page.fields
    let sent = await browser.sentRequests
    for query in ["", "?state=x&error=a", "?interaction_code=a&state=b", "?state=a&state=b"] {
      await browser.open("/callback" + query)
      #expect(browser.page.problems.count == 1 && browser.page.fields == fields)
    }
    #expect(await browser.sentRequests == sent)
  }

  @Test(
    "A return with this sign-in's state and another issuer sends nothing; the page stays valid",
    .promise("wrong-return"))
  func foreignIssuer() async throws {
    let browser = try PlainBrowser(OrgScenario["idp"])
    await browser.start()
    let link = try #require(browser.page.elements.first { $0["class"] == "button" }?["href"])
    let returned = await browser.response(
      to: HTTPRequest(target: String(link.dropFirst(PlainBrowser.origin.count))))
    let address = try #require(returned.header("Location"))
    let target = String(address.dropFirst(PlainBrowser.origin.count))
    #expect(target.contains("state=") && target.contains("code="))
    let fields = browser.page.fields
    let sent = await browser.sentRequests
    await browser.open(target + "&iss=https%3A%2F%2Fevil.example%2Foauth2%2Fdefault")
    #expect(browser.page.problems.count == 1 && browser.page.fields == fields)
    #expect(await browser.sentRequests == sent)
    let issuer = browser.demo.org.issuer.absoluteString
    await browser.open(target + "&iss=" + issuer.replacing(":", with: "%3A"))
    #expect(browser.page.title.hasPrefix("Signed in as"))
  }
}
