import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All that an org knows and remembers, and what it answers to a request.
///
/// The actor around it holds one and lets one request in at a time.
struct OrgCore: Sendable {
  let settings: OrgSettings
  let clock: OrgClock
  private let onMessage: (@Sendable (Mailbox.Message) -> Void)?
  var random: OrgRandom
  var mailbox = Mailbox()
  var accounts: [OrgAccount.Key: OrgAccount] = [:]
  /// What clients began, by the interaction handle.
  var interactions: [String: Interaction] = [:]
  /// Sign-ins on their way, by the state handle.
  var transactions: [String: OrgTransaction] = [:]
  /// What stands for tokens, by the interaction code.
  var grants: [String: Grant] = [:]
  /// Sign-ins by DirectAuth, on their way.
  var direct = DirectSignIns()
  /// Who is signed in by the classic API, by the session token.
  var sessions: [String: OrgSession] = [:]
  /// What administrators have sent, by the token in the link.
  var linkTokens: [String: OrgLinkToken] = [:]
  /// How tokens are issued.
  var tokenRules = OrgTokenRules()
  /// With which keys tokens are signed.
  var keyring = Keyring()
  /// Which tokens were given.
  var ledger = OrgLedger()
  /// Who sits at a browser unless someone else is named.
  var firstUser: OrgAccount.Key?

  /// What a client said when it began.
  struct Interaction: Sendable {
    let redirectURI: String
    let challenge: String
    let state: String
    let scopes: [String]
    let nonce: String?
    /// The transaction that it stands at.
    var stateHandle: String
  }

  /// An interaction code, or one of the authorization endpoint's, that has not been used.
  struct Grant: Sendable {
    var isFromAuthorization = false
    let interaction: String
    let expiresAt: Date
    let refusedScopes: Set<String>
    let person: OrgPerson
    let signIn: OrgSignIn
  }

  init(
    settings: OrgSettings, seed: UInt64?, clock: OrgClock,
    onMessage: (@Sendable (Mailbox.Message) -> Void)?
  ) {
    self.settings = settings
    self.random = OrgRandom(seed: seed)
    self.clock = clock
    self.onMessage = onMessage
  }

  var now: Date { clock.now }

  /// Answers one request.
  mutating func respond(to request: TransportRequest) -> TransportResponse {
    // Clients ask for the keys at any time, which has to leave alone what a seed determines.
    let isForKeys = request.url.absoluteString.hasPrefix(settings.oauthBase + "/keys")
    let requestID = isForKeys ? "keys" : random.handle("", bytes: 15)
    var reply = route(request.url.absoluteString, request)
    if reply.mediaType == OrgReply.ionMediaType { reply = reply.shaped(settings.shape) }
    return reply.response(requestID: requestID)
  }

  /// Answers that too many requests came, with the headers by which clients tell how long to wait.
  mutating func rateLimit(seconds: Int) -> TransportResponse {
    let reset = Int(now.timeIntervalSince1970.rounded(.up)) + seconds
    let reply = OrgReply.classicError(
      "E0000047", "Too many requests came. Wait.", status: 429,
      headers: [
        "X-Rate-Limit-Limit": "60", "X-Rate-Limit-Remaining": "0",
        "X-Rate-Limit-Reset": String(reset), "Date": OrgReply.httpDate(now),
      ])
    return reply.response(requestID: random.handle("", bytes: 15))
  }

  /// Answers with an error of OAuth.
  mutating func refuse(_ code: String) -> TransportResponse {
    OrgReply.oauthError(code, "The request is refused, as it was told to be.")
      .response(requestID: random.handle("", bytes: 15))
  }

  /// Answers that a sign-in has taken too long.
  mutating func expire(_ request: TransportRequest) -> TransportResponse {
    let isClassic = request.url.absoluteString.hasPrefix(settings.authn(""))
    let reply = isClassic ? ClassicRefusal.unknownToken.reply : .expired
    return reply.response(requestID: random.handle("", bytes: 15))
  }

  mutating func deliver(_ message: Mailbox.Message) {
    mailbox.messages.append(message)
    onMessage?(message)
  }

  private mutating func route(_ address: String, _ request: TransportRequest) -> OrgReply {
    let query = address.firstIndex(of: "?") ?? address.endIndex
    // These may be asked with a query.
    switch address[..<query] {
    case settings.oauthBase + "/keys": return keys(request)
    case settings.oauthBase + "/logout": return logOut(request)
    case settings.oauthBase + "/authorize": return authorize(request)
    default: break
    }
    if address.hasPrefix(settings.authn("")) { return authn(at: address, request) }
    if address == settings.factorQuestions { return factorQuestions(request) }
    if address.hasPrefix(settings.factorImages) { return factorImage(at: address, request) }
    return switch address {
    case settings.issuer + "/.well-known/openid-configuration": discovery(request)
    case settings.oauthBase + "/interact": interact(request)
    case settings.oauthBase + "/token": token(request)
    case settings.oauthBase + "/primary-authenticate": primaryAuthenticate(request)
    case settings.oauthBase + "/oob-authenticate": oobAuthenticate(request)
    case settings.oauthBase + "/challenge": directChallenge(request)
    case settings.oauthBase + "/userinfo": userInfo(request)
    case settings.oauthBase + "/revoke": revoke(request)
    case settings.oauthBase + "/introspect": introspectToken(request)
    case settings.endpoint("/introspect"): introspect(request)
    default: proceed(at: address, request)
    }
  }
}
