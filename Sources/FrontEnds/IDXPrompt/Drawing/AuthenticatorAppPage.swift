import IDX
import IDXOAuth
import IDXQRCode
import IDXFlow
import IDXSystem

/// Shows the key of an authenticator app: in groups to type, as a URI to copy, and as a QR code; or the address of a
/// code that is entered elsewhere.
struct AuthenticatorAppPage {
  let page: Page
  let drawsQRCode: Bool
  /// The rows that are needed below a QR code, up to the prompt and with it.
  let rowsBelow: Int

  private var terminal: InteractiveTerminal { page.terminal }
  private var words: Words { page.words }
  /// A drawing cannot be read aloud.
  private var mayDraw: Bool { drawsQRCode && !terminal.style.isAccessible }

  /// Shows the key of an app, or offers to save an image that cannot be drawn.
  ///
  /// If it `isWhole`, its account and its link are shown also where they move the first lines out of the window.
  func show(_ app: AuthenticatorApp, isWhole: Bool = false) async throws {
    if let uri = app.uri { return show(uri, isWhole: isWhole) }
    guard let image = app.image else { return }
    if !show(image, for: app.name) { try await offerToSave(image) }
  }

  /// Draws the address of a code, which is shown above as a text.
  func show(_ code: UserCode) {
    guard mayDraw else { return }
    let address = code.scannedAddress.absoluteString
    switch drawing(of: address, hintIfSmall: "terminal.qr.small.address") {
    case .success(let drawing): terminal.write(caption + drawing.text)
    case .failure(let problem): page.note(problem.sentence)
    }
  }

  private func show(_ uri: OTPAuthURI, isWhole: Bool = false) {
    let details = [
      uri.account.isEmpty
        ? nil : words.sentence("terminal.account", ["account": page.inline(uri.account)]),
      uri.issuer.map { words.sentence("terminal.issuer", ["issuer": page.inline($0)]) },
      words.sentence(
        "terminal.code", ["digits": String(uri.digits), "period": String(uri.period)]),
    ].compactMap(\.self)
    let title = "  \(words.sentence("terminal.key"))"
    let groups = page.inline(uri.keyInGroups)
    var (above, label): ([String], String) = ([], "\(title)  ")
    var keyLines = page.wrapped(groups, after: label)
    // A key that does not fit beside its title is on lines of its own.
    if keyLines.count > 1 {
      (above, label) = ([title], "    ")
      keyLines = page.wrapped(groups, after: label)
    }
    let key = above + keyLines
    let other =
      page.wrapped(details.joined(separator: ", "), after: "  ")
      + ["  \(page.inline(uri.text.revealed, limit: 4000))"]
    let bold =
      above + keyLines.map { label + terminal.style.bold(String($0.dropFirst(label.count))) }
    let faint = other.map(terminal.style.dim)
    // The key, then with the heading above it, then with all between them.
    let rows = page.rows(of: key)
    let heights = [rows, rows + 1, page.rows(of: key + other) + 1]
    switch mayDraw ? drawing(of: uri.text.revealed, below: heights) : nil {
    case .success(let drawing)?:
      // The key is below all other lines, because in a small window the first ones move out of it.
      let isRoom = isWhole || drawing.height > rows + 1
      terminal.write(Self.lines((isRoom ? faint : []) + bold) + caption + drawing.text)
    case let drawing:
      terminal.write(Self.lines(faint))
      if case .failure(let problem)? = drawing { page.note(problem.sentence) }
      terminal.write(Self.lines(bold))
    }
  }

  private var caption: String {
    Self.lines(page.wrapped(words.sentence("terminal.scan"), after: "  "))
  }

  private static func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  /// Shows the content of an image: a key as usual, anything else as a QR code for the app.
  ///
  /// Returns false if the image cannot be read or the QR code cannot be drawn.
  private func show(_ image: IDXAuthenticator.Image, for app: String) -> Bool {
    guard let text = try? QRCode.read(png: image.bytes) else { return false }
    if let uri = OTPAuthURI(parsing: text) {
      show(uri)
      return true
    }
    guard mayDraw, !text.isEmpty else { return false }
    guard case .success(let drawing) = drawing(of: text) else { return false }
    page.note(words.sentence("terminal.scan.app", ["app": page.inline(app)]))
    terminal.write(drawing.text)
    return true
  }

  private func offerToSave(_ image: IDXAuthenticator.Image) async throws {
    page.note(words.sentence("terminal.image"))
    while true {
      guard let path = try await page.ask(words.sentence("terminal.image.path") + ": ") else {
        throw CancellationError()
      }
      switch path {
      case "": return
      case "?":
        page.problem(words.sentence("terminal.image.help"))
      default:
        do {
          try PrivateFile.write(image.bytes, to: path)
          return page.success(words.sentence("terminal.image.saved", ["path": path]))
        } catch { page.problem("\(error)") }
      }
    }
  }

  /// Why a QR code cannot be drawn.
  private struct Problem: Error {
    let sentence: String
  }

  /// Draws a QR code that fits the window together with the rows below it.
  ///
  /// Its margin is chosen so that the rows of `heights` above it fit too, the last ones if possible; the second value says
  /// which of them do, and is 0 for none. A code
  /// that does not fit the window is drawn when the window has been made larger.
  private func drawing(
    of text: String, below heights: [Int] = [], hintIfSmall: Words.Key = "terminal.qr.small"
  ) -> Result<(text: String, height: Int), Problem> {
    guard terminal.style.usesUnicode else {
      return .failure(Problem(sentence: words.sentence("terminal.qr.unsupported")))
    }
    // Low correction makes the code smaller, and a code on a screen has no dirt to correct.
    guard let code = try? QRCode(text, correction: .low) else {
      return .failure(Problem(sentence: words.sentence("terminal.qr.long")))
    }
    let fitting = FittingQRCode(code: code, rowsBelow: rowsBelow)
    let window = (columns: terminal.columns, rows: terminal.rows)
    for height in heights.reversed() + [0] {
      // The caption, too.
      if let text = fitting.drawing(in: window, above: height == 0 ? 0 : height + 1) {
        return .success((text, height))
      }
    }
    terminal.draw(later: { [caption] in fitting.drawing(in: $0).map { caption + $0 } })
    let values = [
      "columns": fitting.columns, "rows": fitting.rows,
      "width": window.columns, "height": window.rows,
    ]
    return .failure(
      Problem(
        sentence: words.sentence(hintIfSmall, values.mapValues(String.init))))
  }
}

/// A QR code with the widest margin that leaves room for other rows.
private struct FittingQRCode: Sendable {
  let code: QRCode
  /// The rows that must fit the window below the code.
  let rowsBelow: Int

  /// The columns of the smallest window.
  var columns: Int { code.columns(quietZone: 1) }
  /// The rows of the smallest window.
  var rows: Int { height(with: 1) + rowsBelow }

  /// The lines of the code, below other rows; nil if the window is too small.
  ///
  /// The standard requires a margin of four light modules. Fewer are enough on most screens.
  func drawing(in window: (columns: Int, rows: Int), above height: Int = 0) -> String? {
    let zone = [4, 2, 1].first { zone in
      code.columns(quietZone: zone) <= window.columns
        && height + self.height(with: zone) + rowsBelow <= window.rows
    }
    return zone.map { zone in
      code.lines(quietZone: zone).map { $0 + "\n" }.joined()
    }
  }

  /// A character is two modules high.
  private func height(with zone: Int) -> Int { (code.size + 2 * zone + 1) / 2 }
}
