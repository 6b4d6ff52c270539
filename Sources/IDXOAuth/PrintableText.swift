extension String {
  /// The text without what moves a terminal's cursor or turns the direction of writing, for words of
  /// a server inside an error.
  package var printable: String {
    // ASCII is nearly all there is, and of that only control characters steer anything.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    return String(
      unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      })
  }

  /// The text between quotes, without what steers a terminal and at most a hundred scalars long, for
  /// words of a server inside an error.
  var quotedBriefly: String {
    let scalars = printable.unicodeScalars
    let end = scalars.count > 100 ? "…" : ""
    return "“\(String(String.UnicodeScalarView(scalars.prefix(100))))\(end)”"
  }
}
