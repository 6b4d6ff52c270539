import IDXOAuth
import IDXBase
import IDX
import IDXFlow

/// Tells in the words of Identity Engine what a sign-in by DirectAuth wants next.
struct DirectAuthPage {
  let configuration: FlowConfiguration
  let context: DirectAuthContext
  var messages: [IDXMessage.Draft] = []

  /// What is wanted next: who signs in, then by which factor, then the proof.
  func draft() -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.messages = messages
    draft.username = context.username
    guard context.username != nil else {
      draft.remediations = [identify]
      return draft
    }
    draft.actions = [form(.cancel)]
    if let factor = context.factor {
      let resend = context.outOfBandCode == nil ? [] : [form(.resend)]
      draft.currentAuthenticator = factor.authenticator(data, actions: resend)
      draft.remediations = [proof(of: factor)]
    }
    if context.factor == nil || context.offered.count > 1 {
      draft.enrollments = context.offered.map(\.authenticator)
      draft.remediations.append(choice)
    }
    return draft
  }

  /// A response that offers nothing any more, and says why.
  static func end(_ message: IDXMessage.Draft) -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.messages = [message]
    return draft
  }

  /// The response of a sign-in that has succeeded, which has nothing more to say.
  static func success(of username: String?) -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.username = username
    return draft
  }

  private var identify: Remediation.Draft { form(.identify, [.username(context.loginHint)]) }

  private var choice: Remediation.Draft {
    form(
      .selectAuthenticatorAuthenticate,
      [
        Remediation.Field.Draft(
          "authenticator", among: .authenticatorEnrollments,
          context.offered.map { ($0.label, ["factor": .string($0.rawValue)]) })
      ])
  }

  private func proof(of factor: DirectAuthFactor) -> Remediation.Draft {
    guard context.isTyped || !factor.isOutOfBand else {
      return form(.challengePoll, refresh: .seconds(context.interval))
    }
    let fields =
      factor == .webAuthn
      ? ["authenticatorData", "clientData", "signatureData", "userHandle"].map {
        Remediation.Field.Draft($0, isRequired: $0 != "userHandle", isVisible: false)
      }
      : [
        Remediation.Field.Draft(
          "passcode", label: factor == .password ? "Password" : "Code", isRequired: true,
          isSecret: factor == .password)
      ]
    return form(.challengeAuthenticator, [Remediation.Field.Draft("credentials", form: fields)])
  }

  /// What the authenticator holds beside its name: the number to pick, or what a passkey is to sign.
  private var data: JSONValue? {
    if let challenge = context.challenge { return ["challengeData": challenge] }
    return context.number.map { ["correctAnswer": .string($0)] }
  }

  private func form(
    _ name: Remediation.Name, _ fields: [Remediation.Field.Draft] = [], refresh: Duration? = nil
  ) -> Remediation.Draft {
    let isAboutFactor = [.challengePoll, .challengeAuthenticator].contains(name)
    return Remediation.Draft(
      name, href: configuration.endpoints["token"].absoluteString,
      fields: fields,
      relatesTo: isAboutFactor ? ["$.currentAuthenticator"] : [], refresh: refresh)
  }
}
