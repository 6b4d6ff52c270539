import TerminalSupport

extension PseudoTerminal {
  /// Starts a sign-in to the demo at this terminal.
  func demo(_ options: String...) throws -> Program {
    try Program(
      ["signin", "--demo"] + options,
      environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"], input: path)
  }

  /// The output from now on, up to and including the text, with the line ends of a file.
  @discardableResult
  func lines(until end: String) async throws -> String {
    try await shown(until: end).replacing("\r\n", with: "\n")
  }

  /// Waits for a prompt and types a line; returns the output up to and including the prompt.
  @discardableResult
  func answer(_ prompt: String, _ line: String = "") async throws -> String {
    let shown = try await lines(until: prompt)
    try type("\(line)\n")
    return shown
  }
}
