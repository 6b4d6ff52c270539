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
  /// with 2, by which version 6 fits 24 rows. As the rows are always odd in number, half a line of
  /// quiet zone is added at the end.
  package func lines(style: Style, quietZone: Int = 4) -> [String] {
    let span = -quietZone..<size + quietZone
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { y in
      let cells = span.map { x in (above: self[x: x, y: y], below: self[x: x, y: y + 1]) }
      return switch style {
      case .colour: Self.colourLine(cells)
      case .plain: Self.plainLine(cells)
      }
    }
  }

  /// The ground has the colour of the lower module, and a block the upper's where that is another.
  ///
  /// Many terminals leave a gap between the blocks of two lines, but none between their grounds:
  /// so no light lines cut through the dark areas, which not every reader forgives.
  private static func colourLine(_ cells: [(above: Bool, below: Bool)]) -> String {
    var line = ""
    var ground: Bool?
    for cell in cells {
      if cell.below != ground {
        line += cell.below ? "\u{1B}[38;5;231;48;5;16m" : "\u{1B}[38;5;16;48;5;231m"
        ground = cell.below
      }
      line += cell.above == cell.below ? " " : "▀"
    }
    return line + "\u{1B}[0m"
  }

  private static func plainLine(_ cells: [(above: Bool, below: Bool)]) -> String {
    let blocks = cells.map { cell in
      switch (cell.above, cell.below) {
      case (false, false): "█"
      case (false, true): "▀"
      case (true, false): "▄"
      case (true, true): " "
      }
    }
    return blocks.joined()
  }
}
