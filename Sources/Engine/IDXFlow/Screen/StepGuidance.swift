import IDX
import IDXBase

/// What a person does at a step, in one sentence: where a code is, or what happens next.
struct StepGuidance {
  let phrases: Phrases

  private var step: Step { phrases.step }
  private var key: IDXAuthenticator.Key? { step.authenticator?.key }

  /// The sentence; nil if the title is enough, or if nothing is certain.
  var text: String? {
    switch step.remediation.name {
    case .identify:
      step.goal == .recover
        ? sentence("identify-recovery") : app.flatMap { _ in sentence("identify") }
    case .challengeAuthenticator, .enrollAuthenticator, .resetAuthenticator,
      .reenrollAuthenticator:
      textOfAuthenticator
    case .challengePoll: textOfPoll
    case .authenticatorVerificationData:
      step.remediation["authenticator"]?.form?["methodType"]?.choices.isEmpty == false
        ? sentence(key == .phone ? "choose-method" : "choose-method.app")
        : key == .email ? toDetail("before-email") : nil
    case .enrollProfile, .profileUpdate:
      sentence(
        (step.response.user == nil ? Remediation.Name.enrollProfile : .profileUpdate).rawValue)
    case .enrollPoll:
      key == .oktaVerify || key == .customApp
        ? sentence(sent(by: "qrcode") ? "enroll-poll.qrcode" : "enroll-poll.link") : nil
    case .enrollAuthenticatorPromotion: key == .webAuthn ? sentence("passkey.enroll") : nil
    case .authenticatorEnrollmentData:
      key == .phone ? sentence("authenticator-enrollment-data") : nil
    case let name: sentence(name.rawValue)
    }
  }

  /// What to do with the authenticator that proves who the person is, or that is set up.
  private var textOfAuthenticator: String? {
    if step.remediation.form.inputs().contains(where: { step.setsPassword(in: $0.field) }) {
      return sentence("new-password")
    }
    let isNew = step.remediation.name == .enrollAuthenticator
    switch key {
    case .password?, nil: return nil
    // A link is pasted in place of a code.
    case .email? where step.remediation.form.inputs().contains { $0.field.isSecret }: return nil
    case .email? where step.authenticator?.usesMagicLink == true: return toDetail("email-link")
    case .email?: return toDetail("email")
    case .phone?: return toDetail(phoneKey)
    case .googleAuthenticator?, .oktaVerify?:
      return sentence(isNew ? "app.enroll" : "app")
    case .securityQuestion?: return sentence(isNew ? "question.enroll" : "question")
    case .webAuthn?: return sentence(isNew ? "passkey.enroll" : "passkey")
    case .temporaryAccessCode?: return sentence("temporary-code")
    case .duo?, .nfcPIN?, .externalIdentityProvider?: return nil
    case .yubiKey?: return isNew ? nil : sentence("yubikey")
    default: return sentence(isNew ? "token.enroll" : "token")
    }
  }

  private var phoneKey: String {
    switch step.authenticator?.methods {
    case [.sms]?: "sms"
    case [.voice]?: "call"
    default: "phone"
    }
  }

  /// What to do while the server waits; nil beside a number, which has an instruction of its own.
  private var textOfPoll: String? {
    if key == .email { return toDetail("email-link.only") }
    // An org can have an authenticator of its own for pushes.
    let isPush =
      key == .oktaVerify || key == .customApp
      || step.authenticator?.methods.contains(.push) == true
    return isPush && step.authenticator?.numberChallenge == nil ? sentence("push") : nil
  }

  private func sent(by channel: String) -> Bool {
    (step.authenticator?.selectedChannel ?? "qrcode") == channel
  }

  private var app: String? { step.response.application?.label?.brief }

  /// A sentence about an email or a phone number, or one without it.
  private func toDetail(_ name: String) -> String? {
    let detail = (step.authenticator?.email ?? step.authenticator?.phoneNumber)?.brief
    guard let detail, !detail.trimmed().isEmpty else { return sentence("\(name).unknown") }
    return sentence("\(name)", ["detail": detail])
  }

  private func sentence(_ name: String, _ values: [String: String] = [:]) -> String? {
    let authenticator = step.authenticator.map(phrases.words.name(of:))
    let own = [
      "app": app ?? phrases.text("app"),
      "authenticator": authenticator ?? phrases.text("an-authenticator"),
      "provider": phrases.provider(of: step.remediation),
    ]
    return phrases.words.text(.guidance(name), own.merging(values) { $1 })
  }
}

extension Words.Key {
  /// What a person does at a step, such as `guidance.email`.
  static func guidance(_ name: String) -> Self { Self(rawValue: "guidance.\(name)") }
}
