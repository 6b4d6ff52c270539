/// The colors and symbols that suit a terminal.
///
/// A styled text is enclosed in escape sequences, or unchanged if color is off.
package struct TerminalStyle: Sendable, Hashable {
  /// Whether text may have colors, and a line may be replaced; a QR code has its colors always.
  package let usesColor: Bool
  /// Whether symbols beyond ASCII may be written.
  package let usesUnicode: Bool
  /// Whether the screen is read aloud or felt: nothing is drawn or replaced, and each line is a sentence.
  package let isAccessible: Bool

  /// Creates a style.
  package init(usesColor: Bool, usesUnicode: Bool, isAccessible: Bool = false) {
    self.usesColor = usesColor
    self.usesUnicode = usesUnicode
    self.isAccessible = isAccessible
  }

  /// Whether a line may be replaced by another one, as for a spinner.
  var redraws: Bool { usesColor && !isAccessible }

  /// Creates the style that the environment asks for.
  ///
  /// Color is off if `NO_COLOR` is not empty, or if `TERM` is unset, empty or `dumb`. Symbols are ASCII
  /// for such a `TERM`, on the Linux console (`linux`), whose fonts lack other symbols, or if the first
  /// non-empty variable of `LC_ALL`, `LC_CTYPE` and `LANG` does not name UTF-8. The mode is accessible if
  /// `IDX_FLOW_ACCESSIBLE` is neither empty nor `0`, or for such a `TERM`.
  package init(environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let isCapable = !terminal.isEmpty && terminal != "dumb"
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let encoding = locale.lowercased().filter { $0 != "-" }
    isAccessible = !isCapable || !["", "0"].contains(environment["IDX_FLOW_ACCESSIBLE"] ?? "")
    usesColor = isCapable && (environment["NO_COLOR"] ?? "").isEmpty
    usesUnicode = isCapable && terminal != "linux" && encoding.contains("utf8")
  }

  /// The text in bold.
  package func bold(_ text: String) -> String { styled(text, on: 1, off: 22) }
  /// The text in faint characters.
  package func dim(_ text: String) -> String { styled(text, on: 2, off: 22) }
  /// The text in red, for failures.
  package func red(_ text: String) -> String { styled(text, on: 31, off: 39) }
  /// The text in green, for success.
  package func green(_ text: String) -> String { styled(text, on: 32, off: 39) }
  /// The text in yellow, for warnings.
  package func yellow(_ text: String) -> String { styled(text, on: 33, off: 39) }
  /// The text in cyan, for emphasis.
  func cyan(_ text: String) -> String { styled(text, on: 36, off: 39) }

  /// The symbol for success: ✓ or `ok`.
  package var check: String { usesUnicode ? "✓" : "ok" }
  /// The symbol for failure: ✗ or `x`.
  var cross: String { usesUnicode ? "✗" : "x" }
  /// The symbol for a warning: always `!`, because ⚠ is wide on some terminals.
  var warning: String { "!" }
  /// What stands where a hidden text was typed: always as long, so that it does not show the length.
  var secretTrace: String { isAccessible ? "" : dim(usesUnicode ? "••••••••" : "********") }
  /// The mark of the entry that Enter takes: ❯ or `>`.
  var pointer: String { usesUnicode ? "❯" : ">" }
  /// The ellipsis: … or `...`.
  var ellipsis: String { usesUnicode ? "…" : "..." }

  // Each style has its own sequence to switch it off, so that styles can be nested.
  private func styled(_ text: String, on: Int, off: Int) -> String {
    usesColor && !text.isEmpty ? "\u{1B}[\(on)m\(text)\u{1B}[\(off)m" : text
  }
}
