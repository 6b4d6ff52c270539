import IDXBase
public import IDX
public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What to type or scan into an authenticator app.
public struct AuthenticatorApp: Sendable {
  /// What the app is called.
  public let name: String
  /// The key and its parameters, as a URI for a QR code; nil where the server sends an image alone.
  public let uri: OTPAuthURI?
  /// The QR code as the server drew it; nil where it sends none.
  public let image: IDXAuthenticator.Image?

  /// What to type or scan.
  public init(name: String, uri: OTPAuthURI?, image: IDXAuthenticator.Image?) {
    self.name = name
    self.uri = uri
    self.image = image
  }
}

extension AuthenticatorApp {
  /// What the authenticator of a step sends for an app; nil where it sends nothing.
  init?(_ step: Step) {
    guard let authenticator = step.authenticator, let password = authenticator.oneTimePassword
    else { return nil }
    let issuer =
      step.state.configuration.issuer.host ?? step.state.configuration.issuer.absoluteString
    self.init(
      name: authenticator.displayName ?? "the authenticator app",
      uri: password.sharedSecret.map {
        OTPAuthURI(
          issuer: issuer, account: step.response.user?.identifier ?? "", secret: $0)
      },
      image: password.image)
  }
}
