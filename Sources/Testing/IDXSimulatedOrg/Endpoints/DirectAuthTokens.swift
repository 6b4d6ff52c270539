import Foundation
import IDX
import IDXBase
import IDXOAuth

// DirectAuth at the token endpoint: tokens for factors that the user enters in the client.
extension OrgState {
  mutating func directToken(
    _ request: OrgRequest, by grant: DirectGrant, provedBy key: String?
  ) throws(Refusal) -> OrgResponse {
    try request.check(settings, has: grant.required)
    var signIn = try directSignIn(of: request, by: grant)
    let form = request.parameters
    func text(_ name: String) -> JSONValue { .string(form[name] ?? "") }
    switch grant.kind {
    case .password:
      try verifyAny(grant.challenges, by: ["passcode": text("password")], &signIn, form)
    case .otp:
      let (account, required) = (self[signIn.accountKey], signIn.direct.required)
      let challenges = grant.challenges.filter {
        let key = $0.authenticator.key
        return account.has(key) && (!grant.isSecond || required.contains(key))
      }
      try verifyAny(
        challenges, by: ["passcode": text("otp"), "totp": text("otp")], &signIn, form)
    case .outOfBand:
      let challenge = try signIn.directChallenge(form["oob_code"] ?? "", form, at: now)
      if challenge.check.isPolled {
        try poll(challenge, &signIn, form)
      } else {
        _ = try request.required("binding_code")
        try verifyAny([challenge], by: ["passcode": text("binding_code")], &signIn, form)
      }
    case .webAuthn:
      let id = try Self.passkeyChallenge(in: form)
      let challenge = try signIn.directChallenge(id, form, at: now)
      let answer: JSONValue = [
        "authenticatorData": text("authenticatorData"), "clientData": text("clientDataJSON"),
        "signatureData": text("signature"),
      ]
      let handle = form["userHandle"].map(JSONValue.string)
      try verifyAny([challenge], by: answer.adding("userHandle", handle), &signIn, form)
    }
    remove(signIn)
    return try tokensOrNextFactor(of: &signIn, boundTo: key)
  }

  // MARK: - Requests

  /// The sign-in that a request begins or continues, with its scopes.
  private mutating func directSignIn(
    of request: OrgRequest, by grant: DirectGrant
  ) throws(Refusal) -> SignIn {
    let form = request.parameters
    let isRecovery = form["intent"] == "recovery"
    try require(
      form["intent"] == nil || isRecovery,
      else: .oauth("invalid_request", "The intent must be recovery or absent."))
    try require(
      !isRecovery || grant != .password,
      else: .oauth("invalid_request", "A password cannot be recovered with the password."))
    if grant.isSecond {
      var signIn = try resumeDirect(request)
      try require(
        isRecovery == (signIn.operation != nil),
        else: .oauth("invalid_request", "The intent differs from the first request."))
      let scopes = request.askedScopes ?? signIn.direct.scopes
      try require(
        !scopes.isEmpty && Set(scopes).isSubset(of: signIn.direct.scopes),
        else: .oauth(
          "invalid_scope", "The request has no scope, or more scopes than the first request."))
      try require(
        grant.canVerify(signIn.direct.required),
        else: .oauth("invalid_request", "This sign-in does not accept \(grant.rawValue)."))
      signIn.direct.scopes = scopes
      return signIn
    }
    let recoveryScope = "okta.myAccount.password.manage"
    guard !isRecovery || form["scope"] == recoveryScope else { throw .unknownScope }
    let scopes = isRecovery ? [recoveryScope] : try request.scopes()
    var signIn = newDirectSignIn(of: form["username"] ?? form["login_hint"] ?? "", request)
    if grant.kind == .outOfBand || grant.kind == .webAuthn {
      let isPasskey = grant.kind == .webAuthn
      let id = isPasskey ? try Self.passkeyChallenge(in: form) : form["oob_code"] ?? ""
      if let begun = signIns[id] { signIn = begun }
      signIn.sender = request.sender
      _ = try signIn.directChallenge(id, form, at: now)
    }
    signIn.direct.scopes = scopes
    if isRecovery { signIn.operation = AccountOperation(kind: .recovery) }
    return signIn
  }

  /// The challenge that a passkey has signed; no other parameter identifies it.
  private static func passkeyChallenge(in form: [String: String]) throws(Refusal) -> String {
    guard let bytes = Base64URL.decode(form["clientDataJSON"] ?? ""),
      let challenge = try? JSONValue(parsing: bytes)["challenge"]?.string
    else { throw .oauth("invalid_request", "The clientDataJSON cannot be read.") }
    return challenge
  }

  // MARK: - Answers

  /// Checks an answer against each of these challenges; if none accepts it, counts it as wrong.
  private mutating func verifyAny(
    _ challenges: [AuthenticatorChallenge], by answer: JSONValue, _ signIn: inout SignIn,
    _ form: [String: String]
  ) throws(Refusal) {
    let isFirst = form["mfa_token"] == nil
    // After the first factor, the client knows that the user exists.
    var text = (isFirst ? Message.authenticationFailed : .wrongCode).text
    for challenge in challenges where self[signIn.accountKey].isOpen {
      do throws(Rejection) {
        return try signIn.verify(answer, of: challenge, in: &self)
      } catch {
        // The problem of a signature does not reveal which users exist.
        if challenge.check is PasskeyCheck { text = error.message.text }
      }
    }
    if let key = signIn.accountKey, recordFailure(of: key), !isFirst { remove(signIn) }
    throw .oauth("invalid_grant", text)
  }

  private mutating func poll(
    _ challenge: AuthenticatorChallenge, _ signIn: inout SignIn, _ form: [String: String]
  ) throws(Refusal) {
    try require(
      form["binding_code"] == nil,
      else: .oauth(
        "invalid_request", "A push takes no binding_code: the number is chosen on the device."))
    let (last, interval) = (signIn.direct.lastPoll, signIn.direct.interval)
    let isTooSoon = last.map { now < $0.addingTimeInterval(interval) } ?? false
    signIn.direct.lastPoll = now
    if isTooSoon { signIn.direct.interval += DirectState.firstInterval }
    save(signIn)
    try require(
      !isTooSoon, else: .oauth("slow_down", "Polls are too frequent: wait five seconds longer."))
    switch challenge.device.event(by: now) {
    case nil: throw .oauth("authorization_pending", "The user has not answered yet.")
    case .timedOut: throw .oauth("expired_token", Message.pushTimedOut.text)
    case .rejected:
      signIn.direct.challengeID = nil
      save(signIn)
      throw .oauth("access_denied", Message.pushRejected.text)
    case .approved:
      try require(
        self[signIn.accountKey].isOpen,
        else: .oauth("invalid_grant", Message.authenticationFailed.text))
      signIn.verified.add(challenge)
    }
  }

  private mutating func tokensOrNextFactor(
    of signIn: inout SignIn, boundTo key: String?
  ) throws(Refusal) -> OrgResponse {
    let denial: String
    switch directRequirement(of: signIn) {
    case .nothing:
      if signIn.operation == nil, let refusal = settings.policy.accounts.refusalWithoutSteps {
        throw .oauth(
          refusal.code, refusal.description, status: refusal.code == "access_denied" ? 403 : 400)
      }
      self[signIn.accountKey].failures = 0
      signIn.rememberDevice(isAgreed: true, in: &self)
      return tokens.issue(
        scopes: signIn.direct.scopes, to: self[signIn.accountKey].subject,
        for: signIn.verified.completed(at: now), boundTo: key, &random)
    case .challenge(let keys):
      let types = DirectGrant.second.filter { $0.canVerify(keys) }
      if !types.isEmpty { return requireSecondFactor(of: &signIn, keys, types) }
      denial = "\(OrgAuthenticator.names(of: keys)) is required, and DirectAuth cannot verify it."
    case .enrollment(let keys, _):
      denial = "\(OrgAuthenticator.names(of: keys)) is required, and DirectAuth cannot set it up."
    case .password, .newPassword, .expiringPassword:
      denial = "The password has expired, and cannot be changed here."
    case .refusal(let message, _): denial = message.text
    }
    throw .oauth("access_denied", denial, status: 403)
  }

  private func directRequirement(of signIn: SignIn) -> SignInRequirement {
    let (policy, account) = (settings.policy, self[signIn.accountKey])
    let verified = signIn.verifiedOrRemembered(in: self)
    guard signIn.operation != nil else {
      return SignInRequirement(
        policy: policy, account: account, verified: verified, keepsPassword: true, hasSkipped: true)
    }
    guard ![.suspended, .notAssigned].contains(account.user.status),
      let recovery = policy.accounts.recovery, recovery.methods.contains(where: account.has)
    else { return .refusal(.recoveryNotAllowed, status: 403) }
    let missing = recovery.missing(for: account, verified: verified)
    return missing.map(SignInRequirement.challenge) ?? .nothing
  }

  private mutating func requireSecondFactor(
    of signIn: inout SignIn, _ keys: [IDXAuthenticator.Key], _ types: [DirectGrant]
  ) -> OrgResponse {
    signIn.handle = random.handle("mfa_")
    signIn.expiresAt = now.addingTimeInterval(directLifetime)
    signIn.step = .selectChallenge
    signIn.direct = DirectState(scopes: signIn.direct.scopes, required: keys)
    save(signIn)
    return .json(
      [
        "error": "mfa_required", "error_description": "A second factor is needed.",
        "mfa_token": .string(signIn.handle),
        "supported_challenge_types": .string(types.map(\.rawValue).joined(separator: " ")),
      ], status: 403)
  }
}

extension SignIn {
  /// The challenge with this id.
  fileprivate func directChallenge(
    _ id: String, _ form: [String: String], at now: Date
  ) throws(Refusal) -> AuthenticatorChallenge {
    // The challenge of a passkey is public, and must not be used as an oob_code.
    guard signInProtocol == .direct, direct.challengeID == id,
      direct.required.isEmpty == (form["mfa_token"] == nil), let challenge,
      (challenge.check is PasskeyCheck) == (form["oob_code"] == nil)
    else { throw .oauth("invalid_grant", "The challenge is unknown or was already answered.") }
    try require(
      now < direct.challengeExpiresAt,
      else: .oauth("expired_token", "The challenge has expired. Start again."))
    return challenge
  }
}
