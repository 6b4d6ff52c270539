import OAuth
import QRCode

/// Shows the key of an authenticator app: as a QR code, in groups to type, and as a URI to copy.
struct AuthenticatorAppPage {
  let terminal: Terminal
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

  private func draw(_ text: String) {
    guard terminal.style.usesUnicode else {
      note("This terminal cannot draw a QR code.")
      return
    }
    guard let code = try? QRCode(text) else {
      note("The key is too long for a QR code.")
      return
    }
    // The standard asks for four light modules around; two do where the window has no room for more.
    let isRoomy = (code.size + 9) / 2 + 2 < terminal.rows && code.columns() <= terminal.columns
    let zone = isRoomy ? 4 : 2
    guard code.columns(quietZone: zone) <= terminal.columns else {
      note("The window is too narrow for a QR code; \(code.columns(quietZone: zone)) columns do.")
      return
    }
    note("or scan it:")
    for line in code.lines(style: terminal.style.usesColor ? .colour : .plain, quietZone: zone) {
      terminal.write(line + "\n")
    }
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
