import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt

/// Answers the server's steps: a person at the terminal, a program that shows the screens, a script, or nobody.
struct AnswerSource {
  let handlers: Handlers
  /// Shows the screens; nil if nobody is asked.
  var shown: (any FrontEnd)? { person ?? program.map(ProgramFrontEnd.init) }

  private let person: TerminalFrontEnd?
  private let program: ProgramLines?
  private let script: ScriptHandler?
  private let streams: Streams
  /// What to install for security keys; nil if nothing is missing.
  private let passkeyRemedy: String?

  /// Creates a source for the program or the script of the command line, or for the person at a terminal, or for
  /// nobody.
  ///
  /// `fastPass` says whether Okta Verify on this computer is asked, `rememberDevice` whether the org may remember the
  /// computer.
  init(
    _ call: CommandCall, _ options: DialogOptions, isDemo: Bool = false,
    using computer: ComputerAccess,
    fastPass: DevicePermission, rememberDevice: DevicePermission = .never
  ) throws {
    (streams, passkeyRemedy) = (call.streams, computer.passkeyRemedy)
    program = streams.program
    let screens = Screens(
      words: streams.words, canUsePasskeys: computer.passkeyRemedy == nil, fastPass: fastPass,
      rememberDevice: rememberDevice)
    if program != nil {
      (person, script, handlers) = (nil, nil, Self.handlers(screens))
      return
    }
    if let path = options.script {
      let script = try ScriptFile(path: path, call: call, isDemo: isDemo).handler()
      (person, self.script) = (nil, script)
      var handlers = script.handlers
      handlers.fallback = RememberingHandler(other: script, permission: rememberDevice)
      self.handlers = handlers.using(computer.oktaVerify, fastPass)
      return
    }
    script = nil
    if let terminal = streams.terminal {
      person = TerminalFrontEnd(
        terminal: terminal, words: streams.words, drawsQRCodes: options.drawsQRCodes,
        passkeys: computer.passkeys, fastPass: computer.oktaVerify, browser: computer.browser,
        listen: computer.listen)
      handlers = Self.handlers(screens)
      return
    }
    person = nil
    var handlers = Handlers()
    // The code is in the notes, and is entered elsewhere.
    handlers.on(.userCodePoll) { _ in .poll() }
    handlers.fallback = NonInteractiveHandler(reason: options.reason)
    self.handlers = handlers.using(computer.oktaVerify, fastPass)
  }

  /// The built-in handlers, which say which request failed and how: at a terminal, there is no other log.
  private static func handlers(_ screens: Screens) -> Handlers {
    var handlers = Handlers.showing(screens)
    handlers.onFailure = { error, step in
      let problem = SignInProblem(error)
      let details = screens.words.text(of: .error(error))
      let isTemporary = [.unreachable, .busy].contains(problem.kind)
      return .choose(
        step.remediation,
        notice: isTemporary ? "\(problem.title(in: screens.words)). \(details)" : details)
    }
    return handlers
  }

  /// The transport of a sign-in: it says what a person waits for, and asks the server for texts in the language that
  /// the person chose.
  ///
  /// Without a person, a script gets the same texts in every locale.
  func transport(over other: any Transport) -> any Transport {
    guard person != nil || program != nil else { return other }
    let asking: any Transport =
      streams.chosenWords.map { LanguageTransport(other, language: $0.language) } ?? other
    return person.map { AnnouncedTransport(other: asking, frontEnd: $0) } ?? asking
  }

  /// Shows an introduction before the first question.
  func greet(to issuer: URL?, configuredIn source: Sentence?) {
    person?.greet(to: issuer, configuredIn: source.map(streams.words.text(of:)))
  }

  /// Says on the screen of a step that needs a security key what to install.
  func explainPasskey(on screen: inout Screen) {
    guard let passkeyRemedy, let step = screen.step, UnsupportedStep(step)?.kind == .passkey else {
      return
    }
    screen.notes.append(passkeyRemedy)
  }

  /// Asks a yes-or-no question; nil if nobody can be asked, or if the person gives no answer.
  func confirm(_ question: Sentence, help: Sentence) async throws -> Bool? {
    try await person?.confirm(question, help: help)
  }

  /// Asks whether to sign in although somebody is signed in; throws if it cannot ask.
  func confirmsSignIn(despite credential: Credential) async throws -> Bool {
    let text = CredentialText(credential)
    let sentence: Sentence = "You are signed in as \(text.userAndHost), \(text.validity)."
    guard let person else {
      throw CommandFailure(.inputNeeded, "\(sentence) To sign in again, use --force.")
    }
    let isYes = try await person.confirm(
      "\(sentence)\nSign in again?",
      help: "With yes, you sign in now, also as somebody else. With no, everything stays as it is.")
    guard let isYes else { throw CancellationError() }
    return isYes
  }

  /// Shows why a response takes longer; a question stays below it.
  func report(_ retry: RetryingTransport.Retry) {
    if let person {
      person.report(retry)
    } else {
      streams.note(text: streams.words.sentence(about: retry).sanitized)
    }
  }

  /// Shows the events that no prompt shows; `history` is what was before.
  func report(_ event: FlowEvent, after history: SignInHistory) {
    if let person { return person.report(event) }
    if let program {
      guard case .accepted(let form, let authenticator) = event,
        let sentence = streams.words.confirmation(of: form, authenticator)
      else { return }
      program.tell(Remediation.Name.pollEnds.contains(form.name) ? .note : .success, sentence)
      return
    }
    switch event {
    case .received(let state):
      let notes = notes(about: state)
      // A poll without news says nothing new.
      if notes != history.last.map(notes(about:)) { notes.forEach(streams.note(text:)) }
    // Once for each wait, and not for each poll.
    case .waiting(let form, _) where form.name != history.polled:
      streams.note(text: "waiting at \(form.name)".sanitized)
    case .submitting(let form): streams.note(text: "answering \(form.name)".sanitized)
    case .failed(_, let error): streams.note(text: error.message.sanitized)
    case .waiting, .accepted: break
    }
  }

  /// The messages of the server, and the number to choose on the phone.
  private func notes(about state: FlowState) -> [String] {
    let excerpt = MessageExcerpt(state.response.allMessages)
    var notes = excerpt.entries.flatMap { entry in
      let (text, issuer) = (entry.text.sanitized, state.configuration.issuer)
      let remark = Screen.remark(onLinksOf: entry.message, issuer, streams.words)
      return [text.isEmpty ? "The server sent an empty message." : text]
        + [remark].compactMap(\.self)
        + Screen.links(of: entry.message, issuer).map(\.text.sanitized)
    }
    notes += [excerpt.remark].compactMap(\.self)
    if state.isAtEnd { notes += Screen(end: state, words: streams.words).notes.map(\.sanitized) }
    if let authenticator = state.response.currentAuthenticator,
      let number = authenticator.numberChallenge
    {
      let place = authenticator.displayName ?? "the app on your phone"
      notes.append("Choose \(number) in \(place).".sanitized)
    }
    if let code = state.response.userCode {
      notes.append("Open \(code.address) and enter the code \(code.text).".sanitized)
    }
    return notes
  }

  /// Reports the entries of the script that were not used.
  func reportUnusedEntries() async {
    guard let remaining = await script?.remaining, remaining > 0 else { return }
    streams.note(
      remaining == 1
        ? "The last entry of the script was not used."
        : "The last \(remaining) entries of the script were not used.")
  }
}

extension Handlers {
  /// The handlers for nobody to ask, with Okta Verify if it may be used without asking.
  fileprivate func using(_ oktaVerify: LoopbackFastPass?, _ permission: DevicePermission)
    -> Handlers
  {
    guard permission == .always, let oktaVerify else { return self }
    var handlers = self
    handlers.register(FastPassHandler(oktaVerify), for: .deviceChallengePoll)
    handlers.register(FastPassHandler(oktaVerify), for: .challengePoll)
    return handlers
  }
}

/// A transport that says at the terminal which host it waits for.
private struct AnnouncedTransport: Transport {
  let other: any Transport
  let frontEnd: TerminalFrontEnd

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await frontEnd.contacting(request.url.host ?? "") { try await other.send(request) }
  }
}

/// Decides as another handler, and says whether the org may remember the computer if that one does not.
private struct RememberingHandler: StepHandler {
  let other: any StepHandler
  let permission: DevicePermission

  func decide(_ step: Step) async throws -> Decision {
    permission.completed(try await other.decide(step), at: step)
  }
}

/// Throws at each step, because there is nobody to ask.
private struct NonInteractiveHandler: StepHandler {
  let reason: String

  func decide(_ step: Step) async throws -> Decision {
    let name = step.remediation.name
    guard step.remediation.page == nil else {
      throw FlowError(
        .inputNeeded,
        "The server asks for “\(name)”, which opens a page in a browser, but \(reason). Run the command at a terminal.",
        remediation: name)
    }
    throw FlowError(
      .inputNeeded,
      "The server asks for “\(name)”, but \(reason). "
        + (step.deviceChallenge == nil
          ? "Use --script FILE to answer it."
          : "If Okta Verify on this computer may be used, add --fast-pass always."),
      remediation: name)
  }
}
