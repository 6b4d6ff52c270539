import IDX

/// A small drawing beside a choice; it says nothing that the text does not say.
enum Symbol: String {
  case mail = "M3 6h18v12H3zM3 7l9 6 9-6"
  case phone =
    "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2"
  case call =
    "M5 4h4l2 5-2.5 1.5a11 11 0 0 0 5 5L15 13l5 2v4a1.5 1.5 0 0 1-1.5 1.5C10.5 20.5 3.5 13.5 3.5 5.500A1.5 1.5 0 0 1 5 4z"
  case clock = "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2"
  case shield = "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4"
  case key = "M8 20a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM11.5 12.500L20 4M17 7l3 3"
  case question =
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.500a2.5 2.5 0 1 1 3.5 2.300c-.7.3-1 .8-1 1.700M12 17h.01"
  case lock = "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3"
  case code =
    "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2z"
  case arrow = "M5 12h14M13 6l6 6-6 6"

  /// The symbol of a choice: that of its authenticator or of its method.
  init(_ authenticator: IDXAuthenticator.Key?, method: String) {
    switch method {
    case "sms": self = .phone
    case "voice": self = .call
    case "push", "signed_nonce": self = .shield
    case "totp", "otp": self = .clock
    case "email": self = .mail
    case "qrcode": self = .code
    default: self.init(authenticator)
    }
  }

  private init(_ authenticator: IDXAuthenticator.Key?) {
    switch authenticator {
    case .email?: self = .mail
    case .phone?: self = .phone
    case .googleAuthenticator?: self = .clock
    case .oktaVerify?, .customApp?, .duo?: self = .shield
    case .webAuthn?, .yubiKey?, .rsa?, .symantecVIP?, .onPremises?, .customOTP?: self = .key
    case .securityQuestion?: self = .question
    case .password?: self = .lock
    default: self = .arrow
    }
  }

  /// The drawing.
  ///
  /// A screen reader ignores it by itself inside of a button.
  func html(inButton: Bool) -> HTML {
    .tag(
      "svg", ["viewBox": "0 0 24 24", "aria-hidden": inButton ? nil : "true"],
      .tag("path", ["d": rawValue]))
  }
}
