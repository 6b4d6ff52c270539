import IDXPrompt
import IDXFlow
import TerminalSupport

/// A front-end at a terminal whose screen the test watches. The test triggers the ticks of status lines.
struct WatchedSession {
  let watched: WatchedTerminal
  let terminal: InteractiveTerminal
  let frontEnd: TerminalFrontEnd

  private let ticks = AsyncStream.makeStream(of: Void.self)

  init(
    columns: Int = 80, rows: Int = 24, environment: [String: String] = FrontEndSession.animated,
    words: Words = .english
  ) throws {
    watched = try WatchedTerminal(columns: columns, rows: rows)
    terminal = try InteractiveTerminal(path: watched.path, environment: environment)
    frontEnd = TerminalFrontEnd(
      terminal: terminal, words: words, ticks: { [stream = ticks.stream] in stream },
      now: { TerminalSession.moment })
    terminal.begin()
  }

  func tick(_ count: Int = 1) { for _ in 0..<count { ticks.continuation.yield() } }
}

extension WatchedTerminal {
  /// Types keys and waits until the row of the cursor is this, with `|` at the cursor.
  @discardableResult
  func type(_ keys: String, seeing row: String) async throws -> TerminalScreen {
    try type(keys)
    return try await seeRow(row)
  }
}
