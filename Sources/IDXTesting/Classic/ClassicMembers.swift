import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What responses of the classic API are made of.
extension OrgCore {
  /// Who signs in, once something was proved.
  func embedded(_ transaction: OrgTransaction) -> JSONValue {
    guard let account = transaction.account.flatMap({ accounts[$0] }),
      !transaction.verified.isEmpty || transaction.errand?.isProved == true
    else { return [:] }
    var user: JSONValue = [
      "id": .string(account.id),
      "profile": [
        "login": .string(account.user.login), "firstName": .string(account.user.firstName),
        "lastName": .string(account.user.lastName), "locale": "en_US", "timeZone": "Etc/UTC",
      ],
    ]
    if transaction.errand != nil, transaction.ceremony?.authenticator == .securityQuestion,
      case .question(_, let text, _)? = account.user.enrollment(of: .securityQuestion)?.detail
    {
      user = user.adding("recovery_question", ["question": .string(text)])
    }
    return ["user": user]
  }

  func recoveryType(of transaction: OrgTransaction) -> JSONValue? {
    transaction.errand?.kind.recoveryType.map(JSONValue.string)
  }

  /// By which way a recovery sends its code, as addresses have it.
  static func recoveryWay(_ ceremony: Ceremony) -> String {
    ceremony.method == "voice" ? "CALL" : "SMS"
  }

  /// What is said to someone who is locked.
  var lockedOut: JSONValue {
    ["status": "LOCKED_OUT", "_embedded": [:], "_links": ["next": link(.unlock, name: "unlock")]]
  }

  func link(_ action: ClassicAction, _ factor: String = "", name: String? = nil) -> JSONValue {
    let link: JSONValue = [:]
    return link.adding("name", name.map(JSONValue.string))
      .adding("href", .string(settings.authn(action.path(factor))))
      .adding("hints", ["allow": ["POST"]])
  }

  /// The way of having a code sent again; nil where none is sent.
  func resend(_ kind: ClassicFactor.Kind, _ action: ClassicAction, _ factor: String) -> JSONValue? {
    guard kind.proof == .sentCode else { return nil }
    return [link(action, factor, name: kind.type)]
  }

  /// A factor that is set up.
  func json(_ factor: ClassicFactor, of account: OrgAccount) -> JSONValue {
    let id = factor.id(of: account)
    return [
      "id": .string(id), "factorType": .string(factor.kind.type),
      "provider": .string(factor.kind.provider), "vendorName": .string(factor.kind.provider),
      "profile": account.profile(of: factor), "_links": ["verify": link(.verify, id)],
    ]
  }

  /// A factor that can be set up.
  func setUpOffer(_ kind: ClassicFactor.Kind, isOptional: Bool) -> JSONValue {
    var links: JSONValue = ["enroll": link(.enroll)]
    if kind.authenticator == .securityQuestion {
      links = links.adding(
        "questions",
        ["href": .string(settings.factorQuestions), "hints": ["allow": ["GET"]]])
    }
    return [
      "factorType": .string(kind.type), "provider": .string(kind.provider),
      "vendorName": .string(kind.provider), "status": "NOT_SETUP",
      "enrollment": isOptional ? "OPTIONAL" : "REQUIRED", "_links": links,
    ]
  }

  /// What is to be signed, or to be picked; nil where it is neither.
  func challengeData(_ ceremony: Ceremony, isWaiting: Bool) -> JSONValue? {
    if let number = ceremony.device.number.flatMap({ Int($0) }), isWaiting {
      return ["correctAnswer": .number(JSONValue.Number(number))]
    }
    return ceremony.passkeyRequest.map { request in
      let data: JSONValue = [:]
      return data.adding("challenge", request["challenge"])
        .adding("userVerification", request["userVerification"])
        .adding("extensions", request["extensions"])
    }
  }

  /// What is shown of a factor that is being set up.
  func setUpProfile(_ ceremony: Ceremony, _ account: OrgAccount) -> JSONValue {
    switch ceremony.authenticator {
    case .phone: ["phoneNumber": .string(ceremony.phoneNumber ?? "")]
    case .email: ["email": .string(account.user.email)]
    default: ["credentialId": .string(account.user.login)]
    }
  }

  /// What an app needs to be set up; nil where no app is.
  func activationData(_ ceremony: Ceremony, _ transaction: OrgTransaction) -> JSONValue? {
    guard let token = transaction.classic?.imageToken else { return nil }
    let image: JSONValue = [
      "qrcode": ["href": .string(settings.factorImages + token), "type": "image/png"]
    ]
    guard ceremony.authenticator == .googleAuthenticator, let secret = ceremony.sharedSecret else {
      return [
        "expiresAt": .string(OrgReply.timestamp(transaction.expiresAt)),
        "factorResult": "WAITING", "_links": image,
      ]
    }
    return [
      "timeStep": 30, "sharedSecret": .string(secret.revealed), "encoding": "base32",
      "keyLength": 6, "_links": image,
    ]
  }
}
