public import IDX

/// What a ``SimulatedOrg`` offers and asks besides user name, password and authenticators.
///
///     var policy = SignInPolicy.passwordOnly
///     policy.accounts.recovery = AccountPolicy.Recovery(by: [.email, .securityQuestion])
///     policy.accounts.afterFactors = [.consent(scopes: ["email"]), .keepMeSignedIn]
public struct AccountPolicy: Sendable, Hashable {
  /// How a forgotten password is replaced; nil if that is not offered.
  public var recovery: Recovery?
  /// How users unlock their accounts; nil if that is not offered.
  public var unlock: Unlock?
  /// Whether the classic API tells that an account is locked (`LOCKED_OUT`).
  ///
  /// By default, and with every other API, the org answers as if the password were wrong.
  public var showsLockouts = false
  /// How users register; nil if that is not offered.
  public var registration: Registration?
  /// Where passwords are changed outside the org; nil if the org keeps them.
  public var passwordSite: PasswordSite?
  /// The identity providers that are offered next to the user name, in this order.
  public var identityProviders: [IdentityProvider] = []
  /// Whether they are the only way to sign in, without a user name; false by default.
  public var identityProvidersOnly = false
  /// Whether a smart card is offered next to the user name; false by default.
  public var smartCard = false
  /// Whether Okta FastPass is offered next to the user name; false by default.
  public var fastPass = false
  /// Whether the forms for user name and profile need the token of a captcha; false by default.
  public var captcha = false
  /// The steps before the user name, in this order.
  public var beforeIdentify: [InterstitialStep] = []
  /// The steps after the password and all authenticators, in this order.
  public var afterFactors: [InterstitialStep] = []

  /// Creates a policy that offers and asks nothing.
  public init() {}
}

extension AccountPolicy {
  /// How a forgotten password is replaced.
  ///
  /// An unknown user is told so (`idx.unknown.user`, 400). An org that hides this looks like one whose
  /// mail never comes.
  public struct Recovery: Sendable, Hashable {
    /// The authenticators of which the user must verify one that is set up.
    public var methods: [IDXAuthenticator.Key]
    /// Whether users who have a security question must answer it too.
    public var asksQuestion: Bool
    /// Whether the recovery signs in; otherwise it ends with a message (`idx.recovery.completed`).
    public var signsIn: Bool

    /// Creates a recovery, by e-mail unless told otherwise.
    public init(
      by methods: [IDXAuthenticator.Key] = [.email], asksQuestion: Bool = false,
      signsIn: Bool = true
    ) {
      self.methods = methods
      self.asksQuestion = asksQuestion
      self.signsIn = signsIn
    }
  }

  /// How users unlock their accounts.
  ///
  /// An unknown user is told so, as with ``Recovery``.
  public struct Unlock: Sendable, Hashable {
    /// The authenticators of which the user must verify one that is set up.
    public var methods: [IDXAuthenticator.Key]
    /// Whether the user name is asked for in a step before the choice.
    public var asksNameFirst: Bool
    /// Whether the sign-in continues with the password; otherwise it ends with a message.
    public var signsIn: Bool

    /// Creates an unlock, by e-mail unless told otherwise.
    public init(
      by methods: [IDXAuthenticator.Key] = [.email], asksNameFirst: Bool = false,
      signsIn: Bool = false
    ) {
      self.methods = methods
      self.asksNameFirst = asksNameFirst
      self.signsIn = signsIn
    }
  }

  /// How users register: a profile, a password, then what the policy requires and offers.
  public struct Registration: Sendable, Hashable {
    /// Whether the form of the profile has the password; otherwise it is a step after it.
    public var takesPassword: Bool
    /// Whether the registration ends after the profile, until the address is verified by mail.
    public var verifiesMail: Bool

    /// Creates a registration in steps, which signs in at its end.
    public init(takesPassword: Bool = false, verifiesMail: Bool = false) {
      self.takesPassword = takesPassword
      self.verifiesMail = verifiesMail
    }
  }

  /// Where passwords are changed that the org does not keep.
  ///
  /// ``SimulatedOrg/visit(_:as:refusing:)`` renews the password there.
  public struct PasswordSite: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The address, absolute.
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
    /// The kind: `GOOGLE`, `OIDC`, `SAML2` and so on.
    public var type: String
    /// The name for a person.
    public var name: String

    /// Creates an identity provider.
    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }

    var id: String { OrgSettings.id("0oa", type, name) }
  }
}
