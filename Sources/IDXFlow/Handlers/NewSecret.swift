public import IDX

// What is known of a secret that is about to be chosen, beyond its field.
extension Step {
  /// Whether a field is for a new password, which is typed twice.
  public func setsPassword(in field: Remediation.Field) -> Bool {
    guard field.name == "passcode" else { return false }
    if remediation.name == .enrollProfile { return true }
    return authenticator?.isPassword == true && Self.settingPasswords.contains(remediation.name)
  }

  /// What a new password must be like; nil where none is chosen here or the server sends no rules.
  public var passwordRules: IDXAuthenticator.PasswordRules? {
    let isChosen =
      Self.settingPasswords.contains(remediation.name) || remediation.name == .enrollProfile
    guard isChosen, let authenticator, authenticator.isPassword else { return nil }
    return authenticator.passwordRules
  }

  /// What is wrong with a new password or a PIN, as far as it can be told before it is sent.
  func problem(withSecret answer: Answer, for field: Remediation.Field) -> InvalidAnswers.Problem
    .Reason?
  {
    guard field.name == "passcode", case .value(.string(let text)) = answer else { return nil }
    if setsPassword(in: field), let rules = passwordRules {
      let profile = response.user?.raw["profile"]
      let attributes = Dictionary(
        rules.excludedAttributes.compactMap { name in
          profile?[name]?.string.map { (name, $0) }
        }
      ) { first, _ in first }
      let broken = rules.violations(
        of: text, username: response.user?.identifier, attributes: attributes)
      return broken.isEmpty ? nil : .breaksRules(broken)
    }
    guard authenticator?.key == .nfcPIN, let settings = authenticator?.raw["settings"] else {
      return nil
    }
    if let least = settings["minLength"]?.integer, text.utf16.count < least {
      return .tooShort(minimum: least)
    }
    if let most = settings["maxLength"]?.integer, text.count > most {
      return .tooLong(maximum: most)
    }
    return nil
  }

  private static let settingPasswords: Set<Remediation.Name> = [
    .enrollAuthenticator, .reenrollAuthenticator, .reenrollAuthenticatorWarning,
    .resetAuthenticator,
  ]
}
