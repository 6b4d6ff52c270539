import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// How a sign-in by the classic API begins, and moves from state to state.
extension OrgCore {
  /// Begins a sign-in that knows nobody yet, and returns it.
  mutating func beginClassic(_ options: JSONValue? = nil) -> OrgTransaction {
    let expiresAt = now.addingTimeInterval(settings.lifetime(of: .identify))
    var transaction = OrgTransaction(
      interaction: "", stateHandle: random.handle("00"), expiresAt: expiresAt)
    transaction.classic = ClassicState(options)
    return transaction
  }

  /// Takes a user name and a password.
  mutating func authenticate(_ body: JSONValue) throws(ClassicRefusal) -> OrgReply {
    guard (body["context"]?["deviceToken"]?.string ?? "").count <= 32 else {
      throw ClassicRefusal.invalid("deviceToken", ["A device token has 32 characters at most."])
    }
    var begun: OrgTransaction?
    if body["stateToken"] != nil {
      begun = try classicTransaction(body)
      guard case .identify? = begun?.step else { throw ClassicRefusal.notOffered }
    }
    let login = body["username"]?.string ?? ""
    let key = OrgAccount.Key(login)
    let account = accounts[key] ?? OrgAccount(nobodyCalled: login)
    let ceremony = Ceremony(authenticator: .password, purpose: .challenge)
    let credentials: JSONValue = ["passcode": body["password"] ?? .null]
    let rejection = PasswordAuthenticator()
      .judge(credentials, of: ceremony, by: account, in: self)
    if rejection != nil { _ = countFailure(of: key, account) }
    if let account = accounts[key], account.exists, account.user.status == .locked,
      settings.policy.accounts.showsLockouts
    {
      return .oauth(lockedOut)
    }
    guard rejection == nil, account.user.status != .suspended else {
      throw ClassicRefusal.authenticationFailed
    }
    var transaction = begun ?? beginClassic(body["options"])
    if begun != nil, body["options"] != nil { transaction.classic = ClassicState(body["options"]) }
    transaction.account = key
    accept(ceremony, with: credentials, by: key, in: &transaction)
    return try advanceClassic(&transaction)
  }

  /// What a sign-in still needs: what must be proved comes before what becomes of the password.
  func classicDemand(_ transaction: OrgTransaction) -> SignInDemand {
    guard let account = transaction.account.flatMap({ accounts[$0] }) else { return .password }
    let policy = settings.policy
    if let demand = SignInDemand(errandOf: transaction, policy: policy, account: account) {
      return demand
    }
    guard account.user.status != .suspended else { return .refusal(.accessDenied, status: 403) }
    // Who may use the app is the authorization endpoint's affair.
    var assigned = account
    if assigned.user.status == .notAssigned { assigned.user.status = .active }
    var settled = assigned
    settled.user.status = .active
    let first = SignInDemand(
      policy: policy, account: settled, verified: transaction.verified, keepsPassword: true,
      hasSkipped: true)
    if case .challenge = first { return first }
    let isSilent = transaction.classic?.warnsBeforeExpiry != true
    return SignInDemand(
      policy: policy, account: assigned, verified: transaction.verified,
      keepsPassword: transaction.keepsPassword || isSilent, hasSkipped: transaction.hasSkipped)
  }

  /// Goes to the state that the policy demands next; a sign-in that can go to none is over.
  mutating func advanceClassic(
    _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    do throws(ClassicRefusal) {
      return try goOn(&transaction)
    } catch {
      transactions[transaction.stateHandle] = nil
      throw error
    }
  }

  private mutating func goOn(
    _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let key = transaction.account, let account = accounts[key] else {
      throw ClassicRefusal.authenticationFailed
    }
    switch classicDemand(transaction) {
    case .challenge([.securityQuestion]) where transaction.errand != nil:
      return try open(
        Ceremony(authenticator: .securityQuestion, purpose: .challenge), &transaction)
    case .challenge(let keys):
      guard !account.factors(of: keys).isEmpty else {
        throw ClassicRefusal.impossible(
          "\(names(of: keys)) is required, which cannot be asked for in this way.")
      }
      transaction.step = .selectChallenge
    case .newPassword, .expiringPassword:
      let purpose: Ceremony.Purpose = transaction.errand == nil ? .replace : .reset
      return try open(Ceremony(authenticator: .password, purpose: purpose), &transaction)
    case .enrollment(let keys, let isOptional):
      let lacking = keys.filter { !ClassicFactor.Kind.of($0).contains(where: \.canBeSetUp) }
      if isOptional, lacking.count == keys.count {
        transaction.hasSkipped = true
        return try goOn(&transaction)
      }
      guard isOptional || lacking.isEmpty else {
        throw ClassicRefusal.impossible(
          "\(names(of: lacking)) is required, which cannot be set up in this way.")
      }
      transaction.step = .selectEnrollment
    case .password, .refusal: throw ClassicRefusal.authenticationFailed
    case .nothing: return succeed(transaction, key)
    }
    return recordClassic(transaction)
  }

  /// Begins a ceremony and goes to it.
  mutating func open(
    _ ceremony: Ceremony, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let kind = OrgAuthenticators[ceremony.authenticator],
      let account = transaction.account.flatMap({ accounts[$0] })
    else { throw ClassicRefusal.notOffered }
    var ceremony = ceremony
    if ceremony.purpose == .enroll {
      ceremony.sharedSecret = transaction.sharedSecrets[ceremony.authenticator]
    }
    if let rejection = kind.begin(&ceremony, for: account.user, in: &self) {
      let name = rejection.message == .invalidPhone ? "phoneNumber" : "profile"
      throw ClassicRefusal.invalid(name, [rejection.message.text])
    }
    transaction.sharedSecrets[ceremony.authenticator] = ceremony.sharedSecret
    transaction.classic?.pushResult = nil
    transaction.classic?.imageToken = ceremony.qrCode.map { _ in random.handle("qr_") }
    transaction.step = .ceremony(ceremony)
    return recordClassic(transaction)
  }

  /// Ends a sign-in with a session token.
  private mutating func succeed(_ transaction: OrgTransaction, _ key: OrgAccount.Key) -> OrgReply {
    accounts[key]?.failures = 0
    transactions[transaction.stateHandle] = nil
    let expiresAt = now.addingTimeInterval(OrgSession.lifetime)
    let token = random.handle("20111")
    sessions[token] = OrgSession(
      account: key, signIn: OrgSignIn(of: transaction, at: now), expiresAt: expiresAt)
    let document: JSONValue = [
      "expiresAt": .string(OrgReply.timestamp(expiresAt)), "status": "SUCCESS",
      "sessionToken": .string(token),
    ]
    return .oauth(document.adding("_embedded", embedded(transaction)).adding("_links", [:]))
  }
}
