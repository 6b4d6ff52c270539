import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends the person to a page in a browser and waits until the browser returns to the redirect URI.
struct RedirectPrompt {
  let destination: RedirectPage
  let page: Page
  let browser: (@Sendable (URL) async -> Bool)?
  let listen: (@Sendable (URL) async throws -> any RedirectListener)?
  let ticks: @Sendable () -> AsyncStream<Void>

  private enum Event {
    case browserReturned(URL)
    case reply(Reply)
    /// The listener failed. The person can still paste the address.
    case listenerFailed(any Error)
  }

  private var menu: Menu { Menu(page: page) }
  private var redirectURI: String { destination.redirectURI }

  func run() async throws -> Reply {
    if let danger = Self.danger(of: destination.url) {
      page.problem("The page is not opened: its address \(danger).")
      return .nothing
    }
    page.note("Open this address in a browser:")
    // Unbroken and at the start of a line, so that it can be copied in a window of any width.
    page.terminal.write("\n\(page.inline(destination.url.absoluteString))\n\n")
    let listener = try await listener()
    defer { listener?.close() }
    if let browser, await browser(destination.url) { page.note("Your browser has opened it.") }
    guard let listener else {
      page.note(
        "When you are done, the browser goes to an address that starts with \(redirectURI). "
          + "Copy that address from the address bar, even if the page does not load.")
      return try await askAddress() ?? .cancel
    }
    switch try await firstEvent(listener) {
    case .browserReturned(let url):
      page.success("The browser has returned.")
      return .returned(url)
    case .reply(let reply): return reply
    case .listenerFailed: return .nothing
    }
  }

  /// Why an address must not be opened; nil if it may be.
  private static func danger(of url: URL) -> String? {
    let isSafe =
      switch url.scheme?.lowercased() {
      case "https": url.host?.isEmpty == false
      case "http": url.host.map(Origin.isLoopback) ?? false
      default: false
      }
    guard isSafe else { return "is neither https nor on this computer" }
    // `https://known.example@other.example/` looks like an address of known.example.
    return url.user == nil && url.password == nil ? nil : "hides the real host"
  }

  /// Listens at the redirect URI; nil if it is not on this computer, or if listening fails.
  private func listener() async throws -> (any RedirectListener)? {
    guard let listen, let uri = URL(string: redirectURI),
      uri.scheme?.lowercased() == "http", uri.host.map(Origin.isLoopback) == true
    else { return nil }
    do { return try await listen(uri) } catch {
      try Task.checkCancellation()
      showFailure(error)
      return nil
    }
  }

  private func showFailure(_ error: any Error) {
    page.problem("The browser cannot return to this program. \(error)")
  }

  /// Waits for the browser or for the person, whichever is first.
  private func firstEvent(_ listener: any RedirectListener) async throws -> Event {
    try await withThrowingTaskGroup(of: Event.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        do { return .browserReturned(try await listener.next()) } catch {
          try Task.checkCancellation()
          return .listenerFailed(error)
        }
      }
      group.addTask { .reply(try await self.waitForReply()) }
      while let event = try await group.next() {
        guard case .listenerFailed(let error) = event else { return event }
        showFailure(error)
      }
      throw CancellationError()
    }
  }

  /// Shows a status line until the person pastes an address or chooses another option.
  private func waitForReply() async throws -> Reply {
    let line = StatusLine(
      terminal: page.terminal, subject: "Waiting for you to finish in the browser")
    while true {
      let typed = try await page.terminal.waitForKey(acceptsText: true, ticks: ticks()) {
        line.text(at: $0, secondsLeft: nil)
      }
      guard case .text(let text) = typed else { return .cancel }
      if text == "?" {
        if let reply = try await askForOtherOption() { return reply }
      } else if !text.trimmed.isEmpty, let url = address(in: text) {
        return .returned(url)
      }
    }
  }

  /// Lists the other options; nil to continue waiting.
  private func askForOtherOption() async throws -> Reply? {
    let forms = destination.step.alternatives
    let labels =
      ["Paste the address from the browser"]
      + forms.map(page.wording.title(ofAlternative:)) + ["Quit"]
    menu.heading()
    switch try await menu.choose(from: labels, mayGoBack: true) {
    case .entry(0): return try await askAddress(mayGoBack: true)
    case .entry(let position) where position <= forms.count:
      return .instead(forms[position - 1])
    case .entry, .endOfInput: return .cancel
    case .back: return nil
    }
  }

  /// Asks for the address at which the browser returned; nil to go back.
  private func askAddress(mayGoBack: Bool = false) async throws -> Reply? {
    let prompt = "Paste the address\(mayGoBack ? ", or Enter to go back" : ""): "
    while true {
      guard case .text(let line) = try await page.terminal.readLine(prompt: prompt)
      else { return .cancel }
      let text = line.trimmed
      if text == "?" {
        if let reply = try await menu.otherOptions(destination.step.alternatives) { return reply }
      } else if text.isEmpty {
        if mayGoBack { return nil }
        page.problem("Paste the address, or type ? for other options.")
      } else if let url = address(in: text) {
        return .returned(url)
      }
    }
  }

  /// The address in a pasted text; nil, after a message, if it does not start with the redirect URI.
  private func address(in text: String) -> URL? {
    let quotes = Set<Character>("<>\"'`“”‘’")
    var pasted = text[...]
    while let first = pasted.first, first.isWhitespace || quotes.contains(first) {
      pasted.removeFirst()
    }
    while let last = pasted.last, last.isWhitespace || quotes.contains(last) {
      pasted.removeLast()
    }
    let rest = pasted.dropFirst(redirectURI.count).first
    let isReturn =
      pasted.prefix(redirectURI.count).lowercased() == redirectURI.lowercased()
      && rest.map { "?#&/".contains($0) } ?? true
    guard isReturn, let url = URL(string: String(pasted)) else {
      page.problem("The address must start with \(redirectURI).")
      return nil
    }
    return url
  }
}
