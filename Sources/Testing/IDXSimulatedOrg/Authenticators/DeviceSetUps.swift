import Foundation
import IDX
import IDXBase
import IDXOAuth

/// The setup of an app on the phone, with a QR code or a link that is sent to the user.
struct AppSetUp: Check {
  let isBegun = true
  let isPolled = true
  let sendsLink = true

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    challenge.sharedSecret = challenge.sharedSecret ?? org.random.sharedSecret()
    let code = org.random.code()
    challenge.code = code
    let user = org[signIn.accountKey].user
    let destination = challenge.device.destination ?? ""
    let isMail = challenge.channel == "email"
    if challenge.channel == "qrcode" {
      let query = FormURLEncoding.encode([
        ("t", code), ("f", challenge.authenticator.id), ("s", org.settings.origin),
        ("issuer", org.settings.host), ("isIdxEnabled", "true"),
      ])
      challenge.qrCode = DeviceCode.qrCode("oktaverify://\(user.login)/?\(query)")
    } else {
      try require(
        isMail ? destination.isMailAddress : destination.isPhoneNumber,
        else: Rejection(
          isMail ? .invalidAddress : .invalidPhone, status: 400,
          field: isMail ? "email" : "phoneNumber", isAttempt: false))
      let address = "\(org.settings.origin)/signin/enroll/\(code)"
      org.deliver(
        Mailbox.Message(
          method: isMail ? "email" : "sms", recipient: destination, code: code,
          text: signIn.sender.words.text(of: "Set up Okta Verify: open \(address) on your phone.")))
    }
    challenge.waitForSetUp(by: user, at: org.now)
  }

  /// A form that waits for the phone or asks where to send the link, and one to choose another channel.
  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]? {
    let channel = challenge.channel
    let fields = [
      Field(fixed: "id", .string(challenge.authenticator.id)),
      OrgAuthenticator.channelField(isRequired: true, except: channel),
    ]
    let choice = challenge.authenticator.field(with: fields)
    let selection = document.form(.selectEnrollmentChannel, "/credential/enroll", [choice])
    if document.isBegun {
      return [document.form(.enrollPoll, "/challenge/poll", refresh: .seconds(4)), selection]
    }
    let field =
      channel == "email"
      ? Field("email", label: "Email", isRequired: true)
      : Field("phoneNumber", label: "Phone number", isRequired: true)
    let reference = document.reference(to: challenge)
    return [
      document.form(.enrollmentChannelData, "/challenge/send", [field], relatesTo: reference),
      selection,
    ]
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    let channel = challenge.channel
    let destination = challenge.device.destination.map(JSONValue.string)
    let data: JSONValue = ["selectedChannel": .string(channel)]
    let members: JSONValue = [
      "contextualData": data.adding("qrcode", challenge.qrCodeImage, if: channel == "qrcode")
        .adding("email", destination, if: channel == "email")
        .adding("phoneNumber", destination, if: channel == "sms")
    ]
    guard let destination else { return members }
    let fixed = Field(fixed: channel == "email" ? "email" : "phone", destination, isVisible: true)
    return members.adding("resend", document.form(.resend, "/challenge/resend", [fixed]).json)
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer.isApproval else { throw Rejection(.wrongCode) }
    return answer.challenge.sharedSecret.map { .token($0, wantsNextCode: false) }
  }
}

/// The setup of an NFC tag: the user touches it with the phone, then chooses a PIN.
struct TagSetUp: Check {
  let isDoneByApproval = false

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    challenge.code = org.random.handle("ft", bytes: 24)
    challenge.waitForSetUp(by: org[signIn.accountKey].user, at: org.now)
  }

  func forms(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> [Form]? {
    guard case .waiting = challenge.device.stage else { return nil }
    return [document.form(.enrollPoll, "/authenticators/poll", refresh: .seconds(4))]
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    Field("credentials", form: [.passcode(label: "Choose a PIN", isSecret: true)])
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    guard case .waiting = challenge.device.stage else {
      let length = document.settings.policy.factors.pinLength
      let (minimum, maximum) = (JSONValue(length.lowerBound), JSONValue(length.upperBound))
      return ["settings": ["minLength": minimum, "maxLength": maximum]]
    }
    let request = challenge.code ?? ""
    let url = "com-okta-authenticator:/actions/enroll?authenticator_key=nfc&nonce=\(request)"
    return [
      "contextualData": [
        "setupNfcUrl": .string(url), "challenge": .single(["challengeRequest": .string(request)]),
      ],
      "cancel": document.form(.cancelPolling, "/authenticators/poll/cancel").json,
    ]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let pin = answer["passcode"] ?? ""
    try require(
      answer.policy.factors.pinLength.contains(pin.count)
        && pin.allSatisfy({ $0.isASCII && $0.isNumber }),
      else: Rejection(.weakPIN, status: 400, field: "credentials.passcode", isAttempt: false))
    return .code(Secret(pin))
  }
}

extension AuthenticatorChallenge {
  fileprivate mutating func waitForSetUp(by user: SimulatedUser, at now: Date) {
    let seconds = user.device.setsUpAfter
    device.stage = .waiting(next: seconds.map { (.approved, now.addingTimeInterval($0)) })
  }
}
