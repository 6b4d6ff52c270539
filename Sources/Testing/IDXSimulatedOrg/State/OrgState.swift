import Foundation
import IDX
import IDXFlow
import IDXBase
import IDXOAuth

/// What an org knows: its users, the sign-ins that are not finished, and its rules.
///
/// The actor ``SimulatedOrg`` has one. Each ``OrgEndpoint`` reads and changes it.
struct OrgState: Sendable {
  let settings: OrgSettings
  let clock: OrgClock
  var random: OrgRandom
  /// The user of the browser, if no other one is given.
  let firstUser: OrgAccount.Key?
  /// Also of unknown usernames (``OrgAccount/exists``).
  var accounts: [OrgAccount.Key: OrgAccount] = [:]
  /// The users whose devices have registered a key for Okta FastPass, by its thumbprint.
  var deviceKeys: [String: OrgAccount.Key] = [:]
  /// Sign-ins that are not finished, by their handle.
  var signIns: [String: SignIn] = [:]
  /// Sign-ins with a browser on another device, by their device code.
  var deviceSignIns: [String: DeviceSignIn] = [:]
  /// Who is signed in by the classic API, by the session token.
  var sessions: [String: ClassicSession] = [:]
  /// Who is signed in with a browser.
  var browserSessions: [BrowserSession] = []
  /// Authorization requests that were pushed, by their URI.
  var pushedRequests: [String: PushedRequest] = [:]
  /// The links that were sent, by their token.
  var linkTokens: [String: LinkToken] = [:]
  private(set) var mailbox = Mailbox()
  private let onMessage: (@Sendable (Mailbox.Message) -> Void)?
  var requestRules = OrgRequestRules()
  var mistakes: Set<SetupMistake> = []
  var tokens: TokenService

  init(
    settings: OrgSettings, users: [SimulatedUser], seed: UInt64?, clock: OrgClock,
    onMessage: (@Sendable (Mailbox.Message) -> Void)?
  ) {
    self.settings = settings
    self.clock = clock
    self.onMessage = onMessage
    random = OrgRandom(seed: seed)
    tokens = TokenService(settings: settings, clock: clock)
    firstUser = users.first.map { OrgAccount.Key($0.login) }
    for user in users { accounts[OrgAccount.Key(user.login)] = OrgAccount(user) }
  }

  var now: Date { clock.now }

  /// The account of a user; one without a valid password if the username is unknown or not given yet.
  subscript(key: OrgAccount.Key?) -> OrgAccount {
    get { key.flatMap { accounts[$0] } ?? OrgAccount(unknown: key?.text ?? "") }
    set { if let key { accounts[key] = newValue } }
  }

  /// The account of a user who exists; nil for any other one.
  func known(_ key: OrgAccount.Key) -> OrgAccount? {
    accounts[key].flatMap { $0.exists ? $0 : nil }
  }

  mutating func deliver(_ message: Mailbox.Message) {
    mailbox.messages.append(message)
    onMessage?(message)
  }

  /// Throws if the org is set up so that the app cannot sign in anybody.
  func checkSetup() throws(Refusal) {
    try require(
      !mistakes.contains(.customServersDisabled) || !settings.issuer.contains("/oauth2/"),
      else: .oauth("server_error", "The requested feature is not enabled in this environment."))
    try require(
      !mistakes.contains(.grantTypeDisabled),
      else: .oauth("unauthorized_client", "The client may not use this grant type."))
  }
}

// MARK: - Sign-ins

extension OrgState {
  /// A new sign-in, which is not stored yet.
  func newSignIn(
    _ signInProtocol: SignInProtocol, handle: String, by sender: OrgRequest.Sender,
    lifetime: TimeInterval
  ) -> SignIn {
    SignIn(
      signInProtocol, handle: handle, sender: sender, begins: now,
      expiresAt: now.addingTimeInterval(lifetime))
  }

  /// The sign-in with this handle, whose sender is that of the request; nil if it is unknown or has expired.
  mutating func resume(
    _ handle: String, _ signInProtocol: SignInProtocol, by sender: OrgRequest.Sender
  ) -> SignIn? {
    guard var found = signIns[handle], found.signInProtocol == signInProtocol else { return nil }
    guard now < found.expiresAt else {
      signIns[handle] = nil
      return nil
    }
    found.sender = sender
    return found
  }

  mutating func save(_ signIn: SignIn) { signIns[signIn.handle] = signIn }
  mutating func remove(_ signIn: SignIn) { signIns[signIn.handle] = nil }

  /// The unfinished sign-ins of a user, or of anybody.
  func unfinishedSignIns(of user: OrgAccount.Key? = nil) -> [SignIn] {
    signIns.values.filter { now < $0.expiresAt && (user == nil || $0.accountKey == user) }
  }

  /// Counts a wrong answer, and returns whether the account is now locked.
  mutating func recordFailure(of key: OrgAccount.Key) -> Bool {
    self[key].failures += 1
    let isLast = self[key].failures == settings.policy.attempts
    if isLast, self[key].exists { self[key].user.status = .locked }
    return isLast
  }
}

// MARK: - Links and sessions

/// A link that the org or an administrator has sent to a user.
struct LinkToken: Sendable {
  let account: OrgAccount.Key
  let purpose: AccountOperation.Kind
  /// `distantFuture` if an administrator has sent it.
  let expiresAt: Date

  /// The number of seconds for which a requested link is valid.
  static let lifetime: TimeInterval = 60 * 60
}

extension OrgState {
  mutating func issueLinkToken(
    for login: String, _ purpose: AccountOperation.Kind, until expiresAt: Date = .distantFuture
  ) -> Secret? {
    let key = OrgAccount.Key(login)
    guard known(key) != nil else { return nil }
    let token = random.handle("lt_")
    linkTokens[token] = LinkToken(account: key, purpose: purpose, expiresAt: expiresAt)
    return Secret(token)
  }

  /// The link with a token; nil if the token is unknown, used or expired.
  func linkToken(_ token: String) -> LinkToken? {
    linkTokens[token].flatMap { now < $0.expiresAt ? $0 : nil }
  }

  /// The token of a new session of the classic API.
  mutating func startSession(of account: OrgAccount.Key, _ verified: VerifiedFactors)
    -> String
  {
    let token = random.handle("20111")
    sessions[token] = ClassicSession(
      account: account, signIn: verified.completed(at: now),
      expiresAt: now.addingTimeInterval(ClassicSession.lifetime))
    return token
  }

  /// The token of a session that began with the password; nil for an unknown user.
  mutating func newSessionToken(for login: String) -> Secret? {
    let key = OrgAccount.Key(login)
    return known(key).map { _ in Secret(startSession(of: key, .password)) }
  }
}
