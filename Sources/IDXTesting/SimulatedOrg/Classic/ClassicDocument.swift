import Foundation
import IDX
import IDXBase

// What responses of the classic API say about the state of a sign-in (protocol section 8).
extension OrgCore {
  var classicDocument: JSONValue {
    let content = content
    let isCode = content.status == "RECOVERY_CHALLENGE"
    let document: JSONValue = [
      "stateToken": .string(signIn.handle), "expiresAt": signIn.expiresAt.timestamp,
      "status": .string(content.status),
    ]
    let embedded = content.embedded.object?.members.reduce(embedded) {
      $0.adding($1.name, $1.value)
    }
    return document.adding("factorResult", content.factorResult.map(JSONValue.string))
      .adding("recoveryType", signIn.operation?.kind.recoveryType)
      .adding("factorType", signIn.challenge.map { .string($0.recoveryChannel) }, if: isCode)
      .adding("_embedded", embedded)
      .adding("_links", content.links.adding("cancel", link(.cancel)))
  }

  /// What differs between states.
  private struct Content {
    let status: String
    var factorResult: String?
    var embedded: JSONValue = [:]
    var links: JSONValue = [:]
  }

  private var content: Content {
    guard signIn.account != nil else {
      return Content(
        status: "UNAUTHENTICATED", links: ["next": link(.begin, name: "authenticate")])
    }
    if let challenge = signIn.challenge {
      switch challenge.purpose {
      case .replace, .reset: return password(challenge)
      case .enroll: return setUp(challenge)
      case .challenge:
        return signIn.operation == nil ? self.challenge(challenge) : recovery(challenge)
      }
    }
    if case .selectEnrollment = signIn.step {
      let (factors, isOptional) = offeredSetUps
      let links: JSONValue = [:]
      return Content(
        status: "MFA_ENROLL",
        embedded: ["factors": .array(factors.map { offer($0, isOptional: isOptional) })],
        links: links.adding("skip", link(.skip), if: isOptional))
    }
    let factors = JSONValue.array(requiredFactors.map(json))
    return Content(status: "MFA_REQUIRED", embedded: ["factors": factors])
  }

  private func challenge(_ challenge: AuthenticatorChallenge) -> Content {
    guard let factor = ClassicFactor(of: challenge, account: account) else {
      return Content(status: "MFA_CHALLENGE")
    }
    let isPush = factor.method.proof.isPolled
    let result = signIn.classic.pushResult
    let id = factor.id(of: account)
    let data = challengeData(challenge, isWaiting: result == nil)
    let json = json(factor).adding("_embedded", data.map { ["challenge": $0] })
    let next = link(.verify, id, name: isPush && result == nil ? "poll" : "verify")
    let links: JSONValue = ["next": next]
    return Content(
      status: "MFA_CHALLENGE", factorResult: isPush ? result ?? "WAITING" : "CHALLENGE",
      embedded: ["factor": json],
      links: links.adding("resend", resend(factor, .resend, id)).adding("prev", link(.previous)))
  }

  private func setUp(_ challenge: AuthenticatorChallenge) -> Content {
    guard let factor = ClassicFactor(of: challenge, account: account) else {
      return Content(status: "MFA_ENROLL_ACTIVATE")
    }
    let isPush = challenge.proof.isPolled
    let id = factor.id(of: account)
    let profile: JSONValue =
      switch challenge.authenticator.key {
      case .phone: ["phoneNumber": .string(challenge.phoneNumber ?? "")]
      case .email: ["email": .string(account.user.email)]
      default: ["credentialId": .string(account.user.login)]
      }
    let data = activationData(challenge)
    let json = factor.json.adding("id", .string(id)).adding("profile", profile)
      .adding("_embedded", data.map { ["activation": $0] })
    let links: JSONValue = ["next": link(.activate, id, name: isPush ? "poll" : "activate")]
    return Content(
      status: "MFA_ENROLL_ACTIVATE", factorResult: isPush ? "WAITING" : nil,
      embedded: ["factor": json],
      links: links.adding("resend", resend(factor, .resendActivation, id))
        .adding("prev", link(.previous)))
  }

  private func password(_ challenge: AuthenticatorChallenge) -> Content {
    let rules = settings.policy.passwordSettings(for: account.user)["complexity"]
    let policy: JSONValue = ["complexity": rules ?? [:]]
    if challenge.purpose == .reset {
      return Content(
        status: "PASSWORD_RESET", embedded: ["policy": policy],
        links: ["next": link(.resetPassword, name: "resetPassword")])
    }
    let links: JSONValue = ["next": link(.changePassword, name: "changePassword")]
    guard account.user.status != .passwordExpired, let days = account.user.daysToPasswordExpiry
    else {
      return Content(status: "PASSWORD_EXPIRED", embedded: ["policy": policy], links: links)
    }
    let expiration: JSONValue = ["passwordExpireDays": JSONValue(days)]
    return Content(
      status: "PASSWORD_WARN", embedded: ["policy": policy.adding("expiration", expiration)],
      links: links.adding("skip", link(.skip)))
  }

  private func recovery(_ challenge: AuthenticatorChallenge) -> Content {
    guard challenge.authenticator.key == .phone,
      let factor = ClassicFactor(of: challenge, account: account)
    else {
      return Content(status: "RECOVERY", links: ["next": link(.recoveryAnswer, name: "answer")])
    }
    let channel = challenge.recoveryChannel
    let links: JSONValue = ["next": link(.verifyRecovery, channel, name: "verify")]
    return Content(
      status: "RECOVERY_CHALLENGE",
      links: links.adding("resend", resend(factor, .resendRecovery, channel)))
  }

  // MARK: - Members

  /// Who signs in, after something was proved.
  var embedded: JSONValue {
    guard !signIn.proved.keys.isEmpty || signIn.operation?.isProvedByLink == true else {
      return [:]
    }
    let user: JSONValue = [
      "id": .string(account.id),
      "profile": [
        "login": .string(account.user.login), "firstName": .string(account.user.firstName),
        "lastName": .string(account.user.lastName), "locale": "en_US", "timeZone": "Etc/UTC",
      ],
    ]
    var question: JSONValue?
    if signIn.operation != nil, signIn.challenge?.authenticator.key == .securityQuestion,
      case .question(let asked, _)? = account.user.enrollment(of: .securityQuestion)?.detail
    {
      question = ["question": .string(asked.text)]
    }
    return ["user": user.adding("recovery_question", question)]
  }

  func link(_ action: ClassicAction, _ factor: String = "", name: String? = nil) -> JSONValue {
    let link: JSONValue = [
      "href": .string(settings.classic(action.path(factor))), "hints": ["allow": ["POST"]],
    ]
    return link.adding("name", name.map(JSONValue.string))
  }

  private func resend(
    _ factor: ClassicFactor, _ action: ClassicAction, _ name: String
  ) -> JSONValue? {
    guard factor.method.proof is SentCode else { return nil }
    return [link(action, name, name: factor.name.type)]
  }

  private func json(_ factor: ClassicFactor) -> JSONValue {
    let id = factor.id(of: account)
    return factor.json.adding("id", .string(id))
      .adding("profile", factor.profile(of: account.user))
      .adding("_links", ["verify": link(.verify, id)])
  }

  private func offer(_ factor: ClassicFactor, isOptional: Bool) -> JSONValue {
    let links: JSONValue = ["enroll": link(.enroll)]
    let questions: JSONValue = [
      "href": .string(settings.classicQuestions), "hints": ["allow": ["GET"]],
    ]
    let isQuestion = factor.authenticator.key == .securityQuestion
    return factor.json.adding("status", "NOT_SETUP")
      .adding("enrollment", isOptional ? "OPTIONAL" : "REQUIRED")
      .adding("_links", links.adding("questions", questions, if: isQuestion))
  }

  /// What must be signed or picked.
  private func challengeData(_ challenge: AuthenticatorChallenge, isWaiting: Bool) -> JSONValue? {
    if let number = challenge.device.number.flatMap({ Int($0) }), isWaiting {
      return ["correctAnswer": JSONValue(number)]
    }
    return challenge.passkeyRequest.map { request in
      let data: JSONValue = [:]
      return data.adding("challenge", request["challenge"])
        .adding("userVerification", request["userVerification"])
        .adding("extensions", request["extensions"])
    }
  }

  /// What an app needs to be set up.
  private func activationData(_ challenge: AuthenticatorChallenge) -> JSONValue? {
    guard let token = signIn.classic.imageToken else { return nil }
    let image: JSONValue = [
      "qrcode": ["href": .string(settings.classicImages + token), "type": "image/png"]
    ]
    guard !challenge.proof.isPolled, let secret = challenge.sharedSecret else {
      return [
        "expiresAt": signIn.expiresAt.timestamp, "factorResult": "WAITING", "_links": image,
      ]
    }
    return [
      "timeStep": 30, "sharedSecret": .string(secret.revealed), "encoding": "base32",
      "keyLength": 6, "_links": image,
    ]
  }
}

extension AuthenticatorChallenge {
  /// How a recovery sends its code, as addresses have it.
  fileprivate var recoveryChannel: String { method?.value == "voice" ? "CALL" : "SMS" }
}

extension AccountOperation.Kind {
  /// What the classic API calls a recovery; nil if it does not have it.
  var recoveryType: JSONValue? {
    switch self {
    case .recovery: "PASSWORD"
    case .unlock: "UNLOCK"
    case .registration: .none
    }
  }
}
