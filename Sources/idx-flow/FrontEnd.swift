import Foundation
import IDX
import IDXFlow
import IDXNetwork
import IDXPrompt
import IDXOAuth

/// Who answers what the server asks: a person at the terminal, a script, or nobody.
struct FrontEnd {
  let handlers: Handlers
  /// The terminal that is asked at; nil where none is.
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
    let isAsking = !options.flags.contains("--no-input")
    if isAsking, let terminal = try? InteractiveTerminal(environment: environment) {
      let browser = SystemBrowser(environment: environment)
      let prompter = TerminalPrompter(
        terminal: terminal, drawsQRCodes: !options.flags.contains("--no-qr"),
        browser: { url in
          if let demo { await demo.open(url) } else { await browser.open(url) }
        },
        listen: { try LoopbackListener($0) })
      self.prompter = prompter
      self.terminal = terminal
      let asking = demo?.helping(prompter) ?? prompter
      let key: any PasskeyProvider =
        demo?.passkeys
        ?? SecurityKey(environment: environment, notify: { terminal.write("  \($0)\n") })
      var handlers = Handlers.asking(asking)
      handlers.usePasskeys(key, prompter: asking)
      self.handlers = handlers
      return
    }
    let reason = isAsking ? "there is no terminal to ask at" : "--no-input forbids to ask"
    (prompter, terminal) = (nil, nil)
    handlers = Self.handlers(refusing: reason)
  }

  /// Says what there is to know before the first question.
  func greet() { prompter?.greet() }

  /// Whether to sign in although somebody is signed in already; asks, or says how to insist.
  func signsInAnew(beside credential: Credential) async throws -> Bool {
    let text = CredentialText(credential)
    let sentence = "You are signed in as \(text.user), \(text.validity)."
    if let prompter {
      guard let isYes = try await prompter.confirm("\(sentence)\nSign in anew?") else {
        throw CancellationError()
      }
      return isYes
    }
    throw CommandFailure(.inputNeeded, "\(sentence) To sign in anew: --force")
  }

  /// Shows what happens, where no question will.
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

  /// Says what was left over when the sign-in came to its end.
  func end() async {
    guard let remaining = await script?.remaining, remaining > 0 else { return }
    streams.note(
      remaining == 1
        ? "The last entry of the script was not needed."
        : "The last \(remaining) entries of the script were not needed.")
  }

  private static func script(at path: String) throws -> Script {
    let data: Data
    do { data = try NamedFile(path: path).read() } catch {
      throw CommandFailure(.usage, "The script \(path) \(error)")
    }
    return try Script(parsing: data)
  }

  private static func handlers(refusing reason: String) -> Handlers {
    var handlers = Handlers()
    handlers.fallback = NonInteractiveHandler(reason: reason)
    return handlers
  }
}

/// Refuses to answer, and says why.
private struct NonInteractiveHandler: StepHandler {
  let reason: String

  func decide(_ step: Step) async throws -> Decision {
    let name = step.remediation.name
    throw FlowError(
      .inputNeeded,
      "The server asks for “\(name)”, and \(reason). Answer it with --script FILE.",
      remediation: name)
  }
}
