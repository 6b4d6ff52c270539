extension OrgScenario {
  /// Those about passkeys.
  static let passkeys: [OrgScenario] = [passkey, enrollPasskey, passkeyPromotion]

  /// A password, then the passkey that ``SoftwareAuthenticator/demo`` holds.
  public static let passkey = OrgScenario(
    name: "passkey", summary: "a password, then a passkey that is set up",
    users: [.demo.with(.passkey(.demo, name: "Demo key"))], policy: .required(.webAuthn),
    hints: ["The passkey is held by a software authenticator."])

  /// A password, then a passkey to set up.
  public static let enrollPasskey = OrgScenario(
    name: "enroll-passkey", summary: "a password, then a passkey to set up",
    policy: .required(.webAuthn))

  /// A password, then a passkey that is offered and may be skipped.
  public static let passkeyPromotion = OrgScenario(
    name: "passkey-promotion",
    summary: "a password, then a passkey is offered, which may be skipped",
    policy: {
      var policy = SignInPolicy(start: .withPassword)
      policy.promotesPasskey = true
      return policy
    }())
}
