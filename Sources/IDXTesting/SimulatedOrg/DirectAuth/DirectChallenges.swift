import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The endpoints that ask for pushes, codes and passkeys (protocol section 7).
extension OrgCore {
  /// Begins a sign-in with a push, a code or a passkey. Some clients begin a passkey as the second
  /// factor here too.
  mutating func primaryAuthenticate(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    let form = try parameters(
      of: request,
      known: ["client_id", "login_hint", "challenge_hint", "channel_hint", "mfa_token"])
    try check(form, has: ["challenge_hint"])
    switch DirectGrant(rawValue: form["challenge_hint"] ?? "") {
    case .oob:
      try check(form, has: ["login_hint", "channel_hint"], hasNot: ["mfa_token"])
      return try beginOutOfBand(form, by: .oob, for: nil)
    case .webAuthn:
      try check(form, has: ["login_hint"], hasNot: ["mfa_token", "channel_hint"])
      return try beginPasskey(form, by: .webAuthn, for: nil)
    case .mfaWebAuthn:
      try check(form, has: ["mfa_token"], hasNot: ["login_hint", "channel_hint"])
      return try beginPasskey(form, by: .mfaWebAuthn, for: try pendingSignIn(form["mfa_token"]))
    default:
      throw .oauth("invalid_request", "No sign-in begins with this challenge_hint.")
    }
  }

  /// Begins a sign-in with a push or a code, as older clients do.
  mutating func oobAuthenticate(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    let form = try parameters(of: request, known: ["client_id", "login_hint", "channel_hint"])
    try check(form, has: ["login_hint", "channel_hint"])
    return try beginOutOfBand(form, by: .oob, for: nil)
  }

  /// Asks for a second factor, the first one that the client and the sign-in have in common.
  mutating func directChallenge(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    let form = try parameters(
      of: request, known: ["client_id", "mfa_token", "challenge_types_supported", "channel_hint"])
    try check(form, has: ["mfa_token", "challenge_types_supported"])
    let signIn = try pendingSignIn(form["mfa_token"])
    let types = (form["challenge_types_supported"] ?? "").split(separator: " ")
      .compactMap { DirectGrant(rawValue: String($0)) }
      .filter { $0.isSecond && $0.canProve(signIn.required) }
    guard let first = types.first else {
      throw .oauth(
        "invalid_challenge_types_supported", "This sign-in accepts none of these challenges.")
    }
    // A channel tells which type the client wants, whatever else it supports.
    let hasChannel = form["channel_hint"] != nil && types.contains(.mfaOOB)
    switch hasChannel ? .mfaOOB : first {
    case .mfaOOB:
      try check(form, has: ["channel_hint"])
      return try beginOutOfBand(form, by: .mfaOOB, for: signIn)
    case .mfaWebAuthn:
      try check(form, hasNot: ["channel_hint"])
      return try beginPasskey(form, by: .mfaWebAuthn, for: signIn)
    default:
      try check(form, hasNot: ["channel_hint"])
      return .json(["challenge_type": .string(DirectGrant.mfaOTP.rawValue)])
    }
  }

  /// Throws unless the client is known, these parameters are there and those are not.
  func check(
    _ form: [String: String], has required: [String] = [], hasNot forbidden: [String] = []
  ) throws(Refusal) {
    try checkClient(form)
    if let name = required.first(where: { form[$0]?.isEmpty ?? true }) {
      throw .oauth("invalid_request", "The parameter \(name) is required.")
    }
    if let name = forbidden.first(where: { form[$0] != nil }) {
      throw .oauth("invalid_request", "The parameter \(name) does not belong to this challenge.")
    }
  }

  /// The sign-in of an `mfa_token`.
  func pendingSignIn(_ mfaToken: String?) throws(Refusal) -> DirectSignIn {
    guard let signIn = direct.pending[mfaToken ?? ""] else {
      throw .oauth(
        "access_denied", "This sign-in is over: it was completed, or answered wrongly too often.",
        status: 403)
    }
    guard now < signIn.expiresAt else {
      throw .oauth("expired_token", "The mfa_token has expired.")
    }
    return signIn
  }

  /// How long a sign-in by DirectAuth lasts.
  var directLifetime: TimeInterval { settings.lifetime(of: .selectChallenge) }

  /// Sends a push or a code.
  private mutating func beginOutOfBand(
    _ form: [String: String], by grant: DirectGrant, for signIn: DirectSignIn?
  ) throws(Refusal) -> OrgReply {
    let channel = form["channel_hint"] ?? ""
    let challenge = grant.challenges.first { $0.method?.value.rawValue == channel }
    guard let challenge else {
      throw .oauth("invalid_request", "The channel_hint is push, sms, voice or email.")
    }
    let id = random.handle("oob_")
    let begun = try begin(challenge, id: { _ in id }, form, for: signIn)
    let number = begun.challenge.device.number
    let binding = begun.isPolled ? (number == nil ? "none" : "transfer") : "prompt"
    let answer: JSONValue = [
      "challenge_type": .string(grant.rawValue), "oob_code": .string(id),
      "channel": .string(channel), "binding_method": .string(binding),
      "expires_in": .seconds(begun.expiresAt.timeIntervalSince(now)),
      "interval": .seconds(begun.interval),
    ]
    return .json(answer.adding("binding_code", number.map(JSONValue.string)))
  }

  /// Asks for the signature of a passkey.
  private mutating func beginPasskey(
    _ form: [String: String], by grant: DirectGrant, for signIn: DirectSignIn?
  ) throws(Refusal) -> OrgReply {
    let begun = try begin(
      grant.challenges[0], id: { $0.passkeyRequest?["challenge"]?.string }, form, for: signIn)
    let user = account(begun.account).user
    let enrollments = user.enrollments.filter { $0.authenticator == .webAuthn }.map {
      $0.members.adding("displayName", .string(begun.challenge.authenticator.displayName))
        .adding("profile", $0.profile(of: user))
    }
    let publicKey = (begun.challenge.passkeyRequest ?? [:])
      .adding("allowCredentials", user.passkeyDescriptors)
      .adding("timeout", .seconds(begun.expiresAt.timeIntervalSince(now) * 1000))
    return .json([
      "challengeType": .string(grant.rawValue), "publicKey": publicKey,
      "authenticatorEnrollments": .array(enrollments),
    ])
  }

  /// Begins a challenge of a user who has the authenticator, and remembers it.
  private mutating func begin(
    _ challenge: AuthenticatorChallenge, id: (AuthenticatorChallenge) -> String?,
    _ form: [String: String], for signIn: DirectSignIn?
  ) throws(Refusal) -> DirectChallenge {
    let key = signIn?.account ?? OrgAccount.Key(form["login_hint"] ?? "")
    let account = account(key)
    let authenticator = challenge.authenticator.key
    var challenge = challenge
    challenge.enrollment = account.user.enrollments.firstIndex {
      $0.authenticator == authenticator
    }
    let isRequired = signIn?.required.contains(authenticator) ?? true
    // The response does not tell who exists or is locked.
    let way = form["channel_hint"].map { "channel \($0)" } ?? "passkey"
    let refusal = Refusal.oauth("invalid_request", "This user cannot be asked by \(way).")
    guard account.isOpen, isRequired, challenge.enrollment != nil else { throw refusal }
    do throws(Rejection) {
      try challenge.proof.begin(&challenge, for: account.user, in: &self)
    } catch { throw refusal }
    guard let id = id(challenge) else { throw refusal }
    let isPush = challenge.proof.isPolled
    let begun = DirectChallenge(
      account: key, mfaToken: form["mfa_token"], challenge: challenge,
      expiresAt: now.addingTimeInterval(isPush ? PendingDeviceAction.pushTimeout : directLifetime))
    if let token = form["mfa_token"], var signIn {
      direct.endChallenges(of: token)
      signIn.expiresAt = now.addingTimeInterval(directLifetime)
      direct.pending[token] = signIn
    }
    direct.challenges[id] = begun
    return begun
  }
}
