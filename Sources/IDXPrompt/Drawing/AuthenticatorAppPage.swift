import IDX
import IDXOAuth
import IDXQRCode
import IDXScreens
import IDXSystem

/// Shows the key of an authenticator app: in groups to type, as a URI to copy, and as a QR code.
struct AuthenticatorAppPage {
  let page: Page
  let drawsQRCode: Bool

  private var terminal: InteractiveTerminal { page.terminal }

  /// Shows the key of an app, or offers to save an image that cannot be drawn.
  func show(_ app: AuthenticatorApp) async throws {
    if let uri = app.uri { return show(uri) }
    guard let image = app.image else { return }
    if !show(image, for: app.name) { try await offerToSave(image) }
  }

  /// The key comes before the QR code, so that in a window of 24 rows too the whole code is visible
  /// when the code of the app is asked for.
  private func show(_ uri: OTPAuthURI) {
    let parameters = [
      uri.account.isEmpty ? nil : "account \(page.inline(uri.account))",
      uri.issuer.map { "issuer \(page.inline($0))" },
      "\(uri.digits) digits every \(uri.period) s",
    ].compactMap(\.self)
    // Groups of four characters are easier to read and to type.
    let groups = page.inline(uri.secret.revealed).replacing(/.{4}(?!$)/) { "\($0.output) " }
    let key = terminal.style.bold(groups)
    terminal.write("  Type this key into the app:  \(key)\n")
    page.note(parameters.joined(separator: ", "))
    terminal.write("  \(page.inline(uri.text.revealed, limit: 4000))\n")
    guard drawsQRCode else { return }
    let problem = draw(uri.text.revealed, correction: .medium, after: "Or scan this QR code:")
    if let problem { terminal.write("  \(problem)\n") }
  }

  /// Shows the content of an image: a key as usual, anything else as a QR code for the app.
  ///
  /// Returns false if the image cannot be read or the QR code cannot be drawn.
  private func show(_ image: IDXAuthenticator.Image, for app: String) -> Bool {
    guard let text = try? QRCode.read(png: image.bytes) else { return false }
    if let uri = OTPAuthURI(parsing: text) {
      show(uri)
      return true
    }
    // Low correction makes the code smaller, and a code on a screen has no dirt to correct.
    guard drawsQRCode, !text.isEmpty else { return false }
    let caption = "Scan this QR code with \(page.inline(app)):"
    return draw(text, correction: .low, after: caption) == nil
  }

  private func offerToSave(_ image: IDXAuthenticator.Image) async throws {
    page.note(
      "The server sent the key only as an image of a QR code, which is not shown here. Save the image, "
        + "open it and scan it. Then delete it, because it contains the key.")
    while true {
      guard let path = try await page.ask("Save the image as (Enter to skip): ") else {
        throw CancellationError()
      }
      switch path {
      case "": return
      case "?":
        page.problem("Type the name of a new file, or press Enter to continue without the image.")
      default:
        do {
          try PrivateFile.write(image.bytes, to: path)
          return page.success("Saved to \(path).")
        } catch { page.problem("\(error)") }
      }
    }
  }

  /// Draws a QR code and returns nil, or returns why it cannot be drawn.
  private func draw(
    _ text: String, correction: QRCode.Correction, after caption: String
  ) -> String? {
    guard terminal.style.usesUnicode else { return "This terminal cannot draw a QR code." }
    guard let code = try? QRCode(text, correction: correction) else {
      return "The key is too long for a QR code."
    }
    // The standard requires a margin of four light modules; two are enough if the window is small.
    let isRoomy = (code.size + 9) / 2 + 2 < terminal.rows && code.columns() <= terminal.columns
    let zone = isRoomy ? 4 : 2
    let columns = code.columns(quietZone: zone)
    guard columns <= terminal.columns else {
      return "The window is too narrow for the QR code, which needs \(columns) columns."
    }
    let lines = code.lines(style: terminal.style.usesColor ? .color : .plain, quietZone: zone)
    terminal.write("  \(caption)\n" + lines.map { $0 + "\n" }.joined())
    return nil
  }
}
