import IDXBase

/// A pseudo-terminal with a person in front of it, who sees a screen and types.
package final class WatchedTerminal: Sendable {
  package let pseudo: PseudoTerminal
  private let current: Locked<TerminalScreen>

  package init(columns: Int = 80, rows: Int = 24) throws {
    pseudo = try PseudoTerminal()
    pseudo.resize(columns: UInt16(columns), rows: UInt16(rows))
    current = Locked(TerminalScreen(columns: columns, rows: rows))
  }

  package var path: String { pseudo.path }

  package var screen: TerminalScreen { current.withLock { $0 } }

  package func type(_ text: String) throws { try pseudo.type(text) }

  package func resize(columns: Int, rows: Int) {
    current.withLock { $0.resize(columns: columns, rows: rows) }
    pseudo.resize(columns: UInt16(columns), rows: UInt16(rows))
  }

  /// Waits until the screen looks as expected, and returns it.
  @discardableResult
  package func see(
    _ what: String, where isExpected: @escaping @Sendable (TerminalScreen) -> Bool
  ) async throws -> TerminalScreen {
    if isExpected(screen) { return screen }
    do {
      try await pseudo.output { [current] byte in
        current.withLock { screen in
          screen.show(byte)
          return isExpected(screen)
        }
      }
    } catch {
      throw PseudoTerminal.Failure(description: "waited for \(what), saw:\n\(screen.text)")
    }
    return screen
  }

  /// Waits until the window shows the text.
  @discardableResult
  package func see(_ text: String) async throws -> TerminalScreen {
    try await see(text) { $0.text.contains(text) }
  }

  /// Waits until the row of the cursor is this, with `|` at the cursor.
  @discardableResult
  package func seeRow(_ row: String) async throws -> TerminalScreen {
    try await see("the row \(row)") { $0.cursorRow == row }
  }
}
