extension SignInPolicy {
  /// How authenticators behave that may behave in several ways.
  public struct FactorRules: Sendable, Hashable {
    /// Whether the phone must pick the number that the sign-in shows; not by default.
    ///
    /// It concerns Okta Verify.
    public var matchesNumbers = false
    /// Whether a push is sent only once the user has agreed, and may agree to all that follow
    /// (`autoChallenge`); not by default.
    public var asksBeforePush = false
    /// Whether mail is sent only once the user has agreed, also where e-mail was chosen; not by
    /// default.
    public var asksBeforeEmail = false
    /// Whether mails hold a link that does as well as the code (`useEmailMagicLink`); by default
    /// they do.
    public var sendsMagicLink = true
    /// Whether a number is asked for only after a phone was chosen to be set up; by default the
    /// choice can hold it.
    public var asksNumberSeparately = false
    /// How many digits the PIN of an NFC tag has; 4 to 8 by default.
    public var pinLength = 4...8

    /// The rules that hold unless told otherwise.
    public init() {}
  }

  /// The policy with some of these rules changed.
  public func with(_ change: (inout FactorRules) -> Void) -> SignInPolicy {
    var policy = self
    change(&policy.factors)
    return policy
  }
}
