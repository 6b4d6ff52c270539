import Expectations
import IDXBase
import IDXOAuth
import Testing

/// For whom requests are sent.
struct PersonContextTests {
  @Test(
    "Only an address of either kind is accepted as one", .promise("person-address"),
    arguments: [
      ("203.0.113.7", true), ("2001:db8::7", true), ("::1", true), ("", false),
      ("localhost", false), ("203.0.113.7, 10.0.0.1", false),
      ("203.0.113.7\r\nX-Evil: 1", false), ("203.0.113", false), ("1.2.3.4:80", false),
      ("[::1]", false), ("203.0.113.7\u{0}", false), ("fe80::1%eth0", false),
    ])
  func addresses(text: String, isAddress: Bool) throws {
    guard !isAddress else {
      try expectEqual(PersonContext(address: text).address, text)
      return
    }
    let error = #expect(throws: FlowError.self) { try PersonContext(address: text) }
    expectEqual(error?.code, .invalidConfiguration)
  }

  @Test(
    "A browser, a language and an app cannot add header fields, and are cut",
    .promise("person-headers"))
  func cleaned() throws {
    let context = try PersonContext(
      browser: "Mozilla/5.0 (ü)\r\nCookie: a=b\u{7F}", language: "de\n", app: "\u{0}")
    expectEqual(context.browser, "Mozilla/5.0 ()Cookie: a=b")
    expectEqual(context.language, "de")
    expectEqual(context.app, nil)
    let long = try PersonContext(browser: String(repeating: "a", count: 100_000))
    expectEqual(long.browser?.count, 500)
  }

  @Test(
    "A device token with other characters, or an enormous one, is refused",
    arguments: ["", "a b", "a\r\nb", "é", String(repeating: "a", count: 100_000)])
  func deviceToken(text: String) {
    let error = #expect(throws: FlowError.self) { try PersonContext(deviceToken: Secret(text)) }
    expectEqual(error?.code, .invalidConfiguration)
  }
}
