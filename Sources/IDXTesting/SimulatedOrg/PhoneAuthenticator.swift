import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A code by SMS or in a call, which of the two the user says.
struct PhoneAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.phone
  let type: IDXAuthenticator.Kind = "phone"
  let displayName = "Phone"
  let methods = [(label: "SMS", value: "sms"), (label: "Voice call", value: "voice")]
  let enrollmentPrefix = "pae"
  let canBeEnrolledTwice = true
  let isResendable = true

  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue] {
    fields(for: purpose, required: false)
  }

  func choiceFields(for purpose: Ceremony.Purpose, rules: SignInPolicy.FactorRules) -> [JSONValue] {
    purpose == .enroll && rules.asksNumberSeparately ? [] : choiceFields(for: purpose)
  }

  func missingData(for ceremony: Ceremony, wasChosen: Bool) -> [JSONValue]? {
    let isComplete =
      ceremony.method != nil && (ceremony.purpose == .challenge || ceremony.phoneNumber != nil)
    return isComplete ? nil : fields(for: ceremony.purpose, required: true)
  }

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    guard let method = ceremony.method,
      let number = ceremony.phoneNumber ?? number(challengedIn: ceremony, of: user),
      Self.isNumber(number)
    else { return Rejection(status: 400, message: .invalidPhone, isAttempt: false) }
    let code = org.random.code()
    ceremony.code = code
    org.deliver(
      Mailbox.Message(
        method: method, recipient: number, code: code,
        text: "Your code for \(org.settings.host) is \(code)."))
    return nil
  }

  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    guard case .number(let number) = detail else { return nil }
    return ["phoneNumber": .string("\(number.prefix(2)) XXX-XXX-\(number.suffix(4))")]
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    guard !isSentCode(credentials, of: ceremony) else { return nil }
    return Rejection(status: 401, message: .wrongCode, field: "credentials.passcode")
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    if ceremony.purpose == .enroll, let number = ceremony.phoneNumber {
      account.user.enrollments.append(.phone(number))
    }
  }

  private func fields(for purpose: Ceremony.Purpose, required: Bool) -> [JSONValue] {
    let method = OrgForm.choice("methodType", label: "Method", required: required, methods)
    let number = OrgForm.text("phoneNumber", label: "Phone number", required: required)
    return purpose == .enroll ? [method, number] : [method]
  }

  private func number(challengedIn ceremony: Ceremony, of user: SimulatedUser) -> String? {
    guard let index = ceremony.enrollment, user.enrollments.indices.contains(index),
      case .number(let number) = user.enrollments[index].detail
    else { return nil }
    return number
  }

  /// E.164: a plus sign and 8 to 15 digits, the first of which is not zero.
  static func isNumber(_ text: String) -> Bool {
    let digits = text.dropFirst()
    return text.first == "+" && (8...15).contains(digits.count) && digits.first != "0"
      && digits.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
