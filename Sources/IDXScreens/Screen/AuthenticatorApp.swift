public import IDX
import IDXFlow
public import IDXOAuth

/// The key for an authenticator app that is being set up.
public struct AuthenticatorApp: Sendable, Hashable {
  /// The name of the app.
  public let name: String
  /// The key and its parameters, for a QR code; nil if the server sends only an image.
  public let uri: OTPAuthURI?
  /// The server's image of the QR code.
  public let image: IDXAuthenticator.Image?

  /// Creates the key of an app.
  public init(name: String, uri: OTPAuthURI?, image: IDXAuthenticator.Image?) {
    self.name = name
    self.uri = uri
    self.image = image
  }

  /// The key in a step; nil if there is none.
  init?(_ step: Step) {
    guard let authenticator = step.authenticator, let password = authenticator.oneTimePassword
    else { return nil }
    let issuer =
      step.state.configuration.issuer.host ?? step.state.configuration.issuer.absoluteString
    self.init(
      name: authenticator.displayName?.brief ?? "the authenticator app",
      uri: password.sharedSecret.map {
        OTPAuthURI(
          issuer: issuer, account: step.response.user?.identifier ?? "", secret: $0)
      },
      image: password.image)
  }
}
