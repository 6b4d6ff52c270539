public import IDX

/// What a ``SimulatedOrg`` offers and asks for besides username, password and authenticators.
///
///     var policy = SignInPolicy.passwordOnly
///     policy.accounts.recovery = AccountPolicy.Recovery(by: [.email, .securityQuestion])
///     policy.accounts.afterFactors = [.consent(scopes: ["email"]), .keepMeSignedIn]
public struct AccountPolicy: Sendable, Hashable {
  /// How users replace a forgotten password; nil, the default, to offer no recovery.
  public var recovery: Recovery?
  /// How users unlock their accounts; nil, the default, to offer no unlock.
  public var unlock: Unlock?
  /// Whether the classic API reports that an account is locked (`LOCKED_OUT`).
  ///
  /// By default, and with the other APIs, the org responds as if the password were wrong.
  public var showsLockouts = false
  /// How users register; nil, the default, to offer no registration.
  public var registration: Registration?
  /// The site where passwords are changed outside the org; nil, the default, if they are changed in the org.
  public var passwordSite: PasswordSite?
  /// The identity providers that are offered next to the username, in this order.
  public var identityProviders: [IdentityProvider] = []
  /// Whether they are the only way to sign in, without a username; false by default.
  public var identityProvidersOnly = false
  /// Whether a smart card is offered next to the username; false by default.
  public var smartCard = false
  /// Whether Okta FastPass is offered next to the username; false by default.
  public var fastPass = false
  /// The ports of this computer at which the org looks for Okta Verify.
  public var oktaVerifyPorts = [2000, 6511, 6512, 6513]
  /// The captcha whose token the forms for username and profile need; nil, the default, for none.
  public var captcha: Captcha?
  /// The steps before the username, in this order.
  public var beforeIdentify: [InterstitialStep] = []
  /// The steps after the password and all authenticators, in this order.
  public var afterFactors: [InterstitialStep] = []

  /// A captcha, by its name in the response (`$.captcha.value.type`).
  public enum Captcha: String, Sendable, Hashable {
    /// Pictures of hCaptcha.
    case hCaptcha = "HCAPTCHA"
    /// ALTCHA: a computation of the browser. The org names the address of the task (`challengeUrlForm`), and serves none.
    case altcha = "ALTCHA"
  }

  /// Creates a policy that offers and asks for nothing.
  public init() {}
}

extension AccountPolicy {
  /// How users replace a forgotten password.
  ///
  /// For an unknown user, the response says so (`idx.unknown.user`, 400).
  public struct Recovery: Sendable, Hashable {
    /// The user must verify one of these authenticators, which must be set up.
    public var methods: [IDXAuthenticator.Key]
    /// Whether users who have a security question must answer it too.
    public var asksSecurityQuestion: Bool
    /// Whether the user is signed in afterwards; if not, it ends with a message (`idx.recovery.completed`).
    public var signsIn: Bool

    /// Creates a recovery, by email by default.
    public init(
      by methods: [IDXAuthenticator.Key] = [.email], asksSecurityQuestion: Bool = false,
      signsIn: Bool = true
    ) {
      self.methods = methods
      self.asksSecurityQuestion = asksSecurityQuestion
      self.signsIn = signsIn
    }
  }

  /// How users unlock their accounts.
  ///
  /// For an unknown user, the response says so, as with ``Recovery``.
  public struct Unlock: Sendable, Hashable {
    /// The user must verify one of these authenticators, which must be set up.
    public var methods: [IDXAuthenticator.Key]
    /// Whether a separate step asks for the username, before the choice of an authenticator.
    public var asksNameFirst: Bool
    /// Whether the sign-in continues with the password; if not, it ends with a message.
    public var signsIn: Bool

    /// Creates an unlock, by email by default.
    public init(
      by methods: [IDXAuthenticator.Key] = [.email], asksNameFirst: Bool = false,
      signsIn: Bool = false
    ) {
      self.methods = methods
      self.asksNameFirst = asksNameFirst
      self.signsIn = signsIn
    }
  }

  /// How users register: a profile, a password, then authenticators that the policy requires or offers.
  public struct Registration: Sendable, Hashable {
    /// Whether the form of the profile asks for the password; if not, the next step does.
    public var takesPassword: Bool
    /// Whether the registration stops after the profile because the address must be verified by email.
    public var verifiesMail: Bool

    /// Creates a registration; by default it has separate steps, and the user is signed in at the end.
    public init(takesPassword: Bool = false, verifiesMail: Bool = false) {
      self.takesPassword = takesPassword
      self.verifiesMail = verifiesMail
    }
  }

  /// The site where passwords are changed outside the org.
  ///
  /// ``SimulatedOrg/visit(_:as:refusing:)`` simulates it.
  public struct PasswordSite: Sendable, Hashable {
    /// The name of the site.
    public var name: String
    /// The absolute URL of the site.
    public var address: String

    /// Creates a site.
    public init(name: String = "Password help", address: String = "https://passwords.example.com/")
    {
      self.name = name
      self.address = address
    }
  }

  /// An identity provider that signs users in for the org.
  public struct IdentityProvider: Sendable, Hashable {
    /// The type, such as `GOOGLE`, `OIDC` or `SAML2`.
    public var type: String
    /// The name that is shown.
    public var name: String

    /// Creates an identity provider.
    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }

    var id: String { OrgSettings.id("0oa", type, name) }
  }
}
