import IDX
import IDXOAuth
import IDXQRCode

/// Shows the key of an authenticator app: as a QR code, in groups to type, and as a URI to copy.
struct AuthenticatorAppPage {
  let terminal: InteractiveTerminal
  let drawsQRCode: Bool

  /// The key comes before its QR code, so that the whole code is in sight while the code of the app
  /// is asked for, in a window of 24 rows too.
  func show(_ uri: OTPAuthURI) {
    let clean = TextSanitizer(oneLine: true)
    let parameters = [
      uri.account.isEmpty ? nil : "account \(clean.clean(uri.account))",
      uri.issuer.map { "issuer \(clean.clean($0))" },
      "\(uri.digits) digits", "every \(uri.period) s",
    ].compactMap(\.self)
    let key = terminal.style.bold(grouped(clean.clean(uri.secret.revealed)))
    let wrapper = TextWrapper(width: min(terminal.columns, 100))
    let lines =
      ["  Type this key into the app:  \(key)"]
      + wrapper.lines(of: parameters.joined(separator: ", "), prefix: "  ")
      + ["  " + clean.clean(uri.text.revealed)]
    terminal.write(lines.joined(separator: "\n") + "\n")
    if drawsQRCode { draw(uri.text.revealed) }
  }

  /// Shows what an image holds: a key as ever, anything else as a QR code for the app of that name.
  ///
  /// Tells whether it did: not where the image cannot be read, nor the code be drawn.
  func show(_ image: IDXAuthenticator.Image, for app: String) -> Bool {
    guard let text = try? QRCode.read(png: image.bytes) else { return false }
    if let uri = OTPAuthURI(parsing: text) {
      show(uri)
      return true
    }
    // A screen does not get dirty: with less to put right the code is smaller.
    guard drawsQRCode, !text.isEmpty,
      let lines = try? QRDrawing(terminal: terminal).lines(of: text, correction: .low)
    else { return false }
    write(lines, after: "Scan this with \(TextSanitizer(oneLine: true).clean(app)):")
    return true
  }

  private func draw(_ text: String) {
    do throws(QRDrawing.Failure) {
      write(try QRDrawing(terminal: terminal).lines(of: text), after: "or scan it:")
    } catch { write([], after: error.description) }
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
