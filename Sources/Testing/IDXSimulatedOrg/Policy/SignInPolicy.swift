public import IDX

/// What a ``SimulatedOrg`` requires of users who sign in.
///
/// After the password, in this order:
/// 1. The user verifies every required authenticator that is set up. If there is none, the user chooses
///    and verifies one of the optional ones that are set up.
/// 2. The user sets up every required authenticator that is missing.
/// 3. The user can set up or skip missing optional ones, until ``enough`` are set up.
/// 4. The interstitial steps of ``accounts`` follow.
public struct SignInPolicy: Sendable, Hashable {
  /// How a sign-in starts.
  public enum Start: Sendable, Hashable, CaseIterable {
    /// The username in the first form; the password in the next step.
    case identityFirst
    /// Username and password in one form.
    case withPassword
  }

  /// The rules for a new password.
  ///
  /// A password must not contain the part of the login before the `@`.
  public struct PasswordRules: Sendable, Hashable {
    /// The minimum number of characters.
    public var minimumLength: Int
    /// The minimum number of lowercase letters, uppercase letters and digits, each.
    public var minimumOfEachKind: Int
    /// The minimum number of characters that are neither letters nor digits.
    public var minimumSymbols: Int

    /// Creates rules.
    public init(minimumLength: Int = 8, minimumOfEachKind: Int = 1, minimumSymbols: Int = 0) {
      self.minimumLength = minimumLength
      self.minimumOfEachKind = minimumOfEachKind
      self.minimumSymbols = minimumSymbols
    }
  }

  /// Options for how authenticators behave.
  public struct FactorRules: Sendable, Hashable {
    /// Whether the sign-in shows a number that the user must choose on the phone.
    ///
    /// For Okta Verify only.
    public var matchesNumbers = false
    /// Whether a push is sent only after the user has agreed.
    ///
    /// The user can agree to all later pushes too (`autoChallenge`).
    public var asksBeforePush = false
    /// Whether Okta Verify on the same device is a method beside its pushes and codes (Okta FastPass); false by default.
    public var offersFastPass = false
    /// Whether an email is sent only after the user has agreed, even after the user chose email.
    public var asksBeforeEmail = false
    /// Whether emails contain a link that works instead of the code (`useEmailMagicLink`); true by default.
    public var sendsMagicLink = true
    /// Whether the code in an email has 10 letters and digits instead of 6 digits; false by default.
    public var mailsCodeWithLetters = false
    /// Whether a separate form asks for the number of a new phone.
    public var asksNumberSeparately = false
    /// Whether the setup of a passkey also needs `transports` and `clientExtensions`; true by default.
    ///
    /// Real orgs differ: the form of some has only `attestation` and `clientData`.
    public var asksPasskeyTransports = true
    /// How many digits the PIN of an NFC tag has; 4 to 8 by default.
    public var pinLength = 4...8

    /// Creates rules with their defaults.
    public init() {}
  }

  /// What an org does about devices, which it knows by a cookie (`DT`) or by a header field (`X-Device-Token`).
  public struct DeviceRules: Sendable, Hashable {
    /// Whether a device that a user has agreed to remember needs only the password the next time.
    public var skipsFactors: Bool
    /// Whether the user gets an email about a sign-in from a device that is not remembered.
    public var sendsMail: Bool

    /// Creates rules.
    public init(skipsFactors: Bool = true, sendsMail: Bool = true) {
      self.skipsFactors = skipsFactors
      self.sendsMail = sendsMail
    }
  }

  /// How a sign-in starts.
  public var start: Start
  /// The authenticators that everyone needs besides the password, in the order in which they are offered.
  ///
  /// If only an administrator can set up a missing one, it is not required.
  public var required: [IDXAuthenticator.Key]
  /// The authenticators that are offered, in this order.
  public var optional: [IDXAuthenticator.Key]
  /// The number of authenticators besides the password after which no more are offered; nil for no limit.
  public var enough: Int?
  /// What else is offered and asked for; nothing by default.
  public var accounts = AccountPolicy()
  /// The number of wrong answers in a row that lock an account.
  public var attempts: Int
  /// How authenticators behave.
  public var factors = FactorRules()
  /// The rules for a new password.
  public var passwordRules: PasswordRules
  /// Whether a user without a passkey is offered one at the end, with `skip`; false by default.
  public var promotesPasskey = false
  /// Whether a passkey can be used in place of the username and the password, with IDX; false by default.
  public var acceptsPasskeyFirst = false
  /// What happens on devices that are known; nil, the default, if all devices are treated alike.
  ///
  /// A device is remembered after a sign-in in which the user has agreed (`rememberMe`, or with the classic API
  /// `rememberDevice`). With DirectAuth, every device is.
  public var devices: DeviceRules?
  /// Whether the app gets only tokens that are bound to a key (RFC 9449); false by default.
  ///
  /// In any case, a request for tokens with a proof gets bound tokens.
  public var requiresDPoP = false

  /// Creates a policy; by default, it requires only the password and asks for it after the username.
  public init(
    start: Start = .identityFirst, required: [IDXAuthenticator.Key] = [],
    optional: [IDXAuthenticator.Key] = [], enough: Int? = nil, attempts: Int = 5,
    passwordRules: PasswordRules = PasswordRules()
  ) {
    self.start = start
    self.required = required
    self.optional = optional.filter { !required.contains($0) }
    self.enough = enough
    self.attempts = max(attempts, 1)
    self.passwordRules = passwordRules
  }

  /// Username and password in one form; then Google Authenticator or email, or neither.
  public static let demo = SignInPolicy(
    start: .withPassword, optional: [.googleAuthenticator, .email], enough: 1)

  /// The password alone.
  public static let passwordOnly = SignInPolicy()

  /// The password and each of these.
  public static func required(_ keys: IDXAuthenticator.Key...) -> SignInPolicy {
    SignInPolicy(required: keys)
  }

  /// The password, and as many of these as the user likes.
  public static func optional(_ keys: IDXAuthenticator.Key...) -> SignInPolicy {
    SignInPolicy(optional: keys)
  }

  /// A copy of the policy with changed rules for authenticators.
  public func with(_ change: (inout FactorRules) -> Void) -> SignInPolicy {
    var policy = self
    change(&policy.factors)
    return policy
  }
}
