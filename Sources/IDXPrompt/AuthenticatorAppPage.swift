import OAuth
import QRCode

/// Shows the key of an authenticator app: as a QR code, in groups to type, and as a URI to copy.
struct AuthenticatorAppPage {
  let terminal: Terminal
  let drawsQRCode: Bool

  func show(_ uri: OTPAuthURI) {
    let isDrawn = drawsQRCode && draw(uri.text.revealed)
    let lead = isDrawn ? "or type this key by hand:" : "Type this key into the app:"
    let clean = TextSanitizer(oneLine: true)
    let parameters = [
      uri.account.isEmpty ? nil : "account \(clean.clean(uri.account))",
      uri.issuer.map { "issuer \(clean.clean($0))" },
      "\(uri.digits) digits", "every \(uri.period) s",
    ].compactMap(\.self)
    terminal.write(
      """
        \(lead)  \(terminal.style.bold(grouped(clean.clean(uri.secret.revealed))))
        \(parameters.joined(separator: ", "))
        \(clean.clean(uri.text.revealed))

      """)
  }

  /// Draws the QR code; tells whether it could.
  private func draw(_ text: String) -> Bool {
    guard terminal.style.usesUnicode else {
      note("This terminal cannot draw a QR code.")
      return false
    }
    guard let code = try? QRCode(text) else {
      note("The key is too long for a QR code.")
      return false
    }
    // The standard asks for four light modules around; two do where the window has no room for more.
    let zone = (code.size + 9) / 2 < terminal.rows && code.columns() <= terminal.columns ? 4 : 2
    guard code.columns(quietZone: zone) <= terminal.columns else {
      note("The window is too narrow for the QR code.")
      return false
    }
    terminal.write("  Scan this with the app,\n")
    for line in code.lines(style: terminal.style.usesColor ? .colour : .plain, quietZone: zone) {
      terminal.write(line + "\n")
    }
    return true
  }

  private func note(_ text: String) { terminal.write("  \(text)\n") }

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
