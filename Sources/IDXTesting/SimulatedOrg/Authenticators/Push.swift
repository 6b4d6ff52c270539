import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A push to an app on the user's phone, which the user approves or rejects there.
struct Push: Proof {
  /// Whether the phone must pick a number, if the policy wants that.
  var matchesNumbers = false

  let isBegun = true
  let isPolled = true
  let classicAnswer: [String] = []

  func needsConsent(
    to challenge: AuthenticatorChallenge, of account: OrgAccount, rules: SignInPolicy.FactorRules
  ) -> Bool {
    rules.asksBeforePush && !challenge.isConfirmed
      && !account.autoChallenges.contains(challenge.authenticator.key)
  }

  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {
    let key = OrgAccount.Key(user.login)
    if challenge.device.autoChallenge == true {
      org.accounts[key]?.autoChallenges.insert(challenge.authenticator.key)
    }
    let index = org.accounts[key]?.pushes ?? 0
    org.accounts[key]?.pushes = index + 1
    challenge.device.push = index
    let hasNumber = matchesNumbers && org.settings.policy.factors.matchesNumbers
    challenge.device.number =
      hasNumber ? String(Int.random(in: 10...99, using: &org.random)) : nil
    let timeout = org.now.addingTimeInterval(PendingDeviceAction.pushTimeout)
    let replies = user.device.pushReplies
    let reply = replies.indices.contains(index) ? replies[index].event(after: org.now) : nil
    if let reply, reply.date < timeout {
      challenge.device.wait(for: reply.event, at: reply.date)
    } else {
      challenge.device.wait(for: .timedOut, at: timeout)
    }
  }

  /// Wait for the answer; or send the push again, if it was rejected or timed out.
  func forms(
    for challenge: AuthenticatorChallenge, isReady: Bool, in document: OrgDocument
  ) -> [Remediation.Draft]? {
    guard isReady else { return nil }
    let reference = document.reference(to: challenge)
    guard case .failed = challenge.device.stage else {
      let isAutomatic =
        document.settings.policy.factors.asksBeforePush && challenge.device.autoChallenge == true
      return [
        document.form(
          .challengePoll, "/authenticators/poll",
          isAutomatic ? [Self.automaticField(true)] : [], relatesTo: reference,
          refresh: .seconds(4))
      ]
    }
    let choice = Remediation.Field.Draft(
      "authenticator",
      form: [
        .init(fixed: "id", .string(challenge.authenticator.id)), .init(fixed: "methodType", "push"),
      ])
    return [
      document.form(
        .resend, "/challenge",
        [choice.adding("label", .string(challenge.authenticator.displayName))],
        relatesTo: reference)
    ]
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    guard case .waiting = challenge.device.stage, let number = challenge.device.number else {
      return [:]
    }
    return ["contextualData": ["correctAnswer": .string(number)]]
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer == nil else { throw Rejection(.wrongCode) }
    return nil
  }

  /// The field that says whether pushes are sent without asking.
  static func automaticField(_ value: Bool) -> Remediation.Field.Draft {
    .init(
      "autoChallenge", label: "Send push automatically", type: .boolean, value: .bool(value))
  }
}

/// Setting up an app on the phone: by a QR code, or by a link that is sent to the user.
struct AppSetUp: Proof {
  let isBegun = true
  let isPolled = true
  let sendsLink = true

  private static let channels = [
    (label: "QR code", value: "qrcode"), (label: "Email", value: "email"),
    (label: "SMS", value: "sms"),
  ]

  static func channelField(
    isRequired: Bool, except channel: String? = nil
  ) -> Remediation.Field.Draft {
    .init(
      "channel", label: "Channel", isRequired: isRequired,
      choices: channels.filter { $0.value != channel })
  }

  static func needsDestination(_ challenge: AuthenticatorChallenge) -> Bool {
    challenge.channel != "qrcode" && challenge.device.destination == nil
  }

  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {
    challenge.sharedSecret = challenge.sharedSecret ?? org.random.sharedSecret()
    let code = org.random.code()
    challenge.code = code
    let destination = challenge.device.destination ?? ""
    switch challenge.channel {
    case "qrcode":
      let query = FormURLEncoding.encode([
        ("t", code), ("f", challenge.authenticator.id), ("s", org.settings.origin),
        ("issuer", org.settings.host), ("isIdxEnabled", "true"),
      ])
      challenge.qrCode = DeviceCode.qrCode("oktaverify://\(user.login)/?\(query)")
    case "email":
      guard destination.isMailAddress else {
        throw Rejection(.invalidAddress, status: 400, field: "email", isAttempt: false)
      }
    default:
      guard destination.isPhoneNumber else {
        throw Rejection(.invalidPhone, status: 400, field: "phoneNumber", isAttempt: false)
      }
    }
    if challenge.channel != "qrcode" {
      let address = "\(org.settings.origin)/signin/enroll/\(code)"
      org.deliver(
        Mailbox.Message(
          method: challenge.channel == "email" ? "email" : "sms", recipient: destination,
          code: code, text: "Set up Okta Verify: open \(address) on your phone."))
    }
    org.waitForSetUp(&challenge, of: user)
  }

  /// Wait for the phone, or say where the link is sent; or choose another way.
  func forms(
    for challenge: AuthenticatorChallenge, isReady: Bool, in document: OrgDocument
  ) -> [Remediation.Draft]? {
    let choice = Remediation.Field.Draft(
      "authenticator",
      form: [
        .init(fixed: "id", .string(challenge.authenticator.id)),
        Self.channelField(isRequired: true, except: challenge.channel),
      ])
    let selection = document.form(
      .selectEnrollmentChannel, "/credential/enroll",
      [choice.adding("label", .string(challenge.authenticator.displayName))])
    if isReady {
      return [document.form(.enrollPoll, "/challenge/poll", refresh: .seconds(4)), selection]
    }
    let field =
      challenge.channel == "email"
      ? Remediation.Field.Draft("email", label: "Email", isRequired: true)
      : .init("phoneNumber", label: "Phone number", isRequired: true)
    return [
      document.form(
        .enrollmentChannelData, "/challenge/send", [field],
        relatesTo: document.reference(to: challenge)),
      selection,
    ]
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    let channel = challenge.channel
    let destination = challenge.device.destination.map(JSONValue.string)
    let data: JSONValue = ["selectedChannel": .string(channel)]
    let members: JSONValue = [
      "contextualData": data.adding("qrcode", challenge.qrCodeImage, if: channel == "qrcode")
        .adding("email", destination, if: channel == "email")
        .adding("phoneNumber", destination, if: channel == "sms")
    ]
    guard let destination else { return members }
    let fixed = Remediation.Field.Draft(
      fixed: channel == "email" ? "email" : "phone", destination, isVisible: true)
    return members.adding("resend", document.form(.resend, "/challenge/resend", [fixed]).json)
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    guard answer == nil else { throw Rejection(.wrongCode) }
    return challenge.sharedSecret.map { .key($0) }
  }
}

/// Setting up an NFC tag: the user touches it with the phone, then chooses a PIN.
struct TagSetUp: Proof {
  let isDoneByApproval = false

  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {
    challenge.code = org.random.handle("ft", bytes: 24)
    org.waitForSetUp(&challenge, of: user)
  }

  func forms(
    for challenge: AuthenticatorChallenge, isReady: Bool, in document: OrgDocument
  ) -> [Remediation.Draft]? {
    guard case .waiting = challenge.device.stage else { return nil }
    return [document.form(.enrollPoll, "/authenticators/poll", refresh: .seconds(4))]
  }

  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft {
    .init(
      "credentials",
      form: [.init("passcode", label: "Choose a PIN", isRequired: true, isSecret: true)])
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    guard case .waiting = challenge.device.stage else {
      let length = document.settings.policy.factors.pinLength
      return [
        "settings": [
          "minLength": .number(JSONValue.Number(length.lowerBound)),
          "maxLength": .number(JSONValue.Number(length.upperBound)),
        ]
      ]
    }
    let request = challenge.code ?? ""
    let url = "com-okta-authenticator:/actions/enroll?authenticator_key=nfc&nonce=\(request)"
    return [
      "contextualData": [
        "setupNfcUrl": .string(url),
        "challenge": .single(["challengeRequest": .string(request)]),
      ],
      "cancel": document.form(.cancelPolling, "/authenticators/poll/cancel").json,
    ]
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let pin = answer?["passcode"]?.string ?? ""
    guard org.settings.policy.factors.pinLength.contains(pin.count),
      pin.allSatisfy({ $0.isASCII && $0.isNumber })
    else {
      throw Rejection(.weakPIN, status: 400, field: "credentials.passcode", isAttempt: false)
    }
    return .code(Secret(pin))
  }
}

extension AuthenticatorChallenge {
  /// How an app is set up.
  fileprivate var channel: String { device.channel ?? "qrcode" }
}

extension String {
  /// Whether it has something before and after one `@`.
  fileprivate var isMailAddress: Bool {
    split(separator: "@", omittingEmptySubsequences: false).count == 2 && first != "@"
      && last != "@" && !contains(where: \.isWhitespace)
  }
}
