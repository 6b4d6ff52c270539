import IDXBase
import IDXFlow
import IDXOAuth
import IDXScreens

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

  private var menu: Menu { Menu(page: page) }
  private var redirectURI: String { destination.redirectURI }

  func run() async throws -> Reply {
    if let danger = screen.dangerOfPage { return .failed(danger) }
    page.note("Open this address in a browser:")
    // Whole, unbroken and at the start of a line, so that it can be read and copied in a window of any
    // width.
    let address = page.inline(destination.url.absoluteString, limit: Screen.Page.longestAddress)
    page.terminal.write("\n\(address)\n\n")
    let listener = try await listener()
    defer { listener?.close() }
    if let browser, await browser(destination.url) { page.note("Your browser has opened it.") }
    guard let listener else {
      page.note(
        "When you are done, the browser goes to an address that starts with \(redirectURI). "
          + "Copy that address from the address bar, even if the page does not load.")
      return try await askAddress() ?? .cancel
    }
    let (reply, hasReturned) = try await firstReply(listener)
    if hasReturned { page.success("The browser has returned.") }
    return reply
  }

  /// Listens at the redirect URI; nil if it is not on this computer, or if listening fails.
  private func listener() async throws -> (any RedirectListener)? {
    guard let listen, let uri = URL(string: redirectURI), Self.isLoopback(uri) else { return nil }
    do { return try await listen(uri, screen.isReturn) } catch {
      try showFailure(error)
      return nil
    }
  }

  private static func isLoopback(_ url: URL) -> Bool {
    url.scheme?.lowercased() == "http" && url.host.map(Origin.isLoopback) == true
  }

  private func showFailure(_ error: any Error) throws {
    try Task.checkCancellation()
    page.problem("The browser cannot return to this program. \(error)")
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
      } else if !text.trimmed().isEmpty, let url = address(in: text) {
        return .returned(url)
      }
    }
  }

  /// Lists the other options; nil to continue waiting.
  private func askForOtherOption() async throws -> Reply? {
    let labels = ["Paste the address from the browser"] + screen.options.map(\.label)
    switch try await menu.choose(from: labels) {
    case nil: return nil
    case 0?: return try await askAddress(mayGoBack: true)
    case let position? where position <= screen.options.count:
      return .choose(screen.options[position - 1].id)
    default: return .cancel
    }
  }

  /// Asks for the address at which the browser returned; nil to go back.
  private func askAddress(mayGoBack: Bool = false) async throws -> Reply? {
    let prompt = "Paste the address\(mayGoBack ? ", or Enter to go back" : ""): "
    while true {
      guard let text = try await page.ask(prompt) else { return .cancel }
      if text == "?" {
        if let reply = try await menu.choose(screen.options) { return reply }
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
    let pasted = text.trimmed { $0.isWhitespace || quotes.contains($0) }
    let rest = pasted.dropFirst(redirectURI.count).first
    let isReturn =
      pasted.prefix(redirectURI.count).lowercased() == redirectURI.lowercased()
      && rest.map { "?#&/".contains($0) } ?? true
    guard isReturn, let url = URL(string: pasted) else {
      page.problem("The address must start with \(redirectURI).")
      return nil
    }
    return url
  }
}
