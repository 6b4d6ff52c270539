import Foundation
import IDXNetwork
import IDXOAuth
import IDXScreens
import IDXTesting
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
    let time = ContinuousClock().measure {
      #expect(form.form == ["": "2", "/identifier": "", "/passcode": "", "/a": "ñ"])
      #expect(form.path.isEmpty)
    }
    #expect(time < .seconds(3))
  }

  @Test("A header with thousands of accents on one letter does not reach the site")
  func accentsInHeaders() async throws {
    let server = try HTTPServer(port: 0) { request in
      HTTPResponse(
        status: 200, body: Array(request.headers.keys.sorted().joined(separator: " ").utf8))
    }
    let accents = String(repeating: "\u{301}\u{316}", count: 100)
    let answer = await LoopbackClient.exchange(
      server.port,
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nA\(accents): b\r\nC: \(accents)\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\nc connection host"))
    await server.stop()
  }

  @Test(
    "A request whose length is ambiguous is refused, because a server in front may see another one",
    arguments: [
      "Content-Length: 5\r\nContent-Length: 50\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
      "Transfer-Encoding: gzip, chunked\r\n", "Content-Length: +5\r\n",
    ])
  func ambiguousLength(fields: String) async throws {
    let server = try HTTPServer(port: 0) { _ in HTTPResponse(status: 200) }
    let answer = await LoopbackClient.exchange(
      server.port,
      "POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n0\r\n\r\n"
        + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    #expect(!answer.contains(" 200 "))
    await server.stop()
  }

  @Test("An ID that this site has not made has no token, and finds nothing")
  func foreignID() async throws {
    let browser = try PlainBrowser(.password)
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
    let browser = try PlainBrowser(.password)
    await browser.start()
    let fields = browser.page.fields
    let sent = await browser.demo.org.requests
    for query in ["", "?state=x&error=a", "?interaction_code=a&state=b", "?state=a&state=b"] {
      await browser.open("/callback" + query)
      #expect(browser.page.problems.count == 1 && browser.page.fields == fields)
    }
    #expect(await browser.demo.org.requests == sent)
  }
}
