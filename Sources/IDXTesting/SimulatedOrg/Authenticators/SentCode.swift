import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A code that is sent to the user: in a mail, beside a link, or by SMS or call.
struct SentCode: Proof {
  var isMail = false

  var isBegun: Bool { true }
  var sendsLink: Bool { isMail }

  /// No mail is sent unless the user has asked for it.
  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool {
    isMail && (!challenge.wasChosen || rules.asksBeforeEmail && !challenge.isConfirmed)
  }

  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {
    guard let method = challenge.method?.value, let recipient = recipient(of: challenge, user)
    else { throw Rejection(.invalidPhone, status: 400, isAttempt: false) }
    let code = org.random.code()
    challenge.code = code
    if isMail, org.settings.policy.factors.sendsMagicLink,
      let seconds = user.device.followsLinksAfter
    {
      challenge.device.wait(for: .approved, at: org.now.addingTimeInterval(seconds))
    }
    org.deliver(
      Mailbox.Message(
        method: method, recipient: recipient, code: code,
        text: "Your code for \(org.settings.host) is \(code)."))
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    let resend = document.form(.resend, "/challenge/resend").json
    guard isMail else { return ["resend": resend] }
    let sendsLink = document.settings.policy.factors.sendsMagicLink
    let members: JSONValue = [
      "contextualData": ["useEmailMagicLink": .bool(sendsLink)], "profile": user.maskedEmail,
      "resend": resend,
    ]
    let poll = document.form(.poll, "/challenge/poll", refresh: .seconds(4))
    return members.adding("poll", poll.json, if: sendsLink)
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer == nil || challenge.code != nil && answer?["passcode"]?.string == challenge.code
    else { throw Rejection(.wrongCode, field: "credentials.passcode") }
    return isMail ? .address : challenge.phoneNumber.map { .number($0) }
  }

  private func recipient(of challenge: AuthenticatorChallenge, _ user: SimulatedUser) -> String? {
    if isMail { return user.email }
    if let number = challenge.phoneNumber { return number.isPhoneNumber ? number : nil }
    guard case .number(let number) = challenge.enrollment(of: user)?.detail,
      number.isPhoneNumber
    else { return nil }
    return number
  }
}

extension SimulatedUser {
  /// The address with its name masked: `a***l@shop.example`.
  var maskedEmail: JSONValue {
    let name = email.prefix { $0 != "@" }
    let masked = "\(name.prefix(1))***\(name.suffix(1))\(email.dropFirst(name.count))"
    return ["email": .string(masked)]
  }
}

extension String {
  /// Whether it is a number in E.164: a plus sign and 8 to 15 digits, of which the first is not zero.
  var isPhoneNumber: Bool {
    let digits = dropFirst()
    return first == "+" && (8...15).contains(digits.count) && digits.first != "0"
      && digits.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
