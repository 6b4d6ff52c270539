import IDX
import IDXOAuth
import IDXQRCode
import IDXScreens
import IDXSystem

/// Shows the key of an authenticator app: in groups to type, as a URI to copy, and as a QR code; or the address of a
/// code that is entered elsewhere.
struct AuthenticatorAppPage {
  let page: Page
  let drawsQRCode: Bool

  private var terminal: InteractiveTerminal { page.terminal }
  private var words: Words { page.words }
  /// A drawing cannot be read aloud.
  private var mayDraw: Bool { drawsQRCode && !terminal.style.isAccessible }

  /// Shows the key of an app, or offers to save an image that cannot be drawn.
  func show(_ app: AuthenticatorApp) async throws {
    if let uri = app.uri { return show(uri) }
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

  private func show(_ uri: OTPAuthURI) {
    let details = [
      uri.account.isEmpty
        ? nil : words.sentence("terminal.account", ["account": page.inline(uri.account)]),
      uri.issuer.map { words.sentence("terminal.issuer", ["issuer": page.inline($0)]) },
      words.sentence(
        "terminal.code", ["digits": String(uri.digits), "period": String(uri.period)]),
    ].compactMap(\.self)
    let account = details.joined(separator: ", ")
    let link = page.inline(uri.text.revealed, limit: 4000)
    // Groups of four characters are easier to read and to type.
    let groups = page.inline(uri.secret.revealed).replacing(/.{4}(?!$)/) { "\($0.output) " }
    let label = "  \(words.sentence("terminal.key"))  "
    let key = page.wrapped(groups, after: label)
    let height = key.count + (link.columns + 2 + terminal.columns - 1) / terminal.columns
    let bold = key.enumerated().map { index, line in
      index > 0
        ? terminal.style.bold(line)
        : label + terminal.style.bold(String(line.dropFirst(label.count)))
    }
    switch mayDraw ? drawing(of: uri.text.revealed, above: height) : nil {
    case .success(let drawing) where drawing.leavesRoom:
      page.note(account)
      terminal.write("\(caption)\(drawing.text)\(Self.lines(bold))  \(link)\n")
    case let drawing:
      terminal.write(Self.lines(bold))
      page.note(account)
      terminal.write("  \(link)\n")
      if case .success(let drawing)? = drawing { terminal.write(caption + drawing.text) }
      if case .failure(let problem)? = drawing { page.note(problem.sentence) }
    }
  }

  private var caption: String { "  \(words.sentence("terminal.scan"))\n" }

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

  /// A QR code that fits the window.
  private struct Drawing {
    let text: String
    /// Whether the lines below it fit too.
    let leavesRoom: Bool
  }

  /// Why a QR code cannot be drawn.
  private struct Problem: Error {
    let sentence: String
  }

  /// Draws a QR code with `height` lines and a question below, or at least the question.
  ///
  /// A code that does not fit the window is drawn when the window has been made larger.
  private func drawing(
    of text: String, above height: Int = 0, hintIfSmall: Words.Key = "terminal.qr.small"
  ) -> Result<Drawing, Problem> {
    guard terminal.style.usesUnicode else {
      return .failure(Problem(sentence: words.sentence("terminal.qr.unsupported")))
    }
    // Low correction makes the code smaller, and a code on a screen has no dirt to correct.
    guard let code = try? QRCode(text, correction: .low) else {
      return .failure(Problem(sentence: words.sentence("terminal.qr.long")))
    }
    let style: QRCode.Style = terminal.style.usesColor ? .color : .plain
    let window = (columns: terminal.columns, rows: terminal.rows)
    if let drawing = Self.drawing(of: code, style, in: window, above: height) {
      return .success(drawing)
    }
    terminal.draw(later: { [caption] window in
      Self.drawing(of: code, style, in: window, above: 0).map { caption + $0.text }
    })
    let values = [
      "columns": code.columns(quietZone: 1), "rows": Self.rows(of: code, zone: 1) + 1,
      "width": window.columns, "height": window.rows,
    ]
    return .failure(
      Problem(
        sentence: words.sentence(hintIfSmall, values.mapValues(String.init))))
  }

  private static func drawing(
    of code: QRCode, _ style: QRCode.Style, in window: (columns: Int, rows: Int),
    above height: Int
  ) -> Drawing? {
    // The standard requires a margin of four light modules. Fewer are enough on most screens.
    for (zone, below) in [(4, height), (2, height), (1, height), (4, 0), (2, 0), (1, 0)]
    where code.columns(quietZone: zone) <= window.columns
      && rows(of: code, zone: zone) + below < window.rows
    {
      let text = lines(code.lines(style: style, quietZone: zone))
      return Drawing(text: text, leavesRoom: below == height)
    }
    return nil
  }

  /// A character is two modules high.
  private static func rows(of code: QRCode, zone: Int) -> Int { (code.size + 2 * zone + 1) / 2 }
}
