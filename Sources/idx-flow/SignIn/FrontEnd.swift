import Foundation
import IDX
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt

/// Answers the server's steps: a person at the terminal, a script, or nobody.
struct FrontEnd {
  let handlers: Handlers
  /// The terminal for prompts; nil if there are none.
  let terminal: InteractiveTerminal?

  private let prompter: TerminalPrompter?
  private let script: ScriptHandler?
  private let streams: Streams

  init(
    _ options: CommandLineOptions, _ environment: [String: String], _ streams: Streams,
    _ demo: Demo?
  ) throws {
    self.streams = streams
    if let path = options.values["--script"] {
      let script = ScriptHandler(try Self.script(at: path))
      self.script = script
      (prompter, terminal, handlers) = (nil, nil, script.handlers)
      return
    }
    script = nil
    let mayAsk = !options.flags.contains("--no-input")
    if mayAsk, let terminal = try? InteractiveTerminal(environment: environment) {
      let browser = SystemBrowser(environment: environment)
      let prompter = TerminalPrompter(
        terminal: terminal, drawsQRCodes: !options.flags.contains("--no-qr"),
        browser: { url in
          if let demo { await demo.open(url) } else { await browser.open(url) }
        },
        listen: { try LoopbackListener($0) })
      self.prompter = prompter
      self.terminal = terminal
      let asking = demo?.showingCodes(with: prompter) ?? prompter
      let key: any PasskeyProvider =
        demo?.passkeys
        ?? SecurityKey(environment: environment, notify: { terminal.write("  \($0)\n") })
      var handlers = Handlers.asking(asking)
      handlers.usePasskeys(key, prompter: asking)
      self.handlers = handlers
      return
    }
    (prompter, terminal) = (nil, nil)
    var handlers = Handlers()
    handlers.fallback = NonInteractiveHandler(
      reason: mayAsk ? "there is no terminal" : "--no-input is set")
    self.handlers = handlers
  }

  /// Shows an introduction before the first question.
  func greet() { prompter?.greet() }

  /// Asks whether to sign in although somebody is signed in; throws if it cannot ask.
  func confirmsSignIn(despite credential: Credential) async throws -> Bool {
    let text = CredentialText(credential)
    let sentence = "You are signed in as \(text.user), \(text.validity)."
    guard let prompter else {
      throw CommandFailure(.inputNeeded, "\(sentence) To sign in again, use --force.")
    }
    guard let isYes = try await prompter.confirm("\(sentence)\nSign in again?") else {
      throw CancellationError()
    }
    return isYes
  }

  /// Shows the events that no prompt shows.
  func report(_ event: FlowEvent) {
    if let prompter {
      prompter.report(event)
    } else if case .received(let state) = event {
      for message in state.response.allMessages { streams.note(MessageLine(message).text) }
      if let authenticator = state.response.currentAuthenticator,
        let number = authenticator.numberChallenge
      {
        let line = "Choose \(number) in \(authenticator.displayName ?? "the app on your phone")."
        streams.note(TextSanitizer(oneLine: true).clean(line))
      }
    } else if case .submitting(let form) = event {
      streams.note(TextSanitizer(oneLine: true).clean("answering \(form.name)"))
    }
  }

  /// Reports the entries of the script that were not used.
  func reportUnusedEntries() async {
    guard let remaining = await script?.remaining, remaining > 0 else { return }
    streams.note(
      remaining == 1
        ? "The last entry of the script was not used."
        : "The last \(remaining) entries of the script were not used.")
  }

  private static func script(at path: String) throws -> Script {
    let data: Data
    do { data = try InputFile(path: path).read() } catch {
      throw CommandFailure(.usage, "The script \(path) \(error)")
    }
    return try Script(parsing: data)
  }
}

/// Throws at each step, because there is nobody to ask.
private struct NonInteractiveHandler: StepHandler {
  let reason: String

  func decide(_ step: Step) async throws -> Decision {
    let name = step.remediation.name
    throw FlowError(
      .inputNeeded,
      "The server asks for “\(name)”, but \(reason). Use --script FILE to answer it.",
      remediation: name)
  }
}
