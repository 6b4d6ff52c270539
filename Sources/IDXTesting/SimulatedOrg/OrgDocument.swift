import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes the response for the step at which a sign-in stands (protocol sections 2.1 to 2.7).
struct OrgDocument {
  let settings: OrgSettings
  let transaction: OrgTransaction
  let account: OrgAccount?

  /// The response, with what came of the request.
  func json(_ outcome: OrgOutcome) -> JSONValue {
    var messages = standingMessages + outcome.messages
    if case .refused(let message) = transaction.step { messages = [message] }
    var document: JSONValue = [
      "version": "1.0.0",
      "stateHandle": .string(transaction.stateHandle),
      "expiresAt": .string(OrgReply.timestamp(transaction.expiresAt)),
      "intent": "LOGIN",
    ]
    let remediations = placing(outcome.fieldMessages, in: forms)
    document = document.adding("remediation", list(remediations), if: !remediations.isEmpty)
      .adding("messages", OrgMessage.list(messages), if: !messages.isEmpty)
    for (name, value) in authenticators + accountMembers { document = document.adding(name, value) }
    return document.adding("user", user).adding("cancel", cancel).adding("app", app)
      .adding("successWithInteractionCode", issue)
  }

  private var app: JSONValue {
    wrap(["name": "oidc_client", "label": "Demo app", "id": .string(settings.clientID)])
  }

  /// Who signs in; their name only once the password was right.
  private var user: JSONValue? {
    guard let account else { return nil }
    let user: JSONValue = ["id": .string(account.id), "identifier": .string(account.user.login)]
    let profile: JSONValue = [
      "firstName": .string(account.user.firstName), "lastName": .string(account.user.lastName),
    ]
    return wrap(user.adding("profile", profile, if: !transaction.verified.isEmpty))
  }

  private var cancel: JSONValue? {
    guard hasCancel else { return nil }
    return form(.cancel, "/cancel")
  }

  /// The form that trades the interaction code for tokens; it has no state handle.
  private var issue: JSONValue? {
    guard case .succeeded(let code) = transaction.step else { return nil }
    return [
      "rel": ["create-form"], "name": "issue",
      "href": .string(settings.oauthBase + "/token"), "method": "POST",
      "value": [
        ["name": "grant_type", "required": true, "value": "interaction_code"],
        ["name": "interaction_code", "required": true, "value": .string(code)],
        ["name": "client_id", "required": true, "value": .string(settings.clientID)],
        ["name": "code_verifier", "required": true],
      ],
      "accepts": "application/x-www-form-urlencoded",
    ]
  }

  private var forms: [JSONValue] {
    switch transaction.step {
    case .identify: identifyForms(identify)
    case .account(let step): forms(of: step)
    case .selectChallenge: alternatives
    case .selectEnrollment: alternatives + skip
    case .needsData(let ceremony):
      (ownForms(ceremony) ?? [dataForm(ceremony)].compactMap(\.self)) + alternatives + skip
    case .ceremony(let ceremony):
      (ownForms(ceremony) ?? [answerForm(ceremony)].compactMap(\.self)) + alternatives + skip
    case .refused, .succeeded: []
    }
  }

  private var identify: JSONValue {
    var fields = [OrgForm.text("identifier", label: "Username")]
    if settings.policy.start == .withPassword {
      let passcode = OrgForm.text("passcode", label: "Password", secret: true)
      fields.append(OrgForm.nested("credentials", [passcode]))
    }
    fields.append(OrgForm.boolean("rememberMe", label: "Remember this device"))
    return form(.identify, "/identify", fields + captchaField)
  }

  private var skip: [JSONValue] {
    switch demand {
    case .enrollment(_, isOptional: true), .expiringPassword: break
    default: guard transaction.ceremony?.isPromotion == true else { return [] }
    }
    return [form(.skip, "/skip")]
  }

  /// What can be chosen instead of the current authenticator, or at all.
  private var alternatives: [JSONValue] {
    guard let account else { return [] }
    let current = transaction.ceremony
    switch demand {
    case .challenge(let keys):
      let options = challengeOptions(keys, of: account)
      // One authenticator with several methods is a choice too.
      let isChoice =
        options.count > 1 || keys.contains { (OrgAuthenticators[$0]?.methods.count ?? 0) > 1 }
      guard current == nil || isChoice else { return [] }
      return [
        form(
          transaction.errand?.kind == .unlock
            ? .selectAuthenticatorUnlockAccount : .selectAuthenticatorAuthenticate,
          "/challenge",
          [OrgForm.alternatives("authenticator", options)])
      ]
    case .enrollment(let keys, _):
      let options = keys.enumerated().compactMap { index, key -> JSONValue? in
        guard key != current?.authenticator, let kind = OrgAuthenticators[key] else { return nil }
        let fields =
          [OrgForm.fixed("id", kind.id)]
          + kind.choiceFields(for: .enroll, rules: settings.policy.factors)
        let reference = "$.authenticators.value[\(index)]"
        return OrgForm.option(label: kind.displayName, relatesTo: reference, fields)
      }
      guard !options.isEmpty else { return [] }
      return [
        form(
          .selectAuthenticatorEnroll, "/credential/enroll",
          [OrgForm.alternatives("authenticator", options)])
      ]
    default: return []
    }
  }

  private func challengeOptions(_ keys: [IDXAuthenticator.Key], of account: OrgAccount)
    -> [JSONValue]
  {
    account.user.enrollments.enumerated().compactMap { index, enrollment in
      guard keys.contains(enrollment.authenticator),
        let kind = OrgAuthenticators[enrollment.authenticator]
      else { return nil }
      var fields = [OrgForm.fixed("id", kind.id)] + kind.choiceFields(for: .challenge)
      if kind.canBeEnrolledTwice {
        fields.append(OrgForm.fixed("enrollmentId", account.enrollmentID(at: index)))
      }
      let place = keys.firstIndex(of: kind.key) ?? 0
      // The password comes first among the enrolments, where there is one.
      let enrolled = account.hasPassword ? index + 1 : index
      let reference =
        kind.isChosenByEnrollment
        ? "$.authenticatorEnrollments.value[\(enrolled)]" : "$.authenticators.value[\(place)]"
      return OrgForm.option(label: kind.displayName, relatesTo: reference, fields)
    }
  }

  private func dataForm(_ ceremony: Ceremony) -> JSONValue? {
    guard let kind = OrgAuthenticators[ceremony.authenticator], let account,
      let missing = kind.dataFields(for: ceremony, rules: settings.policy.factors)
    else { return nil }
    var fields = [OrgForm.fixed("id", kind.id)] + missing
    let isChallenge = ceremony.purpose == .challenge
    if isChallenge, kind.canBeEnrolledTwice {
      fields.append(
        OrgForm.fixed("enrollmentId", account.enrollmentID(at: ceremony.enrollment)))
    }
    return form(
      isChallenge ? .authenticatorVerificationData : .authenticatorEnrollmentData,
      isChallenge ? "/challenge" : "/credential/enroll",
      [OrgForm.nested("authenticator", label: kind.displayName, fields)],
      relatesTo: "$.\(container(of: ceremony, kind))")
  }

  private func ownForms(_ ceremony: Ceremony) -> [JSONValue]? {
    guard let kind = OrgAuthenticators[ceremony.authenticator] else { return nil }
    var isReady = false
    if case .ceremony = transaction.step { isReady = true }
    let forms = kind.forms(for: ceremony, isReady: isReady, rules: settings.policy.factors)
    return forms?.map { form in
      self.form(
        form.name, form.path, form.fields,
        relatesTo: form.isAboutCurrent ? "$.\(container(of: ceremony, kind))" : nil,
        refresh: form.refresh)
    }
  }

  private func answerForm(_ ceremony: Ceremony) -> JSONValue? {
    guard let kind = OrgAuthenticators[ceremony.authenticator], let account else { return nil }
    let name: Remediation.Name =
      switch ceremony.purpose {
      case .challenge: .challengeAuthenticator
      case .enroll: ceremony.isPromotion ? .enrollAuthenticatorPromotion : .enrollAuthenticator
      case .replace: replacement
      case .reset: .resetAuthenticator
      }
    let reference = "$.\(container(of: ceremony, kind))"
    if kind.key == .externalIdentityProvider { return page(relatesTo: reference) }
    let form = form(
      name, ceremony.isPromotion ? "/credential/enroll" : "/challenge/answer",
      [kind.credentials(for: ceremony, of: account.user)], relatesTo: reference)
    return adding(siteTo: form, for: ceremony)
  }

  private func placing(_ messages: [String: OrgMessage], in forms: [JSONValue]) -> [JSONValue] {
    guard let first = forms.first, var fields = first["value"] else { return forms }
    for (path, message) in messages {
      fields = OrgForm.placing(message, at: path.split(separator: ".").map(String.init), in: fields)
    }
    return [first.adding("value", fields)] + forms.dropFirst()
  }
}
