import Foundation
import IDX
import IDXBase
import IDXOAuth

/// The state of an org, and how it responds to a request.
///
/// The actor ``SimulatedOrg`` has one, and passes it one request at a time.
final class OrgCore {
  let settings: OrgSettings
  let clock: OrgClock
  private let onMessage: (@Sendable (Mailbox.Message) -> Void)?
  var random: OrgRandom
  var mailbox = Mailbox()
  var accounts: [OrgAccount.Key: OrgAccount] = [:]
  /// Started interactions, by the interaction handle or the code of the authorization endpoint.
  var interactions: [String: Interaction] = [:]
  /// Sign-ins that are not finished, by their handle.
  var signIns: [String: SignIn] = [:]
  /// The sign-in that the current request is about.
  var signIn: SignIn
  /// The token of the device that has sent the current request; nil if it has none.
  private(set) var device: String?
  /// The language that the current request asks for.
  private(set) var language = OrgLanguage.english
  /// Codes that can be exchanged for tokens.
  var grants: [String: Grant] = [:]
  /// Who is signed in by the classic API, by the session token.
  var sessions: [String: ClassicSession] = [:]
  /// Authorization requests that were pushed, by their URI.
  var pushedRequests: [String: PushedRequest] = [:]
  /// Sign-ins with a browser on another device, by their device code.
  var deviceSignIns: [String: DeviceSignIn] = [:]
  /// The links that were sent, by their token.
  var linkTokens: [String: LinkToken] = [:]
  /// The users whose devices have registered a key for Okta FastPass, by its thumbprint.
  var deviceKeys: [String: OrgAccount.Key] = [:]
  var requestRules = OrgRequestRules()
  var tokenRules = OrgTokenRules()
  var mistakes: Set<SetupMistake> = []
  var keyring = Keyring()
  var issued = IssuedTokens()
  /// The checks of proofs, by the origin of the server: the org itself, and APIs.
  var proofs: [String: ProofCheck] = [:]
  /// The user of the browser, if no other one is given.
  private(set) var firstUser: OrgAccount.Key?

  /// The parameters of a client's first request.
  struct Interaction: Sendable {
    let redirectURI: String
    let challenge: String
    let state: String
    let scopes: [String]
    let nonce: String?
    /// The `acr` of the ID token; nil if the client did not ask for one.
    let authenticationContext: String?
    /// The thumbprint of the key that the code is bound to; nil if it needs none (RFC 9449, section 10).
    var keyThumbprint: String?
    /// The handle of the current sign-in.
    var stateHandle = ""
  }

  /// An interaction code, or a code of the authorization endpoint, that has not been used.
  struct Grant: Sendable {
    var isFromAuthorization = false
    let interaction: String
    let expiresAt: Date
    var refusedScopes: Set<String> = []
    let subject: TokenSubject
    let signIn: CompletedSignIn
  }

  init(
    settings: OrgSettings, users: [SimulatedUser], seed: UInt64?, clock: OrgClock,
    onMessage: (@Sendable (Mailbox.Message) -> Void)?
  ) {
    self.settings = settings
    random = OrgRandom(seed: seed)
    self.clock = clock
    self.onMessage = onMessage
    signIn = SignIn(.idx, handle: "", at: clock.now, lifetime: 0)
    firstUser = users.first.map { OrgAccount.Key($0.login) }
    for user in users { accounts[OrgAccount.Key(user.login)] = OrgAccount(user) }
  }

  var now: Date { clock.now }

  /// The account of the current sign-in; one without a valid password if the username is unknown or not
  /// given yet.
  var account: OrgAccount {
    get { account(signIn.account ?? OrgAccount.Key("")) }
    set { if let key = signIn.account { accounts[key] = newValue } }
  }

  func account(_ key: OrgAccount.Key) -> OrgAccount {
    accounts[key] ?? OrgAccount(unknown: key.text)
  }

  func deliver(_ message: Mailbox.Message) {
    mailbox.messages.append(message)
    onMessage?(message)
  }

  /// Responds to one request; with some faults, the org does not process it.
  func respond(to request: TransportRequest, with fault: Fault?) -> TransportResponse {
    if let preflight = preflight(request) { return preflight }
    // Clients fetch keys at any time, so these requests must not use the random numbers of a seed.
    let isForKeys = request.url.absoluteString.hasPrefix(settings.keysAddress)
    let requestID = isForKeys ? "keys" : random.handle("", bytes: 15)
    device = request.device
    language = OrgLanguage(request)
    var draft: OrgResponse
    do throws(Refusal) {
      if let refusal = refusal(of: request, with: fault) { throw refusal }
      if let missing = requestRules.missing(in: request, of: settings) {
        throw .idx([missing], status: 400)
      }
      draft = try route(request)
    } catch { draft = error.response }
    draft.headers.merge(rateLimit) { own, _ in own }
    draft.headers.merge(crossOriginFields(for: request)) { own, _ in own }
    if draft.mediaType == OrgResponse.ionMediaType, !settings.shape.isEmpty {
      draft.body = settings.shape.shaping(draft.body)
    }
    if draft.mediaType == OrgResponse.ionMediaType {
      draft.body = language.translated(draft.body)
    }
    var response = draft.http(requestID: requestID)
    response.headers["Date"] = now.httpDate
    if !isForKeys, request.field("Cookie")?.contains("DT=") != true {
      // Like a real org, which knows a device again by this cookie.
      let token = OrgSettings.id("DT", requestID)
      let secure = settings.origin.hasPrefix("https:") ? "Secure; " : ""
      response.headers["Set-Cookie"] =
        "DT=\(token); Path=/; Max-Age=63072000; \(secure)HttpOnly; SameSite=None"
    }
    return response
  }

  /// The header fields about a limit that no client reaches: only ``Fault/rateLimited(seconds:)`` refuses requests.
  private var rateLimit: [String: String] {
    let minute = (now.timeIntervalSince1970 / 60).rounded(.down)
    return [
      "X-Rate-Limit-Limit": "600", "X-Rate-Limit-Remaining": "599",
      "X-Rate-Limit-Reset": String(Int((minute + 1) * 60)),
    ]
  }

  private func refusal(of request: TransportRequest, with fault: Fault?) -> Refusal? {
    switch fault {
    case .serverError: return Refusal(response: .empty(status: 500))
    case .rateLimited(let seconds):
      let reset = Int(now.timeIntervalSince1970.rounded(.up)) + seconds
      return .api(
        "E0000047", "There were too many requests.", status: 429,
        headers: [
          "X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "0",
          "X-Rate-Limit-Reset": String(reset),
        ])
    case .refused(let code): return .oauth(code, "The test asked for this error.")
    case .sessionExpired:
      let isClassic = request.url.absoluteString.hasPrefix(settings.classic(""))
      return isClassic ? .unknownToken : .expired
    case .held, .responseLost, .unreachable, nil: return nil
    }
  }

  private func route(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let address = request.url.absoluteString
    let base = settings.oauthBase
    // These can have a query.
    switch String(address.prefix { $0 != "?" }) {
    case settings.keysAddress: return try keys(request)
    case base + "/logout": return try logOut(request)
    case base + "/authorize": return try authorize(request)
    default: break
    }
    if address.hasPrefix(settings.classic("")) { return try classic(request) }
    if address.hasPrefix(settings.classicImages) { return try classicImage(request) }
    if isForOktaVerify(address) { return try verifyDevice(request) }
    switch address {
    case settings.issuer + "/.well-known/openid-configuration": return try discovery(request)
    case base + "/interact": return try interact(request)
    case base + "/token": return try token(request)
    case base + "/par": return try pushAuthorization(request)
    case base + "/device/authorize": return try authorizeDevice(request)
    case base + "/primary-authenticate": return try primaryAuthenticate(request)
    case base + "/oob-authenticate": return try oobAuthenticate(request)
    case base + "/challenge": return try directChallenge(request)
    case base + "/userinfo": return try userInfo(request)
    case base + "/revoke": return try revoke(request)
    case base + "/introspect": return try introspectToken(request)
    case settings.session: return try browserSession(request)
    case settings.classicQuestions: return try classicQuestions(request)
    case settings.idx("/introspect"): return try introspect(request)
    default: return try proceed(request)
    }
  }
}
