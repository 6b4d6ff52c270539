extension String {
  /// The text without characters that move a terminal's cursor or change the direction of writing, for
  /// server text in an error.
  package var printable: String {
    // Nearly all texts are plain ASCII and need no change.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    return String(
      unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      })
  }

  /// The text, or its first `limit` scalars and “…” if it is longer.
  ///
  /// A server may send a text of any length. Remove secrets before this, because a part of a secret is
  /// not found.
  package func shortened(to limit: Int = 1000) -> String {
    let scalars = unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return self }
    return String(scalars[..<end]) + "…"
  }

  /// The ``printable`` text in quotes, cut after 100 scalars, for server text in an error.
  package var quotedBriefly: String { "“\(printable.shortened(to: 100))”" }

  /// Whether the text contains the bytes of another.
  ///
  /// `contains` compares characters, which takes many times longer.
  package func containsBytes(of other: String) -> Bool {
    let (mine, wanted) = (utf8, other.utf8)
    guard wanted.count <= mine.count else { return false }
    return mine.indices.contains { mine[$0...].starts(with: wanted) }
  }
}
