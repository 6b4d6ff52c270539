import IDXBase
import IDX
import IDXOAuth
import IDXQRCode

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Google Authenticator: codes that an app computes from a shared secret and the time.
struct AppCodeAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.googleAuthenticator
  let type: IDXAuthenticator.Kind = "app"
  let displayName = "Google Authenticator"
  let methods = [(label: "Enter a code", value: "otp")]
  let enrollmentPrefix = "uft"
  let challengesEnrollment = false

  func choiceFields(for purpose: Ceremony.Purpose) -> [JSONValue] { [] }

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    guard ceremony.purpose == .enroll else { return nil }
    let secret = ceremony.sharedSecret ?? org.random.sharedSecret()
    let host = org.settings.host
    let uri = OTPAuthURI(issuer: host, account: user.login, secret: secret)
    ceremony.sharedSecret = secret
    ceremony.qrCode = (try? QRCode(uri.text.revealed)).map { code in
      "data:image/png;base64," + Data(code.png()).base64EncodedString()
    }
    return nil
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    guard ceremony.purpose == .enroll, let secret = ceremony.sharedSecret else { return [] }
    let image = ceremony.qrCode.map { href in
      ["method": "embedded", "type": "image/png", "href": .string(href)] as JSONValue
    }
    let data: JSONValue = ["sharedSecret": .string(secret.revealed)]
    return [("contextualData", data.adding("qrcode", image))]
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    let secret = ceremony.sharedSecret ?? account.user.appSecret
    let counter = counter(of: credentials, secret: secret, at: org.now)
    if ceremony.purpose == .enroll {
      return counter == nil ? rejection(.wrongCode) : nil
    }
    guard let counter else { return rejection(.wrongAppCode) }
    return account.hasUsed(counter, of: key) ? rejection(.usedAppCode) : nil
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    let secret = ceremony.sharedSecret ?? account.user.appSecret
    if ceremony.purpose == .enroll, let secret {
      account.user.enrollments.append(.googleAuthenticator(secret: secret))
    }
    // Who has two apps may have shown a code of the other one.
    let secrets = account.user.enrollments.filter { $0.authenticator == key }.map(\.detail.secret)
    let counters = secrets.compactMap { counter(of: credentials, secret: $0, at: date) }
    if let counter = counters.first {
      account.usedCounters[key, default: []].insert(counter)
    }
  }

  /// The time step of which the answer is the code, one step off allowed; nil where there is none.
  private func counter(of credentials: JSONValue, secret: Secret?, at date: Date) -> UInt64? {
    guard let secret, let app = TOTPGenerator(base32: secret),
      let code = credentials["passcode"]?.string
    else { return nil }
    let current = app.counter(at: date)
    return [current, current &- 1, current &+ 1].first { app.code(counter: $0) == code }
  }

  func code(
    ahead: Int, secret: Secret?, ceremony: Ceremony?, of account: inout OrgAccount, at date: Date
  ) -> String? {
    CodeToken(key, secret: secret)?.code(ahead: ahead, of: account, at: date)
  }

  private func rejection(_ message: OrgMessage) -> Rejection {
    Rejection(status: 401, message: message, field: "credentials.passcode")
  }
}

extension SimulatedUser {
  /// The secret of the user's authenticator app; nil where none is set up.
  var appSecret: Secret? {
    guard case .key(let secret) = enrollment(of: .googleAuthenticator)?.detail else { return nil }
    return secret
  }
}
