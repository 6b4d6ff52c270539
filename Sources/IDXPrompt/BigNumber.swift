/// Shows a number in digits of five rows, to be compared with a phone at arm's length.
struct BigNumber {
  let terminal: InteractiveTerminal

  /// Three pixels by five for each digit, a row to a number, its highest bit on the left.
  private static let font: [Character: [UInt8]] = [
    "0": [0b111, 0b101, 0b101, 0b101, 0b111],
    "1": [0b010, 0b110, 0b010, 0b010, 0b111],
    "2": [0b111, 0b001, 0b111, 0b100, 0b111],
    "3": [0b111, 0b001, 0b111, 0b001, 0b111],
    "4": [0b101, 0b101, 0b111, 0b001, 0b001],
    "5": [0b111, 0b100, 0b111, 0b001, 0b111],
    "6": [0b111, 0b100, 0b111, 0b101, 0b111],
    "7": [0b111, 0b001, 0b001, 0b001, 0b001],
    "8": [0b111, 0b101, 0b111, 0b101, 0b111],
    "9": [0b111, 0b101, 0b111, 0b001, 0b111],
  ]

  /// Shows the number, on a line of its own where the digits cannot be drawn.
  func show(_ number: String) {
    let rows = terminal.style.usesUnicode ? Self.rows(of: number) : nil
    guard let rows, rows.allSatisfy({ $0.columns + 4 < terminal.columns }) else {
      terminal.write("\n    \(terminal.style.bold(">>> \(number) <<<"))\n\n")
      return
    }
    let lines = rows.map { "    " + terminal.style.bold($0) }
    terminal.write("\n" + lines.joined(separator: "\n") + "\n\n")
  }

  /// The rows of the digits, without spaces at their ends; nil where something is no digit.
  static func rows(of number: String) -> [String]? {
    let digits = number.compactMap { font[$0] }
    guard digits.count == number.count, !digits.isEmpty else { return nil }
    return (0..<5).map { row in
      var line = digits.map { digit in
        // A character is about twice as high as it is wide.
        [0b100, 0b010, 0b001].map { digit[row] & $0 == 0 ? "  " : "██" }.joined()
      }.joined(separator: "  ")[...]
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }
}
