import Foundation
import IDX
import IDXBase
import IDXOAuth

/// The state of a sign-in that only DirectAuth needs.
///
/// If a sign-in needs a second factor, its handle is its `mfa_token`. While it waits for the answer to a
/// first factor, its handle is the ID of the challenge.
struct DirectState: Sendable {
  var scopes: [String] = []
  /// The authenticators of which one must be verified as the second factor.
  var required: [IDXAuthenticator.Key] = []
  /// The ID of the unanswered challenge: the `oob_code`, or the challenge of a passkey.
  var challengeID: String?
  var challengeExpiresAt = Date.distantPast
  /// The minimum number of seconds between two polls; each poll that is too early increases it (RFC 8628,
  /// section 3.5).
  var interval = Self.firstInterval
  var lastPoll: Date?

  static let firstInterval: TimeInterval = 5
}

// The endpoints that send pushes and codes and challenge passkeys.
extension OrgCore {
  /// Starts a sign-in with a push, a code or a passkey, or uses a passkey as the second factor.
  func primaryAuthenticate(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(
      of: request,
      known: ["client_id", "login_hint", "challenge_hint", "channel_hint", "mfa_token"])
    try check(form, has: ["challenge_hint"])
    let grant = DirectGrant(rawValue: form["challenge_hint"] ?? "")
    switch grant {
    case .oob: try check(form, has: ["login_hint", "channel_hint"], hasNot: ["mfa_token"])
    case .webAuthn: try check(form, has: ["login_hint"], hasNot: ["mfa_token", "channel_hint"])
    case .mfaWebAuthn: try check(form, has: ["mfa_token"], hasNot: ["login_hint", "channel_hint"])
    default: throw .oauth("invalid_request", "The challenge_hint is not supported here.")
    }
    return try begin(form, by: grant ?? .oob)
  }

  /// Starts a sign-in with a push or a code, for older clients.
  func oobAuthenticate(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(of: request, known: ["client_id", "login_hint", "channel_hint"])
    try check(form, has: ["login_hint", "channel_hint"])
    return try begin(form, by: .oob)
  }

  /// Starts the challenge of a second factor: the first one that the client and the sign-in support.
  func directChallenge(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let form = try parameters(
      of: request, known: ["client_id", "mfa_token", "challenge_types_supported", "channel_hint"])
    try check(form, has: ["mfa_token", "challenge_types_supported"])
    try resumeDirect(form["mfa_token"])
    let types = (form["challenge_types_supported"] ?? "").split(separator: " ")
      .compactMap { DirectGrant(rawValue: String($0)) }
      .filter { $0.isSecond && $0.canProve(signIn.direct.required) }
    guard let first = types.first else {
      throw .oauth(
        "invalid_challenge_types_supported", "This sign-in accepts none of these challenges.")
    }
    // With a channel, the client asks for a push or a code, even if it supports other types.
    let hasChannel = form["channel_hint"] != nil && types.contains(.mfaOOB)
    let grant = hasChannel ? .mfaOOB : first
    let isOutOfBand = grant == .mfaOOB
    try check(
      form, has: isOutOfBand ? ["channel_hint"] : [], hasNot: isOutOfBand ? [] : ["channel_hint"])
    return grant == .mfaOTP
      ? .json(["challenge_type": .string(grant.rawValue)]) : try begin(form, by: grant)
  }

  /// Throws unless the client is known, all of `names` are present, and none of the others.
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

  /// Resumes the sign-in of an `mfa_token`.
  func resumeDirect(_ token: String?) throws(Refusal) {
    guard let found = signIns[token ?? ""], found.signInProtocol == .direct,
      !found.direct.required.isEmpty
    else {
      throw .oauth(
        "access_denied", "This sign-in was completed, or there were too many wrong answers.",
        status: 403)
    }
    try require(now < found.expiresAt, else: .oauth("expired_token", "The mfa_token has expired."))
    signIn = found
  }

  /// How long a sign-in by DirectAuth lasts.
  var directLifetime: TimeInterval { settings.lifetime(of: .selectChallenge) }

  /// Starts a challenge for a user who has the authenticator.
  private func begin(
    _ form: [String: String], by grant: DirectGrant
  ) throws(Refusal) -> OrgResponse {
    let channel = form["channel_hint"]
    let found = grant.challenges.first { channel == nil || $0.method?.value.rawValue == channel }
    guard var challenge = found else {
      throw .oauth("invalid_request", "The channel_hint must be push, sms, voice or email.")
    }
    let code = grant.kind == .outOfBand ? random.handle("oob_") : nil
    if grant.isSecond {
      try resumeDirect(form["mfa_token"])
    } else {
      signIn = SignIn(.direct, handle: "", at: now, lifetime: directLifetime)
      signIn.account = OrgAccount.Key(form["login_hint"] ?? "")
    }
    let key = challenge.authenticator.key
    challenge.enrollment = account.user.enrollments.firstIndex { $0.authenticator == key }
    // The response does not show whether the user exists or is locked.
    let way = channel.map { "channel \($0)" } ?? "passkey"
    let refusal = Refusal.oauth("invalid_request", "This user cannot be challenged by \(way).")
    guard account.isOpen, challenge.enrollment != nil,
      !grant.isSecond || signIn.direct.required.contains(key)
    else { throw refusal }
    do throws(Rejection) {
      try begin(&challenge)
    } catch { throw refusal }
    let id = code ?? challenge.passkeyRequest?["challenge"]?.string ?? ""
    let isPush = challenge.proof.isPolled
    let lifetime = isPush ? PendingDeviceAction.pushTimeout : directLifetime
    if !grant.isSecond { signIn.handle = id }
    signIn.step = .challenge(challenge)
    signIn.expiresAt = now.addingTimeInterval(directLifetime)
    signIn.direct = DirectState(
      scopes: signIn.direct.scopes, required: signIn.direct.required, challengeID: id,
      challengeExpiresAt: now.addingTimeInterval(lifetime))
    signIns[signIn.handle] = signIn
    return grant.kind == .outOfBand
      ? outOfBandResponse(challenge, grant, id, lifetime)
      : passkeyResponse(challenge, grant, lifetime)
  }

  private func outOfBandResponse(
    _ challenge: AuthenticatorChallenge, _ grant: DirectGrant, _ code: String,
    _ lifetime: TimeInterval
  ) -> OrgResponse {
    let number = challenge.device.number
    let binding = challenge.proof.isPolled ? (number == nil ? "none" : "transfer") : "prompt"
    let body: JSONValue = [
      "challenge_type": .string(grant.rawValue), "oob_code": .string(code),
      "channel": .string(challenge.method?.value.rawValue ?? ""),
      "binding_method": .string(binding), "expires_in": .seconds(lifetime),
      "interval": .seconds(DirectState.firstInterval),
    ]
    return .json(body.adding("binding_code", number.map(JSONValue.string)))
  }

  private func passkeyResponse(
    _ challenge: AuthenticatorChallenge, _ grant: DirectGrant, _ lifetime: TimeInterval
  ) -> OrgResponse {
    let user = account.user
    let enrollments = user.enrollments.filter { $0.authenticator == .webAuthn }.map {
      $0.members.adding("displayName", .string(challenge.authenticator.displayName))
        .adding("profile", $0.profile(of: user))
    }
    let publicKey = challenge.passkeyRequest?.adding("allowCredentials", user.passkeyDescriptors)
      .adding("timeout", .seconds(lifetime * 1000))
    return .json([
      "challengeType": .string(grant.rawValue), "publicKey": publicKey ?? .null,
      "authenticatorEnrollments": .array(enrollments),
    ])
  }
}
