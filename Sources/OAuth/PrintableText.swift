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
}
