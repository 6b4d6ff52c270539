import Foundation
import IDX
import IDXBase
import IDXOAuth

// DirectAuth: the endpoints that send pushes and codes and challenge passkeys.
extension OrgEndpoint {
  static let directAuth: [OrgEndpoint] = [
    OrgEndpoint(
      "POST", at: .oauth, "/primary-authenticate",
      .form(["client_id", "login_hint", "challenge_hint", "channel_hint", "mfa_token"]), as: json,
      respond: primaryAuthenticate),
    // For older clients: a push or a code.
    OrgEndpoint(
      "POST", at: .oauth, "/oob-authenticate", .form(["client_id", "login_hint", "channel_hint"]),
      as: json
    ) { (request, org) throws(Refusal) in
      try request.check(org.settings, has: ["login_hint", "channel_hint"])
      return try org.challenge(request, by: .oob)
    },
    OrgEndpoint(
      "POST", at: .oauth, "/challenge",
      .form(["client_id", "mfa_token", "challenge_types_supported", "channel_hint"]), as: json,
      respond: secondFactor),
  ]

  /// Starts a sign-in with a push, a code or a passkey, or uses a passkey as the second factor.
  private static let primaryAuthenticate: Responder = { (request, org) throws(Refusal) in
    let settings = org.settings
    try request.check(settings, has: ["challenge_hint"])
    let hint = request.parameters["challenge_hint"] ?? ""
    let unknown = Refusal.oauth("invalid_request", "The challenge_hint is not supported here.")
    guard let grant = DirectGrant(rawValue: hint) else { throw unknown }
    switch grant {
    case .oob:
      try request.check(settings, has: ["login_hint", "channel_hint"], hasNot: ["mfa_token"])
    case .webAuthn:
      try request.check(settings, has: ["login_hint"], hasNot: ["mfa_token", "channel_hint"])
    case .mfaWebAuthn:
      try request.check(settings, has: ["mfa_token"], hasNot: ["login_hint", "channel_hint"])
    default: throw unknown
    }
    return try org.challenge(request, by: grant)
  }

  /// Starts the challenge of a second factor: the first one that the client and the sign-in support.
  private static let secondFactor: Responder = { (request, org) throws(Refusal) in
    try request.check(org.settings, has: ["mfa_token", "challenge_types_supported"])
    let required = try org.resumeDirect(request).direct.required
    let types = (request.parameters["challenge_types_supported"] ?? "").split(separator: " ")
      .compactMap { DirectGrant(rawValue: String($0)) }
      .filter { $0.isSecond && $0.canVerify(required) }
    guard let first = types.first else {
      throw .oauth(
        "invalid_challenge_types_supported", "This sign-in accepts none of these challenges.")
    }
    // With a channel, the client asks for a push or a code, even if it supports other types.
    let hasChannel = request.parameters["channel_hint"] != nil && types.contains(.mfaOOB)
    let grant = hasChannel ? .mfaOOB : first
    let isOutOfBand = grant == .mfaOOB
    try request.check(
      org.settings, has: isOutOfBand ? ["channel_hint"] : [],
      hasNot: isOutOfBand ? [] : ["channel_hint"])
    return grant == .mfaOTP
      ? .json(["challenge_type": .string(grant.rawValue)]) : try org.challenge(request, by: grant)
  }
}

extension OrgRequest {
  /// Throws unless the client is known, all of `required` are present, and none of `forbidden`.
  func check(
    _ settings: OrgSettings, has required: [String] = [], hasNot forbidden: [String] = []
  ) throws(Refusal) {
    try checkClient(settings)
    for name in required { _ = try self.required(name) }
    if let name = forbidden.first(where: { parameters[$0] != nil }) {
      throw .oauth("invalid_request", "The parameter \(name) does not belong to this challenge.")
    }
  }
}

extension OrgState {
  /// The sign-in of an `mfa_token`.
  func resumeDirect(_ request: OrgRequest) throws(Refusal) -> SignIn {
    guard var found = signIns[request.parameters["mfa_token"] ?? ""],
      found.signInProtocol == .direct, !found.direct.required.isEmpty
    else {
      throw .oauth(
        "access_denied", "This sign-in was completed, or there were too many wrong answers.",
        status: 403)
    }
    try require(now < found.expiresAt, else: .oauth("expired_token", "The mfa_token has expired."))
    found.sender = request.sender
    return found
  }

  /// A new sign-in, which is not stored.
  func newDirectSignIn(of login: String, _ request: OrgRequest) -> SignIn {
    var signIn = newSignIn(.direct, handle: "", by: request.sender, lifetime: directLifetime)
    signIn.accountKey = OrgAccount.Key(login)
    return signIn
  }

  /// How long a sign-in by DirectAuth lasts.
  var directLifetime: TimeInterval { SignIn.Step.selectChallenge.lifetime }

  /// Starts a challenge for a user who has the authenticator.
  fileprivate mutating func challenge(
    _ request: OrgRequest, by grant: DirectGrant
  ) throws(Refusal) -> OrgResponse {
    let channel = request.parameters["channel_hint"]
    let found = grant.challenges.first { channel == nil || $0.method?.value.rawValue == channel }
    guard var challenge = found else {
      throw .oauth("invalid_request", "The channel_hint must be push, sms, voice or email.")
    }
    let code = grant.kind == .outOfBand ? random.handle("oob_") : nil
    var signIn =
      grant.isSecond
      ? try resumeDirect(request)
      : newDirectSignIn(of: request.parameters["login_hint"] ?? "", request)
    let account = self[signIn.accountKey]
    let key = challenge.authenticator.key
    challenge.enrollment = account.user.enrollments.firstIndex { $0.authenticator == key }
    // The response does not show whether the user exists or is locked.
    let way = channel.map { "channel \($0)" } ?? "passkey"
    let refusal = Refusal.oauth("invalid_request", "This user cannot be challenged by \(way).")
    guard account.isOpen, challenge.enrollment != nil,
      !grant.isSecond || signIn.direct.required.contains(key)
    else { throw refusal }
    do throws(Rejection) {
      try signIn.begin(&challenge, in: &self)
    } catch { throw refusal }
    let id = code ?? challenge.passkeyRequest?["challenge"]?.string ?? ""
    let isPush = challenge.check.isPolled
    let lifetime = isPush ? PendingDeviceAction.pushTimeout : directLifetime
    if !grant.isSecond { signIn.handle = id }
    signIn.step = .challenge(challenge)
    signIn.expiresAt = now.addingTimeInterval(directLifetime)
    signIn.direct = DirectState(
      scopes: signIn.direct.scopes, required: signIn.direct.required, challengeID: id,
      challengeExpiresAt: now.addingTimeInterval(lifetime))
    save(signIn)
    return grant.kind == .outOfBand
      ? challenge.outOfBandResponse(grant, id, lifetime)
      : challenge.passkeyResponse(grant, lifetime, of: account.user)
  }
}

extension AuthenticatorChallenge {
  fileprivate func outOfBandResponse(
    _ grant: DirectGrant, _ code: String, _ lifetime: TimeInterval
  ) -> OrgResponse {
    let number = device.number
    let binding = check.isPolled ? (number == nil ? "none" : "transfer") : "prompt"
    let body: JSONValue = [
      "challenge_type": .string(grant.rawValue), "oob_code": .string(code),
      "channel": .string(method?.value.rawValue ?? ""),
      "binding_method": .string(binding), "expires_in": .seconds(lifetime),
      "interval": .seconds(DirectState.firstInterval),
    ]
    return .json(body.adding("binding_code", number.map(JSONValue.string)))
  }

  fileprivate func passkeyResponse(
    _ grant: DirectGrant, _ lifetime: TimeInterval, of user: SimulatedUser
  ) -> OrgResponse {
    let enrollments = user.enrollments.filter { $0.authenticator == .webAuthn }.map {
      $0.members.adding("displayName", .string(authenticator.displayName))
        .adding("profile", $0.profile(of: user))
    }
    let publicKey = passkeyRequest?.adding("allowCredentials", user.passkeyDescriptors)
      .adding("timeout", .seconds(lifetime * 1000))
    return .json([
      "challengeType": .string(grant.rawValue), "publicKey": publicKey ?? .null,
      "authenticatorEnrollments": .array(enrollments),
    ])
  }
}
