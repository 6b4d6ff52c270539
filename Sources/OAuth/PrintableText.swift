extension String {
  /// The text without what moves a terminal's cursor or turns the direction of writing, for words of
  /// a server inside an error.
  package var printable: String {
    String(
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
