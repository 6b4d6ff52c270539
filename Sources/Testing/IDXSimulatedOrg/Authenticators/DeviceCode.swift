import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXQRCode

/// A code that the user's device creates from a secret that the org knows too.
struct DeviceCode: Check {
  /// What the codes depend on besides the secret.
  enum Source: Sendable {
    /// The time, in steps of this number of seconds.
    case time(period: Int)
    /// The number of touches. A key types 12 letters that identify it, and 32 letters for the code.
    case touches
  }

  enum SetUpForm: Sendable {
    case code
    case credentialAndTwoCodes
    case userAndCode
  }

  var field = "passcode"
  var label = "Enter code"
  var isSecret = false
  var source = Source.time(period: 30)
  /// The messages about a wrong code and about a used one.
  var wrong = Message.wrongCode
  var used = Message.wrongCode
  /// Whether a message about a wrong code is at its field; if not, it is at the response.
  var hasFieldMessage = true
  var showsSecret = false
  var setUpForm = SetUpForm.code

  /// A token that a server of the organization checks; it can ask for the next code too.
  static let serverToken = DeviceCode(
    source: .time(period: 60), hasFieldMessage: false, setUpForm: .userAndCode)

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    guard challenge.purpose == .enroll else { return }
    let secret = challenge.sharedSecret ?? org.random.sharedSecret()
    challenge.sharedSecret = secret
    guard showsSecret else { return }
    let uri = OTPAuthURI(
      issuer: org.settings.host, account: org[signIn.accountKey].user.login, secret: secret)
    challenge.qrCode = Self.qrCode(uri.text.revealed)
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let code =
      field == "passcode"
      ? Field.passcode(label: label, isSecret: isSecret)
      : Field(field, label: label, isRequired: true, isSecret: isSecret)
    let name = String(document.user.login.prefix { $0 != "@" })
    let fields =
      switch challenge.purpose == .enroll ? setUpForm : .code {
      case .code: [code]
      case .credentialAndTwoCodes:
        [
          Field("credentialId", label: "Enter credential ID", isRequired: true), code,
          Field("nextPasscode", label: "Enter second security code", isRequired: true),
        ]
      case .userAndCode:
        [
          Field(fixed: "id", .string(challenge.authenticator.id), isVisible: true),
          Field(fixed: "methodType", "otp", isVisible: true),
          Field("clientData", label: "Username", isRequired: true, value: .string(name)),
          Field("passcode", label: "Passcode", isRequired: true),
        ]
      }
    return Field("credentials", form: fields)
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    guard showsSecret, let secret = challenge.sharedSecret else { return [:] }
    let data: JSONValue = ["sharedSecret": .string(secret.revealed)]
    return ["contextualData": data.adding("qrcode", challenge.qrCodeImage)]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let key = answer.challenge.authenticator.key
    let isSetUp = answer.challenge.purpose == .enroll
    let wantsTwo = isSetUp && setUpForm == .credentialAndTwoCodes
    if wantsTwo, answer["credentialId"] != answer.account.user.symantecCredentialID {
      throw Rejection(.wrongCode, field: "credentials.credentialId")
    }
    let place = hasFieldMessage ? "credentials.\(field)" : nil
    let awaited = answer.account.awaitedCounters[key]
    guard let secret = answer.challenge.sharedSecret ?? answer.enrolled?.secret,
      let counter = counters(secret, awaited: awaited, answer)
        .first(where: { code($0, secret) == answer[field] })
    else { throw Rejection(isSetUp ? .wrongCode : wrong, field: place) }
    try require(
      awaited != nil || answer.account.usedCounters[key]?.contains(counter) != true,
      else: Rejection(used, field: place))
    if wantsTwo, answer["nextPasscode"] != code(counter &+ 1, secret) {
      throw Rejection(.wrongCode, field: "credentials.nextPasscode")
    }
    answer.account.usedCounters[key, default: []]
      .formUnion(wantsTwo ? [counter, counter &+ 1] : [counter])
    if awaited != nil {
      answer.account.awaitedCounters[key] = nil
      answer.account.synchronizedTokens.insert(key)
    } else if !isSetUp, case .token(_, wantsNextCode: true) = answer.enrolled,
      !answer.account.synchronizedTokens.contains(key)
    {
      answer.account.awaitedCounters[key] = counter &+ 1
      throw Rejection(.nextCode, isAttempt: false)
    }
    return .token(secret, wantsNextCode: false)
  }

  /// The current code, or the next one if it was already accepted; each call touches the key once.
  func shownCode(
    _ challenge: AuthenticatorChallenge, _ secret: Secret?, ahead: Int,
    of account: inout OrgAccount, at now: Date
  ) -> String? {
    guard let secret else { return nil }
    let key = challenge.authenticator.key
    var counter = UInt64(ahead)
    switch source {
    case .time(let period):
      guard let generator = TOTPGenerator(base32: secret, period: period) else { return nil }
      let current = generator.counter(at: now)
      let isUsed = account.usedCounters[key]?.contains(current) ?? false
      counter &+= isUsed ? current &+ 1 : current
    case .touches:
      counter &+= account.touches[key, default: 0] &+ 1
      account.touches[key] = counter
    }
    return code(counter, secret)
  }

  /// The counters of codes that are accepted: one time step early or late, or a later touch.
  private func counters(_ secret: Secret, awaited: UInt64?, _ answer: CheckAnswer) -> [UInt64] {
    if let awaited { return [awaited] }
    switch source {
    case .time(let period):
      guard let generator = TOTPGenerator(base32: secret, period: period) else { return [] }
      let current = generator.counter(at: answer.now)
      return [current, current &- 1, current &+ 1]
    case .touches:
      let key = answer.challenge.authenticator.key
      let last = answer.account.usedCounters[key]?.max() ?? 0
      let touched = answer.account.touches[key, default: 0]
      return last < touched ? Array(last + 1...touched) : []
    }
  }

  private func code(_ counter: UInt64, _ secret: Secret) -> String? {
    switch source {
    case .time(let period):
      return TOTPGenerator(base32: secret, period: period)?.code(counter: counter)
    case .touches:
      let count = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
      let hash = HashFunction.sha256.hmac(key: Array(secret.revealed.utf8), count)
      return Self.keyName(secret) + Self.letters(hash.prefix(16))
    }
  }

  /// The first letters of all codes of a key.
  static func keyName(_ secret: Secret) -> String {
    letters(HashFunction.sha256.hash(Array(secret.revealed.utf8)).prefix(6))
  }

  /// Two letters for each byte, from the letters that are at the same place on all keyboards.
  private static func letters(_ bytes: some Sequence<UInt8>) -> String {
    let alphabet = Array("cbdefghijklnrtuv")
    return String(bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] })
  }

  /// A QR code, as a data URI.
  static func qrCode(_ text: String) -> String? {
    (try? QRCode(text)).map { "data:image/png;base64," + Data($0.png()).base64EncodedString() }
  }
}

extension AuthenticatorChallenge {
  var qrCodeImage: JSONValue? {
    qrCode.map { ["method": "embedded", "type": "image/png", "href": .string($0)] }
  }
}

extension SimulatedUser {
  /// The ID that is printed on the user's Symantec VIP token, such as `VSMT01234567`; it is needed to set
  /// up the token.
  public var symantecCredentialID: String {
    let hash = HashFunction.sha256.hash(Array(login.lowercased().utf8))
    return "VSMT" + hash.prefix(8).map { String($0 % 10) }.joined()
  }
}
