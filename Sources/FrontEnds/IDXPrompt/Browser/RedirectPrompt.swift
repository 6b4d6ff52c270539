import IDXBase
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends the person to a page in a browser and waits until the browser returns to the redirect URI.
struct RedirectPrompt {
  let destination: Screen.Page
  let screen: Screen
  let page: Page
  let browser: (@Sendable (URL) async -> Bool)?
  let listen: TerminalFrontEnd.Listen?
  let ticks: @Sendable () -> AsyncStream<Void>

  private var words: Words { page.words }
  private var redirectURI: String { destination.redirectURI }

  func run() async throws -> Reply {
    if let danger = screen.dangerOfPage { return .failed(danger) }
    page.note(words.sentence("terminal.open"))
    // Whole, unbroken and at the start of a line, so that it can be read and copied in a window of any
    // width.
    let address = page.inline(destination.url.absoluteString, limit: Screen.Page.longestAddress)
    page.terminal.write("\n\(address)\n\n")
    let listener = try await listener()
    defer { listener?.close() }
    let opened = listener?.entrance(to: destination.url) ?? destination.url
    if let browser, await browser(opened) { page.note(words.sentence("terminal.opened")) }
    guard let listener else {
      page.note(words.sentence("terminal.copy", ["uri": redirectURI]))
      return try await askAddress() ?? .cancel
    }
    let (reply, hasReturned) = try await firstReply(listener)
    if hasReturned { page.success(words.sentence("terminal.returned")) }
    return reply
  }

  /// Listens at the redirect URI; nil if it is not on this computer, or if listening fails.
  private func listener() async throws -> (any RedirectListener)? {
    guard let listen, let uri = URL(string: redirectURI), Origin(uri).isLocalHTTP else {
      return nil
    }
    let isTold = Locked(false)
    do {
      return try await listen(uri) { [screen, page, words] url in
        if screen.isReturn(url) { return true }
        // Every page in the browser can open the address, so this is said once.
        let isFirst = isTold.withLock { told in
          defer { told = true }
          return !told
        }
        if isFirst { page.problem(words.sentence("open-sign-in.foreign-return")) }
        return false
      }
    } catch {
      try showFailure(error)
      return nil
    }
  }

  private func showFailure(_ error: any Error) throws {
    try Task.checkCancellation()
    page.problem("\(words.sentence("terminal.no-return")) \(error)")
  }

  /// Waits for the browser or for the person; returns the first reply, and whether it is the browser's.
  private func firstReply(_ listener: any RedirectListener) async throws -> (Reply, Bool) {
    try await withThrowingTaskGroup(of: (Reply, Bool)?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        do { return (.returned(try await listener.next()), true) } catch {
          // The person can still paste the address.
          try showFailure(error)
          return nil
        }
      }
      group.addTask { (try await waitForReply(), false) }
      while let reply = try await group.next() {
        if let reply { return reply }
      }
      throw CancellationError()
    }
  }

  /// Shows a status line until the person pastes an address or chooses another option.
  ///
  /// A status line has no room for an address; its length shows that it arrived.
  private func waitForReply() async throws -> Reply {
    while true {
      let typed = try await page.terminal.waitForKey(acceptsText: true, ticks: ticks()) {
        [terminal = page.terminal, words] tick, typed in
        StatusLine(
          terminal: terminal, words: words,
          subject: typed == 0
            ? words.sentence("terminal.browser")
            : words.sentence("terminal.typed", ["count": "\(typed)"]),
          hasOptions: typed == 0
        ).text(at: tick, secondsLeft: nil)
      }
      guard case .text(let line) = typed else { return .cancel }
      let text = line.revealed
      if text == "?" {
        if let reply = try await askForOtherOption() { return reply }
      } else if !text.trimmed().isEmpty, let url = address(in: text) {
        return .returned(url)
      }
    }
  }

  /// Lists the other options; nil to continue waiting.
  private func askForOtherOption() async throws -> Reply? {
    switch try await Menu(screen.options, own: [.pasteAddress], page: page).chooseBeside() {
    case .chosen(.screen(let id)): return .choose(id)
    case .chosen: return try await askAddress(mayGoBack: true)
    case .back: return nil
    case .endOfInput: return .cancel
    }
  }

  /// Asks for the address at which the browser returned; nil to go back.
  private func askAddress(mayGoBack: Bool = false) async throws -> Reply? {
    let prompt =
      words.sentence(mayGoBack ? "terminal.paste-or-back" : "terminal.paste") + ": "
    while true {
      guard let text = try await page.ask(prompt) else { return .cancel }
      if text == "?" {
        switch try await Menu(screen.options, page: page).chooseBeside() {
        case .chosen(.screen(let id)): return .choose(id)
        case .chosen, .back: break
        case .endOfInput: return .cancel
        }
      } else if text.isEmpty {
        if mayGoBack { return nil }
        page.problem(words.sentence("terminal.paste-problem"))
      } else if let url = address(in: text) {
        return .returned(url)
      }
    }
  }

  /// The address in a pasted text; nil, after a message, if it does not start with the redirect URI.
  private func address(in text: String) -> URL? {
    let quotes = Set<Character>("<>\"'`“”‘’")
    let pasted = text.trimmed { $0.isWhitespace || quotes.contains($0) }
    let rest = pasted.dropFirst(redirectURI.count).first
    let isReturn =
      pasted.prefix(redirectURI.count).lowercased() == redirectURI.lowercased()
      && rest.map { "?#&/".contains($0) } ?? true
    guard isReturn, let url = URL(string: pasted) else {
      page.problem(words.sentence("terminal.address", ["uri": redirectURI]))
      return nil
    }
    return url
  }
}
