import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt
import TerminalSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A front-end at a pseudo-terminal, without a sign-in. The test triggers the ticks of status lines.
struct FrontEndSession {
  /// A terminal on which lines can be replaced.
  static let animated = ["TERM": "xterm", "LANG": "C.UTF-8"]

  let pseudo: PseudoTerminal
  let before: PseudoTerminal.Settings
  let terminal: InteractiveTerminal
  let frontEnd: TerminalFrontEnd

  private let ticks = AsyncStream.makeStream(of: Void.self)

  init(
    environment: [String: String] = animated,
    browser: (@Sendable (URL) async -> Bool)? = nil,
    listen: TerminalFrontEnd.Listen? = nil
  ) throws {
    pseudo = try PseudoTerminal()
    pseudo.resize(columns: 80, rows: 24)
    before = pseudo.settings
    terminal = try InteractiveTerminal(path: pseudo.path, environment: environment)
    frontEnd = TerminalFrontEnd(
      terminal: terminal, browser: browser, listen: listen,
      ticks: { [stream = ticks.stream] in stream }, now: { TerminalSession.moment })
  }

  func tick() { ticks.continuation.yield() }

  /// The text that the terminal shows up to `end`, without escape sequences.
  func shown(until end: String) async throws -> String {
    TextSanitizer().clean(try await pseudo.shown(until: end))
  }

  /// Presses keys once a status line accepts them.
  func press(_ keys: String) async throws {
    try await pseudo.waitForChange(from: before)
    try pseudo.type(keys)
  }

  /// The screen of the first form of a response; without the title if it was shown before.
  static func screen(
    _ response: JSONValue, isFirst: Bool = false, timeLeft: Duration? = nil,
    redirectURI: String = "com.example.demo:/callback"
  ) async throws -> Screen {
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example/oauth2/default", clientID: "0oaDemoApp0000000001",
      redirectURI: redirectURI)
    let state = try await IDXClient(transport: CannedServer(response)).start(configuration)
    let step = Step(
      try require(state.response.remediations.first), state: state, timeLeft: timeLeft)
    let handlers = Handlers.showing(now: { TerminalSession.moment })
    guard case .ask(var screen, _) = try await handlers.decide(step) else {
      throw CancellationError()
    }
    if !isFirst { screen.attempt = 2 }
    return screen
  }
}

extension TerminalFrontEnd {
  /// Starts to show a screen and to wait for the reply.
  func begin(_ screen: Screen) -> Task<Reply, any Error> { Task { try await reply(to: screen) } }
}

extension Task where Success == Reply {
  /// Ends a wait for a reply that nobody gives.
  func end() async {
    cancel()
    _ = await result
  }
}
