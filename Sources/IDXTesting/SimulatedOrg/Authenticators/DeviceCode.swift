import IDX
import IDXBase
import IDXOAuth
import IDXQRCode

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A code that a device of the user makes from a secret that it shares with the org.
struct DeviceCode: Proof {
  /// What the codes follow from, beside the secret.
  enum Source: Sendable {
    /// The time, in steps of so many seconds.
    case time(period: Int)
    /// The number of touches: a key types 12 letters that name it, and 32 for the code.
    case touches
  }

  /// What is asked for in a set-up.
  enum SetUpForm: Sendable {
    case code
    case credentialAndTwoCodes
    case userAndCode
  }

  var field = "passcode"
  var label = "Enter code"
  var isSecret = false
  var source = Source.time(period: 30)
  /// What is said in a challenge about a wrong code, and about one that was used.
  var wrong = IDXMessage.Draft.wrongCode
  var used = IDXMessage.Draft.wrongCode
  /// Whether a message about a wrong code is about its field, or about the whole response.
  var blamesField = true
  /// Whether a set-up shows the secret and a QR code.
  var showsSecret = false
  var setUpForm = SetUpForm.code

  /// A token that a server of the organization knows. A server that has lost track of a token asks for
  /// the code after the first right one.
  static let serverToken = DeviceCode(
    source: .time(period: 60), blamesField: false, setUpForm: .userAndCode)

  func begin(
    _ challenge: inout AuthenticatorChallenge, for user: SimulatedUser, in org: inout OrgCore
  ) throws(Rejection) {
    guard challenge.purpose == .enroll else { return }
    let secret = challenge.sharedSecret ?? org.random.sharedSecret()
    challenge.sharedSecret = secret
    guard showsSecret else { return }
    let uri = OTPAuthURI(issuer: org.settings.host, account: user.login, secret: secret)
    challenge.qrCode = Self.qrCode(uri.text.revealed)
  }

  func credentials(
    for challenge: AuthenticatorChallenge, of user: SimulatedUser
  ) -> Remediation.Field.Draft {
    let code = Remediation.Field.Draft(field, label: label, isRequired: true, isSecret: isSecret)
    guard challenge.purpose == .enroll else { return .init("credentials", form: [code]) }
    switch setUpForm {
    case .code: return .init("credentials", form: [code])
    case .credentialAndTwoCodes:
      return .init(
        "credentials",
        form: [
          .init("credentialId", label: "Enter credential ID", isRequired: true), code,
          .init("nextPasscode", label: "Enter second security code", isRequired: true),
        ])
    case .userAndCode:
      let name = String(user.login.prefix { $0 != "@" })
      return .init(
        "credentials",
        form: [
          .init(fixed: "id", .string(challenge.authenticator.id), isVisible: true),
          .init(fixed: "methodType", "otp", isVisible: true),
          .init("clientData", label: "User Name", isRequired: true, value: .string(name)),
          .init("passcode", label: "Passcode", isRequired: true),
        ])
    }
  }

  func members(
    of challenge: AuthenticatorChallenge, for user: SimulatedUser, in document: OrgDocument
  ) -> JSONValue {
    guard showsSecret, challenge.purpose == .enroll, let secret = challenge.sharedSecret else {
      return [:]
    }
    let data: JSONValue = ["sharedSecret": .string(secret.revealed)]
    return ["contextualData": data.adding("qrcode", challenge.qrCodeImage)]
  }

  func verify(
    _ answer: JSONValue?, of challenge: AuthenticatorChallenge, by account: inout OrgAccount,
    in org: OrgCore
  ) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let key = challenge.authenticator.key
    let isSetUp = challenge.purpose == .enroll
    let place = blamesField ? "credentials.\(field)" : nil
    let enrolled = challenge.enrollment(of: account.user)?.detail
    if isSetUp, setUpForm == .credentialAndTwoCodes,
      answer?["credentialId"]?.string != account.user.symantecCredentialID
    {
      throw Rejection(.wrongCode, field: "credentials.credentialId")
    }
    let awaited = account.awaitedCounters[key]
    guard let secret = challenge.sharedSecret ?? enrolled?.secret,
      let code = answer?[field]?.string,
      let counter = counter(of: code, secret, awaited: awaited, account, key, at: org.now)
    else { throw Rejection(isSetUp ? .wrongCode : wrong, field: place) }
    guard awaited != nil || account.usedCounters[key]?.contains(counter) != true else {
      throw Rejection(used, field: place)
    }
    var counters = [counter]
    if isSetUp, setUpForm == .credentialAndTwoCodes {
      guard answer?["nextPasscode"]?.string == self.code(counter &+ 1, secret) else {
        throw Rejection(.wrongCode, field: "credentials.nextPasscode")
      }
      counters.append(counter &+ 1)
    }
    account.usedCounters[key, default: []].formUnion(counters)
    if awaited != nil {
      account.awaitedCounters[key] = nil
      account.synchronizedTokens.insert(key)
    } else if !isSetUp, case .token(_, wantsNextCode: true) = enrolled,
      !account.synchronizedTokens.contains(key)
    {
      account.awaitedCounters[key] = counter &+ 1
      throw Rejection(.nextCode, isAttempt: false)
    }
    return setUpForm == .userAndCode ? .token(secret, wantsNextCode: false) : .key(secret)
  }

  /// A user does not type a code twice: if the current one was accepted, the next one is shown. A key
  /// is touched by each call.
  func shownCode(
    ahead: Int, secret: Secret?, challenge: AuthenticatorChallenge, of account: inout OrgAccount,
    at date: Date
  ) -> String? {
    guard let secret else { return nil }
    let key = challenge.authenticator.key
    switch source {
    case .time(let period):
      guard let generator = TOTPGenerator(base32: secret, period: period) else { return nil }
      let current = generator.counter(at: date)
      let isUsed = account.usedCounters[key]?.contains(current) ?? false
      return generator.code(counter: current &+ UInt64(ahead) &+ (isUsed ? 1 : 0))
    case .touches:
      let press = account.presses[key, default: 0] &+ UInt64(ahead) &+ 1
      account.presses[key] = press
      return code(press, secret)
    }
  }

  /// The counter of which a text is the code: one step early or late, or a later touch.
  private func counter(
    of text: String, _ secret: Secret, awaited: UInt64?, _ account: OrgAccount,
    _ key: IDXAuthenticator.Key, at date: Date
  ) -> UInt64? {
    var candidates: [UInt64]
    switch source {
    case .time(let period):
      guard let generator = TOTPGenerator(base32: secret, period: period) else { return nil }
      let current = generator.counter(at: date)
      candidates = [current, current &- 1, current &+ 1]
    case .touches:
      let last = account.usedCounters[key]?.max() ?? 0
      let pressed = account.presses[key, default: 0]
      candidates = last < pressed ? Array(last + 1...pressed) : []
    }
    if let awaited { candidates = [awaited] }
    return candidates.first { code($0, secret) == text }
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

  /// The letters with which all codes of a key begin.
  static func keyName(_ secret: Secret) -> String {
    letters(HashFunction.sha256.hash(Array(secret.revealed.utf8)).prefix(6))
  }

  /// Two letters for each byte, of those that are on the same keys of all keyboards.
  private static func letters(_ bytes: some Sequence<UInt8>) -> String {
    let alphabet = Array("cbdefghijklnrtuv")
    return String(bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] })
  }

  /// A QR code, as a data URI.
  static func qrCode(_ text: String) -> String? {
    (try? QRCode(text)).map {
      "data:image/png;base64," + Data($0.png()).base64EncodedString()
    }
  }
}

extension AuthenticatorChallenge {
  /// The QR code, as responses have it.
  var qrCodeImage: JSONValue? {
    qrCode.map { ["method": "embedded", "type": "image/png", "href": .string($0)] }
  }
}

extension SimulatedUser {
  /// What is written on the user's Symantec VIP token, such as `VSMT01234567`: it is asked for when
  /// the token is set up.
  public var symantecCredentialID: String {
    let hash = HashFunction.sha256.hash(Array(login.lowercased().utf8))
    return "VSMT" + hash.prefix(8).map { String($0 % 10) }.joined()
  }
}
