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

  /// A step of a response: the form with a name, or the first one.
  static func step(
    _ response: JSONValue, _ name: Remediation.Name? = nil,
    timeLeft: Duration? = nil, redirectURI: String = "com.example.demo:/callback"
  ) async throws -> Step {
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example/oauth2/default", clientID: "0oaDemoApp0000000001",
      redirectURI: redirectURI)
    let state = try await IDXClient(transport: CannedServer(response)).start(configuration)
    let form = name.flatMap { state.response[$0] } ?? state.response.remediations.first
    return Step(try require(form), state: state, timeLeft: timeLeft)
  }

  /// The screen of a step; without the title if it was shown before.
  static func screen(_ step: Step, isFirst: Bool = false) async throws -> Screen {
    let handlers = Handlers.showing(now: { TerminalSession.moment })
    guard case .ask(var screen, _) = try await handlers.decide(step) else {
      throw CancellationError()
    }
    if !isFirst { screen.attempt = 2 }
    return screen
  }
}
