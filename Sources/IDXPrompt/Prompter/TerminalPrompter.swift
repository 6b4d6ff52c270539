public import IDX
public import IDXFlow
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Asks a person at a terminal.
///
/// Choices are numbered, secrets are not echoed, and `?` at any prompt lists the other options. Ctrl-D
/// cancels the sign-in. Server texts are shown without control characters.
public struct TerminalPrompter: Prompter {
  /// Starts to listen at a redirect URI that is a loopback http address (RFC 8252, section 7.3), until an
  /// address is requested that the second argument accepts.
  public typealias Listen =
    @Sendable (URL, @escaping @Sendable (URL) -> Bool) async throws -> any RedirectListener

  private let terminal: InteractiveTerminal
  private let drawsQRCodes: Bool
  private let browser: (@Sendable (URL) async -> Bool)?
  private let listen: Listen?
  private let ticks: @Sendable () -> AsyncStream<Void>
  private let now: @Sendable () -> Date

  /// Creates a prompter.
  ///
  /// - Parameters:
  ///   - terminal: The terminal of the person.
  ///   - drawsQRCodes: Whether to draw a QR code below the key of an authenticator app.
  ///   - browser: Opens a page in a browser and returns whether that worked, as
  ///     ``SystemBrowser/open(_:)`` does; nil to let the person open it.
  ///   - listen: Starts to listen for the browser; nil to let the person paste the address at which the
  ///     browser returned.
  ///   - ticks: Creates the stream whose elements update the status line; by default ten a second.
  ///   - now: The current time, for the validity of codes and the time left of a wait.
  public init(
    terminal: InteractiveTerminal, drawsQRCodes: Bool = true,
    browser: (@Sendable (URL) async -> Bool)? = nil,
    listen: Listen? = nil,
    ticks: @escaping @Sendable () -> AsyncStream<Void> = {
      AsyncStream { try? await Task.sleep(for: .milliseconds(100)) }
    },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.terminal = terminal
    self.drawsQRCodes = drawsQRCodes
    self.browser = browser
    self.listen = listen
    self.ticks = ticks
    self.now = now
  }

  private var page: Page { Page(terminal: terminal, now: now) }
  private var menu: Menu { Menu(page: page) }
  private var wording: Wording { page.wording }

  /// Explains, before the first question, how to get help, how to cancel, and where the answers go.
  ///
  /// A server chooses the texts of its steps, so only the host of the `issuer` says who gets a password.
  /// `source` says where the issuer was configured; nil if the person typed it.
  public func greet(to issuer: URL? = nil, configuredIn source: String? = nil) {
    let hint = "Type ? at any prompt for other options. Press Ctrl-C to cancel."
    terminal.write(terminal.style.dim(hint) + "\n")
    if let host = issuer?.host {
      let port = issuer?.port.map { ":\($0)" } ?? ""
      let place = source.map { " (set in \(page.inline($0)))" } ?? ""
      terminal.write("Your answers go to \(page.inline(host))\(port)\(place).\n")
    }
    terminal.write("\n")
  }

  /// Shows the title and the messages of a step, the key of an authenticator app, or a problem.
  public func show(_ notice: Notice) async throws {
    switch notice {
    case .step(let step): show(step)
    case .authenticatorApp(let app):
      try await AuthenticatorAppPage(page: page, drawsQRCode: drawsQRCodes).show(app)
    case .problem(let sentence): page.problem(sentence)
    case .unsupported(let unsupportedStep): page.problem(unsupportedStep.description)
    }
  }

  private func show(_ step: Step) {
    if step.attempt == 1, let title = wording.title(of: step) { page.heading(title) }
    page.messages(step.messages, at: step)
    guard step.attempt == 1 else { return }
    if let number = step.authenticator?.numberChallenge {
      page.note(wording.instruction(toChoose: number, at: step))
      BigNumber(terminal: terminal).show(page.inline(number, limit: 40))
    }
    if let instruction = wording.instruction(for: step) { page.note(instruction) }
    for line in StepDetails(step: step).lines { page.note(line) }
  }

  /// Shows the events that no later step shows: an authenticator was set up, a code was sent again, or
  /// the server ended the sign-in with messages.
  public func report(_ event: FlowEvent) {
    switch event {
    case .accepted(let form, let authenticator):
      if let sentence = wording.confirmation(of: form, authenticator) { page.success(sentence) }
    case .received(let state) where state.isAtEnd:
      page.messages(state.response.allMessages, at: nil)
    default: break
    }
  }

  /// Says why an answer takes longer; call it only if no question is on the screen.
  public func report(_ retry: RetryingTransport.Retry) {
    page.note("\(retry)")
  }

  /// Asks one question.
  public func ask(_ question: Question) async throws -> Reply {
    try await QuestionPrompt(question: question, page: page).ask()
  }

  /// Lists the forms by number.
  public func choose(_ forms: [Remediation], at step: Step) async throws -> Reply {
    if step.isOverdue { page.heading("Nothing happened in time. Choose what to do next") }
    return try await menu.choose(among: forms, mayGoBack: false) ?? .cancel
  }

  /// Shows the reason for the wait and the time left until the task is cancelled.
  ///
  /// The status line is animated if the terminal has escape sequences. `?` lists the other options.
  public func wait(at step: Step) async throws -> Reply {
    let end = step.timeLeft.map { now().addingTimeInterval($0 / .seconds(1)) }
    let line = StatusLine(terminal: terminal, subject: page.inline(wording.waiting(at: step)))
    while true {
      let typed = try await terminal.waitForKey(ticks: ticks()) { [now] tick in
        line.text(
          at: tick,
          secondsLeft: end.map { Int($0.timeIntervalSince(now()).rounded(.up)) })
      }
      guard case .text(let text) = typed else { return .cancel }
      if text == "?", let reply = try await menu.choose(among: step.alternatives) { return reply }
    }
  }

  /// Shows the address, opens it if there is a browser, and waits until the browser returns, or asks
  /// for the address at which it returned.
  ///
  /// An address that is neither https nor http on this computer, or that contains a username, is not
  /// shown; the reply is then ``Reply/nothing``.
  public func open(_ destination: RedirectPage) async throws -> Reply {
    try await RedirectPrompt(
      destination: destination, page: page, browser: browser, listen: listen, ticks: ticks
    ).run()
  }

  /// Asks whether to start over.
  public func startsOver(after state: FlowState) async throws -> Bool {
    try await confirm("Start over?") ?? false
  }

  /// Asks a yes-or-no question, whose last line is the prompt; an empty answer is no.
  ///
  /// Returns nil if the person cancels.
  public func confirm(_ question: String) async throws -> Bool? {
    let lines = question.split(separator: "\n").map(String.init)
    for line in lines.dropLast() { terminal.write(page.inline(line) + "\n") }
    let prompt = page.inline(lines.last ?? "") + " [y/N]: "
    while true {
      guard let text = try await page.ask(prompt) else { return nil }
      if let isYes = text.isEmpty ? false : page.confirmation(in: text) { return isYes }
    }
  }
}
