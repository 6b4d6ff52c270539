public import IDX

/// What a ``SimulatedOrg`` requires of users who sign in.
///
/// After the password, in this order:
/// 1. The user verifies every required authenticator that is set up; if there is none, one of the
///    optional ones that are set up, which the user chooses.
/// 2. The user sets up every required authenticator that is missing.
/// 3. Missing optional ones are offered, with `skip`, until ``enough`` are set up.
/// 4. The interstitial steps of ``accounts`` follow.
public struct SignInPolicy: Sendable, Hashable {
  /// How a sign-in begins.
  public enum Start: Sendable, Hashable, CaseIterable {
    /// The user name alone; the password is a challenge after it.
    case identityFirst
    /// User name and password in one form.
    case withPassword
  }

  /// The rules for a new password.
  ///
  /// A password must not contain the part of the login before the `@`.
  public struct PasswordRules: Sendable, Hashable {
    /// The minimum number of characters.
    public var minimumLength: Int
    /// The minimum number of lowercase letters, of uppercase letters and of digits.
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

  /// How authenticators behave that can behave in several ways.
  public struct FactorRules: Sendable, Hashable {
    /// Whether the user must pick on the phone the number that the sign-in shows.
    ///
    /// Okta Verify only.
    public var matchesNumbers = false
    /// Whether a push is sent only after the user has agreed.
    ///
    /// The user can agree to all later pushes too (`autoChallenge`).
    public var asksBeforePush = false
    /// Whether a mail is sent only after the user has agreed, even if the user has chosen e-mail.
    public var asksBeforeEmail = false
    /// Whether mails have a link that can be used instead of the code (`useEmailMagicLink`); true by
    /// default.
    public var sendsMagicLink = true
    /// Whether the number of a new phone is asked for in a form of its own, and not with the choice.
    public var asksNumberSeparately = false
    /// How many digits the PIN of an NFC tag has; 4 to 8 by default.
    public var pinLength = 4...8

    /// Creates rules with their defaults.
    public init() {}
  }

  /// How a sign-in begins.
  public var start: Start
  /// The authenticators that everyone needs besides the password, in the order in which they are offered.
  ///
  /// A missing one that only an administrator can set up is passed over.
  public var required: [IDXAuthenticator.Key]
  /// The authenticators that are offered, in this order.
  public var optional: [IDXAuthenticator.Key]
  /// With how many authenticators besides the password no more are offered; nil to offer all.
  public var enough: Int?
  /// What else is offered and asked; nothing by default.
  public var accounts = AccountPolicy()
  /// How many wrong answers in a row lock an account.
  public var attempts: Int
  /// How authenticators behave.
  public var factors = FactorRules()
  /// The rules for a new password.
  public var passwordRules: PasswordRules
  /// Whether a user without a passkey is offered one at the end, with `skip`; false by default.
  public var promotesPasskey = false

  /// Creates a policy; by default the password is enough, and is asked for after the user name.
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

  /// User name and password in one form; then Google Authenticator or e-mail, or neither.
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

  /// The policy with other rules for authenticators.
  public func with(_ change: (inout FactorRules) -> Void) -> SignInPolicy {
    var policy = self
    change(&policy.factors)
    return policy
  }

  /// Whether the org knows all authenticators that the policy names.
  var isKnown: Bool {
    let keys =
      required + optional + (accounts.recovery?.methods ?? []) + (accounts.unlock?.methods ?? [])
    return keys.allSatisfy { $0 != .password && OrgAuthenticator[$0] != nil }
  }
}
