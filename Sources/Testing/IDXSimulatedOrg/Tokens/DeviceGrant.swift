import Foundation
import IDXBase
import IDXOAuth

/// A sign-in with a device code (RFC 8628), stored by the device code.
struct DeviceSignIn: Sendable {
  enum Answer: Sendable {
    case signedIn(OrgAccount.Key, CompletedSignIn)
    case refused
  }

  static let grant = "urn:ietf:params:oauth:grant-type:device_code"
  /// The number of seconds for which a code is valid.
  static let lifetime: TimeInterval = 10 * 60

  let userCode: String
  let scopes: [String]
  let expiresAt: Date
  /// The shortest time between two polls.
  var interval: TimeInterval
  var lastPoll: Date?
  /// What the user has done in the browser; nil if that is nothing yet.
  var answer: Answer?
}

// The device authorization endpoint and its grant.
extension OrgCore {
  func authorizeDevice(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(of: request, known: ["client_id", "scope"])
    try checkClient(form)
    try checkSetup()
    let scopes = try scopes(in: form)
    let code = random.handle("dc_")
    let userCode = newUserCode()
    let interval = tokenRules.devicePollInterval
    deviceSignIns[code] = DeviceSignIn(
      userCode: userCode, scopes: scopes,
      expiresAt: now.addingTimeInterval(DeviceSignIn.lifetime), interval: interval)
    let page = settings.origin + "/activate"
    return .json([
      "device_code": .string(code), "user_code": .string(userCode),
      "verification_uri": .string(page),
      "verification_uri_complete": .string("\(page)?user_code=\(userCode)"),
      "expires_in": .seconds(DeviceSignIn.lifetime), "interval": .seconds(interval),
    ])
  }

  /// Letters without vowels, so that they form no word (RFC 8628, section 6.1).
  private func newUserCode() -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    func four() -> String {
      String((0..<4).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
    return "\(four())-\(four())"
  }

  /// Signs a user in with a user code, or refuses it; returns whether the code is valid.
  func enter(userCode: String, as login: String?, refusing: Bool) -> Bool {
    let found = deviceSignIns.first {
      $0.value.userCode == userCode && $0.value.answer == nil && now < $0.value.expiresAt
    }
    guard let key = login.map(OrgAccount.Key.init) ?? firstUser, let found else { return false }
    var proved = ProvedAuthenticators()
    proved.add(.password(.challenge))
    deviceSignIns[found.key]?.answer =
      refusing ? .refused : .signedIn(key, CompletedSignIn(proved, at: now))
    return true
  }

  /// Responds to a poll (RFC 8628, section 3.5).
  func deviceToken(
    _ form: [String: String], provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try checkClient(form)
    guard let code = form["device_code"], let signIn = deviceSignIns[code] else {
      throw .oauth("invalid_grant", "The device code is unknown or used.")
    }
    guard now < signIn.expiresAt else {
      throw .oauth("expired_token", "The device code has expired.")
    }
    deviceSignIns[code]?.lastPoll = now
    if let last = signIn.lastPoll, now < last.addingTimeInterval(signIn.interval) {
      deviceSignIns[code]?.interval += 5
      throw .oauth("slow_down", "The client polls too often.")
    }
    switch signIn.answer {
    case nil: throw .oauth("authorization_pending", "The user has not entered the code yet.")
    case .refused?:
      deviceSignIns[code] = nil
      throw .oauth("access_denied", "The user has refused the sign-in.")
    case .signedIn(let user, let completed)?:
      deviceSignIns[code] = nil
      return issue(
        scopes: signIn.scopes, to: TokenSubject(try allowedAccount(user)), for: completed,
        nonce: nil, boundTo: key)
    }
  }
}
