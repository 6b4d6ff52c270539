import Foundation
import IDX
import IDXBase
import IDXOAuth

// Tokens for factors that the user enters in the client.
extension OrgCore {
  func directToken(
    _ form: [String: String], by grant: DirectGrant, provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try check(form, has: grant.required)
    try resume(form, by: grant)
    func text(_ name: String) -> JSONValue { .string(form[name] ?? "") }
    switch grant.kind {
    case .password: try prove(grant.challenges, by: ["passcode": text("password")], form)
    case .otp:
      let (account, required) = (account, signIn.direct.required)
      let challenges = grant.challenges.filter {
        let key = $0.authenticator.key
        return account.has(key) && (!grant.isSecond || required.contains(key))
      }
      try prove(challenges, by: ["passcode": text("otp"), "totp": text("otp")], form)
    case .outOfBand:
      let challenge = try directChallenge(form["oob_code"] ?? "", form)
      if challenge.proof.isPolled {
        try poll(challenge, form)
      } else {
        try check(form, has: ["binding_code"])
        try prove([challenge], by: ["passcode": text("binding_code")], form)
      }
    case .webAuthn:
      let challenge = try directChallenge(try passkeyChallenge(in: form), form)
      let answer: JSONValue = [
        "authenticatorData": text("authenticatorData"), "clientData": text("clientDataJSON"),
        "signatureData": text("signature"),
      ]
      let handle = form["userHandle"].map(JSONValue.string)
      try prove([challenge], by: answer.adding("userHandle", handle), form)
    }
    signIns[signIn.handle] = nil
    return try tokensOrNextFactor(boundTo: key)
  }

  // MARK: - Requests

  private func resume(_ form: [String: String], by grant: DirectGrant) throws(Refusal) {
    let isRecovery = form["intent"] == "recovery"
    try require(
      form["intent"] == nil || isRecovery,
      else: .oauth("invalid_request", "The intent must be recovery or absent."))
    try require(
      !isRecovery || grant != .password,
      else: .oauth("invalid_request", "A password cannot be recovered with the password."))
    let asked = form["scope"]?.split(separator: " ").map(String.init)
    if grant.isSecond {
      try resumeDirect(form["mfa_token"])
      try require(
        isRecovery == (signIn.operation != nil),
        else: .oauth("invalid_request", "The intent differs from the first request."))
      let scopes = asked ?? signIn.direct.scopes
      try require(
        !scopes.isEmpty && Set(scopes).isSubset(of: signIn.direct.scopes),
        else: .oauth(
          "invalid_scope", "The request has no scope, or more scopes than the first request."))
      try require(
        grant.canProve(signIn.direct.required),
        else: .oauth("invalid_request", "This sign-in does not accept \(grant.rawValue)."))
      signIn.direct.scopes = scopes
      return
    }
    let recoveryScope = "okta.myAccount.password.manage"
    guard !isRecovery || form["scope"] == recoveryScope else { throw .unknownScope }
    let scopes = isRecovery ? [recoveryScope] : try scopes(in: form)
    switch grant.kind {
    case .password, .otp:
      signIn = SignIn(.direct, handle: "", at: now, lifetime: directLifetime)
      signIn.account = OrgAccount.Key(form["username"] ?? form["login_hint"] ?? "")
    case .outOfBand, .webAuthn:
      let isPasskey = grant.kind == .webAuthn
      let id = isPasskey ? try passkeyChallenge(in: form) : form["oob_code"] ?? ""
      signIn = signIns[id] ?? SignIn(.direct, handle: "", at: now, lifetime: 0)
      _ = try directChallenge(id, form)
    }
    signIn.direct.scopes = scopes
    if isRecovery { signIn.operation = AccountOperation(kind: .recovery) }
  }

  /// The current sign-in's challenge with this id.
  private func directChallenge(
    _ id: String, _ form: [String: String]
  ) throws(Refusal) -> AuthenticatorChallenge {
    // The challenge of a passkey is public, and must not be used as an oob_code.
    guard signIn.signInProtocol == .direct, signIn.direct.challengeID == id,
      signIn.direct.required.isEmpty == (form["mfa_token"] == nil),
      let challenge = signIn.challenge,
      (challenge.proof is PasskeyProof) == (form["oob_code"] == nil)
    else { throw .oauth("invalid_grant", "The challenge is unknown or was already answered.") }
    try require(
      now < signIn.direct.challengeExpiresAt,
      else: .oauth("expired_token", "The challenge has expired. Start again."))
    return challenge
  }

  /// The challenge that a passkey has signed; no other parameter identifies it.
  private func passkeyChallenge(in form: [String: String]) throws(Refusal) -> String {
    guard let bytes = Base64URL.decode(form["clientDataJSON"] ?? ""),
      let challenge = try? JSONValue(parsing: bytes)["challenge"]?.string
    else { throw .oauth("invalid_request", "The clientDataJSON cannot be read.") }
    return challenge
  }

  // MARK: - Answers

  /// Checks an answer against each of these challenges; if none accepts it, counts it as wrong.
  private func prove(
    _ challenges: [AuthenticatorChallenge], by answer: JSONValue, _ form: [String: String]
  ) throws(Refusal) {
    let isFirst = form["mfa_token"] == nil
    // After the first factor, the client knows that the user exists.
    var text = (isFirst ? Message.authenticationFailed : .wrongCode).text
    for challenge in challenges where account.isOpen {
      do throws(Rejection) {
        return try verify(answer, of: challenge)
      } catch {
        // The problem of a signature does not reveal which users exist.
        if challenge.proof is PasskeyProof { text = error.message.text }
      }
    }
    if let key = signIn.account, recordFailure(of: key), !isFirst { signIns[signIn.handle] = nil }
    throw .oauth("invalid_grant", text)
  }

  private func poll(
    _ challenge: AuthenticatorChallenge, _ form: [String: String]
  ) throws(Refusal) {
    try require(
      form["binding_code"] == nil,
      else: .oauth(
        "invalid_request", "A push takes no binding_code: the number is chosen on the device."))
    let (last, interval) = (signIn.direct.lastPoll, signIn.direct.interval)
    let isTooSoon = last.map { now < $0.addingTimeInterval(interval) } ?? false
    signIn.direct.lastPoll = now
    if isTooSoon { signIn.direct.interval += DirectState.firstInterval }
    signIns[signIn.handle] = signIn
    try require(
      !isTooSoon, else: .oauth("slow_down", "Polls are too frequent: wait five seconds longer."))
    switch challenge.device.event(by: now) {
    case nil: throw .oauth("authorization_pending", "The user has not answered yet.")
    case .timedOut: throw .oauth("expired_token", Message.pushTimedOut.text)
    case .rejected:
      signIn.direct.challengeID = nil
      signIns[signIn.handle] = signIn
      throw .oauth("access_denied", Message.pushRejected.text)
    case .approved:
      try require(account.isOpen, else: .oauth("invalid_grant", Message.authenticationFailed.text))
      signIn.proved.add(challenge)
    }
  }

  private func tokensOrNextFactor(boundTo key: String?) throws(Refusal) -> OrgResponse {
    let denial: String
    switch directRequirement {
    case .nothing:
      if signIn.operation == nil, let refusal = settings.policy.accounts.refusalWithoutSteps {
        throw .oauth(
          refusal.code, refusal.description, status: refusal.code == "access_denied" ? 403 : 400)
      }
      account.failures = 0
      rememberDevice(isAgreed: true)
      return issue(
        scopes: signIn.direct.scopes, to: TokenSubject(account),
        for: CompletedSignIn(signIn.proved, at: now), nonce: nil, boundTo: key)
    case .challenge(let keys):
      let types = DirectGrant.second.filter { $0.canProve(keys) }
      if !types.isEmpty { return requireSecondFactor(keys, types) }
      denial = "\(OrgAuthenticator.names(of: keys)) is required, and DirectAuth cannot verify it."
    case .enrollment(let keys, _):
      denial = "\(OrgAuthenticator.names(of: keys)) is required, and DirectAuth cannot set it up."
    case .password, .newPassword, .expiringPassword:
      denial = "The password has expired, and cannot be changed here."
    case .refusal(let message, _): denial = message.text
    }
    throw .oauth("access_denied", denial, status: 403)
  }

  private var directRequirement: SignInRequirement {
    let (policy, account, proved) = (settings.policy, account, proved)
    guard signIn.operation != nil else {
      return SignInRequirement(
        policy: policy, account: account, proved: proved, keepsPassword: true, hasSkipped: true)
    }
    guard ![.suspended, .notAssigned].contains(account.user.status),
      let recovery = policy.accounts.recovery, recovery.methods.contains(where: account.has)
    else { return .refusal(.recoveryNotAllowed, status: 403) }
    let missing = recovery.missing(for: account, proved: proved)
    return missing.map(SignInRequirement.challenge) ?? .nothing
  }

  private func requireSecondFactor(
    _ keys: [IDXAuthenticator.Key], _ types: [DirectGrant]
  ) -> OrgResponse {
    signIn.handle = random.handle("mfa_")
    signIn.expiresAt = now.addingTimeInterval(directLifetime)
    signIn.step = .selectChallenge
    signIn.direct = DirectState(scopes: signIn.direct.scopes, required: keys)
    signIns[signIn.handle] = signIn
    return .json(
      [
        "error": "mfa_required", "error_description": "A second factor is needed.",
        "mfa_token": .string(signIn.handle),
        "supported_challenge_types": .string(types.map(\.rawValue).joined(separator: " ")),
      ], status: 403)
  }
}
