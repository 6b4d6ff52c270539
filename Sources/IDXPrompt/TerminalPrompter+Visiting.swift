import IDXOAuth
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TerminalPrompter {
  private enum Turn {
    case back(URL)
    case reply(Reply)
    /// Nobody listens any more; the address can be pasted still.
    case deaf(String)
  }

  /// Sends the person to a page and waits for the browser to come back.
  func send(to destination: RedirectPage) async throws -> Reply {
    if let flaw = Self.flaw(of: destination.url) {
      page.problem("The server leads to an address that \(flaw).")
      return .nothing
    }
    page.note("Open this address in a browser:")
    // Whole and at the start of a line, so that it can be copied however wide the window is.
    terminal.write("\n\(page.inline(destination.url.absoluteString))\n\n")
    let listener = try await listener(for: destination)
    defer { listener?.close() }
    if let browser, await browser(destination.url) { page.note("Your browser has opened it.") }
    guard let listener else {
      page.note(
        "In the end the browser goes to an address that starts with \(destination.redirectURI). "
          + "Copy it from the address bar, even where the page fails to load.")
      return try await askAddress(of: destination) ?? .cancel
    }
    switch try await race(listener, at: destination) {
    case .back(let url):
      page.success("The browser is back.")
      return .returned(url)
    case .reply(let reply): return reply
    case .deaf: return .nothing
    }
  }

  /// Why a person is not to be sent to an address; nil where nothing speaks against it.
  private static func flaw(of url: URL) -> String? {
    let isSafe =
      switch url.scheme?.lowercased() {
      case "https": url.host?.isEmpty == false
      case "http": url.host.map(Origin.isLoopback) ?? false
      default: false
      }
    guard isSafe else { return "is neither https nor on this machine" }
    // `https://known.example@other.example/` reads as if it led to the first.
    return url.user == nil && url.password == nil ? nil : "hides whose page it is"
  }

  /// Listens where the browser comes back to; nil where that is not on this machine or fails.
  private func listener(for destination: RedirectPage) async throws -> (any RedirectListener)? {
    guard let listen, let uri = URL(string: destination.redirectURI),
      uri.scheme?.lowercased() == "http", uri.host.map(Origin.isLoopback) == true
    else { return nil }
    do { return try await listen(uri) } catch {
      try Task.checkCancellation()
      page.problem("The browser cannot come back by itself. \(error)")
      return nil
    }
  }

  /// Takes what comes first, the browser or what the person types.
  private func race(
    _ listener: any RedirectListener, at destination: RedirectPage
  ) async throws -> Turn {
    try await withThrowingTaskGroup(of: Turn.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        do { return .back(try await listener.next()) } catch {
          try Task.checkCancellation()
          return .deaf("\(error)")
        }
      }
      group.addTask { .reply(try await self.untilBack(from: destination)) }
      while let turn = try await group.next() {
        guard case .deaf(let reason) = turn else { return turn }
        page.problem("The browser cannot come back by itself. \(reason)")
      }
      throw CancellationError()
    }
  }

  /// Shows that the browser is waited for, until the person wants something else.
  private func untilBack(from destination: RedirectPage) async throws -> Reply {
    let line = StatusLine(
      terminal: terminal, subject: "Waiting for the browser to come back",
      hint: "? for other ways")
    while true {
      let typed = try await terminal.waitForKey(acceptingText: true, ticks: ticks()) {
        line.text(at: $0, secondsLeft: nil)
      }
      guard case .text(let text) = typed else { return .cancel }
      if text == "?" {
        if let reply = try await askInstead(of: destination) { return reply }
      } else if !text.trimmed.isEmpty, let url = address(in: text, of: destination) {
        return .returned(url)
      }
    }
  }

  /// Lists what can be done other than to wait for the browser; nil to go on waiting.
  private func askInstead(of destination: RedirectPage) async throws -> Reply? {
    let forms = destination.step.alternatives
    let labels =
      ["Paste the address that the browser ended on"]
      + forms.map(wording.title(ofAlternative:)) + ["Quit"]
    page.heading("What else can be done here")
    switch try await pick(from: labels, mayGoBack: true) {
    case .entry(0): return try await askAddress(of: destination, mayGoBack: true)
    case .entry(let position) where position <= forms.count:
      return .instead(forms[position - 1])
    case .entry, .endOfInput: return .cancel
    case .back: return nil
    }
  }

  /// Asks for the address that the browser ended on; nil to go back.
  private func askAddress(
    of destination: RedirectPage, mayGoBack: Bool = false
  ) async throws -> Reply? {
    let prompt = "Paste the address\(mayGoBack ? ", or Enter to go back" : ""): "
    while true {
      guard case .text(let line) = try await terminal.readLine(prompt: prompt)
      else { return .cancel }
      let text = line.trimmed
      if text == "?" {
        if let reply = try await askAlternatives(destination.step.alternatives) { return reply }
      } else if text.isEmpty {
        if mayGoBack { return nil }
        page.problem("Paste the address, or type ? for what else can be done.")
      } else if let url = address(in: text, of: destination) {
        return .returned(url)
      }
    }
  }

  /// The address in a text; nil, with a word to the person, where it is another than the redirect URI.
  private func address(in text: String, of destination: RedirectPage) -> URL? {
    let quotes = Set<Character>("<>\"'`“”‘’")
    var pasted = text[...]
    while let first = pasted.first, first.isWhitespace || quotes.contains(first) {
      pasted.removeFirst()
    }
    while let last = pasted.last, last.isWhitespace || quotes.contains(last) {
      pasted.removeLast()
    }
    let start = destination.redirectURI
    let rest = pasted.dropFirst(start.count).first
    let isReturn =
      pasted.prefix(start.count).lowercased() == start.lowercased()
      && rest.map { "?#&/".contains($0) } ?? true
    guard isReturn, let url = URL(string: String(pasted)) else {
      page.problem("The address must start with \(start).")
      return nil
    }
    return url
  }
}
