import IDXOAuth
import IDXBase
import IDX
import IDXFlow
import IDXPrompt
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A prompter at a pseudo-terminal, apart from any engine, with a beat that the test beats.
struct Encounter {
  /// A terminal that can paint over a line.
  static let moving = ["TERM": "xterm", "LANG": "C.UTF-8"]

  let pseudo: PseudoTerminal
  let before: PseudoTerminal.Settings
  let terminal: InteractiveTerminal
  let prompter: TerminalPrompter

  private let tick: @Sendable () -> Void

  init(
    environment: [String: String] = moving,
    browser: (@Sendable (URL) async -> Bool)? = nil,
    listen: (@Sendable (URL) async throws -> any RedirectListener)? = nil
  ) throws {
    pseudo = try PseudoTerminal()
    pseudo.resize(columns: 80, rows: 24)
    before = pseudo.settings
    terminal = try InteractiveTerminal(path: pseudo.path, environment: environment)
    let beats = Beats()
    tick = { beats.beat() }
    prompter = TerminalPrompter(
      terminal: terminal, browser: browser, listen: listen, ticks: { beats.begin() },
      now: { TerminalSession.moment })
  }

  func beat() { tick() }

  /// What the terminal shows up to a text, without what colours and moves it.
  func shown(until end: String) async throws -> String {
    TextSanitizer().clean(try await pseudo.shown(until: end))
  }

  /// Presses keys under a status line, once they count.
  func press(_ keys: String) async throws {
    try await pseudo.waitForChange(from: before)
    try pseudo.type(keys)
  }

  /// A step of a response, its first form unless another is named.
  static func step(
    _ response: JSONValue, _ name: Remediation.Name? = nil,
    timeLeft: Duration? = nil, redirectURI: String = "com.example.demo:/callback"
  ) async throws -> Step {
    let configuration = try FlowConfiguration(
      issuer: "https://demo.okta.example/oauth2/default", clientID: "0oaDemoApp0000000001",
      redirectURI: redirectURI)
    let state = try await IDXClient(transport: CannedServer(response)).start(configuration)
    let form = name.flatMap { state.response[$0] } ?? state.response.remediations.first
    return Step(try #require(form), state: state, timeLeft: timeLeft)
  }
}

/// The beats of one wait after another; each wait begins a stream of its own.
private final class Beats: Sendable {
  private let (beats, source) = AsyncStream.makeStream(of: Void.self)

  func beat() { source.yield() }

  func begin() -> AsyncStream<Void> { beats }
}
