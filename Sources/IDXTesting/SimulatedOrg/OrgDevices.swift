import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Steps that end elsewhere: on a phone, by a link.
extension OrgCore {
  /// Says whether there is news; the step stays as it is until there is.
  mutating func poll(_ transaction: inout OrgTransaction, _ body: JSONValue) -> OrgOutcome {
    guard case .ceremony(var ceremony) = transaction.step, let key = transaction.account,
      let kind = OrgAuthenticators[ceremony.authenticator]
    else { return OrgOutcome() }
    if body["autoChallenge"] == false {
      accounts[key]?.devices.autoChallenges.remove(kind.key)
    }
    switch ceremony.isApproved ? .approved : ceremony.device.event(by: now) {
    case nil: return OrgOutcome()
    case .approved:
      guard kind.completes(&ceremony) else {
        transaction.step = .ceremony(ceremony)
        return .step
      }
      return complete(ceremony, with: .null, &transaction)
    case .rejected: return giveUp(ceremony, because: .pushRejected, &transaction)
    case .timedOut: return giveUp(ceremony, because: .pushTimedOut, &transaction)
    }
  }

  /// Sends the link with which an app is set up to where the user says.
  mutating func send(_ transaction: inout OrgTransaction, _ body: JSONValue) -> OrgOutcome {
    guard var ceremony = transaction.ceremony else { return OrgOutcome() }
    ceremony.device.destination = (body["email"] ?? body["phoneNumber"])?.string
    return open(ceremony, wasChosen: true, &transaction)
  }

  /// Sends a push to the user's phone, with a new number where one is wanted.
  mutating func push(_ ceremony: inout Ceremony, to user: SimulatedUser, wantsNumber: Bool) {
    let key = OrgAccount.Key(user.login)
    let authenticator = ceremony.authenticator
    if ceremony.device.autoChallenge == true {
      accounts[key]?.devices.autoChallenges.insert(authenticator)
    }
    let index = accounts[key]?.devices.pushes ?? 0
    accounts[key]?.devices.pushes = index + 1
    ceremony.device.push = index
    let replies = user.device.pushReplies
    ceremony.device.number =
      wantsNumber ? String(Int.random(in: 10...99, using: &random)) : nil
    let timeout = DeviceErrand.Due(
      event: .timedOut, date: now.addingTimeInterval(DeviceErrand.patience))
    let reply = replies.indices.contains(index) ? replies[index].due(after: now) : nil
    let isInTime = reply.map { $0.date < timeout.date } ?? false
    ceremony.device.stage = .waiting(next: isInTime ? reply : timeout)
  }

  /// Waits for the user's phone to set something up.
  func waitForDevice(_ ceremony: inout Ceremony, of user: SimulatedUser) {
    let next = user.device.setsUpAfter.map { seconds in
      DeviceErrand.Due(event: .approved, date: now.addingTimeInterval(seconds))
    }
    ceremony.device.stage = .waiting(next: next)
  }

  private func giveUp(
    _ ceremony: Ceremony, because message: OrgMessage, _ transaction: inout OrgTransaction
  ) -> OrgOutcome {
    var ceremony = ceremony
    ceremony.device.stage = .failed
    transaction.step = .ceremony(ceremony)
    return OrgOutcome(messages: [message], isStep: true)
  }
}

// What the person does with their devices.
extension OrgCore {
  /// Where a ceremony is remembered.
  private enum Place {
    case transaction(String)
    /// A sign-in by DirectAuth.
    case challenge(String)
  }

  /// The pushes of a user that wait for an answer, the newest last.
  private func waitingPushes(_ login: String) -> [(Place, Ceremony)] {
    waiting(login, for: .challenge).filter { $1.device.push != nil }
      .sorted { $0.1.device.push ?? 0 < $1.1.device.push ?? 0 }
  }

  /// The ceremonies of a user in which a device may act now.
  private func waiting(_ login: String, for purpose: Ceremony.Purpose) -> [(Place, Ceremony)] {
    let key = OrgAccount.Key(login)
    let steps = transactions.values
      .filter { $0.account == key && now < $0.expiresAt }
      .compactMap { transaction -> (Place, Ceremony)? in
        guard case .ceremony(let ceremony) = transaction.step else { return nil }
        return (.transaction(transaction.stateHandle), ceremony)
      }
    let challenges = direct.challenges
      .filter { $0.value.account == key && $0.value.isPolled && now < $0.value.expiresAt }
      .map { (Place.challenge($0.key), $0.value.ceremony) }
    return (steps + challenges)
      .filter { $1.purpose == purpose && $1.device.isWaiting(at: now) }
  }

  private mutating func put(_ ceremony: Ceremony, at place: Place) {
    switch place {
    case .transaction(let handle): transactions[handle]?.step = .ceremony(ceremony)
    case .challenge(let id): direct.challenges[id]?.ceremony = ceremony
    }
  }

  func pushes(for login: String) -> [Ceremony] { waitingPushes(login).map(\.1) }

  mutating func answerPush(for login: String, isRight: (Ceremony) -> Bool) {
    guard case (let place, var ceremony)? = waitingPushes(login).last else { return }
    ceremony.device.happen(isRight(ceremony) ? .approved : .rejected, at: now)
    put(ceremony, at: place)
  }

  mutating func completeEnrollment(for login: String) {
    for case (let place, var ceremony) in waiting(login, for: .enroll) {
      ceremony.device.happen(.approved, at: now)
      put(ceremony, at: place)
    }
  }

  /// What a device of the user's shows or types.
  mutating func code(of key: IDXAuthenticator.Key, for login: String, ahead: Int) -> String? {
    guard let kind = OrgAuthenticators[key], var account = accounts[OrgAccount.Key(login)] else {
      return nil
    }
    let pending = transactions.values
      .filter { $0.account == OrgAccount.Key(login) && now < $0.expiresAt }
      .filter { $0.sharedSecrets[key] != nil || $0.ceremony?.authenticator == key }
      .max { $0.expiresAt < $1.expiresAt }
    let secret =
      account.user.enrollment(of: key)?.detail.secret ?? pending?.sharedSecrets[key]
    let ceremony = pending?.ceremony.flatMap { $0.authenticator == key ? $0 : nil }
    let code = kind.code(
      ahead: max(ahead, 0), secret: secret, ceremony: ceremony, of: &account, at: now)
    accounts[OrgAccount.Key(login)] = account
    return code
  }
}
