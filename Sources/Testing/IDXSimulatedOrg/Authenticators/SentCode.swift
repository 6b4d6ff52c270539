import Foundation
import IDX
import IDXBase

/// A code that is sent to the user by email, SMS or call; an email can contain a link too.
struct SentCode: Check {
  var isMail = false

  var isBegun: Bool { true }
  var sendsLink: Bool { isMail }

  /// No email is sent unless the user has asked for it.
  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, _ policy: SignInPolicy
  ) -> Bool {
    let asks = policy.factors.asksBeforeEmail
    return isMail && (!challenge.wasChosen || asks && !challenge.isConfirmed)
  }

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    let user = org[signIn.accountKey].user
    guard let method = challenge.method?.value,
      let recipient = recipient(of: challenge, user)
    else { throw Rejection(.invalidPhone, status: 400, isAttempt: false) }
    let code = hasLetters(in: org.settings) ? org.random.codeWithLetters() : org.random.code()
    challenge.code = code
    if isMail, org.settings.policy.factors.sendsMagicLink,
      let seconds = user.device.followsLinksAfter
    {
      challenge.device.wait(for: .approved, at: org.now.addingTimeInterval(seconds))
    }
    let text = signIn.sender.words.text(of: "Your code for \(org.settings.host) is \(code).")
    org.deliver(.init(method: method, recipient: recipient, code: code, text: text))
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let code = Field.passcode(label: "Enter code")
    let length: JSONValue = 10
    let withLetters = code.adding("minLength", length).adding("maxLength", length)
      .adding("format", "alphanumeric")
    return Field("credentials", form: [hasLetters(in: document.settings) ? withLetters : code])
  }

  private func hasLetters(in settings: OrgSettings) -> Bool {
    isMail && settings.policy.factors.mailsCodeWithLetters
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    let resend = document.form(.resend, "/challenge/resend").json
    guard isMail else { return ["resend": resend] }
    let sendsLink = document.settings.policy.factors.sendsMagicLink
    let data: JSONValue = ["contextualData": ["useEmailMagicLink": .bool(sendsLink)]]
    let members = data.adding(
      "profile", document.user.maskedEmail, if: challenge.purpose != .enroll
    ).adding("resend", resend)
    let poll = document.form(.poll, "/challenge/poll", refresh: .seconds(4))
    return members.adding("poll", poll.json, if: sendsLink)
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let code = answer.challenge.code
    try require(
      answer.isApproval || code != nil && answer["passcode"] == code,
      else: Rejection(.wrongCode, field: "credentials.passcode"))
    return isMail ? .address : answer.challenge.phoneNumber.map { .number($0) }
  }

  private func recipient(of challenge: AuthenticatorChallenge, _ user: SimulatedUser) -> String? {
    if isMail { return user.email }
    var number = challenge.phoneNumber
    if number == nil, case .number(let enrolled) = challenge.enrollment(of: user)?.detail {
      number = enrolled
    }
    return number?.isPhoneNumber == true ? number : nil
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
  /// Whether it is a number in E.164 format: a plus sign and 8 to 15 digits; the first is not zero.
  var isPhoneNumber: Bool {
    let digits = dropFirst()
    return first == "+" && (8...15).contains(digits.count) && digits.first != "0"
      && digits.allSatisfy { $0.isASCII && $0.isNumber }
  }

  /// Whether it has text before and after one `@`, and no white space.
  var isMailAddress: Bool {
    split(separator: "@", omittingEmptySubsequences: false).count == 2 && first != "@"
      && last != "@" && !contains(where: \.isWhitespace)
  }
}
