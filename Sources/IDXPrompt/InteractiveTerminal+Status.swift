// A line that tells what is waited for, while a key may be pressed.
extension InteractiveTerminal {
  /// Shows a status line and waits for Enter, `?` or Ctrl-D, which come back as an empty text, as
  /// `?` and as the end of input.
  ///
  /// What else is typed stays unseen and is dropped, or, where text is accepted, comes back with the
  /// Enter after it. An Enter soon after `?` belongs to it. Whatever comes of it, the line is gone
  /// afterwards and the cursor at its start; for cancelling and stopping it is as with
  /// ``readLine(prompt:secret:)``. Where the style has no escape sequences, each status is a line of
  /// its own, which stays.
  ///
  /// - Parameters:
  ///   - acceptingText: Whether a line of text is an answer too.
  ///   - ticks: When to ask for the status anew.
  ///   - status: What to show now, by the number of ticks that have passed, not wider than the window;
  ///     nil to leave it as it is.
  func waitForKey(
    acceptingText: Bool = false, ticks: AsyncStream<Void>,
    status: @escaping @Sendable (Int) -> String?
  ) async throws -> Line {
    let request = LineRequest(.key(orText: acceptingText))
    return try await withThrowingTaskGroup(of: Line?.self) { group in
      group.addTask { try await self.serve(request) }
      group.addTask {
        self.present(status(0), under: request)
        var count = 0
        for await _ in ticks where !Task.isCancelled {
          count += 1
          self.present(status(count), under: request)
        }
        return nil
      }
      defer { group.cancelAll() }
      while let line = try await group.next() {
        if let line { return line }
      }
      throw CancellationError()
    }
  }

  /// Takes the status line away; tells whether there was one.
  @discardableResult
  func clearStatus(_ state: inout State) -> Bool {
    guard state.asking?.isStatusShown == true else { return false }
    state.asking?.isStatusShown = false
    device.put(Self.overwriting(with: ""))
    return true
  }

  /// The sequences that put a text in the place of the line that the cursor is on.
  static func overwriting(with text: String) -> String { "\r\(text)\u{1B}[K" }

  private func present(_ status: String?, under request: LineRequest) {
    guard let status else { return }
    guard style.usesColor else {
      write(status + "\n")
      return
    }
    request.change(prompt: status)
    state.withLock { state in
      guard state.asking?.request === request, !state.isSuspended, !device.isInBackground
      else { return }
      device.put(Self.overwriting(with: status))
      state.asking?.isStatusShown = true
    }
  }
}
