public import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// The `contextualData`, `profile` and `settings` of an authenticator, read on demand.

// MARK: - Codes and pushes

extension IDXAuthenticator {
  /// What an authenticator app needs to compute codes, while it is being set up.
  public struct OneTimePassword: Sendable, Hashable {
    /// The shared secret in Base32 (`contextualData.sharedSecret`); nil if the server sends only an image.
    public let sharedSecret: Secret?
    /// The QR code (`contextualData.qrcode`).
    public let image: Image?
  }

  /// An image inside a response, from a `data:` URI.
  public struct Image: Sendable, Hashable {
    /// The media type, such as `image/png`.
    public let mediaType: String
    /// The bytes of the image file.
    public let bytes: [UInt8]

    /// Creates an image, for a preview or a test.
    public init(mediaType: String, bytes: [UInt8]) {
      self.mediaType = mediaType
      self.bytes = bytes
    }
  }

  private var data: RawJSON? { raw.member("contextualData") }

  /// The shared secret and the QR code of an authenticator app; nil if the server sends neither of them.
  public var oneTimePassword: OneTimePassword? {
    let secret = data?.string("sharedSecret").map { Secret($0) }
    let image = qrCode
    return secret == nil && image == nil
      ? nil : OneTimePassword(sharedSecret: secret, image: image)
  }

  /// The QR code to scan (`contextualData.qrcode.href`); nil also if it is not inside the response.
  public var qrCode: Image? {
    data?.member("qrcode")?.string("href").flatMap(Image.init(dataURI:))
  }

  /// The number to choose on the phone (`contextualData.correctAnswer`); nil if none is needed.
  public var numberChallenge: String? {
    switch data?.member("correctAnswer")?.json {
    case .string(let text)?: text
    case .number(let number)?: number.literal
    default: nil
    }
  }

  /// How the app is being set up, such as `qrcode`, `email` or `sms` (`contextualData.selectedChannel`).
  public var selectedChannel: String? { data?.string("selectedChannel") }
  /// Whether the email has a link that works like the code (`contextualData.useEmailMagicLink`); nil if
  /// the server does not say.
  public var usesMagicLink: Bool? { data?.member("useEmailMagicLink")?.json.bool }
}

extension IDXAuthenticator.Image {
  /// Reads `data:image/png;base64,...` (RFC 2397); nil for anything else.
  init?(dataURI: String) {
    guard let comma = dataURI.firstIndex(of: ","), dataURI.hasPrefix("data:") else { return nil }
    let head = dataURI[..<comma].dropFirst("data:".count).split(separator: ";")
    guard head.last == "base64",
      let data = Data(base64Encoded: String(dataURI[comma...].dropFirst()))
    else { return nil }
    mediaType = head.count > 1 ? String(head[0]) : "text/plain"
    bytes = Array(data)
  }
}

// The QR code contains the secret: anyone who has the bytes of the image can read it.
extension IDXAuthenticator.Image: Redacted {
  /// The media type and the size.
  public var description: String { "\(mediaType), \(bytes.count) bytes" }
}

extension IDXAuthenticator.OneTimePassword: Redacted {
  /// Whether there is a secret and an image.
  public var description: String {
    "shared secret: \(sharedSecret == nil ? "no" : "yes"), image: \(image == nil ? "no" : "yes")"
  }
}

// MARK: - Security questions

extension IDXAuthenticator {
  /// A security question.
  public struct SecurityQuestion: Sendable, Hashable {
    /// The key to send (`questionKey`): `disliked_food`, or `custom` for a question of the person's own.
    public let key: String
    /// The question for the person (`question`); nil if the server sends only the key.
    public let text: String?
  }

  /// The questions to choose from (`contextualData.questions`), in server order.
  public var questions: [SecurityQuestion] {
    data?.objects("questions", SecurityQuestion.init) ?? []
  }

  /// The question to answer, which was set up before (`contextualData.enrolledQuestion`, or `profile`).
  public var enrolledQuestion: SecurityQuestion? {
    data?.member("enrolledQuestion").flatMap(SecurityQuestion.init)
      ?? raw.member("profile").flatMap(SecurityQuestion.init)
  }
}

extension IDXAuthenticator.SecurityQuestion {
  fileprivate init?(_ raw: RawJSON) {
    guard let key = raw.string("questionKey") else { return nil }
    self.key = key
    text = raw.string("question")
  }
}

// MARK: - Passkeys

extension IDXAuthenticator {
  /// The options to create a passkey (`contextualData.activationData`); nil if none is being set up.
  public var webAuthnActivation: JSONValue? { data?.member("activationData")?.json }
  /// The options to sign in with a passkey (`contextualData.challengeData`); nil if none is challenged.
  public var webAuthnChallenge: JSONValue? { data?.member("challengeData")?.json }
  /// The credential ID of an enrolled passkey in Base64url (`credentialId`).
  public var credentialID: String? { raw.string("credentialId") }
  /// How an enrolled passkey can be reached, such as `usb` (`transports`, a list, or one text with commas); empty if the
  /// server does not say.
  public var transports: [String] {
    let transports = raw.member("transports")?.json
    let text = transports?.string?.split(separator: ",").map { $0.trimmed() }
    return text ?? transports?.array?.compactMap(\.string) ?? []
  }
}

// MARK: - Instructions

extension IDXAuthenticator {
  /// What the org says about it (`description`); nil if it says nothing.
  package var instruction: String? { raw.string("description") }

  /// What Okta Verify needs to be set up on this device (`contextualData.samedevice`); nil if it is set up in another way.
  package var setUpHere: SetUpHere? {
    guard selectedChannel == "samedevice", let own = data?.member("samedevice") else { return nil }
    return SetUpHere(
      org: own.string("orgUrl"),
      pages: ["downloadHref", "setupOVUrl"].compactMap { own.string($0).flatMap(URL.init(string:)) }
    )
  }

  /// How to set up Okta Verify on this device.
  package struct SetUpHere: Sendable, Hashable {
    /// The address of the org that the person types in the app, such as `acme.okta.com`.
    package let org: String?
    /// Where to get the app, and a page that begins the setup; an address can be relative.
    package let pages: [URL]
  }

  /// The person's devices with Okta Verify, one of which can add this one (`contextualData.devicebootstrap`); nil if it is
  /// set up in another way.
  package var devicesForSetUp: [String]? {
    guard selectedChannel == "devicebootstrap",
      let names = data?.member("devicebootstrap")?.json["enrolledDevices"]
    else { return nil }
    return names.array?.compactMap(\.string) ?? names.string.map { [$0] } ?? []
  }

  /// When it must be set up (`gracePeriod.expiry`); nil if the server names no time.
  package var setUpDeadline: Date? {
    raw.member("gracePeriod")?.string("expiry").flatMap(Date.init(timestamp:))
  }
  /// How often setting it up can still be left out (`gracePeriod.remainingSkips`); nil if that is not counted.
  package var remainingSkips: Int? { raw.member("gracePeriod")?.integer("remainingSkips") }
}

// MARK: - Profile

extension IDXAuthenticator {
  /// The email address, mostly masked (`profile.email`, or `profile.secondaryEmail`).
  public var email: String? {
    let profile = raw.member("profile")
    return profile?.string("email") ?? profile?.string("secondaryEmail")
  }
  /// The phone number, mostly masked (`profile.phoneNumber`).
  public var phoneNumber: String? { raw.member("profile")?.string("phoneNumber") }
  /// The person's name for this authenticator (`nickname`, or `profile.deviceName`).
  public var nickname: String? {
    raw.string("nickname") ?? raw.member("profile")?.string("deviceName")
  }
}
