import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// Builds the response for the next step, with the names of Identity Engine.
struct DirectAuthResponseBuilder {
  let configuration: FlowConfiguration
  let clientState: DirectAuthClientState
  var messages: [IDXMessage.Draft] = []

  /// The response: it asks for the username, then for a factor, then for the proof of it.
  func draft() -> IDXResponse.Draft {
    var draft = IDXResponse.Draft(messages: messages, username: clientState.username)
    guard clientState.username != nil else {
      draft.remediations = [form(.identify, [.username(clientState.loginHint)])]
      return draft
    }
    draft.actions = [form(.cancel)]
    if let factor = clientState.factor {
      let resend = clientState.outOfBandCode == nil ? [] : [form(.resend)]
      draft.currentAuthenticator = factor.authenticator(contextualData, actions: resend)
      draft.remediations = [proof(of: factor)]
    }
    if clientState.factor == nil || clientState.offered.count > 1 {
      draft.enrollments = clientState.offered.map { $0.authenticator() }
      draft.remediations.append(choice)
    }
    return draft
  }

  private var choice: Remediation.Draft {
    form(
      .selectAuthenticatorAuthenticate,
      [
        Remediation.Field.Draft(
          "authenticator", among: .authenticatorEnrollments,
          clientState.offered.map { factor in
            // Identity Engine has the same names of methods, except for a code of Okta Verify.
            let name = JSONValue.string(factor.rawValue)
            return (factor.label, ["factor": name, "methodType": name])
          })
      ])
  }

  private func proof(of factor: DirectAuthFactor) -> Remediation.Draft {
    guard clientState.isTyped || !factor.isOutOfBand else {
      return form(.challengePoll, refresh: .seconds(clientState.interval))
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

  /// The number to choose in the app, or the challenge of a passkey.
  private var contextualData: JSONValue? {
    if let challenge = clientState.challenge { return ["challengeData": challenge] }
    return clientState.number.map { ["correctAnswer": .string($0)] }
  }

  private func form(
    _ name: Remediation.Name, _ fields: [Remediation.Field.Draft] = [], refresh: Duration? = nil
  ) -> Remediation.Draft {
    let isAboutFactor = [.challengePoll, .challengeAuthenticator].contains(name)
    return Remediation.Draft(
      name, href: configuration.endpoints["token"].absoluteString, fields: fields,
      relatesTo: isAboutFactor ? ["$.currentAuthenticator"] : [], refresh: refresh)
  }
}
