import Expectations
import Foundation
import IDXBase
import IDXBrowserAuth
import Testing

/// The state token in a hosted sign-in page.
struct HostedPageTests {
  private func tokens(in page: String) -> [String] {
    HostedPage(Array(page.utf8)).stateTokens.map(\.revealed)
  }

  @Test(
    "It is found in each way in which pages name it, without the escapes of JavaScript",
    arguments: [
      #"var stateToken = 'eyJh.b\x2Dc';"#, #"let stateToken="eyJh.b\u002Dc";"#,
      "const stateToken = 'eyJh.\\\nb-c';", "const stateToken = 'eyJh.\\\r\nb-c';",
      #"var oktaData = {"signIn":{"stateToken":"eyJh.b\x2Dc","go":function(){}}};"#,
      #"var modelDataBag = '\x7B\x22stateToken\x22:\x22eyJh.b\x2Dc\x22\x7D';"#,
      #"var modelDataBag = '{\"stateToken\":\"eyJh.b\x5Cu002Dc\"}';"#,
      #"var modelDataBag = '\x7B\x22stateToken\x22\x3A\x22eyJh.b\x5Cu002Dc\x22\x7D';"#,
      #"{ "stateToken" : "eyJh.b-c" }"#, "{'stateToken': 'eyJh.b-c'}",
      "<div data-config=\"{&quot;stateToken&quot;:&quot;eyJh.b-c&quot;}\">",
    ])
  func forms(page: String) {
    expectEqual(tokens(in: "<html><script>\(page)</script></html>"), ["eyJh.b-c"])
  }

  @Test("An empty value before it does not hide it, and each of several is kept once")
  func severalValues() {
    let page = """
      var stateToken = ''; var a = {"stateToken": ""}; var b = {"stateToken": "first"};
      var stateToken = "second"; var c = { stateToken: 'first' }; load('stateToken'); stateToken = other;
      """
    expectEqual(tokens(in: page), ["first", "second"])
    expect(!HostedPage(Array(page.utf8)).isClassic)
  }

  @Test(
    "What cannot be a token is none, but a page of the classic engine is recognized",
    arguments: [
      "", "stateToken", "stateToken =", "stateToken = '", "stateToken = 'abc",
      "stateToken = \"ab\ncd\"",
      #"stateToken = "a\x""#, #"stateToken = "a\x-Db""#, #"stateToken = "a\x+Db""#,
      #"stateToken = "a\u00e9""#, #"stateToken = "a\"#,
      "stateToken = 'a b'",
      "stateToken = '<script>'", #"stateToken = "a\x00""#, "stateToken: token()",
      "stateToken = '\(String(repeating: "a", count: 20_000))'",
    ].map { ($0, false) }
      + ["var stateToken = '';", #"{"stateToken":"00vXq\x2D"}"#].map { ($0, true) })
  func others(page: String, isClassic: Bool) {
    let read = HostedPage(Array(page.utf8))
    expectEqual(read.stateTokens, [])
    expectEqual(read.isClassic, isClassic)
  }

  @Test("At most five are kept, and a page that is too large is not searched")
  func limits() {
    let many = (0..<10_000).map { "stateToken = 'token\($0)';" }.joined()
    expectEqual(tokens(in: many), (0..<5).map { "token\($0)" })
    let large = String(repeating: " ", count: 5 << 20) + "stateToken = 'token'"
    expectEqual(tokens(in: large), [])
  }

  @Test("A dump of a page does not show its tokens")
  func dump() {
    expect(!"\(HostedPage(Array("stateToken = 'eyJhidden'".utf8)))".contains("eyJhidden"))
  }
}
