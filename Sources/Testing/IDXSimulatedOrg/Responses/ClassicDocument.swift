import Foundation
import IDX
import IDXBase

/// Writes the response of the classic API for the state of a sign-in.
struct ClassicDocument {
  let settings: OrgSettings
  let signIn: SignIn
  let account: OrgAccount
  /// What the sign-in needs next.
  let requirement: SignInRequirement

  var json: JSONValue {
    guard signIn.accountKey != nil else {
      return state("UNAUTHENTICATED", links: ["next": link(.begin, name: "authenticate")])
    }
    if let challenge = signIn.challenge {
      switch challenge.purpose {
      case .replace, .reset: return password(challenge)
      case .challenge where signIn.operation != nil: return recovery(challenge)
      case .challenge: return verification(challenge)
      case .enroll: return setUp(challenge)
      }
    }
    guard case .selectEnrollment = signIn.step else {
      return state(
        "MFA_REQUIRED",
        embedded: ["factors": .array(requiredFactors.map(json(of:))), "policy": devicePolicy])
    }
    let (factors, isOptional) = offeredSetUps
    return state(
      "MFA_ENROLL",
      embedded: ["factors": .array(factors.map { offer($0, isOptional: isOptional) })],
      links: ["skip": isOptional ? link(.skip) : .none])
  }

  /// The factors of which one must be verified.
  var requiredFactors: [ClassicFactor] {
    guard case .challenge(let keys) = requirement else { return [] }
    return account.factors(of: keys)
  }

  /// The factors that can be set up, and whether that is optional.
  var offeredSetUps: (factors: [ClassicFactor], isOptional: Bool) {
    guard case .enrollment(let keys, let isOptional) = requirement else { return ([], false) }
    return (keys.flatMap { ClassicFactor.all(of: $0) }.filter(\.name.canBeSetUp), isOptional)
  }

  /// Whether the device can be remembered; nil if the policy treats all devices alike.
  private var devicePolicy: JSONValue? {
    settings.policy.devices.map { _ in
      [
        "allowRememberDevice": true, "rememberDeviceByDefault": false,
        "rememberDeviceLifetimeInMinutes": 1440,
      ]
    }
  }

  private func state(
    _ status: String, _ result: String? = nil, factorType: String? = nil,
    embedded members: KeyValuePairs<String, JSONValue?> = [:],
    links: KeyValuePairs<String, JSONValue?> = [:]
  ) -> JSONValue {
    .present([
      "stateToken": .string(signIn.handle), "expiresAt": .string(signIn.expiresAt.timestamp),
      "status": .string(status), "factorResult": result.map(JSONValue.string),
      "recoveryType": signIn.operation?.kind.recoveryType,
      "factorType": factorType.map(JSONValue.string),
      "_embedded": members.reduce(embedded) { $0.adding($1.key, $1.value) },
      "_links": JSONValue.present(links).adding("cancel", link(.cancel)),
    ])
  }

  private func verification(_ challenge: AuthenticatorChallenge) -> JSONValue {
    guard let factor = ClassicFactor(of: challenge, account: account) else { return .null }
    let isPush = factor.method.check.isPolled
    let result = signIn.classic.pushResult
    let id = factor.id(of: account)
    let data = challengeData(challenge, isWaiting: result == nil)
    return state(
      "MFA_CHALLENGE", isPush ? result ?? "WAITING" : "CHALLENGE",
      embedded: [
        "factor": json(of: factor).adding("_embedded", data.map { ["challenge": $0] }),
        "policy": devicePolicy,
      ],
      links: [
        "next": link(.verify, id, name: isPush && result == nil ? "poll" : "verify"),
        "resend": resend(factor, .resend, id), "prev": link(.previous),
      ])
  }

  private func setUp(_ challenge: AuthenticatorChallenge) -> JSONValue {
    guard let factor = ClassicFactor(of: challenge, account: account) else { return .null }
    let isPush = challenge.check.isPolled
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
    return state(
      "MFA_ENROLL_ACTIVATE", isPush ? "WAITING" : nil, embedded: ["factor": json],
      links: [
        "next": link(.activate, id, name: isPush ? "poll" : "activate"),
        "resend": resend(factor, .resendActivation, id), "prev": link(.previous),
      ])
  }

  private func password(_ challenge: AuthenticatorChallenge) -> JSONValue {
    let rules = settings.policy.passwordSettings(for: account.user)["complexity"]
    let isReset = challenge.purpose == .reset
    let days = account.user.status == .passwordExpired ? nil : account.user.daysToPasswordExpiry
    let isExpiring = !isReset && days != nil
    let expiration = days.map { ["passwordExpireDays": JSONValue($0)] as JSONValue }
    let policy = JSONValue.present([
      "complexity": rules ?? [:], "expiration": isReset ? .none : expiration,
    ])
    return state(
      isReset ? "PASSWORD_RESET" : isExpiring ? "PASSWORD_WARN" : "PASSWORD_EXPIRED",
      embedded: ["policy": policy],
      links: [
        "next": isReset
          ? link(.resetPassword, name: "resetPassword")
          : link(.changePassword, name: "changePassword"), "skip": isExpiring ? link(.skip) : .none,
      ])
  }

  private func recovery(_ challenge: AuthenticatorChallenge) -> JSONValue {
    guard challenge.authenticator.key == .phone,
      let factor = ClassicFactor(of: challenge, account: account)
    else { return state("RECOVERY", links: ["next": link(.recoveryAnswer, name: "answer")]) }
    let channel = challenge.method?.value == "voice" ? "CALL" : "SMS"
    return state(
      "RECOVERY_CHALLENGE", factorType: channel,
      links: [
        "next": link(.verifyRecovery, channel, name: "verify"),
        "resend": resend(factor, .resendRecovery, channel),
      ])
  }

  // MARK: - Members

  /// The user, after the first check.
  var embedded: JSONValue {
    guard !signIn.verified.keys.isEmpty || signIn.operation?.isVerifiedByLink == true else {
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

  private func link(
    _ action: ClassicPath, _ factor: String = "", name: String? = nil
  ) -> JSONValue { settings.link(action, factor, name: name) }

  private func resend(
    _ factor: ClassicFactor, _ action: ClassicPath, _ name: String
  ) -> JSONValue? {
    guard factor.method.check is SentCode else { return nil }
    return [link(action, name, name: factor.name.type)]
  }

  private func json(of factor: ClassicFactor) -> JSONValue {
    let id = factor.id(of: account)
    return factor.json.adding("id", .string(id)).adding("profile", factor.profile(of: account.user))
      .adding("_links", ["verify": link(.verify, id)])
  }

  private func offer(_ factor: ClassicFactor, isOptional: Bool) -> JSONValue {
    let links: JSONValue = ["enroll": link(.enroll)]
    let questions: JSONValue = [
      "href": .string(settings.origin + "/api/v1/factors/questions"), "hints": ["allow": ["GET"]],
    ]
    let isQuestion = factor.authenticator.key == .securityQuestion
    return factor.json.adding("status", "NOT_SETUP")
      .adding("enrollment", isOptional ? "OPTIONAL" : "REQUIRED")
      .adding("_links", links.adding("questions", questions, if: isQuestion))
  }

  /// The WebAuthn challenge, or the number to choose.
  private func challengeData(_ challenge: AuthenticatorChallenge, isWaiting: Bool) -> JSONValue? {
    if let number = challenge.device.number.flatMap({ Int($0) }), isWaiting {
      return ["correctAnswer": JSONValue(number)]
    }
    return challenge.passkeyRequest.map { request in
      .present([
        "challenge": request["challenge"], "userVerification": request["userVerification"],
        "extensions": request["extensions"],
      ])
    }
  }

  private func activationData(_ challenge: AuthenticatorChallenge) -> JSONValue? {
    guard let token = signIn.classic.imageToken else { return nil }
    let image: JSONValue = [
      "qrcode": ["href": .string(settings.classicImages + token), "type": "image/png"]
    ]
    guard !challenge.check.isPolled, let secret = challenge.sharedSecret else {
      return [
        "expiresAt": .string(signIn.expiresAt.timestamp), "factorResult": "WAITING",
        "_links": image,
      ]
    }
    return [
      "timeStep": 30, "sharedSecret": .string(secret.revealed), "encoding": "base32",
      "keyLength": 6, "_links": image,
    ]
  }
}

extension OrgSettings {
  func link(_ action: ClassicPath, _ factor: String = "", name: String? = nil) -> JSONValue {
    let link: JSONValue = [
      "href": .string(classic(action.path(factor))), "hints": ["allow": ["POST"]],
    ]
    return link.adding("name", name.map(JSONValue.string))
  }
}

extension AccountOperation.Kind {
  /// The type in the classic API; nil if the API does not support it.
  var recoveryType: JSONValue? {
    switch self {
    case .recovery: "PASSWORD"
    case .unlock: "UNLOCK"
    case .registration: .none
    }
  }
}
