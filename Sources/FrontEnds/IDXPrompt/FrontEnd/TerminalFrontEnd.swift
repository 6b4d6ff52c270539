public import IDXBase
public import IDXFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Asks a person at a terminal.
///
/// Choices are numbered, secrets are not echoed, and `?` at any prompt lists the other options. Ctrl-D
/// cancels the sign-in. Server texts are shown without control characters.
public struct TerminalFrontEnd: FrontEnd {
  /// Starts to listen at a redirect URI that is a loopback http address (RFC 8252, section 7.3), until an
  /// address is requested that the second argument accepts.
  public typealias Listen =
    @Sendable (URL, @escaping @Sendable (URL) -> Bool) async throws -> any RedirectListener

  private let terminal: InteractiveTerminal
  private let words: Words
  private let drawsQRCodes: Bool
  private let passkeys: (any PasskeyProvider)?
  private let fastPass: (any FastPassProvider)?
  private let browser: (@Sendable (URL) async -> Bool)?
  private let listen: Listen?
  private let ticks: @Sendable () -> AsyncStream<Void>
  private let now: @Sendable () -> Date
  /// The username that was typed or shown last, so that the person sees every other one.
  private let shownUsername = Locked<String?>(nil)
  /// Whether there is a step above the next one, from which an empty line separates it.
  private let hasShownStep = Locked(false)

  /// Creates a front-end.
  ///
  /// - Parameters:
  ///   - terminal: The terminal of the person.
  ///   - words: The words of messages that no screen shows.
  ///   - drawsQRCodes: Whether to draw a QR code below the key of an authenticator app.
  ///   - passkeys: Answers requests to a passkey; the screens must allow them
  ///     (``/IDXFlow/Screens/canUsePasskeys``).
  ///   - fastPass: Passes challenges to Okta Verify on this computer; the screens must allow them
  ///     (``/IDXFlow/Screens/fastPass``).
  ///   - browser: Opens a page in a browser and returns whether that worked, as
  ///     ``SystemBrowser/open(_:)`` does; nil to let the person open it. It gets the address of the page, or one of
  ///     this computer that leads there (`RedirectListener.entrance(to:)`).
  ///   - listen: Starts to listen for the browser; nil to let the person paste the address at which the
  ///     browser returned.
  ///   - ticks: Creates the stream whose elements update the status line; by default ten a second.
  ///   - now: The current time, for the validity of codes and the time left of a wait.
  public init(
    terminal: InteractiveTerminal, words: Words = .english, drawsQRCodes: Bool = true,
    passkeys: (any PasskeyProvider)? = nil, fastPass: (any FastPassProvider)? = nil,
    browser: (@Sendable (URL) async -> Bool)? = nil,
    listen: Listen? = nil,
    ticks: @escaping @Sendable () -> AsyncStream<Void> = {
      AsyncStream { try? await Task.sleep(for: .milliseconds(100)) }
    },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.terminal = terminal
    self.words = words
    self.drawsQRCodes = drawsQRCodes
    self.passkeys = passkeys
    self.fastPass = fastPass
    self.browser = browser
    self.listen = listen
    self.ticks = ticks
    self.now = now
  }

  private var page: Page { Page(terminal: terminal, words: words, now: now) }

  /// Explains, before the first question, how to get help, how to cancel, and where the answers go.
  ///
  /// A server chooses the texts of its steps, so only the host of the `issuer` says who gets a password.
  /// `source` says where the issuer was configured; nil if the person typed it.
  public func greet(to issuer: URL? = nil, configuredIn source: String? = nil) {
    page.hint(words.sentence("terminal.help"))
    if let host = issuer?.host {
      let port = issuer?.port.map { ":\($0)" } ?? ""
      let key: Words.Key = source == nil ? "terminal.host" : "terminal.host.source"
      let place = source.map { page.inline($0) } ?? ""
      page.text(words.sentence(key, ["host": page.inline(host) + port, "source": place]))
    }
    terminal.write("\n")
  }

  /// Runs something that needs the server, and says so if it takes longer than half a second and no question
  /// is on the screen.
  public func contacting<Result: Sendable>(
    _ host: String, _ body: @Sendable () async throws -> Result
  ) async rethrows -> Result {
    let lines = ["terminal.contacting", "terminal.silent"].map { (key: Words.Key) in
      StatusLine(
        terminal: terminal, words: words,
        subject: words.sentence(key, ["host": page.inline(host)]), hasOptions: false)
    }
    // A later request of the same pause shows the line at once.
    let delay = terminal.isBusy ? 0 : 5
    let isOver = Locked(false)
    let showing = Task {
      var count = 0
      for await _ in ticks() where !Task.isCancelled {
        count += 1
        if count > delay,
          let text = lines[count > Self.silence ? 1 : 0]
            .text(at: terminal.style.redraws ? count : 0, secondsLeft: nil)
        {
          isOver.withLock { isOver in
            if !isOver { terminal.show(busy: text) }
          }
        }
      }
    }
    // Does not wait for `showing`, because that would switch threads.
    defer {
      isOver.withLock { $0 = true }
      showing.cancel()
      terminal.hideBusy()
    }
    return try await body()
  }

  /// The ticks after which a server that does not respond is called silent: 10 seconds.
  private static let silence = 100

  /// Shows a screen and asks for its inputs one after the other, or waits until its task is canceled.
  public func reply(to screen: Screen) async throws -> Reply {
    // The messages of the end were shown when it was received.
    guard screen.step != nil else {
      let isYes = try await page.confirm(
        "\(screen.action.label)?", help: words.sentence("terminal.start-over.help"))
      return isYes == true ? .submit([:]) : .cancel
    }
    if let reply = screen.onlyReply {
      for message in screen.messages { page.message(message) }
      return reply
    }
    // Nobody is asked what they have agreed to before.
    let isAsked = !screen.startsByItself || screen.deviceChallenge == nil
    try await show(isAsked ? screen : screen.waitingForOktaVerify)
    if screen.startsByItself, let reply = try await start(screen) { return reply }
    if screen.action.role == .wait { return try await wait(at: screen) }
    guard screen.inputs.isEmpty else {
      if let error = screen.step?.noMoreAnswers {
        return try await askForOtherWay(screen, because: error)
      }
      return try await ask(screen)
    }
    let choice =
      screen.deviceChallenge == nil
      ? try await Menu([screen.action] + screen.options, page: page).choose()
      : try await Menu(agreeing: screen.action, or: screen.options, page: page).choose()
    guard case .chosen(.screen(let id)) = choice else { return .cancel }
    let reply = Reply.choose(id)
    return screen.isMain(reply) ? try await start(screen) ?? reply : reply
  }

  /// Opens the page or the link, uses the passkey or asks Okta Verify; nil if the screen has none of them.
  private func start(_ screen: Screen) async throws -> Reply? {
    if let request = screen.passkey, let passkeys { return try await request.reply(from: passkeys) }
    if let challenge = screen.deviceChallenge, let fastPass {
      return try await ask(fastPass, for: challenge, at: screen.waitingForOktaVerify)
    }
    if let link = screen.link {
      if await browser?(link) != true {
        page.note(words.sentence("terminal.fastpass.open"))
        let address = page.inline(link.absoluteString, limit: Screen.Page.longestAddress)
        terminal.write("\n\(address)\n\n")
      }
      return try await wait(at: screen)
    }
    return screen.page == nil ? nil : try await open(screen)
  }

  /// Asks Okta Verify while the person can still choose another option; the first reply counts.
  private func ask(
    _ provider: any FastPassProvider, for challenge: LoopbackChallenge, at screen: Screen
  ) async throws -> Reply {
    try await withThrowingTaskGroup(of: Reply.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await challenge.reply(from: provider) }
      group.addTask { try await wait(at: screen) }
      guard let reply = try await group.next() else { throw CancellationError() }
      return reply
    }
  }

  private func show(_ screen: Screen) async throws {
    let isFirst = screen.attempt == 1
    if isFirst { terminal.draw(later: nil) }
    if isFirst, screen.needsTitle, hasShownStep.withLock({ $0 }) { terminal.write("\n") }
    hasShownStep.withLock { $0 = true }
    if let username = screen.person?.username, remember(username) {
      page.note(words.sentence("terminal.person", ["username": page.inline(username, limit: 200)]))
    }
    if isFirst, screen.needsTitle { page.heading(screen.title) }
    // What to do with a key is said beside it, and its page has no line to spare. Whose username it is, is in the title.
    if isFirst, screen.setUp == nil, screen.step?.remediation.name != .identify,
      let guidance = screen.guidance
    {
      page.faintNote(guidance)
    }
    for message in screen.messages { page.message(message) }
    // A server that does not tell whom it knows says the same about a mistake in the username.
    if !isFirst, screen.canChangeUsername, screen.messages.contains(where: { $0.kind == .error }),
      let username = screen.person?.username
    {
      page.note(
        words.sentence(
          "terminal.person.refused", ["username": page.inline(username, limit: 200)]))
    }
    if let reason = screen.unsupported { page.problem(reason) }
    guard isFirst else { return }
    if let number = screen.wait?.number, let instruction = screen.wait?.instruction {
      page.note(instruction)
      BigNumber(terminal: terminal).show(page.inline(number, limit: 40))
    }
    let lists = screen.lists.flatMap { [$0.title] + $0.items.map { "- \($0)" } }
    let notes = lists + screen.notes + screen.hints
    let height = notes.reduce(rowsOfQuestion(of: screen)) { $0 + page.rows(ofNote: $1) }
    if let app = screen.setUp { try await keyPage(above: height).show(app) }
    for note in notes { page.note(note) }
    if let code = screen.userCode { keyPage(above: rowsOfQuestion(of: screen)).show(code) }
  }

  /// Remembers a username that was typed or shown; returns whether it is another one than the last.
  @discardableResult
  private func remember(_ username: String) -> Bool {
    shownUsername.withLock { shown in
      defer { shown = username }
      return shown?.lowercased() != username.lowercased()
    }
  }

  private func keyPage(above rows: Int) -> AuthenticatorAppPage {
    AuthenticatorAppPage(page: page, drawsQRCode: drawsQRCodes, rowsBelow: rows)
  }

  /// The rows of the first question of a screen, with the prompt; or of the status line.
  private func rowsOfQuestion(of screen: Screen) -> Int {
    if screen.action.role == .wait { return 1 }
    guard let input = screen.inputs.first else { return screen.options.count + 2 }
    return InputPrompt(input: input, screen: screen, page: page, kept: [], showKey: nil).rows
  }

  /// Shows the key of an authenticator app; nil if the screen has none.
  private func keyAgain(of screen: Screen) -> (() async throws -> Void)? {
    screen.setUp.map { app in
      { try await keyPage(above: rowsOfQuestion(of: screen)).show(app, isWhole: true) }
    }
  }

  private func ask(_ screen: Screen, asksAll: Bool = false) async throws -> Reply {
    var questions = ScreenQuestions(screen, asksAgain: asksAll)
    var kept = screen.inputs.filter {
      !asksAll && $0.isKept && $0.kind == .text && $0.suggestion != nil
    }
    for input in kept {
      if input.contentType == .username { remember(input.suggestion ?? "") }
      page.note(
        words.sentence(
          "terminal.kept", ["field": input.label, "value": input.suggestion ?? ""]))
    }
    while let input = questions.next(), questions.refusals <= Self.maximumRefusals {
      switch try await InputPrompt(
        input: input, screen: screen, page: page, kept: kept, showKey: keyAgain(of: screen)
      ).ask() {
      case .value(let value):
        if input.contentType == .username { remember(value.revealed.trimmed()) }
        questions.take(value)
      case .reply(let reply): return reply
      case .askAll:
        questions = ScreenQuestions(screen, asksAgain: true)
        kept = []
      }
    }
    return .submit(questions.values)
  }

  /// Asks what to do now that the server accepts no more answers to the screen; throws the error if nothing is left.
  private func askForOtherWay(_ screen: Screen, because error: FlowError) async throws -> Reply {
    let ends: [Screen.Option.Role] = [.startOver, .quit]
    // It may be the account of somebody else, whose username was typed by mistake.
    let asksForUsername = screen.inputs.contains { $0.contentType == .username }
    guard asksForUsername || screen.options.contains(where: { !ends.contains($0.role) }) else {
      throw error
    }
    // After a while, the same answers may be accepted again, but not if the account is locked.
    let isOver = screen.step?.response.isLocked == true && !asksForUsername
    let end = screen.step?.state.acceptsAfter.flatMap { $0 > now() ? $0 : nil }
    let own: [OtherOption] = isOver ? [] : [end == nil ? .tryAgain : .waitAndTryAgain]
    switch try await Menu(screen.options, own: own, page: page).choose() {
    case .chosen(.screen(let id)): return .choose(id)
    case .chosen:
      if let end { try await wait(until: end) }
      return try await ask(screen, asksAll: asksForUsername)
    case .back, .endOfInput: return .cancel
    }
  }

  /// Waits until a time, which the status line says; a key ends the wait.
  private func wait(until end: Date) async throws {
    let line = StatusLine(
      terminal: terminal, words: words, subject: words.sentence("terminal.wait-until"),
      hasOptions: false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { [now, ticks] in
        for await _ in ticks() where now() >= end { return }
      }
      group.addTask { [now, ticks, terminal] in
        _ = try await terminal.waitForKey(ticks: ticks()) { tick, _ in
          line.text(at: tick, secondsLeft: Int(end.timeIntervalSince(now()).rounded(.up)))
        }
      }
      try await group.next()
    }
  }

  /// After so many, the screen is shown again, and the sign-in ends some day.
  private static let maximumRefusals = 100

  /// Shows the reason for the wait and the time left until the task is canceled.
  ///
  /// The status line is animated if the terminal has escape sequences. `?` lists the other options.
  private func wait(at screen: Screen) async throws -> Reply {
    let end = screen.wait?.end
    let line = StatusLine(
      terminal: terminal, words: words, subject: page.inline(screen.wait?.text ?? ""))
    while true {
      let typed = try await terminal.waitForKey(ticks: ticks()) { [now] tick, _ in
        line.text(
          at: tick,
          secondsLeft: end.map { Int($0.timeIntervalSince(now()).rounded(.up)) })
      }
      guard case .text(let text) = typed else { return .cancel }
      guard text == "?" else { continue }
      let showKey = keyAgain(of: screen)
      let own: [OtherOption] = showKey == nil ? [] : [.keyAgain]
      switch try await Menu(screen.options, own: own, page: page).chooseBeside() {
      case .chosen(.screen(let id)): return .choose(id)
      case .chosen(.keyAgain): try await showKey?()
      case .chosen, .back: break
      case .endOfInput: return .cancel
      }
    }
  }

  /// Shows the address, opens it if there is a browser, and waits until the browser returns, or asks for
  /// the address at which it returned.
  private func open(_ screen: Screen) async throws -> Reply {
    guard let destination = screen.page else { return .cancel }
    return try await RedirectPrompt(
      destination: destination, screen: screen, page: page, browser: browser, listen: listen,
      ticks: ticks
    ).run()
  }

  /// Shows the events that no later screen shows: an authenticator was set up, a code was sent again, or
  /// the server ended the sign-in with messages.
  public func report(_ event: FlowEvent) {
    switch event {
    case .accepted(let form, let authenticator):
      guard let sentence = words.confirmation(of: form, authenticator) else { return }
      // That Okta Verify is not there is no success.
      let isGivenUp = Remediation.Name.pollEnds.contains(form.name)
      if isGivenUp { page.note(sentence) } else { page.success(sentence) }
    case .received(let state) where state.isAtEnd:
      let screen = Screen(end: state, words: words)
      for message in screen.messages { page.message(message) }
      for note in screen.notes { page.note(note) }
      // A question without a reason would follow.
      let isWordless = screen.messages.isEmpty && screen.notes.isEmpty
      if isWordless, state.isRefusal || !state.response.actions.isEmpty {
        page.problem(screen.title)
      }
    default: break
    }
  }

  /// Says why a response takes longer; a question or a status stays below it.
  public func report(_ retry: RetryingTransport.Retry) {
    page.note(retry)
  }

  /// Asks a yes-or-no question, whose last line is the prompt; an empty answer is no, and `?` shows the `help`.
  ///
  /// Returns nil if the person cancels.
  package func confirm(_ question: Sentence, help: Sentence? = nil) async throws -> Bool? {
    let lines = words.text(of: question).split(separator: "\n").map(String.init)
    for line in lines.dropLast() { page.text(page.inline(line)) }
    return try await page.confirm(lines.last ?? "", help: help.map(words.text))
  }
}

extension Screen {
  /// Whether the password of a person is asked for, who can be another one after starting over.
  var canChangeUsername: Bool {
    person?.changeID != nil && step?.noMoreAnswers == nil
      && inputs.contains { $0.contentType == .password }
  }

  /// Whether the title says more than the question that follows.
  fileprivate var needsTitle: Bool {
    // A list of actions has no need of its first entry as a title.
    if inputs.isEmpty, !startsByItself, title == action.label { return false }
    return inputs.count != 1 || inputs.first?.contentType != .password
  }

  /// How to find options that a person may look for.
  fileprivate var hints: [String] {
    let listed = inputs.count == 1 && inputs.first?.choices.isEmpty == false
    let wanted = options.filter { $0.isProminent && !(listed && $0.role == .skip) }
    guard let first = wanted.first, !inputs.isEmpty else { return [] }
    if wanted.count == 1, let reason = first.reason {
      return [words.sentence("terminal.reason", ["reason": reason])]
    }
    let labels = wanted.map(\.label).joined(separator: ", ")
    return [words.sentence("terminal.other", ["options": labels])]
  }
}
