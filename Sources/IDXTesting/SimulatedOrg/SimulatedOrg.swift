public import IDXBase
public import IDXFlow
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A whole Okta org in memory, reached as any server is: by a transport.
///
/// It serves OAuth's endpoints under its issuer, the sign-in under `/idp/idx` of the same host and the
/// classic API under `/api/v1/authn`, and it is stricter than a real server: what a client sends is compared, field by field, with the
/// form that the last response offered, and whatever is missing, changed or unknown is refused with
/// a message that names it. A client that gets on with it gets on with a real org.
///
///     let org = SimulatedOrg(
///       users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
///       policy: .required(.email), seed: 1)
///     var request = TransportRequest(method: "POST", url: org.issuer.appendingPathComponent("v1/interact"))
///     request.headers = [
///       "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
///     ]
///     let response = try await org.send(request)  // 401: it does not say which client it is
///     org.advance(by: 6 * 60)               // every sign-in that was on its way has expired
///     let code = await org.mailbox.lastCode(to: "ada@shop.example")
///
/// What real servers leave open it decides so:
/// - A locked account answers as if the password were wrong, and so does a name that nobody has.
///   When wrong answers lock an account, that sign-in answers 429 from then on.
/// - A suspended user is denied access (403) and one who is not assigned to the app is told so
///   (400), both only once the password was right.
/// - Recovery and unlocking tell who is unknown (400, `idx.unknown.user`), which the sign-in does not.
/// - Whoever is signed in by an identity provider or a smart card needs no password, but all else.
/// - App codes count one time step early and late, each once.
/// - A push waits a minute. Rejected or not answered, it is answered by a poll with status 200; when
///   nobody answered, the message's key is `api.authn.poll.error.push_timeout`.
/// - Where a number has to be picked, another one rejects the push.
/// - What a device sets up belongs to the user once the client has polled.
/// - An interaction code is spent by the first request that holds it, right or wrong.
/// - Tokens are signed with RS256, by a key that is for tests only: its primes are found in a moment.
///   Access tokens are signed like ID tokens, whichever the authorization server.
/// - A refresh token that is used after its time of grace revokes all that came of its sign-in; see
///   ``OrgTokenRules``. A user who is suspended or no longer assigned gets no new tokens.
/// - DirectAuth is served as well. What is proved first counts towards the policy, so that a password
///   is not demanded of who begins with something else; each wrong answer is an `invalid_grant`, and an
///   `mfa_token` that is over is `access_denied`.
/// - The classic API is served to the same users by the same policy, without the stations. It asks for
///   factors before it says what becomes of the password, and takes in every state what the last
///   response links to and no more. Who is suspended is answered as if the password were wrong. When
///   wrong answers lock an account, that sign-in is over (`E0000069`).
/// - Recovery by the classic API sends codes, or a mail with a token for `/recovery/token`. Unlocking
///   ends there, and so does a recovery by a policy whose recovery does not sign in: with `SUCCESS`,
///   and no session token.
/// - A session token is spent by the first request for authorization that holds it, from the app and
///   to one of its redirect URIs, right or wrong. The org has no page to sign in on: without a good
///   token the answer is `login_required`, whatever the `prompt`.
/// - Signing out at `/logout` ends no token, and leads to registered redirect URIs alone.
public actor SimulatedOrg: Transport {
  /// The issuer, as it stands in discovery, byte for byte.
  public nonisolated let issuer: URL
  /// The id of the app.
  public nonisolated let clientID: String
  /// The redirect URI of the app, the first of those that are registered.
  public nonisolated let redirectURI: String
  nonisolated let time: OrgClock
  /// All requests that arrived, in order, as `POST /idp/idx/identify`, queries left out.
  ///
  /// Where a `GET` whose path ends in `/keys` stands among them depends on when the client fetches
  /// keys: leave those out where the order matters.
  public private(set) var requests: [String] = []

  var core: OrgCore
  private var faults: [(fault: Fault, path: String)] = []
  private let gate = RequestGate()

  /// An org with these users.
  ///
  /// - Parameters:
  ///   - issuer: Absolute; with `/oauth2/…` for an authorization server of one's own, without a path
  ///     for the org's.
  ///   - redirectURIs: Those that are registered; at least one.
  ///   - shape: In which manner responses are written; plain by default.
  ///   - seed: Determines all handles, codes and secrets, so that a run can be repeated; nil to draw
  ///     them from the system's generator.
  ///   - clock: What time it is.
  ///   - onMessage: Is told of every e-mail, SMS and call as it is sent.
  /// - Precondition: The policy names authenticators that the org knows.
  public init(
    issuer: String = "https://demo.okta.example/oauth2/default",
    clientID: String = "0oaDemoApp0000000001",
    redirectURIs: [String] = ["com.example.demo:/callback"],
    users: [SimulatedUser], policy: SignInPolicy = .demo, shape: ResponseShape = [],
    seed: UInt64? = nil, clock: @escaping @Sendable () -> Date = { Date() },
    onMessage: (@Sendable (Mailbox.Message) -> Void)? = nil
  ) {
    let accounts = policy.accounts
    let known =
      policy.required + policy.optional + (accounts.recovery?.methods ?? [])
      + (accounts.unlock?.methods ?? [])
    precondition(
      known.allSatisfy { $0 != .password && OrgAuthenticators[$0] != nil },
      "The policy names an authenticator that the simulated org does not know.")
    guard let url = URL(string: issuer), url.host != nil, let redirectURI = redirectURIs.first
    else {
      preconditionFailure("A simulated org needs an absolute issuer and a redirect URI.")
    }
    self.issuer = url
    self.clientID = clientID
    self.redirectURI = redirectURI
    let settings = OrgSettings(
      issuer: issuer, clientID: clientID, redirectURIs: redirectURIs, policy: policy,
      shape: shape)
    time = OrgClock(clock)
    core = OrgCore(settings: settings, seed: seed, clock: time, onMessage: onMessage)
    core.firstUser = users.first.map { OrgAccount.Key($0.login) }
    for user in users { core.accounts[OrgAccount.Key(user.login)] = OrgAccount(user) }
  }

  /// An org in this situation.
  public init(
    _ scenario: OrgScenario, redirectURIs: [String] = ["com.example.demo:/callback"],
    shape: ResponseShape = [], seed: UInt64? = nil,
    clock: @escaping @Sendable () -> Date = { Date() },
    onMessage: (@Sendable (Mailbox.Message) -> Void)? = nil
  ) {
    self.init(
      redirectURIs: redirectURIs, users: scenario.users, policy: scenario.policy, shape: shape,
      seed: seed, clock: clock,
      onMessage: onMessage)
  }

  /// All that was sent to users, in order.
  public var mailbox: Mailbox { core.mailbox }

  /// What time it is in the org: the clock's, and what was added to it.
  public nonisolated var now: Date { time.now }

  /// A client of the org that lives by the org's time, so that tokens stay good to it when the time
  /// moves on.
  public nonisolated var client: IDXClient { IDXClient(transport: self, tokens: tokenClient) }

  /// A client of the org's tokens that lives by the org's time.
  public nonisolated var tokenClient: TokenClient {
    TokenClient(transport: self, now: { self.now })
  }

  /// Answers a request as the server at the issuer's host, or throws as if it were not reached.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    let url = request.url
    guard url.absoluteString.hasPrefix(core.settings.origin + "/") else {
      throw unreached(url)
    }
    let fault = takeFault(for: request)
    if fault == .unreachable { throw unreached(url) }
    requests.append("\(request.method) \(url.path)")
    switch fault {
    case .serverError: return TransportResponse(status: 500, headers: ["Content-Type": "text/html"])
    case .rateLimited(let seconds): return core.rateLimit(seconds: seconds)
    case .refused(let code): return core.refuse(code)
    case .sessionExpired: return core.expire(request)
    case .held:
      try await gate.hold()
    case .responseLost, .unreachable, nil: break
    }
    let response = core.respond(to: request)
    guard fault != .responseLost else {
      throw TransportError(
        .connectionLost,
        message: "The connection to \(url.host ?? "") broke before an answer came.",
        mayHaveArrived: true)
    }
    return response
  }

  private func unreached(_ url: URL) -> TransportError {
    TransportError(
      .unreachable, message: "\(url.host ?? "The host") cannot be reached.", mayHaveArrived: false)
  }

  private func takeFault(for request: TransportRequest) -> Fault? {
    let path = request.url.path
    // When keys are fetched is the client's affair: a fault for whatever comes next is not for them.
    let isAside = request.method == "GET" && request.url.absoluteString.hasPrefix(core.keysAddress)
    guard
      let index = faults.firstIndex(where: {
        path.hasSuffix($0.path) && !(isAside && $0.path.isEmpty)
      })
    else { return nil }
    return faults.remove(at: index).fault
  }
}

// MARK: - Users and time

extension SimulatedOrg {
  /// The user as the org knows them now, with what was set up meanwhile; nil where nobody has the
  /// login.
  public func user(_ login: String) -> SimulatedUser? {
    core.accounts[OrgAccount.Key(login)].flatMap { $0.exists ? $0.user : nil }
  }

  /// Adds a user, or puts one in the place of who had the login; failed attempts are forgotten.
  public func update(_ user: SimulatedUser) {
    core.accounts[OrgAccount.Key(user.login)] = OrgAccount(user)
  }

  /// Lets time pass in the org without anybody waiting.
  public nonisolated func advance(by seconds: TimeInterval) { time.advance(by: seconds) }

  /// The code that the user's authenticator app shows now, also while it is being set up; nil where
  /// the user has no app.
  public func authenticatorCode(for login: String) -> String? {
    let key = OrgAccount.Key(login)
    let pending = core.transactions.values
      .filter { $0.account == key && $0.appSecret != nil }
      .max { $0.expiresAt < $1.expiresAt }
    guard let secret = core.accounts[key]?.user.appSecret ?? pending?.appSecret else { return nil }
    return TOTPGenerator(base32: secret)?.code(at: core.now)
  }

  /// Follows the link in a message: the sign-in that waits for it goes on at its next poll.
  public func followLink(in message: Mailbox.Message) {
    for (handle, transaction) in core.transactions {
      guard case .ceremony(var ceremony) = transaction.step, ceremony.code == message.code,
        OrgAuthenticators[ceremony.authenticator]?.isPollable == true
      else { continue }
      ceremony.isApproved = true
      core.transactions[handle]?.step = .ceremony(ceremony)
    }
  }
}

// MARK: - Faults

extension SimulatedOrg {
  /// Lets the next request fail whose path ends so, once; faults are used up in the order given.
  ///
  /// Without a path it is the next request of all, save one for the keys: clients fetch them at any
  /// time. Two addresses end in `/introspect`: `/idp/idx/introspect` tells where a sign-in stands,
  /// `/v1/introspect` what a token is good for.
  public func inject(_ fault: Fault, at path: String = "") {
    faults.append((fault, path))
  }

  /// Returns as soon as a request is being held by ``Fault/held``.
  public func waitUntilHeld() async { await gate.waitUntilHeld() }

  /// Lets all requests go on that are being held.
  public func release() async { await gate.release() }
}

extension SimulatedOrg: Redacted {
  /// The issuer.
  public nonisolated var description: String { "simulated org at \(issuer)" }
  /// A mirror without children, because the org holds passwords, codes and tokens.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
