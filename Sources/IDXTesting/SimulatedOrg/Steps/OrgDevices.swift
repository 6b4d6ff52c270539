import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What users do with their devices.
extension OrgCore {
  /// Waits for the user's phone to set something up.
  func waitForSetUp(_ challenge: inout AuthenticatorChallenge, of user: SimulatedUser) {
    challenge.device.stage = .waiting(
      next: user.device.setsUpAfter.map { (.approved, now.addingTimeInterval($0)) })
  }

  /// The pushes to a user that wait for an answer, the newest last.
  func pushes(to login: String) -> [AuthenticatorChallenge] {
    waitingPushes(to: login).map(\.challenge)
  }

  mutating func answerPush(to login: String, isApproved: (AuthenticatorChallenge) -> Bool) {
    guard let (place, challenge) = waitingPushes(to: login).last else { return }
    act(isApproved(challenge) ? .approved : .rejected, on: challenge, at: place)
  }

  mutating func completeEnrollment(of login: String) {
    for (place, challenge) in waiting(login, for: .enroll) {
      act(.approved, on: challenge, at: place)
    }
  }

  /// The code that a device of the user shows or types.
  mutating func code(of key: IDXAuthenticator.Key, for login: String, ahead: Int) -> String? {
    let user = OrgAccount.Key(login)
    guard let authenticator = OrgAuthenticator[key], var account = accounts[user] else {
      return nil
    }
    let pending = transactions.values
      .filter { $0.account == user && now < $0.expiresAt }
      .filter { $0.sharedSecrets[key] != nil || $0.challenge?.authenticator.key == key }
      .max { $0.expiresAt < $1.expiresAt }
    // Okta Verify shows no codes before it is set up.
    let pendingSecret = authenticator.setUp == .inApp ? nil : pending?.sharedSecrets[key]
    let secret = account.user.enrollment(of: key)?.detail.secret ?? pendingSecret
    let current = pending?.challenge.flatMap { $0.authenticator.key == key ? $0 : nil }
    let challenge = current ?? AuthenticatorChallenge(authenticator, .challenge)
    defer { accounts[user] = account }
    for method in authenticator.methods {
      let code = method.proof.shownCode(
        ahead: max(ahead, 0), secret: secret, challenge: challenge, of: &account, at: now)
      if let code { return code }
    }
    return nil
  }

  /// The code that Google Authenticator shows now, whether it was accepted already or not.
  func appCode(for login: String) -> String? {
    let user = OrgAccount.Key(login)
    let pending = transactions.values
      .filter { $0.account == user && $0.sharedSecrets[.googleAuthenticator] != nil }
      .max { $0.expiresAt < $1.expiresAt }
    let secret =
      accounts[user]?.user.enrollment(of: .googleAuthenticator)?.detail.secret
      ?? pending?.sharedSecrets[.googleAuthenticator]
    return secret.flatMap { TOTPGenerator(base32: $0)?.code(at: now) }
  }

  /// Approves the challenges that wait for the link of a mail or a message.
  mutating func followLink(in message: Mailbox.Message) {
    for (handle, transaction) in transactions {
      guard case .challenge(let challenge) = transaction.step, challenge.code == message.code,
        challenge.proof.sendsLink
      else { continue }
      act(.approved, on: challenge, at: .transaction(handle))
    }
  }

  /// Where a challenge is remembered.
  private enum Place {
    case transaction(String)
    case directAuth(String)
  }

  private func waitingPushes(
    to login: String
  ) -> [(place: Place, challenge: AuthenticatorChallenge)] {
    waiting(login, for: .challenge).filter { $0.challenge.device.push != nil }
      .sorted { ($0.challenge.device.push ?? 0) < ($1.challenge.device.push ?? 0) }
  }

  /// The challenges of a user in which a device can act now.
  private func waiting(
    _ login: String, for purpose: AuthenticatorChallenge.Purpose
  ) -> [(place: Place, challenge: AuthenticatorChallenge)] {
    let user = OrgAccount.Key(login)
    let steps = transactions.values
      .filter { $0.account == user && now < $0.expiresAt }
      .compactMap { transaction -> (place: Place, challenge: AuthenticatorChallenge)? in
        guard case .challenge(let challenge) = transaction.step else { return nil }
        return (.transaction(transaction.stateHandle), challenge)
      }
    let direct = direct.challenges
      .filter { $0.value.account == user && now < $0.value.expiresAt }
      .map { (place: Place.directAuth($0.key), challenge: $0.value.challenge) }
    return (steps + direct).filter {
      $0.challenge.purpose == purpose && $0.challenge.device.isWaiting(at: now)
    }
  }

  private mutating func act(
    _ event: PendingDeviceAction.Event, on challenge: AuthenticatorChallenge, at place: Place
  ) {
    var challenge = challenge
    challenge.device.wait(for: event, at: now)
    switch place {
    case .transaction(let handle): transactions[handle]?.step = .challenge(challenge)
    case .directAuth(let id): direct.challenges[id]?.challenge = challenge
    }
  }
}
