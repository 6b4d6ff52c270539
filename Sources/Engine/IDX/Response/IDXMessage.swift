public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A message of the server for the person, about the whole step or about one field.
///
/// Messages are at `$.messages.value[*]`, and at `messages.value[*]` of a remediation or a field.
public struct IDXMessage: Sendable, Hashable {
  /// The severity of a message.
  public struct Kind: OpenSet {
    /// The name in the response (`class`).
    public let rawValue: String
    /// Creates a severity with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Something failed; during a grace period, it may only explain.
    public static let error: Self = "ERROR"
    /// Information.
    public static let info: Self = "INFO"
    /// A warning.
    public static let warning: Self = "WARNING"
  }

  /// The subject of a message, independent of its language.
  public struct Key: OpenSet {
    /// The key in the response (`i18n.key`).
    public let rawValue: String
    /// Creates a key with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The message as sent, with its `links` and `i18n.params`.
  public let raw: RawJSON

  /// The severity (`class`).
  public var kind: Kind? { raw.string("class").map(Kind.init(rawValue:)) }
  /// The sentence for the person (`message`), as sent.
  ///
  /// It can contain control characters: clean it with a ``/IDXBase/TextSanitizer`` before you print it.
  public var text: String? { raw.string("message") }
  /// What the person can do about it without a browser (`deviceRemediation.value.fallback.message`); nil if the server
  /// says nothing.
  package var instruction: String? {
    raw.member("deviceRemediation")?.member("value")?.member("fallback")?.member("message")?
      .string("message")
  }
  /// The key (`i18n.key`), for decisions in code.
  public var key: Key? { raw.member("i18n")?.string("key").map(Key.init(rawValue:)) }

  /// The pages that the message is about, such as instructions (`links[*]`, with `url` and perhaps `label`).
  ///
  /// The server chooses the addresses: open one only if it is https, and show it whole before.
  public var links: [Link] { (raw["links"]?.array ?? []).compactMap(Link.init) }

  /// A page that a message is about.
  public struct Link: Sendable, Hashable {
    /// The address (`url`), with any scheme.
    public let url: URL
    /// What to call it (`label`); nil if the server sent no label.
    public let label: String?

    /// Creates a link.
    public init(url: URL, label: String? = nil) { (self.url, self.label) = (url, label) }

    /// The label and the address on one line: `Request access: https://help.example.com/access`.
    public var text: String { (label.map { "\($0): " } ?? "") + url.absoluteString }

    /// Nil without an address, or if it is none.
    fileprivate init?(_ json: JSONValue) {
      guard let text = json["url"]?.string, let url = URL(string: text) else { return nil }
      self.init(url: url, label: json["label"]?.string.flatMap { $0.isEmpty ? nil : $0 })
    }
  }

  /// Whether the severity is ``Kind/error``.
  public var isError: Bool { kind == .error }
}

extension IDXMessage.Key {
  /// The credentials are wrong, or the person may not sign in; the server does not say which.
  public static let authenticationFailed: Self = "errors.E0000004"
  /// The password is wrong.
  public static let incorrectPassword: Self = "incorrectPassword"
  /// The code is wrong.
  public static let passcodeInvalid: Self = "api.authn.error.PASSCODE_INVALID"
  /// The code of an authenticator app is wrong.
  public static let softTokenInvalid: Self = "authfactor.challenge.soft_token.invalid_passcode"
  /// The code of an authenticator app was used before.
  public static let softTokenUsed: Self = "authfactor.challenge.soft_token.used_passcode"
  /// The code of a hardware token is right, and its next code is needed too.
  public static let nextCodeNeeded: Self = "errors.E0000113"
  /// The transaction is over: start again.
  public static let sessionExpired: Self = "idx.session.expired"
  /// The transaction is over; some pages use this key.
  public static let expiredSession: Self = "error.expired.session"
  /// Too many requests in a short time.
  public static let tooManyRequests: Self = "tooManyRequests"
  /// Too many requests in a short time; newer servers use this key.
  public static let tooManyRequestsForOperation: Self = "oie.tooManyRequests"
  /// The person has rejected a push on the phone.
  public static let pushRejected: Self = "api.authn.poll.error.push_rejected"
  /// The account is locked after too many wrong answers.
  public static let userLocked: Self = "errors.E0000069"
  /// The account is locked, and an administrator can unlock it.
  public static let userLockedOut: Self = "errors.E0000119"

  /// The keys that this version of the package knows; a test notices one that is missing.
  package static let known: Set<Self> = [
    .authenticationFailed, .incorrectPassword, .passcodeInvalid, .softTokenInvalid, .softTokenUsed,
    .nextCodeNeeded, .sessionExpired, .expiredSession, .tooManyRequests,
    .tooManyRequestsForOperation, .pushRejected, .userLocked, .userLockedOut,
  ]
}

extension IDXMessage: CustomStringConvertible {
  /// The severity and the key, or the sentence if there is no key.
  public var description: String {
    "\(kind?.rawValue ?? "message"): \(key?.rawValue ?? text ?? "no text")"
  }
}
