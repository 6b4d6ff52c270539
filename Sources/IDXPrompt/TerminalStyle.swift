/// The colours and glyphs that suit a terminal.
///
/// Text comes back with the escape sequences of the style around it, or as it was where colour is off.
public struct TerminalStyle: Sendable, Hashable {
  /// Whether escape sequences are written.
  public let usesColor: Bool
  /// Whether characters beyond ASCII are written on our own account.
  public let usesUnicode: Bool

  /// A style of these choices.
  public init(usesColor: Bool, usesUnicode: Bool) {
    self.usesColor = usesColor
    self.usesUnicode = usesUnicode
  }

  /// The style that the environment asks for.
  ///
  /// Colour is off where `NO_COLOR` is not empty, and where `TERM` is unset, empty or `dumb`. Glyphs are
  /// ASCII on such a terminal too, on the Linux console (`linux`), whose fonts lack them, and where the
  /// first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty does not name UTF-8.
  public init(environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let isCapable = !terminal.isEmpty && terminal != "dumb"
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let encoding = locale.lowercased().filter { $0 != "-" }
    usesColor = isCapable && (environment["NO_COLOR"] ?? "").isEmpty
    usesUnicode = isCapable && terminal != "linux" && encoding.contains("utf8")
  }

  /// The text in bold.
  public func bold(_ text: String) -> String { styled(text, on: 1, off: 22) }
  /// The text in faint letters.
  public func dim(_ text: String) -> String { styled(text, on: 2, off: 22) }
  /// The text in red, for failures.
  public func red(_ text: String) -> String { styled(text, on: 31, off: 39) }
  /// The text in green, for success.
  public func green(_ text: String) -> String { styled(text, on: 32, off: 39) }
  /// The text in yellow, for warnings.
  public func yellow(_ text: String) -> String { styled(text, on: 33, off: 39) }
  /// The text in cyan, for what to look at.
  public func cyan(_ text: String) -> String { styled(text, on: 36, off: 39) }

  /// The glyph for success: ✓ or `ok`.
  public var check: String { usesUnicode ? "✓" : "ok" }
  /// The glyph for failure: ✗ or `x`.
  public var cross: String { usesUnicode ? "✗" : "x" }
  /// The glyph for a warning or information: ! either way, as ⚠ is wide on some terminals.
  public var warning: String { "!" }
  /// The glyph for what goes on: … or `...`.
  public var ellipsis: String { usesUnicode ? "…" : "..." }

  // Each style is switched off by itself, so that one can stand inside another.
  private func styled(_ text: String, on: Int, off: Int) -> String {
    usesColor && !text.isEmpty ? "\u{1B}[\(on)m\(text)\u{1B}[\(off)m" : text
  }
}
