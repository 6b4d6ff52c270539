public import IDX
import IDXBase

extension Step {
  /// Whether a field is for a new password, which is typed twice.
  package func setsPassword(in field: Remediation.Field) -> Bool {
    guard field.name == "passcode" else { return false }
    return remediation.name == .enrollProfile
      || (authenticator?.isPassword == true && Self.passwordForms.contains(remediation.name))
  }

  /// The rules for a new password; nil if the step sets none, or the server sends no rules.
  public var passwordRules: IDXAuthenticator.PasswordRules? {
    guard Self.passwordForms.contains(remediation.name) || remediation.name == .enrollProfile
    else { return nil }
    return authenticator.flatMap { $0.isPassword ? $0.passwordRules : nil }
  }

  /// What is wrong with a new password or a PIN, as far as that is known before it is sent.
  package func problem(
    withPassword answer: Answer, for field: Remediation.Field
  ) -> InvalidAnswers.Problem.Reason? {
    guard field.name == "passcode", let text = answer.json?.string else { return nil }
    if setsPassword(in: field), let rules = passwordRules {
      let members = user?.raw["profile"]?.object?.members ?? []
      let texts = members.compactMap { member in member.value.string.map { (member.name, $0) } }
      let attributes = Dictionary(texts) { $1 }
      let broken = rules.violations(
        of: text, username: user?.identifier, attributes: attributes)
      return broken.isEmpty ? nil : .breaksRules(broken)
    }
    guard authenticator?.key == .nfcPIN, let settings = authenticator?.raw["settings"] else {
      return nil
    }
    if let minimum = settings["minLength"]?.integer, text.utf16.count < minimum {
      return .tooShort(minimum: minimum)
    }
    if let maximum = settings["maxLength"]?.integer, text.count > maximum {
      return .tooLong(maximum: maximum)
    }
    return nil
  }

  private static let passwordForms: [Remediation.Name] = [
    .enrollAuthenticator, .reenrollAuthenticator, .reenrollAuthenticatorWarning,
    .resetAuthenticator,
  ]
}
