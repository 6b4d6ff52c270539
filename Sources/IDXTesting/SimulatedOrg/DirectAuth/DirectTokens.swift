import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Tokens for what a user gives to the client itself (protocol section 7).
extension OrgCore {
  /// Answers a request for tokens whose parameters belong to the grant.
  mutating func directToken(
    _ form: [String: String], by grant: DirectGrant
  ) throws(Refusal) -> OrgReply {
    try check(form, has: grant.required)
    var signIn = try directSignIn(form, by: grant)
    func text(_ name: String) -> JSONValue { .string(form[name] ?? "") }
    switch grant.kind {
    case .password:
      try prove(grant.challenges, by: ["passcode": text("password")], in: &signIn, form)
    case .otp:
      let account = account(signIn.account)
      let challenges = grant.challenges.filter {
        account.has($0.authenticator.key)
          && (!grant.isSecond || signIn.required.contains($0.authenticator.key))
      }
      let code = text("otp")
      try prove(challenges, by: ["passcode": code, "totp": code], in: &signIn, form)
    case .outOfBand:
      let id = form["oob_code"] ?? ""
      let challenge = try challenge(id, in: form)
      if challenge.isPolled {
        try poll(challenge, id, form, in: &signIn)
      } else {
        try check(form, has: ["binding_code"])
        let answer: JSONValue = ["passcode": text("binding_code")]
        try prove([challenge.challenge], by: answer, in: &signIn, form)
      }
      direct.challenges[id] = nil
    case .webAuthn:
      let id = try passkeyChallenge(in: form)
      let answer: JSONValue = [
        "authenticatorData": text("authenticatorData"), "clientData": text("clientDataJSON"),
        "signatureData": text("signature"),
      ]
      try prove(
        [try challenge(id, in: form).challenge],
        by: answer.adding("userHandle", form["userHandle"].map(JSONValue.string)), in: &signIn,
        form)
      direct.challenges[id] = nil
    }
    if let token = form["mfa_token"] { direct.end(token) }
    return try answer(signIn)
  }

  // MARK: - Requests

  private func directSignIn(
    _ form: [String: String], by grant: DirectGrant
  ) throws(Refusal) -> DirectSignIn {
    let isRecovery = form["intent"] == "recovery"
    guard form["intent"] == nil || isRecovery else {
      throw .oauth("invalid_request", "The intent is recovery, or is left out.")
    }
    guard !isRecovery || grant != .password else {
      throw .oauth("invalid_request", "A password cannot be recovered with the password.")
    }
    let asked = form["scope"]?.split(separator: " ").map(String.init)
    if grant.isSecond {
      var signIn = try pendingSignIn(form["mfa_token"])
      guard isRecovery == signIn.isRecovery else {
        throw .oauth("invalid_request", "The intent is not the one of the beginning.")
      }
      let scopes = asked ?? signIn.scopes
      guard !scopes.isEmpty, Set(scopes).isSubset(of: signIn.scopes) else {
        throw .oauth(
          "invalid_scope", "The request has no scope, or more scopes than the beginning.")
      }
      guard grant.canProve(signIn.required) else {
        throw .oauth("invalid_request", "This sign-in does not accept \(grant.rawValue).")
      }
      signIn.scopes = scopes
      return signIn
    }
    let recoveryScope = "okta.myAccount.password.manage"
    guard !isRecovery || form["scope"] == recoveryScope else { throw .unknownScope }
    let scopes = isRecovery ? [recoveryScope] : try scopes(in: form)
    let key =
      switch grant.kind {
      case .outOfBand: try challenge(form["oob_code"] ?? "", in: form).account
      case .webAuthn: try challenge(try passkeyChallenge(in: form), in: form).account
      case .password, .otp: OrgAccount.Key(form["username"] ?? form["login_hint"] ?? "")
      }
    return DirectSignIn(account: key, scopes: scopes, isRecovery: isRecovery)
  }

  /// The challenge that waits for this answer.
  private func challenge(
    _ id: String, in form: [String: String]
  ) throws(Refusal) -> DirectChallenge {
    // The challenge of a passkey is public, and must not be used as an oob_code.
    guard let challenge = direct.challenges[id], challenge.mfaToken == form["mfa_token"],
      (challenge.challenge.proof is PasskeyProof) == (form["oob_code"] == nil)
    else {
      throw .oauth("invalid_grant", "The challenge is unknown, or was answered before.")
    }
    guard now < challenge.expiresAt else {
      throw .oauth("expired_token", "The answer comes too late. Start again.")
    }
    return challenge
  }

  /// The challenge that a passkey has signed: no other parameter tells which one is answered.
  private func passkeyChallenge(in form: [String: String]) throws(Refusal) -> String {
    guard let bytes = Base64URL.decode(form["clientDataJSON"] ?? ""),
      let challenge = try? JSONValue(parsing: bytes)["challenge"]?.string
    else { throw .oauth("invalid_request", "The clientDataJSON cannot be read.") }
    return challenge
  }

  // MARK: - Answers

  /// Takes an answer that one of these challenges accepts, or counts it as wrong.
  private mutating func prove(
    _ challenges: [AuthenticatorChallenge], by answer: JSONValue, in signIn: inout DirectSignIn,
    _ form: [String: String]
  ) throws(Refusal) {
    let isFirst = form["mfa_token"] == nil
    // After the first factor, the client knows that the user exists.
    var text = (isFirst ? IDXMessage.Draft.authenticationFailed : .wrongCode).text
    if account(signIn.account).isOpen {
      for challenge in challenges {
        do throws(Rejection) {
          try verify(answer, of: challenge, by: signIn.account)
          signIn.proved.add(challenge)
          return
        } catch {
          // What is wrong with a signature does not tell which users exist.
          if challenge.proof is PasskeyProof { text = error.message.text }
        }
      }
    }
    if recordFailure(of: signIn.account), let token = form["mfa_token"] { direct.end(token) }
    throw .oauth("invalid_grant", text)
  }

  private mutating func poll(
    _ challenge: DirectChallenge, _ id: String, _ form: [String: String],
    in signIn: inout DirectSignIn
  ) throws(Refusal) {
    guard form["binding_code"] == nil else {
      throw .oauth(
        "invalid_request", "A push needs no binding_code: the user picks it on the device.")
    }
    let isTooSoon =
      challenge.lastPoll.map { now < $0.addingTimeInterval(challenge.interval) } ?? false
    var polled = challenge
    polled.lastPoll = now
    if isTooSoon { polled.interval += DirectChallenge.firstInterval }
    direct.challenges[id] = polled
    guard !isTooSoon else {
      throw .oauth("slow_down", "The polls are too frequent: wait five seconds more.")
    }
    switch challenge.challenge.device.event(by: now) {
    case nil: throw .oauth("authorization_pending", "The user has not answered yet.")
    case .timedOut: throw .oauth("expired_token", IDXMessage.Draft.pushTimedOut.text)
    case .rejected:
      direct.challenges[id] = nil
      throw .oauth("access_denied", IDXMessage.Draft.pushRejected.text)
    case .approved:
      guard account(signIn.account).isOpen else {
        throw .oauth("invalid_grant", IDXMessage.Draft.authenticationFailed.text)
      }
      signIn.proved.add(challenge.challenge)
    }
  }

  /// Issues tokens, or tells what the policy still requires.
  private mutating func answer(_ signIn: DirectSignIn) throws(Refusal) -> OrgReply {
    let account = account(signIn.account)
    let denial: String
    switch requirement(of: signIn, account) {
    case .nothing:
      if !signIn.isRecovery, let refusal = settings.policy.accounts.refusalWithoutSteps {
        throw .oauth(
          refusal.code, refusal.description, status: refusal.code == "access_denied" ? 403 : 400)
      }
      accounts[signIn.account]?.failures = 0
      return issue(
        scopes: signIn.scopes, to: TokenSubject(account),
        for: CompletedSignIn(signIn.proved, at: now), nonce: nil)
    case .challenge(let keys):
      let types = DirectGrant.second.filter { $0.canProve(keys) }
      if !types.isEmpty { return requireSecondFactor(keys, types, of: signIn) }
      denial =
        "\(OrgAuthenticator.names(of: keys)) is required, and DirectAuth cannot verify it."
    case .enrollment(let keys, _):
      denial = "\(OrgAuthenticator.names(of: keys)) is required, and DirectAuth cannot set it up."
    case .password, .newPassword, .expiringPassword:
      denial = "The password has expired, and cannot be changed here."
    case .refusal(let message, _): denial = message.text
    }
    throw .oauth("access_denied", denial, status: 403)
  }

  private func requirement(of signIn: DirectSignIn, _ account: OrgAccount) -> SignInRequirement {
    guard signIn.isRecovery else {
      return SignInRequirement(
        policy: settings.policy, account: account, proved: signIn.proved.keys,
        keepsPassword: true, hasSkipped: true)
    }
    guard ![.suspended, .notAssigned].contains(account.user.status),
      let recovery = settings.policy.accounts.recovery,
      recovery.methods.contains(where: account.has)
    else { return .refusal(.recoveryNotAllowed, status: 403) }
    return recovery.missing(for: account, proved: signIn.proved.keys)
      .map(SignInRequirement.challenge) ?? .nothing
  }

  private mutating func requireSecondFactor(
    _ keys: [IDXAuthenticator.Key], _ types: [DirectGrant], of signIn: DirectSignIn
  ) -> OrgReply {
    var signIn = signIn
    signIn.required = keys
    signIn.expiresAt = now.addingTimeInterval(directLifetime)
    let token = random.handle("mfa_")
    direct.pending[token] = signIn
    return .json(
      [
        "error": "mfa_required", "error_description": "A second factor is needed.",
        "mfa_token": .string(token),
        "supported_challenge_types": .string(types.map(\.rawValue).joined(separator: " ")),
      ], status: 403)
  }
}
