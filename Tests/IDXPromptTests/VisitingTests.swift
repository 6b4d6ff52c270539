import IDX
import IDXFlow
import IDXOAuth
import IDXPrompt
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct VisitingTests {
  private static let loopback = "http://127.0.0.1:8123/callback"
  private static let custom = "com.example.demo:/callback"

  private static func page(
    _ address: String = "https://idp.example/start?a=b", redirectURI: String = loopback
  ) async throws -> RedirectPage {
    let step = try await Encounter.step(
      .response([.form("redirect-idp"), .form("skip")]), redirectURI: redirectURI)
    return RedirectPage(try #require(URL(string: address)), of: step)
  }

  private func address(_ reply: Reply) -> String? {
    if case .returned(let url) = reply { url.absoluteString } else { nil }
  }

  @Test("The browser that comes back ends the visit, whatever stands on the terminal by then")
  func comesBack() async throws {
    for keys in ["", "?\n", "?\n1\n"] {
      let listener = TestListener()
      let opened = AsyncStream.makeStream(of: URL.self)
      let encounter = try Encounter(
        browser: { url in
          opened.continuation.yield(url)
          return true
        }, listen: { _ in listener })
      let page = try await Self.page()
      let visiting = Task { try await encounter.prompter.open(page) }
      let start = try await encounter.shown(until: "other ways\u{1B}[22m\u{1B}[K")
      #expect(
        start == """
            Open this address in a browser:

          https://idp.example/start?a=b

            Your browser has opened it.
          \n⠋ Waiting for the browser to come back… · ? for other ways
          """)
      var urls = opened.stream.makeAsyncIterator()
      #expect(await urls.next() == page.url)
      if !keys.isEmpty {
        try await encounter.press(keys)
        _ = try await encounter.shown(until: "back: ")
        if keys.hasSuffix("1\n") { _ = try await encounter.shown(until: "back: ") }
      }
      listener.comesBack("\(Self.loopback)?state=s&interaction_code=c")
      #expect(
        address(try await visiting.value) == "\(Self.loopback)?state=s&interaction_code=c")
      #expect(listener.isClosed)
      #expect(encounter.pseudo.settings == encounter.before)
      #expect(try await encounter.shown(until: "is back.").contains("The browser is back."))
    }
  }

  @Test(
    "Where nobody can listen the address is pasted, with spaces, quotes and brackets around it",
    arguments: ["", " ", "\"", "<", "'"])
  func pasted(around: String) async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let page = try await Self.page(redirectURI: Self.custom)
    let visiting = Task { try await encounter.prompter.open(page) }
    let start = try await encounter.shown(until: "address: ")
    #expect(
      start == """
          Open this address in a browser:

        https://idp.example/start?a=b

          In the end the browser goes to an address that starts with
          com.example.demo:/callback. Copy it from the address bar, even where the page
          fails to load.
        Paste the address: 
        """)
    let end = around == "<" ? ">" : around
    try encounter.pseudo.type("\(around)\(Self.custom)?state=s&interaction_code=c\(end) \n")
    #expect(address(try await visiting.value) == "\(Self.custom)?state=s&interaction_code=c")
  }

  @Test("What is not the redirect URI is asked again")
  func wrong() async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let page = try await Self.page(redirectURI: Self.custom)
    let visiting = Task { try await encounter.prompter.open(page) }
    _ = try await encounter.shown(until: "Paste the address: ")
    for line in ["https://idp.example/start", "com.example.demo:/callbacks?a=b", "hello"] {
      try encounter.pseudo.type("\(line)\n")
      #expect(
        try await encounter.shown(until: "Paste the address: ") == """
          \(line)
            ✗ The address must start with com.example.demo:/callback.
          Paste the address: 
          """)
    }
    try encounter.pseudo.type("\n")
    #expect(
      try await encounter.shown(until: "Paste the address: ").contains(
        "✗ Paste the address, or type ? for what else can be done."))
    try encounter.pseudo.type("?\n")
    _ = try await encounter.shown(until: "back: ")
    try encounter.pseudo.type("1\n")
    guard case .instead(let form) = try await visiting.value else {
      Issue.record("another reply")
      return
    }
    #expect(form.name == .skip)
  }

  @Test("While the browser is waited for the address can be pasted, at once or from the list")
  func pastedMeanwhile() async throws {
    for keys in ["", "?\n1\n"] {
      let listener = TestListener()
      let encounter = try Encounter(environment: TerminalSession.plain, listen: { _ in listener })
      let page = try await Self.page()
      let visiting = Task { try await encounter.prompter.open(page) }
      _ = try await encounter.shown(until: "other ways)\r\n")
      try await encounter.press("\(keys)\(Self.loopback)?code=c\n")
      #expect(address(try await visiting.value) == "\(Self.loopback)?code=c")
      #expect(listener.isClosed)
    }
  }

  @Test("? while the browser is waited for lists what else can be done; Enter goes back")
  func alternatives() async throws {
    let encounter = try Encounter(
      environment: TerminalSession.plain, listen: { _ in TestListener() })
    let page = try await Self.page()
    let visiting = Task { try await encounter.prompter.open(page) }
    _ = try await encounter.shown(until: "other ways)\r\n")
    try await encounter.press("?\n")
    #expect(
      try await encounter.shown(until: "back: ") == """
        What else can be done here
          1  Paste the address that the browser ended on
          2  Skip for now
          3  Quit
        Choose [1-3], or Enter to go back: 
        """)
    try encounter.pseudo.type("\n")
    _ = try await encounter.shown(until: "other ways)\r\n")
    try await encounter.press("?\n")
    _ = try await encounter.shown(until: "back: ")
    try encounter.pseudo.type("2\n")
    guard case .instead(let form) = try await visiting.value else {
      Issue.record("another reply")
      return
    }
    #expect(form.name == .skip)
  }

  @Test("Where listening fails the reason is said and the address asked for")
  func deaf() async throws {
    let encounter = try Encounter(
      environment: TerminalSession.plain, listen: { _ in throw TestListener.Failure() })
    let page = try await Self.page()
    let visiting = Task { try await encounter.prompter.open(page) }
    let shown = try await encounter.shown(until: "Paste the address: ")
    #expect(shown.contains("✗ The browser cannot come back by itself. The port is taken."))
    try encounter.pseudo.type("\u{4}")
    guard case .cancel = try await visiting.value else {
      Issue.record("another reply")
      return
    }
  }

  @Test("A listener that fails later leaves the paste")
  func deafLater() async throws {
    let listener = TestListener()
    let encounter = try Encounter(environment: TerminalSession.plain, listen: { _ in listener })
    let page = try await Self.page()
    let visiting = Task { try await encounter.prompter.open(page) }
    _ = try await encounter.shown(until: "other ways)\r\n")
    listener.fails()
    _ = try await encounter.shown(until: "The port is taken.\r\n")
    try await encounter.press("\(Self.loopback)?code=c\n")
    #expect(address(try await visiting.value) == "\(Self.loopback)?code=c")
  }

  @Test("Cancelled it stops listening and gives the terminal back")
  func cancelled() async throws {
    let listener = TestListener()
    let encounter = try Encounter(listen: { _ in listener })
    let page = try await Self.page()
    let visiting = Task { try await encounter.prompter.open(page) }
    _ = try await encounter.shown(until: "\u{1B}[K")
    visiting.cancel()
    await #expect(throws: CancellationError.self) { try await visiting.value }
    #expect(listener.isClosed)
    #expect(encounter.pseudo.settings == encounter.before)
  }

  @Test(
    "Nobody listens but at an http address of this machine",
    arguments: [custom, "https://app.example/cb"])
  func elsewhere(redirectURI: String) async throws {
    let encounter = try Encounter(
      environment: TerminalSession.plain, browser: { _ in false },
      listen: { _ in
        Issue.record("listened")
        return TestListener()
      })
    let page = try await Self.page(redirectURI: redirectURI)
    let visiting = Task { try await encounter.prompter.open(page) }
    #expect(
      !(try await encounter.shown(until: "Paste the address: ").contains("has opened it")))
    visiting.cancel()
    _ = await visiting.result
  }

  @Test(
    "A page that is not on the web is neither shown nor opened",
    arguments: ["file:///etc/passwd", "http://idp.example/", "javascript:alert(1)", "https:/"])
  func unsafe(address: String) async throws {
    let encounter = try Encounter(
      environment: TerminalSession.plain,
      browser: { _ in
        Issue.record("opened")
        return true
      })
    let page = try await Self.page(address)
    guard case .nothing = try await encounter.prompter.open(page) else {
      Issue.record("another reply")
      return
    }
    #expect(
      try await encounter.shown(until: "machine.\r\n")
        == "  ✗ The server leads to an address that is neither https nor on this machine.\n")
  }

  @Test(
    "A page whose address poses as another is neither shown nor opened",
    arguments: ["https://demo.okta.example@evil.example/", "https://ada:pw@demo.okta.example/"])
  func disguised(address: String) async throws {
    let encounter = try Encounter(environment: TerminalSession.plain)
    let visiting = Task { [page = try await Self.page(address)] in
      try await encounter.prompter.open(page)
    }
    let shown = try await encounter.shown(until: ".")
    visiting.cancel()
    #expect(shown == "  ✗ The server leads to an address that hides whose page it is.")
  }
}

/// A listener whose browser comes back when the test says so.
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

  func comesBack(_ address: String) {
    if let url = URL(string: address) { arrivals.continuation.yield(url) }
  }

  func fails() { arrivals.continuation.finish(throwing: Failure()) }

  var isClosed: Bool {
    if case .terminated = closing.continuation.yield() { true } else { false }
  }
}
