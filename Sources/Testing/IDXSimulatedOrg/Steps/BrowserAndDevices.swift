import Foundation
import IDX
import IDXBase
import IDXOAuth

// The actions of users in browsers.
extension OrgCore {
  /// Completes or refuses a page, and returns the address that the browser is redirected to; nil if none.
  func visit(_ address: String, as login: String?, refusing: Bool) -> URL? {
    let user = login.map(OrgAccount.Key.init) ?? firstUser
    if settings.policy.accounts.passwordSite?.address == address, let user {
      accounts[user]?.user.daysToPasswordExpiry = nil
      if accounts[user]?.user.status == .passwordExpired { accounts[user]?.user.status = .active }
    }
    guard let page = page(at: address) else {
      return authorize(address, by: BrowserVisit(login: login, isRefusing: refusing))
    }
    signIn = page.signIn
    guard !refusing else {
      return callback(error: "access_denied", "The sign-in was refused on the page.")
    }
    signIns[signIn.handle] = nil
    var result = StepResult.unchanged
    if page.name == .redirectIdVerify {
      result = leaveInterstitial()
    } else if let challenge = signIn.challenge {
      result = complete(challenge, with: nil)
    } else if let user, accounts[user]?.exists == true {
      signIn.account = user
      signIn.proved.addIdentityProvider()
      result = advance()
    }
    signIn.expiresAt = now.addingTimeInterval(settings.lifetime(of: signIn.step))
    _ = record(result)
    switch signIn.step {
    case .succeeded(let code): return callback(of: signIn, [("interaction_code", code)])
    case .final(let step) where step.isRefusal:
      return callback(error: "access_denied", step.messages.first?.text ?? "")
    default: return callback(error: "interaction_required", "More steps are needed.")
    }
  }

  /// The address that the browser is redirected to from an authorization request; nil if none.
  private func authorize(_ address: String, by visit: BrowserVisit) -> URL? {
    guard address.hasPrefix(settings.oauthBase + "/authorize?"), let url = URL(string: address),
      let response = try? authorize(TransportRequest(url: url), by: visit)
    else { return nil }
    return response.headers["Location"].flatMap(URL.init(string:))
  }

  /// The address for the link of an email, in the browser of the app that waits for the code.
  func openLink(in message: Mailbox.Message) -> URL? {
    signIns.values.first { $0.challenge?.code == message.code }
      .flatMap { callback(of: $0, [("otp", message.code)]) }
  }

  /// The sign-in that offers a page, and the name of its remediation.
  private func page(at address: String) -> (signIn: SignIn, name: Remediation.Name)? {
    for signIn in signIns.values where now < signIn.expiresAt {
      let offered = signIn.document["remediation"]?["value"]?.array?.first {
        $0["href"]?.string == address && $0["method"] == "GET"
      }
      if let name = offered?["name"]?.string { return (signIn, Remediation.Name(rawValue: name)) }
    }
    return nil
  }

  private func callback(error code: String, _ description: String) -> URL? {
    callback(of: signIn, [("error", code), ("error_description", description)])
  }

  private func callback(of signIn: SignIn, _ parameters: [(String, String)]) -> URL? {
    guard let interaction = interactions[signIn.interaction],
      var components = URLComponents(string: interaction.redirectURI)
    else { return nil }
    let added = (parameters + [("state", interaction.state)]).map {
      URLQueryItem(name: $0, value: $1)
    }
    components.queryItems = (components.queryItems ?? []) + added
    return components.url
  }
}

// The actions of users on their devices.
extension OrgCore {
  /// The pushes to a user that wait for an answer, oldest first.
  func pushes(to login: String) -> [AuthenticatorChallenge] {
    waiting(login, for: .challenge).map(\.challenge).filter { $0.device.push != nil }
      .sorted { ($0.device.push ?? 0) < ($1.device.push ?? 0) }
  }

  func answerPush(to login: String, isApproved: (AuthenticatorChallenge) -> Bool) {
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

  func completeEnrollment(of login: String) {
    for (handle, challenge) in waiting(login, for: .enroll) {
      act(.approved, on: challenge, of: handle)
    }
  }

  /// Approves the challenges that wait for the link of an email or a message.
  func followLink(in message: Mailbox.Message) {
    for (handle, signIn) in signIns {
      guard case .challenge(let challenge) = signIn.step, challenge.code == message.code,
        challenge.proof.sendsLink
      else { continue }
      act(.approved, on: challenge, of: handle)
    }
  }

  func code(of key: IDXAuthenticator.Key, for login: String, ahead: Int) -> String? {
    let user = OrgAccount.Key(login)
    guard let authenticator = OrgAuthenticator[key], var account = accounts[user] else {
      return nil
    }
    let pending = signIns.values
      .filter { $0.account == user && now < $0.expiresAt }
      .filter { $0.sharedSecrets[key] != nil || $0.challenge?.authenticator.key == key }
      .max { $0.expiresAt < $1.expiresAt }
    // Okta Verify shows no codes before it is set up.
    let pendingSecret = authenticator.setUp == .inApp ? nil : pending?.sharedSecrets[key]
    let secret = account.user.enrollment(of: key)?.detail.secret ?? pendingSecret
    let current = pending?.challenge.flatMap { $0.authenticator.key == key ? $0 : nil }
    let challenge = current ?? AuthenticatorChallenge(authenticator, .challenge)
    defer { accounts[user] = account }
    for method in authenticator.methods {
      let code = method.proof.shownCode(
        challenge, secret, ahead: max(ahead, 0), of: &account, at: now)
      if let code { return code }
    }
    return nil
  }

  /// The code that Google Authenticator shows now, even if it was already accepted.
  func appCode(for login: String) -> String? {
    let user = OrgAccount.Key(login)
    let pending = signIns.values.filter { $0.account == user }.max { $0.expiresAt < $1.expiresAt }
    let secret =
      accounts[user]?.user.enrollment(of: .googleAuthenticator)?.detail.secret
      ?? pending?.sharedSecrets[.googleAuthenticator]
    return secret.flatMap { TOTPGenerator(base32: $0)?.code(at: now) }
  }

  /// The challenges of a user in which a device can act now, with the handles of their sign-ins.
  private func waiting(
    _ login: String, for purpose: AuthenticatorChallenge.Purpose
  ) -> [(handle: String, challenge: AuthenticatorChallenge)] {
    let user = OrgAccount.Key(login)
    return signIns.values.filter { $0.account == user && now < $0.expiresAt }.compactMap {
      guard case .challenge(let challenge) = $0.step, challenge.purpose == purpose,
        challenge.device.isWaiting(at: now)
      else { return nil }
      return ($0.handle, challenge)
    }
  }

  private func act(
    _ event: PendingDeviceAction.Event, on challenge: AuthenticatorChallenge, of handle: String
  ) {
    var challenge = challenge
    challenge.device.wait(for: event, at: now)
    signIns[handle]?.step = .challenge(challenge)
  }
}

// MARK: - Links from administrators

struct LinkToken: Sendable {
  let account: OrgAccount.Key
  let purpose: AccountOperation.Kind
  /// `distantFuture` if an administrator has sent it.
  let expiresAt: Date

  /// The number of seconds for which a requested link is valid.
  static let lifetime: TimeInterval = 60 * 60

  /// The parameters of `/interact` for tokens.
  static let parameters: [(name: String, purpose: AccountOperation.Kind)] = [
    ("recovery_token", .recovery), ("activation_token", .registration),
  ]
}

extension OrgCore {
  func issueLinkToken(
    for login: String, _ purpose: AccountOperation.Kind, until expiresAt: Date = .distantFuture
  ) -> Secret? {
    let key = OrgAccount.Key(login)
    guard accounts[key]?.exists == true else { return nil }
    let token = random.handle("lt_")
    linkTokens[token] = LinkToken(account: key, purpose: purpose, expiresAt: expiresAt)
    return Secret(token)
  }

  /// The link with a token; nil if the token is unknown, used or expired.
  func linkToken(_ token: String) -> LinkToken? {
    linkTokens[token].flatMap { now < $0.expiresAt ? $0 : nil }
  }

  func useLinkToken(_ token: String) {
    guard let used = linkTokens.removeValue(forKey: token) else { return }
    signIn.account = used.account
    signIn.operation = AccountOperation(kind: used.purpose, isProvedByLink: true)
  }
}
