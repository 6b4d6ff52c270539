import IDXBase

extension Sentence {
  /// The sentence with its values on one line, shortened and without control characters.
  var sanitized: Sentence { mapValues(\.sanitized) }
}

extension String {
  /// The text on one line, shortened and without control characters: for texts of servers.
  var sanitized: String { TextSanitizer(oneLine: true).clean(shortened()) }
}
