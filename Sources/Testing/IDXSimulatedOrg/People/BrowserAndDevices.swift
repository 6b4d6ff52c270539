import Foundation
import IDX
import IDXBase
import IDXOAuth

// The actions of users in browsers.
extension OrgState {
  /// Completes or refuses a page, and returns the address that the browser is redirected to; nil if none.
  mutating func visit(_ url: URL, as login: String?, refusing: Bool) -> URL? {
    let user = login.map(OrgAccount.Key.init) ?? firstUser
    let address = url.absoluteString
    if settings.policy.accounts.passwordSite?.address == address, let user {
      accounts[user]?.user.daysToPasswordExpiry = nil
      if accounts[user]?.user.status == .passwordExpired { accounts[user]?.user.status = .active }
    }
    guard let page = page(at: address) else {
      return authorize(url, by: BrowserVisit(login: login, isRefusing: refusing))
    }
    var signIn = page.signIn
    guard !refusing else {
      return callback(of: signIn, error: "access_denied", "The sign-in was refused on the page.")
    }
    remove(signIn)
    var result = StepResult.unchanged
    if page.name == .redirectIdVerify {
      result = signIn.leaveInterstitial(in: &self)
    } else if let challenge = signIn.challenge {
      result = signIn.complete(challenge, with: nil, in: &self)
    } else if let user, known(user) != nil {
      signIn.accountKey = user
      signIn.verified.addIdentityProvider()
      result = signIn.advance(in: &self)
    }
    signIn.expiresAt = now.addingTimeInterval(signIn.step.lifetime)
    _ = signIn.record(result, in: &self)
    switch signIn.step {
    case .succeeded where signIn.hosted != nil:
      guard let response = finish(signIn) else { return nil }
      return response.headers["Location"].flatMap(URL.init(string:))
    case .succeeded(let code): return callback(of: signIn, [("interaction_code", code)])
    case .final(let step) where step.isRefusal:
      return callback(of: signIn, error: "access_denied", step.messages.first?.text ?? "")
    default:
      return callback(of: signIn, error: "interaction_required", "More steps are needed.")
    }
  }

  /// The address for the link of an email, in the browser of the app that waits for the code.
  func openLink(in message: Mailbox.Message) -> URL? {
    signIns.values.first { $0.challenge?.code == message.code }
      .flatMap { callback(of: $0, [("otp", message.code)]) }
  }

  /// The sign-in that offers a page, and the name of its remediation.
  private func page(at address: String) -> (signIn: SignIn, name: Remediation.Name)? {
    for signIn in unfinishedSignIns() {
      let offered = signIn.document["remediation"]?["value"]?.array?.first {
        $0["href"]?.string == address && $0["method"] == "GET"
      }
      if let name = offered?["name"]?.string { return (signIn, Remediation.Name(rawValue: name)) }
    }
    return nil
  }

  private func callback(of signIn: SignIn, error code: String, _ description: String) -> URL? {
    callback(of: signIn, [("error", code), ("error_description", description)])
  }

  private func callback(of signIn: SignIn, _ parameters: [(String, String)]) -> URL? {
    var request = tokens.requests[signIn.interaction]
    if case .app(let first) = signIn.hosted?.destination { request = first }
    guard let request, var components = URLComponents(string: request.redirectURI)
    else { return nil }
    let added = (parameters + [("state", request.state)]).map {
      URLQueryItem(name: $0, value: $1)
    }
    components.queryItems = (components.queryItems ?? []) + added
    return components.url
  }

  /// Signs a user in with a user code, or refuses it; returns whether the code is valid.
  mutating func enter(userCode: String, as login: String?, refusing: Bool) -> Bool {
    // RFC 8628, section 6.1.
    func letters(_ code: String) -> String { code.uppercased().filter(\.isLetter) }
    let found = deviceSignIns.first {
      letters($0.value.userCode) == letters(userCode) && $0.value.answer == nil
        && now < $0.value.expiresAt
    }
    guard let key = login.map(OrgAccount.Key.init) ?? firstUser, let found else { return false }
    let completed = VerifiedFactors.password.completed(at: now)
    deviceSignIns[found.key]?.answer = refusing ? .refused : .signedIn(key, completed)
    return true
  }
}

// The actions of users on their devices.
extension OrgState {
  /// The pushes to a user that wait for an answer, oldest first.
  func pushes(to login: String) -> [AuthenticatorChallenge] {
    waiting(login, for: .challenge).map(\.challenge).filter { $0.device.push != nil }
      .sorted { ($0.device.push ?? 0) < ($1.device.push ?? 0) }
  }

  mutating func answerPush(to login: String, isApproved: (AuthenticatorChallenge) -> Bool) {
    let newest = pushes(to: login).last?.device.push
    for (handle, challenge) in waiting(login, for: .challenge)
    where newest != nil && challenge.device.push == newest {
      act(isApproved(challenge) ? .approved : .rejected, on: challenge, of: handle)
    }
  }

  func waitingEnrollments(of login: String) -> [IDXAuthenticator.Key] {
    waiting(login, for: .enroll).map(\.challenge.authenticator.key)
      .sorted { $0.rawValue < $1.rawValue }
  }

  mutating func completeEnrollment(of login: String) {
    for (handle, challenge) in waiting(login, for: .enroll) {
      act(.approved, on: challenge, of: handle)
    }
  }

  /// Approves the challenges that wait for the link of an email or a message.
  mutating func followLink(in message: Mailbox.Message) {
    for (handle, signIn) in signIns {
      guard case .challenge(let challenge) = signIn.step, challenge.code == message.code,
        challenge.check.sendsLink
      else { continue }
      act(.approved, on: challenge, of: handle)
    }
  }

  mutating func code(of key: IDXAuthenticator.Key, for login: String, ahead: Int) -> String? {
    let user = OrgAccount.Key(login)
    guard let authenticator = OrgAuthenticator[key], var account = accounts[user] else {
      return nil
    }
    let pending = unfinishedSignIns(of: user)
      .filter { $0.sharedSecrets[key] != nil || $0.challenge?.authenticator.key == key }
      .max { $0.expiresAt < $1.expiresAt }
    // Okta Verify shows no codes before it is set up.
    let pendingSecret = authenticator.setUp == .inApp ? nil : pending?.sharedSecrets[key]
    let secret = account.user.enrollment(of: key)?.detail.secret ?? pendingSecret
    let current = pending?.challenge.flatMap { $0.authenticator.key == key ? $0 : nil }
    let challenge = current ?? AuthenticatorChallenge(authenticator, .challenge)
    defer { accounts[user] = account }
    for method in authenticator.methods {
      let code = method.check.shownCode(
        challenge, secret, ahead: max(ahead, 0), of: &account, at: now)
      if let code { return code }
    }
    return nil
  }

  /// The code that Google Authenticator shows now, even if it was already accepted.
  func appCode(for login: String) -> String? {
    let user = OrgAccount.Key(login)
    let pending = signIns.values.filter { $0.accountKey == user }
      .max { $0.expiresAt < $1.expiresAt }
    let secret =
      accounts[user]?.user.enrollment(of: .googleAuthenticator)?.detail.secret
      ?? pending?.sharedSecrets[.googleAuthenticator]
    return secret.flatMap { TOTPGenerator(base32: $0)?.code(at: now) }
  }

  /// The challenges of a user in which a device can act now, with the handles of their sign-ins.
  private func waiting(
    _ login: String, for purpose: AuthenticatorChallenge.Purpose
  ) -> [(handle: String, challenge: AuthenticatorChallenge)] {
    unfinishedSignIns(of: OrgAccount.Key(login)).compactMap {
      guard case .challenge(let challenge) = $0.step, challenge.purpose == purpose,
        challenge.device.isWaiting(at: now)
      else { return nil }
      return ($0.handle, challenge)
    }
  }

  private mutating func act(
    _ event: PendingDeviceAction.Event, on challenge: AuthenticatorChallenge, of handle: String
  ) {
    var challenge = challenge
    challenge.device.wait(for: event, at: now)
    signIns[handle]?.step = .challenge(challenge)
  }
}
