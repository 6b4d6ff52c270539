import Expectations
import IDX
import IDXFlow
import IDXBase
import IDXOAuth
import IDXPrompt
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct RedirectPromptTests {
  private static let loopback = "http://127.0.0.1:8123/callback"
  private static let custom = "com.example.demo:/callback"

  private static func page(
    _ address: String = "https://idp.example/start?a=b", redirectURI: String = loopback
  ) async throws -> Screen {
    var screen = try await FrontEndSession.screen(
      .response([.form("redirect-idp"), .form("skip")]), redirectURI: redirectURI)
    screen.page = Screen.Page(url: try require(URL(string: address)), redirectURI: redirectURI)
    screen.startsByItself = true
    return screen
  }

  private func address(_ reply: Reply) -> String? {
    if case .returned(let url) = reply { url.absoluteString } else { nil }
  }

  @Test("A browser that returns ends the prompt, whatever is shown at that time")
  func returns() async throws {
    for keys in [[], ["?\n"], ["?\n", "1\n"]] {
      let listener = TestListener()
      let opened = AsyncStream.makeStream(of: URL.self)
      let session = try FrontEndSession(
        browser: { url in
          opened.continuation.yield(url)
          return true
        }, listen: { _, _ in listener })
      let page = try await Self.page()
      let visiting = session.frontEnd.begin(page)
      let start = try await session.shown(until: "other options\u{1B}[22m\u{1B}[K")
      expectEqual(
        start,
        """
          Open this address in a browser:

        https://idp.example/start?a=b

          Your browser has opened it.
        \n⠋ Waiting for you to finish in the browser… · ? for other options
        """)
      var urls = opened.stream.makeAsyncIterator()
      await expectEqual(urls.next(), page.page?.url)
      for key in keys {
        try await session.press(key)
        _ = try await session.shown(until: "back: ")
      }
      listener.simulateReturn(to: "\(Self.loopback)?state=s&interaction_code=c")
      expectEqual(address(try await visiting.value), "\(Self.loopback)?state=s&interaction_code=c")
      expect(listener.isClosed)
      expectEqual(session.pseudo.settings, session.before)
      try await expectContains(session.shown(until: "has returned."), "The browser has returned.")
    }
  }

  @Test("A browser that returns from another sign-in is named once, and the wait goes on")
  func foreignReturn() async throws {
    let listener = TestListener()
    let check = Locked<(@Sendable (URL) -> Bool)?>(nil)
    let session = try FrontEndSession(listen: { _, accepts in
      check.withLock { $0 = accepts }
      return listener
    })
    let visiting = try await session.frontEnd.begin(Self.page())
    _ = try await session.shown(until: "other options\u{1B}[22m\u{1B}[K")
    let accepts = try require(check.withLock { $0 })
    let foreign = try require(URL(string: "\(Self.loopback)?state=another&code=c"))
    for _ in 0..<2 { expect(!accepts(foreign)) }
    listener.simulateReturn(to: "\(Self.loopback)?state=s&interaction_code=c")
    _ = try await visiting.value
    let shown = try await session.shown(until: "has returned.")
    expectEqual(shown.components(separatedBy: "from a page that is not part of this").count, 2)
  }

  @Test(
    "Without a listener the address is pasted, even with spaces, quotes or brackets around it",
    arguments: ["", " ", "\"", "<", "'"])
  func pasted(around: String) async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let visiting = try await session.frontEnd.begin(Self.page(redirectURI: Self.custom))
    let start = try await session.shown(until: "address: ")
    expectEqual(
      start,
      """
        Open this address in a browser:

      https://idp.example/start?a=b

        When you are done, the browser goes to an address that starts with
        com.example.demo:/callback. Copy that address from the address bar, even if
        the page does not load.
      Paste the address: 
      """)
    let end = around == "<" ? ">" : around
    try session.pseudo.type("\(around)\(Self.custom)?state=s&interaction_code=c\(end) \n")
    expectEqual(address(try await visiting.value), "\(Self.custom)?state=s&interaction_code=c")
  }

  @Test(
    "While a browser is awaited, how long a pasted address is shows that it arrived",
    .timeLimit(.minutes(10)))
  func arrived() async throws {
    let listener = TestListener()
    let session = try FrontEndSession(listen: { _, _ in listener })
    let visiting = try await session.frontEnd.begin(Self.page())
    _ = try await session.shown(until: "other options\u{1B}[22m\u{1B}[K")
    let address = "\(Self.loopback)?state=s&interaction_code=c"
    try await session.press(address + "x\u{7F}")
    // The keys are read at any time.
    var line = ""
    while !line.contains("at the end of the address. Characters so far: \(address.count)") {
      session.tick()
      line = try await session.shown(until: "\u{1B}[K")
    }
    try session.pseudo.type("\n")
    expectEqual(self.address(try await visiting.value), address)
  }

  @Test("An address other than the redirect URI is refused")
  func wrong() async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    let visiting = try await session.frontEnd.begin(Self.page(redirectURI: Self.custom))
    _ = try await session.shown(until: "Paste the address: ")
    for line in ["https://idp.example/start", "com.example.demo:/callbacks?a=b", "hello"] {
      try session.pseudo.type("\(line)\n")
      try await expectEqual(
        session.shown(until: "Paste the address: "),
        """
        \(line)
          ✗ The address must start with com.example.demo:/callback.
        Paste the address: 
        """)
    }
    try session.pseudo.type("\n")
    try await expectContains(
      session.shown(until: "Paste the address: "),
      "✗ Paste the address, or type ? for other options.")
    try session.pseudo.type("?\n")
    _ = try await session.shown(until: "back: ")
    try session.pseudo.type("skip\n")
    try await expectEqual(visiting.value, .choose("skip"))
  }

  @Test("While waiting for the browser, the address can be pasted, at once or from the list")
  func pastedMeanwhile() async throws {
    for isFromList in [false, true] {
      let listener = TestListener()
      let session = try FrontEndSession(
        environment: TerminalSession.plain, listen: { _, _ in listener })
      let visiting = try await session.frontEnd.begin(Self.page())
      _ = try await session.shown(until: "other options)\r\n")
      for line in isFromList ? ["?\n", "1\n"] : [] {
        try await session.press(line)
        _ = try await session.shown(until: "back: ")
      }
      try await session.press("\(Self.loopback)?code=c\n")
      expectEqual(address(try await visiting.value), "\(Self.loopback)?code=c")
      expect(listener.isClosed)
    }
  }

  @Test("? while waiting for the browser lists the other options; Enter goes back")
  func alternatives() async throws {
    let session = try FrontEndSession(
      environment: TerminalSession.plain, listen: { _, _ in TestListener() })
    let visiting = try await session.frontEnd.begin(Self.page())
    for answer in ["\n", "skip\n"] {
      _ = try await session.shown(until: "other options)\r\n")
      try await session.press("?\n")
      try await expectEqual(
        session.shown(until: "back: "),
        """
        Other options
          1  Paste the address from the browser
          2  Skip for now
          3  Quit
        Choose 1-3, or Enter to go back: 
        """)
      try session.pseudo.type(answer)
    }
    try await expectEqual(visiting.value, .choose("skip"))
  }

  @Test("If listening fails, at once or later, the reason is shown, and the address can be pasted")
  func listeningFails() async throws {
    let session = try FrontEndSession(
      environment: TerminalSession.plain, listen: { _, _ in throw TestListener.Failure() })
    let visiting = try await session.frontEnd.begin(Self.page())
    let shown = try await session.shown(until: "Paste the address: ")
    expectContains(shown, "✗ The browser cannot return to this program. The port is taken.")
    try session.pseudo.type("\u{4}")
    try await expectEqual(visiting.value, .cancel)

    let listener = TestListener()
    let other = try FrontEndSession(
      environment: TerminalSession.plain, listen: { _, _ in listener })
    let pasting = try await other.frontEnd.begin(Self.page())
    _ = try await other.shown(until: "other options)\r\n")
    listener.fail()
    _ = try await other.shown(until: "The port is taken.\r\n")
    try await other.press("\(Self.loopback)?code=c\n")
    expectEqual(address(try await pasting.value), "\(Self.loopback)?code=c")
  }

  @Test("A cancellation stops listening and restores the terminal")
  func cancelled() async throws {
    let listener = TestListener()
    let session = try FrontEndSession(listen: { _, _ in listener })
    let visiting = try await session.frontEnd.begin(Self.page())
    _ = try await session.shown(until: "\u{1B}[K")
    visiting.cancel()
    await #expect(throws: CancellationError.self) { try await visiting.value }
    expect(listener.isClosed)
    expectEqual(session.pseudo.settings, session.before)
  }

  @Test(
    "Listening is tried only at an http address of this computer",
    arguments: [custom, "https://app.example/cb"])
  func otherRedirectURIs(redirectURI: String) async throws {
    let session = try FrontEndSession(
      environment: TerminalSession.plain, browser: { _ in false },
      listen: { _, _ in
        Issue.record("listened")
        return TestListener()
      })
    let visiting = try await session.frontEnd.begin(Self.page(redirectURI: redirectURI))
    expect(!(try await session.shown(until: "Paste the address: ").contains("has opened it")))
    await visiting.end()
  }

  /// The reason for which a page is neither shown nor opened; nil if it is.
  private func refusal(_ address: String) async throws -> String? {
    let session = try FrontEndSession(
      environment: TerminalSession.plain,
      browser: { _ in
        Issue.record("opened")
        return true
      })
    let reply = try await session.frontEnd.reply(to: try await Self.page(address))
    guard case .failed(let sentence) = reply else { return nil }
    return sentence.replacing("The page is not opened: its address ", with: "")
  }

  private static let unsafeAddresses: [(String, [String])] = [
    (
      "is neither https nor on this computer.",
      ["file:///etc/passwd", "http://idp.example/", "javascript:alert(1)", "https:/"]
    ),
    (
      "hides the real host.",
      ["https://demo.okta.example@evil.example/", "https://ada:pw@demo.okta.example/"]
    ),
    // Unless the issuer is there.
    (
      "leads to another program on this computer.",
      [
        "http://127.0.0.1:631/admin", "https://localhost/", "http://[::1]:8080/",
        "https://localhost./", "https://foo.LOCALHOST/", "https://foo.localhost./",
        "https://ip6-localhost/", "https://ip6-loopback/", "https://127.1/", "https://2130706433/",
        "https://0x7f000001/", "https://0177.0.0.1/", "https://0.0.0.0/", "https://127.0.0.1./",
        "https://127%2E0.0.1/", "https://[::]/", "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:0:1]/", "https://[0:0:0:0:0:0:0:1]/", "https://[::1%25lo]/",
      ]
    ),
    // It would fill the screen.
    (
      "has more than 8000 characters.",
      ["https://a.example/" + String(repeating: "b", count: 8000)]
    ),
  ]

  @Test(
    "A page with an unsafe address is neither shown nor opened, and the reason is told",
    .promise("page-address"), arguments: unsafeAddresses)
  func unsafe(reason: String, addresses: [String]) async throws {
    for address in addresses {
      try await expectEqual(refusal(address), reason, "\(address.prefix(100))")
    }
  }

  @Test(
    "The address of a page on another computer is shown unbroken, also in a narrow window",
    .promise("page-address"),
    arguments: [
      "https://localhost.example/", "https://127.example/", "https://128.0.0.1/", "https://1.127/",
      "https://[2001:db8::1]/", "https://[::ffff:8.8.8.8]/", "https://[1::7f00:1]/",
      "https://" + String(repeating: "demo.okta.example.", count: 12) + "evil.example/start?a="
        + String(repeating: "b", count: 2000),
    ], [UInt16(20), 80])
  func otherComputer(address: String, columns: UInt16) async throws {
    let session = try FrontEndSession(environment: TerminalSession.plain)
    session.pseudo.resize(columns: columns, rows: 24)
    let visiting = try await session.frontEnd.begin(Self.page(address))
    let prompt = columns == 20 ? "Paste the address:\r\n  " : "Paste the address: "
    try await expectContains(session.shown(until: prompt), "\n\(address)\n")
    await visiting.end()
  }
}

/// A listener that a test controls.
private final class TestListener: RedirectListener {
  struct Failure: Error, CustomStringConvertible {
    let description = "The port is taken."
  }

  private let arrivals = AsyncThrowingStream.makeStream(of: URL.self)
  private let closing = AsyncStream.makeStream(of: Void.self)

  func next() async throws -> URL {
    for try await url in arrivals.stream { return url }
    throw CancellationError()
  }

  func close() {
    arrivals.continuation.finish()
    closing.continuation.finish()
  }

  func simulateReturn(to address: String) {
    if let url = URL(string: address) { arrivals.continuation.yield(url) }
  }

  func fail() { arrivals.continuation.finish(throwing: Failure()) }

  var isClosed: Bool {
    if case .terminated = closing.continuation.yield() { true } else { false }
  }
}
