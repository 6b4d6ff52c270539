public import IDX
public import IDXOAuth
import IDXQRCode

/// The key for an authenticator app that is being set up (``Step/authenticatorApp``).
///
/// Whoever has it can compute all codes: do not log it, and do not save it where others can read it.
public struct AuthenticatorApp: Sendable, Hashable {
  /// The name of the app.
  public let name: String
  /// The key and its parameters, for a QR code; nil if the server sends only an image.
  public let uri: OTPAuthURI?
  /// The server's image of the QR code; nil if it sends none.
  public let image: IDXAuthenticator.Image?

  /// Creates the key of an app, for a preview or a test.
  public init(name: String, uri: OTPAuthURI?, image: IDXAuthenticator.Image?) {
    self.name = name
    self.uri = uri
    self.image = image
  }

  /// The key in groups of four characters, which are easier to type; nil without ``uri``.
  public var keyInGroups: String? {
    uri?.keyInGroups
  }

  /// The QR code as rows of modules, without the quiet zone; a module is true if it is dark.
  ///
  /// Nil if the server sends only an image that cannot be read: show ``image`` then.
  public var qrCodeModules: [[Bool]]? { qrCode?.modules }

  /// The QR code as lines for a terminal with 256 colors, black on white; nil like ``qrCodeModules``.
  ///
  /// `quietZone` is the number of light modules on each side; most apps read codes with 2.
  public func qrCodeLines(quietZone: Int = 2) -> [String]? { qrCode?.lines(quietZone: quietZone) }

  /// The QR code as a PNG file with its quiet zone; otherwise the server's image if that is one.
  ///
  /// `scale` is the width of a module in pixels. Nil if there is neither a key nor a PNG image of the server.
  public func qrCodePNG(scale: Int = 4) -> [UInt8]? {
    qrCode?.png(scale: scale) ?? (image?.mediaType == "image/png" ? image?.bytes : nil)
  }

  private var qrCode: QRCode? {
    let text = uri?.text.revealed ?? image.flatMap { try? QRCode.read(png: $0.bytes) }
    return text.flatMap { try? QRCode($0) }
  }

  /// The key in a step; nil if there is none.
  fileprivate init?(_ step: Step, _ words: Words) {
    guard let authenticator = step.authenticator, let password = authenticator.oneTimePassword
    else { return nil }
    let issuer =
      step.state.configuration.issuer.host ?? step.state.configuration.issuer.absoluteString
    self.init(
      name: authenticator.displayName?.brief ?? words.sentence("app-name"),
      uri: password.sharedSecret.map {
        OTPAuthURI(
          issuer: issuer, account: step.username ?? "", secret: $0)
      },
      image: password.image)
  }
}

extension Step {
  /// The key of the authenticator app that the step sets up, for a handler that shows it itself; nil if it sets up none.
  ///
  /// `uri?.totp` computes the codes. Screens have the same value (``Screen/setUp``).
  public var authenticatorApp: AuthenticatorApp? {
    isAboutAuthenticator ? AuthenticatorApp(self, screens.words) : nil
  }
}

extension Screen {
  /// The QR code of the address of the ``userCode`` as rows of modules, without the quiet zone; a module is true if it is
  /// dark.
  ///
  /// Nil if there is no user code, or if its address is too long for a QR code.
  public var userCodeModules: [[Bool]]? {
    userCode.flatMap { try? QRCode($0.scannedAddress.absoluteString) }?.modules
  }
}

extension QRCode {
  fileprivate var modules: [[Bool]] {
    (0..<size).map { y in (0..<size).map { self[x: $0, y: y] } }
  }
}

extension OTPAuthURI {
  /// The key in groups of four characters, which are easier to read and to type.
  package var keyInGroups: String {
    // A server may send it with separators of its own, in lowercase, or with padding.
    secret.revealed.brief.uppercased().filter { $0.isLetter || $0.isNumber }
      .replacing(/.{4}(?!$)/) { "\($0.output) " }
  }
}
