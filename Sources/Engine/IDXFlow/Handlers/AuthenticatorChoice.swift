public import IDX
public import IDXBase

/// An authenticator that a program can use in place of a person, and how.
///
///     let push = AuthenticatorChoice.oktaVerify(.push)
///     let app = AuthenticatorChoice.googleAuthenticator { step in Secret(await codes.next()) }
public struct AuthenticatorChoice: Sendable {
  /// Returns the code, or the answer to the security question, for a step.
  public typealias Code = @Sendable (Step) async throws -> Secret

  /// The authenticator.
  public let key: IDXAuthenticator.Key
  /// The method, such as a push; nil for the first one that is offered.
  ///
  /// DirectAuth names every app for codes Google Authenticator, also Okta Verify.
  public let method: IDXAuthenticator.Method?
  /// The code; nil if the program has none to enter, such as for a push.
  let code: Code?

  /// Creates a choice; see ``KnownAnswers``.
  public init(
    _ key: IDXAuthenticator.Key, _ method: IDXAuthenticator.Method? = nil, code: Code? = nil
  ) {
    (self.key, self.method, self.code) = (key, method, code)
  }

  /// The password, which is at `credentials.passcode` of the answers.
  public static let password = AuthenticatorChoice(.password)

  /// Okta Verify: by default a push, about which the server is asked until the person has answered it.
  public static func oktaVerify(
    _ method: IDXAuthenticator.Method = .push, code: Code? = nil
  ) -> Self {
    Self(.oktaVerify, method, code: code)
  }

  /// Google Authenticator, or another app for codes (TOTP, RFC 6238).
  public static func googleAuthenticator(code: @escaping Code) -> Self {
    Self(.googleAuthenticator, code: code)
  }

  /// A code that the org sends to a phone: in a text (``/IDX/IDXAuthenticator/Method/sms``) or a call.
  public static func phone(
    _ method: IDXAuthenticator.Method = .sms, code: @escaping Code
  ) -> Self {
    Self(.phone, method, code: code)
  }

  /// A code that the org sends by email.
  public static func email(code: @escaping Code) -> Self { Self(.email, code: code) }

  /// The answer to the security question.
  public static func securityQuestion(answer: @escaping Code) -> Self {
    Self(.securityQuestion, code: answer)
  }

  /// The answers that choose the authenticator and the method in a step's form; nil if the form does not offer them.
  ///
  /// Servers offer a method in an option, in a choice inside of it, or in a later form about the authenticator.
  func answers(in step: Step) -> Answers? {
    for field in step.remediation.form.fields where !field.isFixed {
      let path = "\(field.name).methodType"
      for (position, option) in field.choices.enumerated() where option.authenticator?.key == key {
        guard var answers = answers(to: option.form?["methodType"], at: path, option.authenticator)
        else { continue }
        answers[field.name] = .option(position)
        return answers
      }
      if field.choices.isEmpty, step.authenticator?.key == key,
        let methods = field.form?["methodType"],
        let answers = answers(to: methods, at: path, step.authenticator)
      {
        return answers
      }
    }
    return nil
  }

  /// The answers to a field for the method; nil if the method is not offered.
  private func answers(
    to field: Remediation.Field?, at path: String, _ authenticator: IDXAuthenticator?
  ) -> Answers? {
    guard let method else {
      let mustChoose = field.map { !$0.choices.isEmpty && !$0.hasDefault } ?? false
      return mustChoose ? [path: .option(0)] : [:]
    }
    guard let field else {
      let methods = authenticator?.methods ?? []
      return methods.isEmpty || methods.contains(method) ? [:] : nil
    }
    let value = JSONValue.string(method.rawValue)
    guard !field.choices.isEmpty else { return field.value == value ? [:] : nil }
    return field.choices.contains { $0.value == value } ? [path: .text(method.rawValue)] : nil
  }
}
