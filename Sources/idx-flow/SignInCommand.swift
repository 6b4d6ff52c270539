import Foundation
import IDX
import IDXFlow
import IDXNetwork
import IDXPrompt
import IDXTesting
import OAuth

/// `idx-flow signin`: composes the engine with a way to answer and a way to the server.
struct SignInCommand {
  static let options = [
    OptionSpec(
      "--demo", value: "NAME", isValueOptional: true,
      "an org simulated in memory, in one of many situations; “list” names them"),
    OptionSpec("--recover", "go to where a forgotten password is replaced"),
    OptionSpec("--unlock", "go to where a locked account is unlocked"),
    OptionSpec("--register", "go to where one signs up"),
    OptionSpec("--issuer", value: "URL", "the authorization server"),
    OptionSpec("--client-id", value: "ID", "the id of the app"),
    OptionSpec("--redirect-uri", value: "URI", "a redirect URI registered for the app"),
    OptionSpec(
      "--scope", value: "SCOPES", "scopes with spaces between; “openid profile” if not given"),
    OptionSpec("--config", value: "FILE", "a property list such as Okta.plist"),
    OptionSpec("--script", value: "FILE", "answers from a JSON file instead of a prompt"),
    OptionSpec("--no-input", "never ask; name the step that needs input and stop"),
    OptionSpec("--no-qr", "show the key of an authenticator app without its QR code"),
    OptionSpec("--json", "print the result as JSON"),
    OptionSpec("--tokens", "print the tokens too, as JSON; whoever has them is signed in"),
    OptionSpec("--help", "this text"),
  ]

  private let options: CommandLineOptions
  private let environment: [String: String]

  init(_ words: [String], _ environment: [String: String]) throws {
    options = try CommandLineOptions(words, accepting: Self.options, of: "signin")
    self.environment = environment
  }

  func run(_ streams: Streams) async throws -> ExitCode {
    if has("--help") {
      try streams.result(Help.signIn)
      return .done
    }
    if options.values["--demo"] == "list" {
      try streams.result(Demo.list)
      return .done
    }
    let report = SignInReport(
      streams: streams, asJSON: has("--json") || has("--tokens"), showsTokens: has("--tokens"))
    let last = LastState()
    do { return try await signIn(streams, report, last) } catch {
      return report.end(ErrorText.failure(for: error), at: await last.state)
    }
  }

  private func signIn(
    _ streams: Streams, _ report: SignInReport, _ last: LastState
  ) async throws -> ExitCode {
    if let operand = options.operands.first {
      throw CommandFailure(.usage, "signin takes options only, not “\(operand)”.")
    }
    let settings = SignInSettings(options, environment)
    let goal = try self.goal()
    let demo = try options.values["--demo"].map { try Demo(streams, settings, $0, goal?.name) }
    let configuration = try demo?.configuration ?? settings.configuration()
    let front = try FrontEnd(options, environment, streams, demo)
    let coordinator = Coordinator(
      client: IDXClient(transport: demo?.org ?? URLSessionTransport()), handlers: front.handlers,
      observe: { event in
        await last.note(event)
        front.report(event)
      })
    demo?.greet()
    front.greet()
    let task = Task { try await coordinator.run(configuration, goal: goal?.goal) }
    let watch = SignalWatch(terminal: front.terminal) { _ in task.cancel() }
    defer { watch.end() }
    let outcome = try await task.value
    await front.end()
    return try report.end(outcome, hadGoal: goal != nil)
  }

  /// What the person is after, where it is not to sign in, and the name of its option.
  private func goal() throws -> (goal: Goal, name: String)? {
    let known: [(goal: Goal, name: String)] = [
      (.recover, "recover"), (.unlock, "unlock"), (.register, "register"),
    ]
    let asked = known.filter { has("--\($0.name)") }
    guard asked.count <= 1 else {
      throw CommandFailure(
        .usage, "--\(asked[0].name) and --\(asked[1].name) cannot both be done; choose one.")
    }
    return asked.first
  }

  private func has(_ flag: String) -> Bool { options.flags.contains(flag) }
}

/// The last thing the server said, for the report of what it asked for.
private actor LastState {
  private(set) var state: FlowState?

  func note(_ event: FlowEvent) {
    if case .received(let state) = event { self.state = state }
  }
}
