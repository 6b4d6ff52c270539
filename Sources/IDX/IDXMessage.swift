public import IDXBase

/// What the server says to the person, about the whole step or about one field.
///
/// Source: protocol section 2.7; `$.messages.value[*]`, and `messages.value[*]` in fields.
public struct IDXMessage: Sendable, Hashable {
  /// How serious a message is.
  ///
  /// The server may add classes.
  public struct Kind: OpenSet {
    /// The word on the wire.
    public let rawValue: String
    /// A kind by its word on the wire (`class`).
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Something failed.
    ///
    /// During a grace period it may also only explain.
    public static let error: Self = "ERROR"
    /// Something to know.
    public static let info: Self = "INFO"
    /// Something to be careful about.
    public static let warning: Self = "WARNING"
  }

  /// What a message is about, independent of its language.
  ///
  /// The server may add keys.
  public struct Key: OpenSet {
    /// The key on the wire.
    public let rawValue: String
    /// A key as it stands on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The message as sent, with what is not modelled: `links`, `i18n.params`.
  public let raw: RawJSON

  init(_ raw: RawJSON) { self.raw = raw }

  /// How serious it is; nil where the server does not say.
  public var kind: Kind? { raw.string("class").map(Kind.init(rawValue:)) }
  /// The sentence for the person, as sent; nil where there is none.
  public var text: String? { raw.string("message") }
  /// What it is about (`i18n.key`), to decide by; nil where the server sends none.
  public var key: Key? { raw.member("i18n")?.string("key").map(Key.init(rawValue:)) }

  /// Whether the server calls it an error.
  public var isError: Bool { kind == .error }
}

extension IDXMessage.Key {
  /// The credentials are not right, or sign-in is not possible; the server does not tell which.
  public static let authenticationFailed: Self = "errors.E0000004"
  /// The password is wrong.
  public static let incorrectPassword: Self = "incorrectPassword"
  /// The code is wrong.
  public static let passcodeInvalid: Self = "api.authn.error.PASSCODE_INVALID"
  /// The code of an authenticator app is wrong.
  public static let softTokenInvalid: Self = "authfactor.challenge.soft_token.invalid_passcode"
  /// The code of an authenticator app is right and was used before.
  public static let softTokenUsed: Self = "authfactor.challenge.soft_token.used_passcode"
  /// The code of a token is right, and the one after it is wanted too.
  public static let nextCodeNeeded: Self = "errors.E0000113"
  /// The transaction is over: start anew.
  public static let sessionExpired: Self = "idx.session.expired"
  /// The transaction is over, as some pages say it.
  public static let expiredSession: Self = "error.expired.session"
  /// Too many tries in a short time.
  public static let tooManyRequests: Self = "tooManyRequests"
  /// Too many tries in a short time, as newer servers say it.
  public static let tooManyRequestsForOperation: Self = "oie.tooManyRequests"
}

extension IDXMessage: CustomStringConvertible {
  /// The class and the key, or the sentence where there is no key.
  public var description: String {
    "\(kind?.rawValue ?? "message"): \(key?.rawValue ?? text ?? "no text")"
  }
}
