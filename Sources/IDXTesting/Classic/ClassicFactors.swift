import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Proving factors by the classic API.
extension OrgCore {
  /// The factors of which one has to be proved.
  func demandedFactors(_ transaction: OrgTransaction) -> [ClassicFactor] {
    guard case .challenge(let keys) = classicDemand(transaction),
      let account = transaction.account.flatMap({ accounts[$0] })
    else { return [] }
    return account.factors(of: keys)
  }

  /// Begins a challenge, asks what became of it, or takes its answer.
  mutating func verify(
    _ factor: ClassicFactor, _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let ceremony = transaction.ceremony else {
      let ceremony = factor.ceremony(for: .challenge)
      guard !factor.kind.begins else { return try open(ceremony, &transaction) }
      return try prove(ceremony, by: body, &transaction)
    }
    guard factor.kind.proof == .push else { return try prove(ceremony, by: body, &transaction) }
    if case .failed = ceremony.device.stage {
      return try open(factor.ceremony(for: .challenge), &transaction)
    }
    return try poll(ceremony, &transaction)
  }

  /// Asks what the person's device has done.
  mutating func poll(
    _ ceremony: Ceremony, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    var ceremony = ceremony
    switch ceremony.device.event(by: now) {
    case nil: return recordClassic(transaction)
    case .approved: return try finish(ceremony, with: .null, &transaction)
    case .rejected: transaction.classic?.pushResult = "REJECTED"
    case .timedOut: transaction.classic?.pushResult = "TIMEOUT"
    }
    ceremony.device.stage = .failed
    transaction.step = .ceremony(ceremony)
    return recordClassic(transaction)
  }

  /// Takes an answer that is right, or counts it against the account.
  mutating func prove(
    _ ceremony: Ceremony, by body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let key = transaction.account, var account = accounts[key],
      let kind = OrgAuthenticators[ceremony.authenticator]
    else { throw ClassicRefusal.notOffered }
    let credentials = body.adding("passcode", body["passCode"]).adding("totp", body["passCode"])
    let judged = account.showing(ceremony.enrollment)
    if let rejection = kind.judge(credentials, of: ceremony, by: judged, in: self) {
      kind.note(rejection, credentials: credentials, in: &account, at: now)
      accounts[key] = account
      guard rejection.isAttempt, countFailure(of: key, account) else {
        throw ClassicRefusal.wrongAnswer(rejection.message)
      }
      transactions[transaction.stateHandle] = nil
      throw ClassicRefusal.locked
    }
    return try finish(ceremony, with: credentials, &transaction)
  }

  /// Takes a factor as proved or set up, and goes on.
  mutating func finish(
    _ ceremony: Ceremony, with credentials: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let key = transaction.account else { throw ClassicRefusal.notOffered }
    accept(ceremony, with: credentials, by: key, in: &transaction)
    if ceremony.purpose == .enroll, transaction.classic?.offersMore != true {
      transaction.hasSkipped = true
    }
    return try advanceRecovery(&transaction)
  }

  mutating func resendClassic(
    _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let ceremony = transaction.ceremony else { throw ClassicRefusal.notOffered }
    return try open(ceremony, &transaction)
  }

  /// Goes back to the choice among factors.
  mutating func stepBack(_ transaction: inout OrgTransaction) -> OrgReply {
    let isSetUp = transaction.ceremony?.purpose == .enroll
    transaction.step = isSetUp ? .selectEnrollment : .selectChallenge
    return recordClassic(transaction)
  }

  mutating func skipClassic(
    _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    if transaction.ceremony?.purpose == .replace {
      transaction.keepsPassword = true
    } else {
      transaction.hasSkipped = true
    }
    return try advanceClassic(&transaction)
  }
}

extension OrgAccount {
  /// The account as if it had this enrolment alone, so that no other one answers in its place.
  fileprivate func showing(_ enrollment: Int?) -> OrgAccount {
    guard let enrollment, user.enrollments.indices.contains(enrollment) else { return self }
    var account = self
    account.user.enrollments = [user.enrollments[enrollment]]
    return account
  }
}
