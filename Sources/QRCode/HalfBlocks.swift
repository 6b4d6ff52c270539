extension QRCode {
  /// How half blocks are drawn in a terminal.
  package enum Style: Sendable, Hashable, CaseIterable {
    /// Black on white by escape sequences, whatever the terminal's own colours.
    ///
    /// The two colours are from the fixed part of the 256 (16 and 231), since themes change the
    /// first sixteen. A reader always sees dark modules on a light ground.
    case colour
    /// Characters alone: for `NO_COLOR`, and for terminals and files without colours.
    ///
    /// The blocks are the light modules, and what is dark is left blank: right on a dark terminal.
    /// On a light terminal the code is seen inverted, which most readers take as well (the
    /// standard knows it as reflectance reversal); the quiet zone is drawn too, so that the code
    /// keeps a whole border there. The other way round would fail the more common dark terminal.
    case plain
  }

  /// The columns that each of the lines takes in a terminal.
  package func columns(quietZone: Int = 4) -> Int { size + 2 * quietZone }

  /// Draws the code with half blocks, two rows of modules a line, without line ends.
  ///
  /// The quiet zone is in modules on each side. The standard asks for 4; most readers are content
  /// with 2, by which version 6 fits 24 rows. Where the rows are odd in number (they always are,
  /// as a code's size is odd), half a line of quiet zone is added at the end.
  package func lines(style: Style, quietZone: Int = 4) -> [String] {
    let span = -quietZone..<size + quietZone
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { y in
      let blocks = span.map { x in
        let (above, below) = (self[x: x, y: y], self[x: x, y: y + 1])
        return switch style {
        case .colour: Self.block(above, below)
        case .plain: Self.block(!above, !below)
        }
      }
      return switch style {
      case .colour: "\u{1B}[38;5;16;48;5;231m" + String(blocks) + "\u{1B}[0m"
      case .plain: String(blocks)
      }
    }
  }

  private static func block(_ above: Bool, _ below: Bool) -> Character {
    switch (above, below) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }
}
