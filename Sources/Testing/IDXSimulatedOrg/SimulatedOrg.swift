public import Foundation
public import IDX
public import IDXBase
public import IDXFlow
public import IDXOAuth

/// An Okta org in memory that responds to requests like a server.
///
/// It serves OAuth's endpoints under its issuer, IDX under `/idp/idx` of the same host, and the classic
/// API under `/api/v1/authn`. It is stricter than a real server: it compares each field of a request with
/// the form of the last response. If a field is missing, changed or unknown, it refuses the request and
/// names the field. It was written from recorded responses of real orgs, and never ran beside one: a client that works
/// with it still has to be tried with a real org. ``OrgRequestRules`` can make it less strict.
///
///     let org = SimulatedOrg(
///       users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
///       policy: .required(.email), seed: 1)
///     var request = TransportRequest(method: "POST", url: org.issuer.appendingPathComponent("v1/interact"))
///     request.headers = [
///       "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
///     ]
///     let response = try await org.send(request)  // 401: the request has no client_id
///     org.advance(by: 2 * 3600)                   // all sign-ins have expired
///     let code = await org.mailbox.lastCode(to: "ada@shop.example")
///
/// Real servers differ from one another: <doc:HowTheOrgBehaves> says what this one does.
///
/// ## Topics
///
/// ### Creating an org
/// - ``init(_:issuer:clientSecret:redirectURIs:shape:seed:clock:onMessage:)``
/// - ``init(issuer:clientID:clientSecret:redirectURIs:users:policy:shape:seed:clock:onMessage:)``
///
/// ### Signing in to it
/// - ``configuration``
/// - ``client``
/// - ``tokenClient``
/// - ``issuer``
/// - ``clientID``
/// - ``redirectURI``
///
/// ### Time
/// - ``now``
/// - ``advance(by:)``
///
/// ### Users
/// - ``user(_:)``
/// - ``users``
/// - ``update(_:)``
/// - ``recoveryToken(for:)``
/// - ``activationToken(for:)``
///
/// ### The person's devices
/// - ``authenticators``
/// - ``mailbox``
/// - ``authenticatorCode(for:)``
/// - ``code(of:for:ahead:)``
/// - ``Push``
/// - ``pushes(for:)``
/// - ``approvePush(for:choosing:)``
/// - ``rejectPush(for:)``
/// - ``waitingEnrollments(for:)``
/// - ``completeEnrollment(for:)``
///
/// ### The person's browser
/// - ``visit(_:as:refusing:)``
/// - ``enter(userCode:as:refusing:)``
/// - ``followLink(in:)``
/// - ``openLink(in:)``
/// - ``captchaToken``
///
/// ### Requests and faults
/// - ``send(_:)``
/// - ``requests``
/// - ``contexts``
/// - ``Context``
/// - ``changeRequests(_:)``
/// - ``inject(_:at:)``
/// - ``waitUntilHeld()``
/// - ``release()``
/// - ``misconfigure(_:)``
///
/// ### Tokens
/// - ``changeTokens(_:)``
/// - ``rotateKeys(keepingOld:)``
///
/// ### The classic API
/// - ``sessionToken(for:)``
///
/// ### Descriptions
/// - ``description``
/// - ``customMirror``
public actor SimulatedOrg: Transport {
  /// The issuer, exactly as in discovery.
  public nonisolated let issuer: URL
  /// The client ID of the app.
  public nonisolated let clientID: String
  /// The first of the app's registered redirect URIs.
  public nonisolated let redirectURI: String
  /// The configuration of the org's app, with the usual scopes.
  public nonisolated let configuration: FlowConfiguration
  /// All requests that arrived, in order, such as `POST /idp/idx/identify`, without queries.
  ///
  /// Clients fetch keys (`GET …/keys`) at any time: ignore those requests if the order matters.
  public private(set) var requests: [String] = []

  /// Who asked with each request of ``requests``, as the header fields say.
  public private(set) var contexts: [Context] = []

  /// Who asks with a request: the header fields about the person and the client.
  public struct Context: Sendable, Hashable {
    /// `X-Forwarded-For`; nil if there is none.
    public let address: String?
    /// `X-Okta-User-Agent-Extended`; nil if there is none.
    public let userAgent: String?
    /// The token of the device, from `X-Device-Token` or the cookie `DT`; nil if there is none.
    public let deviceToken: Secret?
    /// `Origin`; nil if there is none.
    public let origin: String?
    /// `Accept-Language`; nil if there is none.
    public let language: String?
  }

  private nonisolated let clientSecret: Secret?
  private nonisolated let clock: OrgClock
  var state: OrgState
  private var faults: [(fault: Fault, path: String)] = []
  private let gate = RequestGate()

  /// The token of a solved captcha; any other token is refused.
  public static let captchaToken = "simulated-captcha-token"

  /// Creates an org with users and a policy.
  ///
  /// - Parameters:
  ///   - issuer: An absolute URL; with the path `/oauth2/…` for a custom authorization server, and without
  ///     a path for the org authorization server.
  ///   - clientID: The client ID of the app.
  ///   - clientSecret: The app's secret, with which it must authenticate in any way of
  ///     ``/IDXOAuth/ClientAuthentication``; nil for an app without one.
  ///   - redirectURIs: The registered redirect URIs; at least one.
  ///   - users: The people who can sign in; others can register if the policy allows it.
  ///   - policy: What the org requires and offers.
  ///   - shape: Variations in how responses are written.
  ///   - seed: With the same seed, all handles, codes and secrets are the same. If nil, they are random.
  ///   - clock: The time.
  ///   - onMessage: Called with each email, SMS and call when it is sent.
  /// - Precondition: The org knows all authenticators of the policy, and a ``/IDXOAuth/FlowConfiguration`` can have the
  ///   issuer, the client ID and the redirect URI.
  public init(
    issuer: String = "https://demo.okta.example/oauth2/default",
    clientID: String = "0oaDemoApp0000000001", clientSecret: Secret? = nil,
    redirectURIs: [String] = ["com.example.demo:/callback"],
    users: [SimulatedUser], policy: SignInPolicy = .demo, shape: ResponseShape = [],
    seed: UInt64? = nil, clock: @escaping @Sendable () -> Date = { Date() },
    onMessage: (@Sendable (Mailbox.Message) -> Void)? = nil
  ) {
    precondition(
      policy.isKnown, "The policy names an authenticator that the simulated org does not know.")
    guard let redirectURI = redirectURIs.first,
      let configuration = try? FlowConfiguration(
        issuer: issuer, clientID: clientID, redirectURI: redirectURI)
    else {
      preconditionFailure(
        "A simulated org needs an issuer with https, a client ID and a redirect URI.")
    }
    self.configuration = configuration
    self.issuer = configuration.issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.redirectURI = redirectURI
    self.clock = OrgClock(clock)
    let settings = OrgSettings(
      issuer: issuer, clientID: clientID, clientSecret: clientSecret, redirectURIs: redirectURIs,
      policy: policy, shape: shape)
    state = OrgState(
      settings: settings, users: users, seed: seed, clock: self.clock, onMessage: onMessage)
  }

  /// Creates an org with the users and the policy of a scenario; the other parameters are those of
  /// ``init(issuer:clientID:clientSecret:redirectURIs:users:policy:shape:seed:clock:onMessage:)``.
  public init(
    _ scenario: OrgScenario, issuer: String = "https://demo.okta.example/oauth2/default",
    clientSecret: Secret? = nil, redirectURIs: [String] = ["com.example.demo:/callback"],
    shape: ResponseShape = [], seed: UInt64? = nil,
    clock: @escaping @Sendable () -> Date = { Date() },
    onMessage: (@Sendable (Mailbox.Message) -> Void)? = nil
  ) {
    self.init(
      issuer: issuer, clientSecret: clientSecret, redirectURIs: redirectURIs, users: scenario.users,
      policy: scenario.policy, shape: shape, seed: seed, clock: clock, onMessage: onMessage)
  }

  /// Responds to a request to the issuer's host; for any other host, throws a ``/IDXBase/TransportError``.
  public func send(_ http: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    let (url, request) = (http.url, OrgRequest(http))
    guard url.absoluteString.hasPrefix(state.settings.origin + "/") else { throw unreachable(url) }
    let fault = takeFault(for: request)
    if fault == .unreachable { throw unreachable(url) }
    requests.append("\(http.method) \(url.path)")
    contexts.append(
      Context(
        address: http.field("X-Forwarded-For"),
        userAgent: http.field("X-Okta-User-Agent-Extended"),
        deviceToken: request.sender.deviceToken.map { Secret($0) }, origin: http.field("Origin"),
        language: http.field("Accept-Language")))
    if fault == .held { try await gate.hold() }
    let response = state.respond(to: request, with: fault)
    try require(
      fault != .responseLost,
      else: TransportError(
        .connectionLost,
        message: "The connection to \(url.host ?? "") failed before the response arrived.",
        mayHaveArrived: true))
    return response
  }

  /// Responds for an API that accepts the tokens of the org.
  func respond(to request: TransportRequest, asAPIAt origin: Origin) -> TransportResponse {
    state.respond(to: request, asAPIAt: origin)
  }

  private func unreachable(_ url: URL) -> TransportError {
    TransportError(
      .unreachable, message: "\(url.host ?? "The host") cannot be reached.", mayHaveArrived: false)
  }

  private func takeFault(for request: OrgRequest) -> Fault? {
    let path = request.http.url.path
    let isForKeys = request.http.method == "GET" && request.address == state.settings.keysAddress
    let index = faults.firstIndex { path.hasSuffix($0.path) && !(isForKeys && $0.path.isEmpty) }
    return index.map { faults.remove(at: $0).fault }
  }
}

// MARK: - Clients, users and time

extension SimulatedOrg {
  /// The org's time: the clock's time plus the time that was added.
  public nonisolated var now: Date { clock.now }

  /// Advances the org's time by a number of seconds.
  public nonisolated func advance(by seconds: TimeInterval) { clock.advance(by: seconds) }

  /// A client of the org that uses the org's time.
  public nonisolated var client: IDXClient { IDXClient(transport: self, tokens: tokenClient) }

  /// A client for tokens of the org that uses the org's time, and the app's secret if it has one.
  public nonisolated var tokenClient: TokenClient {
    let app = AppIdentity(issuer: issuer, clientID: clientID)
    return TokenClient(
      transport: self, authentication: clientSecret.map { .secretBasic($0, for: app) },
      now: { self.now })
  }

  /// The user with this login, with all changes so far; nil if there is none.
  public func user(_ login: String) -> SimulatedUser? {
    state.accounts[OrgAccount.Key(login)].flatMap { $0.exists ? $0.user : nil }
  }

  /// All users with all changes so far, also those who registered, sorted by login.
  public var users: [SimulatedUser] {
    state.accounts.values.filter(\.exists).map(\.user).sorted { $0.login < $1.login }
  }

  /// Adds a user, or replaces the one with the same login and resets the count of wrong answers.
  public func update(_ user: SimulatedUser) {
    state.accounts[OrgAccount.Key(user.login)] = OrgAccount(user)
  }
}

// MARK: - Devices and emails

extension SimulatedOrg {
  /// The emails, SMS and calls that the org has sent to users.
  public var mailbox: Mailbox { state.mailbox }

  /// A push that waits for an answer on a user's phone.
  public struct Push: Sendable, Hashable {
    /// The authenticator of the app that shows it.
    public let authenticator: IDXAuthenticator.Key
    /// The number to choose; nil if none is needed.
    public let number: String?
  }

  /// The pushes that wait on the user's phone, oldest first.
  public func pushes(for login: String) -> [Push] {
    state.pushes(to: login).map {
      Push(authenticator: $0.authenticator.key, number: $0.device.number)
    }
  }

  /// Approves the newest push with this number; the sign-in continues at its next poll.
  ///
  /// If a number is needed, a wrong one or none rejects the push. Without a push nothing happens.
  public func approvePush(for login: String, choosing number: String? = nil) {
    state.answerPush(to: login) { $0.device.number.map { $0 == number } ?? true }
  }

  /// Rejects the newest push; the sign-in gets a message at its next poll.
  public func rejectPush(for login: String) { state.answerPush(to: login) { _ in false } }

  /// The authenticators that an org can have, with the names that responses have.
  public static let authenticators: [(key: IDXAuthenticator.Key, name: String)] =
    OrgAuthenticator.all.map { ($0.key, $0.displayName) }

  /// The authenticators whose setup waits for the user's phone, sorted by key.
  public func waitingEnrollments(for login: String) -> [IDXAuthenticator.Key] {
    state.waitingEnrollments(of: login)
  }

  /// Completes a setup on the user's phone: scans the QR code, opens the link or touches the tag.
  public func completeEnrollment(for login: String) { state.completeEnrollment(of: login) }

  /// The code of a user's device: the code that an app or a token shows or a hardware key types, an access
  /// code, the PIN of a tag, or the signature of Duo; nil if there is none.
  ///
  /// It also works during a setup. If the current code was already accepted, the result is the next one;
  /// `ahead` skips that many more. Each call touches a hardware key once. Codes that the org sends are in
  /// the ``mailbox``.
  public func code(of key: IDXAuthenticator.Key, for login: String, ahead: Int = 0) -> String? {
    state.code(of: key, for: login, ahead: ahead)
  }

  /// The code that the user's Google Authenticator shows now, also during its setup; nil if the user
  /// does not have it.
  public func authenticatorCode(for login: String) -> String? { state.appCode(for: login) }

  /// Lets a device with this key answer for a user (Okta FastPass).
  package func register(deviceKey thumbprint: String, of login: String) {
    state.deviceKeys[thumbprint] = OrgAccount.Key(login)
  }

  /// The type of the JWT with which a device answers.
  package static let deviceAnswerType = "device-answer+jwt"

  /// Follows the link of a message; the sign-in that waits for it continues at its next poll.
  public func followLink(in message: Mailbox.Message) { state.followLink(in: message) }
}

// MARK: - The browser

extension SimulatedOrg {
  /// Simulates a browser on a page that a sign-in opens: the org's sign-in page, an identity provider, a smart card,
  /// identity verification, or the site where passwords are changed.
  ///
  /// The page signs the user in immediately. On the site for passwords, the password no longer counts as
  /// expired, but stays the same.
  ///
  /// - Parameters:
  ///   - url: The `href` of a remediation, exactly as in the last response; or the address of an authorization request.
  ///   - login: The user; by default the first user, or the `login_hint` of the authorization request.
  ///   - refusing: Whether the page refuses the user.
  /// - Returns: The address that the browser is redirected to: the redirect URI with `interaction_code` or
  ///   `error`, and with the `state` of the first request; after an authorization request with `code` or `error`, `state`
  ///   and `iss`. The error `interaction_required` means that the
  ///   sign-in continues after introspection. Nil if no sign-in offers the page now, and for the site
  ///   for passwords.
  public func visit(_ url: URL, as login: String? = nil, refusing: Bool = false) -> URL? {
    state.visit(url, as: login, refusing: refusing)
  }

  /// Simulates a browser, on any device, in which a user enters the code of a sign-in (RFC 8628, section 3.3).
  ///
  /// The user is the first one by default. The client gets the tokens at its next poll, or an error if the user is
  /// `refusing`. Returns false, and does nothing, if no sign-in waits for the code.
  @discardableResult
  public func enter(userCode: String, as login: String? = nil, refusing: Bool = false) -> Bool {
    state.enter(userCode: userCode, as: login, refusing: refusing)
  }

  /// Opens the link of an email in the browser that runs the app.
  ///
  /// - Returns: The redirect URI with the code as `otp` and the `state` of the first request; nil if
  ///   no sign-in waits for the code. See ``followLink(in:)`` for another browser.
  public func openLink(in message: Mailbox.Message) -> URL? { state.openLink(in: message) }

  /// A token that recovers a user's account, as in an administrator's email; nil for an unknown user.
  ///
  /// It starts one sign-in, as `recovery_token`.
  public func recoveryToken(for login: String) -> Secret? {
    state.issueLinkToken(for: login, .recovery)
  }

  /// A token for choosing a first password; nil if there is no such user.
  ///
  /// It starts one sign-in, as `activation_token`.
  public func activationToken(for login: String) -> Secret? {
    state.issueLinkToken(for: login, .registration)
  }

  /// The state token of a new sign-in with the classic API, as an app gets it (`UNAUTHENTICATED`).
  ///
  /// `POST /api/v1/authn` accepts it alone, or with a username and password.
  package func stateToken() -> Secret { state.newStateToken() }

  /// A session token of a user, as after a sign-in with the password now; nil if there is no such user.
  ///
  /// `GET …/authorize` accepts it once, as `sessionToken`. With it, a test can play the sign-in page of an
  /// org, which redirects the browser to the app with a code.
  public func sessionToken(for login: String) -> Secret? { state.newSessionToken(for: login) }
}

// MARK: - Requests and tokens

extension SimulatedOrg {
  /// Changes the rules for requests that arrive from now on.
  public func changeRequests(_ change: @Sendable (inout OrgRequestRules) -> Void) {
    change(&state.requestRules)
  }

  /// Adds a mistake to the setup of the org; it stays.
  public func misconfigure(_ mistake: SetupMistake) { state.mistakes.insert(mistake) }

  /// Changes the rules for tokens that are issued from now on.
  public func changeTokens(_ change: @Sendable (inout OrgTokenRules) -> Void) {
    change(&state.tokens.rules)
  }

  /// Signs with another key from now on.
  ///
  /// - Parameter keepingOld: Whether the old keys stay published, so that old signatures can be
  ///   verified; true by default.
  public func rotateKeys(keepingOld: Bool = true) {
    state.tokens.keys.rotate(keepingOld: keepingOld)
  }

  /// The data with which another org with the same issuer and users accepts the tokens of this org.
  ///
  /// It contains tokens, names and addresses as plain text, the keys, and how far time was advanced. It
  /// does not contain unfinished sign-ins, passwords, factors, rules for tokens, or expired and revoked
  /// tokens.
  package func savedTokens() throws -> Data { try state.savedTokens() }

  /// Replaces the tokens of this org with those of another org.
  ///
  /// - Throws: ``SavedTokensError``; then nothing changes.
  package func restoreTokens(from data: Data) throws(SavedTokensError) {
    try state.restoreTokens(from: data)
  }
}

// MARK: - Faults

extension SimulatedOrg {
  /// Applies a fault to the next request whose path has this suffix; faults are used once, in order.
  ///
  /// Without a path, it applies to the next request, except requests for keys. Two addresses end in
  /// `/introspect`: `/idp/idx/introspect` for sign-ins, `/v1/introspect` for tokens.
  public func inject(_ fault: Fault, at path: String = "") { faults.append((fault, path)) }

  /// Waits until a request is held by ``Fault/held``.
  public func waitUntilHeld() async { await gate.waitUntilHeld() }

  /// Releases all requests that are held.
  public func release() async { await gate.release() }
}

extension SimulatedOrg: Redacted {
  /// The issuer.
  public nonisolated var description: String { "simulated org at \(issuer)" }
  /// A mirror without children, because the org contains passwords, codes and tokens.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
