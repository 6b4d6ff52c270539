import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What each address under `/idp/idx` does. A body that comes here fits a form that was offered.
extension OrgCore {
  typealias Action =
    @Sendable (inout OrgCore, inout OrgTransaction, JSONValue) -> OrgOutcome

  /// The actions by their path; a new flow adds its lines here.
  static let actions: [String: Action] = [
    "/identify": { $0.identify(&$1, $2) },
    "/challenge": { $0.choose(.challenge, &$1, $2) },
    "/challenge/answer": { $0.answer(&$1, $2) },
    "/challenge/resend": { org, transaction, _ in org.resend(&transaction) },
    "/challenge/poll": { $0.poll(&$1, $2) },
    "/challenge/send": { $0.send(&$1, $2) },
    "/authenticators/poll": { $0.poll(&$1, $2) },
    "/authenticators/poll/cancel": { org, transaction, _ in org.advance(&transaction) },
    "/credential/enroll": {
      $1.ceremony?.isPromotion == true ? $0.answer(&$1, $2) : $0.choose(.enroll, &$1, $2)
    },
    "/skip": { org, transaction, _ in org.skip(&transaction) },
    "/cancel": { org, transaction, _ in org.cancel(&transaction) },
  ]

  private mutating func identify(_ transaction: inout OrgTransaction, _ body: JSONValue)
    -> OrgOutcome
  {
    let login = body["identifier"]?.string ?? ""
    if let refusal = refusedCaptcha(in: body) { return refusal }
    if let errand = transaction.errand {
      return take(errand.kind, for: login, &transaction) ?? advance(&transaction)
    }
    let key = OrgAccount.Key(login)
    let account = accounts[key] ?? OrgAccount(nobodyCalled: login)
    if settings.policy.start == .withPassword {
      let password = body["credentials"]?["passcode"]?.string
      guard account.isOpen, password == account.user.password.revealed else {
        return fail(
          Rejection(status: 400, message: .authenticationFailed), key, account, &transaction)
      }
      transaction.verified = [.password]
    }
    accounts[key] = account
    transaction.account = key
    return advance(&transaction)
  }

  private mutating func choose(
    _ purpose: Ceremony.Purpose, _ transaction: inout OrgTransaction, _ body: JSONValue
  ) -> OrgOutcome {
    guard let choice = body["authenticator"], let id = choice["id"]?.string,
      let kind = OrgAuthenticators.with(id: id)
    else { return OrgOutcome() }
    if case .account(.selectUnlock) = transaction.step {
      let login = body["identifier"]?.string ?? ""
      if let refusal = take(.unlock, for: login, by: kind.key, &transaction) { return refusal }
    }
    var ceremony = Ceremony(authenticator: kind.key, purpose: purpose)
    ceremony.method = (choice["methodType"]?.string).map(IDXAuthenticator.Method.init(rawValue:))
    ceremony.phoneNumber = choice["phoneNumber"]?.string
    ceremony.device = DeviceErrand(choice)
    ceremony.isConfirmed =
      transaction.ceremony?.authenticator == kind.key && transaction.ceremony?.purpose == purpose
    if purpose == .challenge, let account = transaction.account.flatMap({ accounts[$0] }) {
      ceremony.enrollment = account.user.enrollments.indices.first { index in
        account.user.enrollments[index].authenticator == kind.key
          && choice["enrollmentId"].map { $0.string == account.enrollmentID(at: index) } ?? true
      }
    }
    return open(ceremony, wasChosen: true, &transaction)
  }

  private mutating func answer(_ transaction: inout OrgTransaction, _ body: JSONValue) -> OrgOutcome
  {
    guard let key = transaction.account, var account = accounts[key],
      let ceremony = transaction.ceremony, let kind = OrgAuthenticators[ceremony.authenticator]
    else { return OrgOutcome() }
    let credentials = body["credentials"] ?? .null
    if let rejection = kind.judge(credentials, of: ceremony, by: account, in: self) {
      kind.note(rejection, credentials: credentials, in: &account, at: now)
      accounts[key] = account
      return fail(rejection, key, account, &transaction)
    }
    return complete(ceremony, with: credentials, &transaction)
  }

  private mutating func resend(_ transaction: inout OrgTransaction) -> OrgOutcome {
    guard var ceremony = transaction.ceremony else { return OrgOutcome() }
    ceremony.isConfirmed = true
    return open(ceremony, wasChosen: true, &transaction)
  }

  private mutating func skip(_ transaction: inout OrgTransaction) -> OrgOutcome {
    if transaction.ceremony?.purpose == .replace {
      transaction.keepsPassword = true
    } else {
      transaction.hasSkipped = true
    }
    return advance(&transaction)
  }

  private mutating func cancel(_ transaction: inout OrgTransaction) -> OrgOutcome {
    let interaction = transaction.interaction
    let handle = beginTransaction(of: interaction)
    interactions[interaction]?.stateHandle = handle
    if let fresh = transactions[handle] { transaction = fresh }
    return .step
  }
}
