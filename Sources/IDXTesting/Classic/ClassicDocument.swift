import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What the classic API says of the state in which a sign-in is.
extension OrgCore {
  /// The response; it follows from the transaction and the account alone.
  func classicDocument(_ transaction: OrgTransaction) -> JSONValue {
    let state: JSONValue = [
      "stateToken": .string(transaction.stateHandle),
      "expiresAt": .string(OrgReply.timestamp(transaction.expiresAt)),
    ]
    let content = content(of: transaction)
    var document = state.adding("status", .string(content.status))
      .adding("factorResult", content.factorResult.map(JSONValue.string))
      .adding("recoveryType", recoveryType(of: transaction))
    if content.status == "RECOVERY_CHALLENGE", let ceremony = transaction.ceremony {
      document = document.adding("factorType", .string(Self.recoveryWay(ceremony)))
    }
    var embedded = embedded(transaction)
    for member in content.embedded { embedded = embedded.adding(member.name, member.value) }
    let cancel = link(.cancel)
    return document.adding("_embedded", embedded)
      .adding("_links", content.links.adding("cancel", cancel))
  }

  /// What differs from state to state.
  private struct Content {
    let status: String
    var factorResult: String?
    var embedded: [(name: String, value: JSONValue)] = []
    var links: JSONValue = [:]
  }

  private func content(of transaction: OrgTransaction) -> Content {
    guard let account = transaction.account.flatMap({ accounts[$0] }) else {
      return Content(
        status: "UNAUTHENTICATED", links: ["next": link(.begin, name: "authenticate")])
    }
    if let ceremony = transaction.ceremony {
      switch ceremony.purpose {
      case .replace, .reset: return password(ceremony, account)
      case .enroll: return setUp(ceremony, account, transaction)
      case .challenge:
        return transaction.errand == nil
          ? challenge(ceremony, account, transaction) : recovery(ceremony, account)
      }
    }
    if case .selectEnrollment = transaction.step {
      let (kinds, isOptional) = offeredSetUps(transaction)
      let factors = kinds.map { setUpOffer($0, isOptional: isOptional) }
      let links: JSONValue = [:]
      return Content(
        status: "MFA_ENROLL", embedded: [("factors", .array(factors))],
        links: links.adding("skip", link(.skip), if: isOptional))
    }
    let factors = demandedFactors(transaction).map { json($0, of: account) }
    return Content(status: "MFA_REQUIRED", embedded: [("factors", .array(factors))])
  }

  private func challenge(
    _ ceremony: Ceremony, _ account: OrgAccount, _ transaction: OrgTransaction
  ) -> Content {
    guard let factor = account.factor(in: ceremony) else { return Content(status: "MFA_CHALLENGE") }
    let isPush = factor.kind.proof == .push
    let result = transaction.classic?.pushResult
    let id = factor.id(of: account)
    let asked = challengeData(ceremony, isWaiting: result == nil)
    let json = json(factor, of: account).adding("_embedded", asked.map { ["challenge": $0] })
    let name = isPush && result == nil ? "poll" : "verify"
    let links: JSONValue = ["next": link(.verify, id, name: name)]
    return Content(
      status: "MFA_CHALLENGE", factorResult: isPush ? result ?? "WAITING" : "CHALLENGE",
      embedded: [("factor", json)],
      links: links.adding("resend", resend(factor.kind, .resend, id))
        .adding("prev", link(.previous)))
  }

  private func setUp(
    _ ceremony: Ceremony, _ account: OrgAccount, _ transaction: OrgTransaction
  ) -> Content {
    guard let factor = account.factor(in: ceremony) else {
      return Content(status: "MFA_ENROLL_ACTIVATE")
    }
    let isPush = factor.kind.proof == .push
    let id = factor.id(of: account)
    var json: JSONValue = [
      "id": .string(id), "factorType": .string(factor.kind.type),
      "provider": .string(factor.kind.provider), "vendorName": .string(factor.kind.provider),
      "profile": setUpProfile(ceremony, account),
    ]
    json = json.adding(
      "_embedded", activationData(ceremony, transaction).map { ["activation": $0] })
    let links: JSONValue = ["next": link(.activate, id, name: isPush ? "poll" : "activate")]
    return Content(
      status: "MFA_ENROLL_ACTIVATE", factorResult: isPush ? "WAITING" : nil,
      embedded: [("factor", json)],
      links: links.adding("resend", resend(factor.kind, .resendActivation, id))
        .adding("prev", link(.previous)))
  }

  private func password(_ ceremony: Ceremony, _ account: OrgAccount) -> Content {
    let details = PasswordAuthenticator()
      .details(of: ceremony, for: account.user, policy: settings.policy)
    var policy: JSONValue = ["complexity": details.first?.value["complexity"] ?? [:]]
    if ceremony.purpose == .reset {
      return Content(
        status: "PASSWORD_RESET", embedded: [("policy", policy)],
        links: ["next": link(.resetPassword, name: "resetPassword")])
    }
    let links: JSONValue = ["next": link(.changePassword, name: "changePassword")]
    guard account.user.status != .passwordExpired, let days = account.user.daysToPasswordExpiry
    else {
      return Content(status: "PASSWORD_EXPIRED", embedded: [("policy", policy)], links: links)
    }
    let expiration: JSONValue = ["passwordExpireDays": .number(JSONValue.Number(days))]
    policy = policy.adding("expiration", expiration)
    return Content(
      status: "PASSWORD_WARN", embedded: [("policy", policy)],
      links: links.adding("skip", link(.skip)))
  }

  private func recovery(_ ceremony: Ceremony, _ account: OrgAccount) -> Content {
    guard ceremony.authenticator == .phone, let kind = ClassicFactor.Kind(ceremony) else {
      return Content(
        status: "RECOVERY", links: ["next": link(.recoveryAnswer, name: "answer")])
    }
    let way = Self.recoveryWay(ceremony)
    let links: JSONValue = ["next": link(.verifyRecovery, way, name: "verify")]
    return Content(
      status: "RECOVERY_CHALLENGE",
      links: links.adding("resend", resend(kind, .resendRecovery, way)))
  }
}
