import Expectations
import IDXBase
import IDXOAuth
import Testing

/// For whom requests are sent.
struct PersonContextTests {
  @Test("Addresses of both kinds are accepted", arguments: ["203.0.113.7", "2001:db8::7", "::1"])
  func addresses(address: String) throws {
    try expectEqual(PersonContext(address: address).address, address)
  }

  @Test(
    "What is no address is refused", .promise("person-address"),
    arguments: [
      "", "localhost", "203.0.113.7, 10.0.0.1", "203.0.113.7\r\nX-Evil: 1", "203.0.113",
      "1.2.3.4:80",
      "[::1]", "203.0.113.7\u{0}", "fe80::1%eth0",
    ])
  func noAddress(text: String) {
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

  @Test("A device token is not shown")
  func description() throws {
    let context = try PersonContext(address: "203.0.113.7", deviceToken: "DT-1843")
    var dumped = ""
    dump(context, to: &dumped)
    expect(!"\(context)\(dumped)".contains("DT-1843"))
  }
}
