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
/// Choices are numbered, secrets are not echoed, and `?` at any prompt lists what else can be done.
/// Ctrl-D gives the sign-in up. Text of the server is shown without control characters.
public struct TerminalPrompter: Prompter {
  let terminal: InteractiveTerminal
  let drawsQRCodes: Bool
  let browser: (@Sendable (URL) async -> Bool)?
  let listen: (@Sendable (URL) async throws -> any RedirectListener)?
  /// Begins the beat of a spinner.
  let ticks: @Sendable () -> AsyncStream<Void>
  let now: @Sendable () -> Date
  let wording = Wording()

  /// A prompter on a terminal.
  ///
  /// - Parameters:
  ///   - terminal: Where the person is.
  ///   - drawsQRCodes: Whether QR codes are drawn beside the key.
  ///   - browser: Opens a page in a browser and tells whether that went well, as
  ///     ``SystemBrowser/open(_:)`` does; nil where the person is to open it.
  ///   - listen: Begins to listen at a redirect URI that is a loopback http address (RFC 8252, section
  ///     7.3); nil where the person is to paste the address that the browser ended on.
  ///   - ticks: Begins the beat at which a line that tells what is waited for is painted anew; nil
  ///     for ten times a second.
  ///   - now: Tells how long a code is good for, and how much of a wait is left.
  public init(
    terminal: InteractiveTerminal, drawsQRCodes: Bool = true,
    browser: (@Sendable (URL) async -> Bool)? = nil,
    listen: (@Sendable (URL) async throws -> any RedirectListener)? = nil,
    ticks: (@Sendable () -> AsyncStream<Void>)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.terminal = terminal
    self.drawsQRCodes = drawsQRCodes
    self.browser = browser
    self.listen = listen
    self.ticks =
      ticks ?? { AsyncStream { try? await Task.sleep(for: .milliseconds(100)) } }
    self.now = now
  }

  /// Says, before the first question, how to find out what else can be done.
  public func greet() {
    let hint = "Type ? at any prompt to see what else can be done, Ctrl-C to give up."
    terminal.write(terminal.style.dim(hint) + "\n\n")
  }

  /// Shows the title of a step and what the server says about it, or what an app needs.
  public func show(_ notice: Notice) async throws {
    switch notice {
    case .step(let step):
      if step.attempt == 1, let title = wording.title(of: step) { page.heading(title) }
      page.messages(step.messages, at: step)
      guard step.attempt == 1 else { return }
      if let number = step.authenticator?.numberChallenge {
        page.note(wording.instruction(toChoose: number, at: step))
        BigNumber(terminal: terminal).show(page.inline(number))
      }
      if let instruction = wording.instruction(for: step) { page.note(instruction) }
      for line in StepDetails(step: step, wording: wording).lines { page.note(line) }
    case .authenticatorApp(let app): try await show(app)
    case .problem(let sentence): page.problem(sentence)
    case .unsupported(let unsupportedStep): page.problem(unsupportedStep.description)
    }
  }

  /// Shows what an event means to the person, where no step will.
  ///
  /// That is that something was set up or sent again, and what the server says when it offers
  /// nothing more.
  public func report(_ event: FlowEvent) {
    switch event {
    // Of a tag that was touched the PIN is still to come.
    case .accepted(let form, let authenticator?)
    where form.name == .enrollPoll && authenticator.key == .nfcPIN:
      break
    case .accepted(let form, let authenticator?)
    where [.enrollAuthenticator, .enrollPoll, .enrollAuthenticatorPromotion].contains(form.name):
      page.success("\(wording.name(of: authenticator)) is set up.")
    case .accepted(let form, _) where form.name == .challengePoll: page.success("Approved.")
    case .accepted(let form, _) where form.name == .resend: page.success("Sent again.")
    case .received(let state) where state.isAtEnd:
      page.messages(state.response.allMessages, at: nil)
    default: break
    }
  }

  /// Asks one question.
  public func ask(_ question: Question) async throws -> Reply {
    // The server's words are about the answer before; once that was not sent, they are old.
    if let problem = question.problem {
      page.problem(sentence(for: problem, question))
    } else {
      page.messages(question.field.messages, at: question.step)
    }
    while true {
      let reply =
        switch question.kind {
        case .text: try await askText(question, secret: false)
        case .secret: try await askText(question, secret: true)
        case .confirmation: try await askConfirmation(question)
        case .choice(let options, let beside):
          try await askChoice(question, options, beside)
        }
      if let reply { return reply }
    }
  }

  /// Lists the forms by number.
  public func choose(_ forms: [Remediation], at step: Step) async throws -> Reply {
    if step.isOverdue { page.heading("Nothing has happened in time. Choose how to go on") }
    return try await pick(among: forms) ?? .cancel
  }

  /// Shows what is waited for and for how much longer, on a line that moves where the terminal can do
  /// that, until the task is cancelled; `?` lists what can be done instead.
  public func wait(at step: Step) async throws -> Reply {
    try await untilNews(at: step)
  }

  /// Shows where to go, opens the page where there is a browser, and listens where the browser comes
  /// back or asks for the address that it ended on.
  ///
  /// A page that is neither https nor http on this machine, or whose address holds a user name, is not
  /// shown; the reply is then ``Reply/nothing``.
  public func open(_ page: RedirectPage) async throws -> Reply {
    try await send(to: page)
  }

  /// Asks whether to start over.
  public func startsOver(after state: FlowState) async throws -> Bool {
    try await confirm("Start over?") ?? false
  }

  /// Asks what is answered by yes or no, an empty line being no; nil where the person gives up.
  public func confirm(_ question: String) async throws -> Bool? {
    let lines = question.split(separator: "\n").map(String.init)
    for line in lines.dropLast() { terminal.write(page.inline(line) + "\n") }
    let prompt = page.inline(lines.last ?? "") + " [y/N]: "
    while true {
      guard case .text(let line) = try await terminal.readLine(prompt: prompt) else { return nil }
      if let isYes = line.trimmed.isEmpty ? false : affirmation(in: line) { return isYes }
    }
  }

  var page: Page { Page(terminal: terminal, wording: wording, now: now) }
}
