public import IDXBase

/// The protocol of a sign-in, which its client speaks.
///
/// A client of your own adds its protocol as a static member.
public struct SignInProtocol: OpenSet {
  /// The name, as written in a saved sign-in.
  public let rawValue: String
  /// Creates a protocol with this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Identity Engine.
  public static let idx: Self = "idx"
  /// DirectAuth: OAuth grants without a web page.
  public static let direct: Self = "direct"
  /// The authentication API of orgs without Identity Engine.
  public static let classic: Self = "classic"
  /// OAuth's authorization code: the person signs in on a page of the org, in a browser.
  public static let browser: Self = "browser"
  /// The steps of the org's own sign-in page, without a browser.
  public static let hosted: Self = "hosted"
  /// OAuth's device authorization grant: the person signs in in a browser, also on another device.
  public static let device: Self = "device"

  /// The grant types that the app needs, as the Admin Console calls them; nil for a protocol of another client.
  public var grantType: String? {
    switch self {
    case .idx: "Interaction Code"
    case .direct: "Resource Owner Password, OTP, OOB, MFA OTP and MFA OOB, as far as it uses them"
    case .classic, .browser, .hosted: "Authorization Code"
    case .device: "Device Authorization"
    default: nil
    }
  }

  /// The grant types of a protocol; for one that is not known, those of the protocols in which the app asks.
  static func grantType(of signInProtocol: SignInProtocol?) -> String {
    signInProtocol?.grantType
      ?? "of its protocol: Interaction Code for Identity Engine; Resource Owner Password, OTP or OOB for DirectAuth; "
      + "Authorization Code for the classic API"
  }

  /// The protocols that this package has clients for and in which the app asks the person.
  public static let all: [Self] = [.idx, .direct, .classic, .hosted]
  /// The protocols that this package has clients for and in which a page of the org asks the person.
  public static let onPages: [Self] = [.browser, .device]
}
