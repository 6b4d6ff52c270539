public import IDX

/// What a ``SimulatedOrg`` demands of those who sign in.
///
/// After the password, in this order:
/// 1. every required authenticator that the user has set up is challenged; where there is none, one
///    of the optional ones that the user has set up, which the user picks;
/// 2. every required authenticator that is missing must be set up;
/// 3. missing optional ones are offered, with `skip`, until ``enough`` are set up;
/// 4. the stations of ``accounts`` are passed.
public struct SignInPolicy: Sendable, Hashable {
  /// How a sign-in begins.
  public enum Start: Sendable, Hashable, CaseIterable {
    /// The user name alone; the password is a challenge after it.
    case identityFirst
    /// User name and password in one form.
    case withPassword
  }

  /// What a new password must be like.
  public struct PasswordRules: Sendable, Hashable {
    /// How many characters at least.
    public var minimumLength: Int
    /// How many small letters, capitals and digits at least, of each.
    public var minimumOfEachKind: Int
    /// How many characters at least that are neither letter nor digit.
    public var minimumSymbols: Int

    /// Rules for passwords; a password may never contain the part of the login before the `@`.
    public init(minimumLength: Int = 8, minimumOfEachKind: Int = 1, minimumSymbols: Int = 0) {
      self.minimumLength = minimumLength
      self.minimumOfEachKind = minimumOfEachKind
      self.minimumSymbols = minimumSymbols
    }
  }

  /// How a sign-in begins.
  public var start: Start
  /// What everybody must have beside the password, in the order in which it is offered.
  ///
  /// What only an administrator gives out, such as an access code, is passed over where it is missing.
  public var required: [IDXAuthenticator.Key]
  /// What is offered, in this order.
  public var optional: [IDXAuthenticator.Key]
  /// With how many authenticators beside the password no more is offered; nil to offer all.
  public var enough: Int?
  /// What is offered and asked beside all this; nothing by default.
  public var accounts = AccountPolicy()
  /// How many wrong answers in a row lock an account.
  public var attempts: Int
  /// How authenticators behave that may behave in several ways.
  public var factors = FactorRules()
  /// What a new password must be like.
  public var passwordRules: PasswordRules
  /// Whether a passkey is offered at the end to who has none, with `skip`; false by default.
  public var promotesPasskey = false

  /// A policy; unless told otherwise the password alone does, asked for after the user name.
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
}
