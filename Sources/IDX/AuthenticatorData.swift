public import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What an authenticator's `contextualData`, `profile` and `settings` hold, read when asked for.
// Source: protocol section 4.
extension IDXAuthenticator {
  /// What an authenticator app needs in order to compute codes, while it is being set up.
  public struct OneTimePassword: Sendable, Hashable {
    /// The shared secret in base32 (`contextualData.sharedSecret`); nil where only an image is sent.
    public let sharedSecret: Secret?
    /// The QR code as the server drew it (`contextualData.qrcode`); nil where there is none.
    public let image: Image?
  }

  /// An image inside a response, from a `data:` URI.
  public struct Image: Sendable, Hashable {
    /// The media type, such as `image/png`.
    public let mediaType: String
    /// The bytes of the image.
    public let bytes: [UInt8]
  }

  /// A security question.
  public struct Question: Sendable, Hashable {
    /// What to send for it: `disliked_food`, or `custom`.
    public let key: String
    /// The question for the person; nil where only the key is sent.
    public let text: String?
  }

  /// What a password must be like (`settings.complexity` and `settings.age`).
  public struct PasswordRules: Sendable, Hashable {
    /// The least number of characters; 0 where there is no rule, as with all the counts here.
    public let minimumLength: Int
    /// The least number of lower-case letters.
    public let minimumLowerCase: Int
    /// The least number of upper-case letters.
    public let minimumUpperCase: Int
    /// The least number of digits.
    public let minimumDigits: Int
    /// The least number of symbols.
    public let minimumSymbols: Int
    /// How often one character may follow itself; nil where there is no rule.
    public let maximumRepeats: Int?
    /// Whether it must not hold the user name.
    public let excludesUsername: Bool
    /// Which attributes of the person it must not hold: `firstName`, `lastName`.
    public let excludedAttributes: [String]
    /// How many old passwords it must differ from; nil where there is no rule.
    public let history: Int?
    /// In how many days the password expires (`settings.daysToExpiry`); nil where not said.
    public let daysToExpiry: Int?
  }

  private var data: RawJSON? { raw.member("contextualData") }

  /// The shared secret and the QR code of an authenticator app; nil where neither is sent.
  public var oneTimePassword: OneTimePassword? {
    let secret = data?.string("sharedSecret").map { Secret($0) }
    let image = qrCode
    return secret == nil && image == nil
      ? nil : OneTimePassword(sharedSecret: secret, image: image)
  }

  /// The QR code to be scanned (`contextualData.qrcode.href`); nil where there is none inside the response.
  public var qrCode: Image? {
    data?.member("qrcode")?.string("href").flatMap(Image.init(dataURI:))
  }

  /// The number to pick on the phone (`contextualData.correctAnswer`); nil where none is wanted.
  public var numberChallenge: String? {
    switch data?.member("correctAnswer")?.json {
    case .string(let text)?: text
    case .number(let number)?: number.literal
    default: nil
    }
  }

  /// The questions that may be chosen (`contextualData.questions`), in server order.
  public var questions: [Question] {
    (data?.objects("questions", Question.init) ?? []).compactMap(\.self)
  }

  /// The question to answer: the one that was set up (`contextualData.enrolledQuestion`, or `profile`).
  public var enrolledQuestion: Question? {
    data?.member("enrolledQuestion").flatMap(Question.init)
      ?? raw.member("profile").flatMap(Question.init)
  }

  /// What a new password must be like; nil where the server sends no rules.
  public var passwordRules: PasswordRules? {
    raw["settings"].flatMap(PasswordRules.init(settings:))
  }

  /// How to register a passkey (`contextualData.activationData`); nil where none is being set up.
  public var webAuthnActivation: JSONValue? { data?.member("activationData")?.json }
  /// What a passkey is to sign (`contextualData.challengeData`); nil where none is asked for.
  public var webAuthnChallenge: JSONValue? { data?.member("challengeData")?.json }
  /// How the app is being set up, `qrcode`, `email` or `sms` (`contextualData.selectedChannel`).
  public var selectedChannel: String? { data?.string("selectedChannel") }
  /// Whether a link in the mail does as well as the code; nil where the server does not say.
  public var usesMagicLink: Bool? { data?.member("useEmailMagicLink")?.json.bool }
  /// The address, with most of it masked (`profile.email`).
  public var email: String? { raw.member("profile")?.string("email") }
  /// The number, with most of it masked (`profile.phoneNumber`).
  public var phoneNumber: String? { raw.member("profile")?.string("phoneNumber") }
  /// What the person calls this one of several (`nickname`, or `profile.deviceName`).
  public var nickname: String? {
    raw.string("nickname") ?? raw.member("profile")?.string("deviceName")
  }
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

extension IDXAuthenticator.Question {
  fileprivate init?(_ raw: RawJSON) {
    guard let key = raw.string("questionKey") else { return nil }
    self.key = key
    text = raw.string("question")
  }
}

extension IDXAuthenticator.PasswordRules {
  init?(settings: JSONValue) {
    guard let complexity = settings["complexity"], complexity.object != nil else { return nil }
    func count(_ name: String) -> Int { max(complexity[name]?.integer ?? 0, 0) }
    minimumLength = count("minLength")
    minimumLowerCase = count("minLowerCase")
    minimumUpperCase = count("minUpperCase")
    minimumDigits = count("minNumber")
    minimumSymbols = count("minSymbol")
    maximumRepeats = complexity["maxConsecutiveRepeatingCharacters"]?.integer
    excludesUsername = complexity["excludeUsername"]?.bool ?? false
    // Older servers write a flag for each of the two attributes.
    let flags = ["firstName": "excludeFirstName", "lastName": "excludeLastName"]
    excludedAttributes =
      complexity["excludeAttributes"]?.array?.compactMap(\.string)
      ?? flags.keys.sorted().filter { complexity[flags[$0] ?? ""]?.bool == true }
    history = settings["age"]?["historyCount"]?.integer
    daysToExpiry = settings["daysToExpiry"]?.integer
  }
}

// The secret is for the person who sets up the app, and shows only where it is asked for by name. The
// image holds it too: who has its bytes can read it.
extension IDXAuthenticator.Image: Redacted {
  /// The media type and the size, without the image.
  public var description: String { "\(mediaType), \(bytes.count) bytes" }
}

extension IDXAuthenticator.OneTimePassword: Redacted {
  /// What there is, without showing it.
  public var description: String {
    "shared secret: \(sharedSecret == nil ? "no" : "yes"), image: \(image == nil ? "no" : "yes")"
  }
}
