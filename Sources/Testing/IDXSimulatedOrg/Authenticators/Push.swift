import Foundation
import IDX
import IDXBase

/// A push to an app on the user's phone, which the user approves or rejects there.
struct Push: Check {
  /// Whether the user must choose a number on the phone, if the policy requires it.
  var matchesNumbers = false

  let isBegun = true
  let isPolled = true
  let classicAnswer: [String] = []

  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, _ policy: SignInPolicy
  ) -> Bool {
    policy.factors.asksBeforePush && !challenge.isConfirmed
      && !account.autoChallenges.contains(challenge.authenticator.key)
  }

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    if challenge.device.autoChallenge == true {
      org[signIn.accountKey].autoChallenges.insert(challenge.authenticator.key)
    }
    let index = org[signIn.accountKey].pushes
    org[signIn.accountKey].pushes += 1
    challenge.device.push = index
    let hasNumber = matchesNumbers && org.settings.policy.factors.matchesNumbers
    challenge.device.number = hasNumber ? String(Int.random(in: 10...99, using: &org.random)) : nil
    let timeout = org.now.addingTimeInterval(PendingDeviceAction.pushTimeout)
    let reactions = org[signIn.accountKey].user.device.pushReactions
    let reaction = reactions.indices.contains(index) ? reactions[index] : reactions.last
    let next = reaction?.event(after: org.now)
    if let next, next.date < timeout {
      challenge.device.wait(for: next.event, at: next.date)
    } else {
      challenge.device.wait(for: .timedOut, at: timeout)
    }
  }

  /// A form that polls for the answer; if the push was rejected or timed out, one that sends it again.
  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]? {
    guard document.isBegun else { return nil }
    let reference = document.reference(to: challenge)
    guard case .failed = challenge.device.stage else {
      let asks = document.settings.policy.factors.asksBeforePush
      let fields =
        asks && challenge.device.autoChallenge == true
        ? [OrgAuthenticator.automaticField(true)] : []
      return [
        document.form(
          .challengePoll, "/authenticators/poll", fields, relatesTo: reference,
          refresh: .seconds(4))
      ]
    }
    let fields = [
      Field(fixed: "id", .string(challenge.authenticator.id), isVisible: true),
      Field(fixed: "methodType", "push", isVisible: true),
    ]
    let choice = challenge.authenticator.field(with: fields)
    return [document.form(.resend, "/challenge", [choice], relatesTo: reference)]
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    guard case .waiting = challenge.device.stage else { return [:] }
    // The new push replaces the one that waits, and has a new number.
    let choice = Field(
      fixed: "authenticator",
      ["methodType": "push", "id": .string(challenge.authenticator.id)])
    let members: JSONValue = ["resend": document.form(.resend, "/challenge", [choice]).json]
    return members.adding(
      "contextualData", challenge.device.number.map { ["correctAnswer": .string($0)] })
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer.isApproval else { throw Rejection(.wrongCode) }
    return nil
  }
}
