import IDX
import IDXFlow
import IDXOAuth
import IDXQRCode
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
    let key = terminal.style.bold(grouped(page.inline(uri.secret.revealed)))
    terminal.write("  Type this key into the app:  \(key)\n")
    page.note(parameters.joined(separator: ", "))
    terminal.write("  \(page.inline(uri.text.revealed))\n")
    guard drawsQRCode else { return }
    do throws(QRDrawing.Failure) {
      let lines = try QRDrawing(terminal: terminal).lines(of: uri.text.revealed)
      write(lines, after: "Or scan this QR code:")
    } catch { write([], after: error.description) }
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
    guard drawsQRCode, !text.isEmpty,
      let lines = try? QRDrawing(terminal: terminal).lines(of: text, correction: .low)
    else { return false }
    write(lines, after: "Scan this QR code with \(page.inline(app)):")
    return true
  }

  private func offerToSave(_ image: IDXAuthenticator.Image) async throws {
    page.note(
      "The server sent the key only as an image of a QR code, which is not shown here. Save the image, "
        + "open it and scan it. Then delete it, because it contains the key.")
    while true {
      let line = try await terminal.readLine(prompt: "Save the image as (Enter to skip): ")
      guard case .text(let text) = line else { throw CancellationError() }
      let path = text.trimmed
      guard !path.isEmpty else { return }
      guard path != "?" else {
        page.problem("Type the name of a new file, or press Enter to continue without the image.")
        continue
      }
      do {
        try PrivateFile.write(image.bytes, to: path)
        page.success("Saved to \(path).")
        return
      } catch { page.problem("\(error)") }
    }
  }

  private func write(_ drawing: [String], after caption: String) {
    terminal.write("  \(caption)\n")
    for line in drawing { terminal.write(line + "\n") }
  }

  /// Groups of four characters, which are easier to read and to type.
  private func grouped(_ secret: String) -> String {
    var groups: [String] = []
    var rest = secret[...]
    while !rest.isEmpty {
      groups.append(String(rest.prefix(4)))
      rest = rest.dropFirst(4)
    }
    return groups.joined(separator: " ")
  }
}

/// Draws QR codes that fit a terminal.
private struct QRDrawing {
  /// Why a code cannot be drawn.
  enum Failure: Error, CustomStringConvertible {
    case noSymbols
    case tooLong
    case tooNarrow(columns: Int)

    var description: String {
      switch self {
      case .noSymbols: "This terminal cannot draw a QR code."
      case .tooLong: "The key is too long for a QR code."
      case .tooNarrow(let columns):
        "The window is too narrow for the QR code, which needs \(columns) columns."
      }
    }
  }

  let terminal: InteractiveTerminal

  func lines(
    of text: String, correction: QRCode.Correction = .medium
  ) throws(Failure) -> [String] {
    guard terminal.style.usesUnicode else { throw .noSymbols }
    guard let code = try? QRCode(text, correction: correction) else { throw .tooLong }
    // The standard requires a margin of four light modules; two are enough if the window is small.
    let isRoomy = (code.size + 9) / 2 + 2 < terminal.rows && code.columns() <= terminal.columns
    let zone = isRoomy ? 4 : 2
    let columns = code.columns(quietZone: zone)
    guard columns <= terminal.columns else { throw .tooNarrow(columns: columns) }
    return code.lines(style: terminal.style.usesColor ? .color : .plain, quietZone: zone)
  }
}
