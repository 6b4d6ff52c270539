public import IDX

/// What a ``SimulatedOrg`` offers and asks beside user name, password and authenticators.
///
///     var policy = SignInPolicy.passwordOnly
///     policy.accounts.recovery = AccountPolicy.Recovery(by: [.email, .securityQuestion])
///     policy.accounts.afterFactors = [.consent(scopes: ["email"]), .keepMeSignedIn]
public struct AccountPolicy: Sendable, Hashable {
  /// How a forgotten password is replaced; nil where that is not offered.
  public var recovery: Recovery?
  /// How users unlock their accounts; nil where that is not offered.
  public var unlock: Unlock?
  /// Whether the classic API tells who is locked (`LOCKED_OUT`); otherwise the account answers as if
  /// the password were wrong, as it does by default and with every other API.
  public var showsLockouts = false
  /// How people register; nil where that is not offered.
  public var registration: Registration?
  /// Where passwords are changed, if not in the org; nil where the org keeps them.
  public var passwordSite: PasswordSite?
  /// Who else signs people in, in this order, offered beside the user name.
  public var identityProviders: [IdentityProvider] = []
  /// Whether these are the only way in, without a user name to type; false by default.
  public var identityProvidersOnly = false
  /// Whether a smart card signs in, offered beside the user name; false by default.
  public var smartCard = false
  /// Whether Okta FastPass is offered beside the user name; false by default.
  public var fastPass = false
  /// Whether user name and profile must come with the token of a captcha; false by default.
  public var captcha = false
  /// What comes before the user name, in this order.
  public var beforeIdentify: [Station] = []
  /// What comes after the password and all authenticators, in this order.
  public var afterFactors: [Station] = []

  /// Nothing of all this.
  public init() {}
}

extension AccountPolicy {
  /// How a forgotten password is replaced.
  ///
  /// Who is unknown is told so (`idx.unknown.user`, 400): an org that hides who exists cannot be told
  /// from one that sends a mail which never comes.
  public struct Recovery: Sendable, Hashable {
    /// With what users prove who they are: one of these, which they have set up.
    public var methods: [IDXAuthenticator.Key]
    /// Whether the security question is asked too, of users who have one.
    public var asksQuestion: Bool
    /// Whether the recovery signs in; otherwise it ends with a message (`idx.recovery.completed`).
    public var signsIn: Bool

    /// Recovery by one of these, e-mail unless told otherwise, which then signs in.
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
  /// Who is unknown is told so, as with ``Recovery``.
  public struct Unlock: Sendable, Hashable {
    /// With what users prove who they are: one of these, which they have set up.
    public var methods: [IDXAuthenticator.Key]
    /// Whether the user name is asked for in a step before; otherwise together with the choice.
    public var asksNameFirst: Bool
    /// Whether the sign-in goes on, with the password; otherwise it ends with a message.
    public var signsIn: Bool

    /// Unlocking by one of these, e-mail unless told otherwise, which ends with a message.
    public init(
      by methods: [IDXAuthenticator.Key] = [.email], asksNameFirst: Bool = false,
      signsIn: Bool = false
    ) {
      self.methods = methods
      self.asksNameFirst = asksNameFirst
      self.signsIn = signsIn
    }
  }

  /// How people register: a profile, a password, then what the policy requires and offers.
  public struct Registration: Sendable, Hashable {
    /// Whether the password stands in the form of the profile; otherwise it is a step after it.
    public var takesPassword: Bool
    /// Whether it ends with the profile, until the address is verified by mail.
    public var verifiesMail: Bool

    /// Registration in steps, which signs in at its end.
    public init(takesPassword: Bool = false, verifiesMail: Bool = false) {
      self.takesPassword = takesPassword
      self.verifiesMail = verifiesMail
    }
  }

  /// Where passwords are changed that the org does not keep.
  ///
  /// ``SimulatedOrg/visit(_:as:refusing:)`` plays the person who renews the password there.
  public struct PasswordSite: Sendable, Hashable {
    /// What it is called.
    public var name: String
    /// Its address, absolute.
    public var address: String

    /// A site.
    public init(
      name: String = "Password desk", address: String = "https://passwords.example.com/"
    ) {
      self.name = name
      self.address = address
    }
  }

  /// Someone who signs people in for the org.
  public struct IdentityProvider: Sendable, Hashable {
    /// The kind: `GOOGLE`, `OIDC`, `SAML2`, and so on.
    public var type: String
    /// What a person calls it.
    public var name: String

    /// An identity provider.
    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }

    var id: String { OrgSettings.id("0oa", type, name) }
  }
}
