import IDXBase
import IDX
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Where pushes, codes and passkeys are asked for (protocol section 7).
extension OrgCore {
  /// Begins with a push, a code or a passkey; a passkey as the second factor too, as some clients ask
  /// for it here.
  mutating func primaryAuthenticate(_ request: TransportRequest) -> OrgReply {
    answer(request, known: ["login_hint", "challenge_hint", "channel_hint", "mfa_token"]) {
      (org, form) throws(DirectRefusal) in
      try org.check(form, has: ["challenge_hint"])
      let grant = DirectGrant(rawValue: form["challenge_hint"] ?? "")
      switch grant {
      case .oob:
        try org.check(form, has: ["login_hint", "channel_hint"], never: ["mfa_token"])
        return try org.beginElsewhere(form, by: .oob, for: nil)
      case .webAuthn:
        try org.check(form, has: ["login_hint"], never: ["mfa_token", "channel_hint"])
        return try org.beginPasskey(form, by: .webAuthn, for: nil)
      case .mfaWebAuthn:
        try org.check(form, has: ["mfa_token"], never: ["login_hint", "channel_hint"])
        let signIn = try org.pendingSignIn(form["mfa_token"])
        return try org.beginPasskey(form, by: .mfaWebAuthn, for: signIn)
      default:
        throw DirectRefusal("invalid_request", "The challenge_hint is none that begins here.")
      }
    }
  }

  /// Begins with a push or a code, as older clients do.
  mutating func oobAuthenticate(_ request: TransportRequest) -> OrgReply {
    answer(request, known: ["login_hint", "channel_hint"]) { (org, form) throws(DirectRefusal) in
      try org.check(form, has: ["login_hint", "channel_hint"])
      return try org.beginElsewhere(form, by: .oob, for: nil)
    }
  }

  /// Asks for a second factor, the first that both sides can do.
  mutating func directChallenge(_ request: TransportRequest) -> OrgReply {
    answer(request, known: ["mfa_token", "challenge_types_supported", "channel_hint"]) {
      (org, form) throws(DirectRefusal) in
      try org.check(form, has: ["mfa_token", "challenge_types_supported"])
      let signIn = try org.pendingSignIn(form["mfa_token"])
      let asked = (form["challenge_types_supported"] ?? "").split(separator: " ")
        .compactMap { DirectGrant(rawValue: String($0)) }
      let types = asked.filter {
        $0.isSecond && !Set($0.authenticators).isDisjoint(with: signIn.demanded)
      }
      guard let first = types.first else {
        throw DirectRefusal(
          "invalid_challenge_types_supported", "This sign-in takes none of these challenges.")
      }
      // A channel says what is meant, whatever else the client could do.
      let isHinted = form["channel_hint"] != nil && types.contains(.mfaOOB)
      switch isHinted ? .mfaOOB : first {
      case .mfaOOB:
        try org.check(form, has: ["channel_hint"])
        return try org.beginElsewhere(form, by: .mfaOOB, for: signIn)
      case .mfaWebAuthn:
        try org.check(form, has: [], never: ["channel_hint"])
        return try org.beginPasskey(form, by: .mfaWebAuthn, for: signIn)
      default:
        try org.check(form, has: [], never: ["channel_hint"])
        return .oauth(["challenge_type": .string(DirectGrant.mfaOTP.rawValue)])
      }
    }
  }

  private mutating func answer(
    _ request: TransportRequest, known: Set<String>,
    _ body: (inout OrgCore, [String: String]) throws(DirectRefusal) -> OrgReply
  ) -> OrgReply {
    switch parameters(of: request, known: known.union(["client_id"])) {
    case .refusal(let refusal): return refusal
    case .values(let form):
      do {
        return try body(&self, form)
      } catch {
        return error.reply
      }
    }
  }

  private func check(
    _ form: [String: String], has required: [String], never: [String]
  ) throws(DirectRefusal) {
    try check(form, has: required)
    if let name = never.first(where: { form[$0] != nil }) {
      throw DirectRefusal(
        "invalid_request", "The parameter \(name) does not belong to this challenge.")
    }
  }

  /// Sends a push or a code.
  private mutating func beginElsewhere(
    _ form: [String: String], by grant: DirectGrant, for signIn: DirectSignIn?
  ) throws(DirectRefusal) -> OrgReply {
    guard let channel = DirectChannel(rawValue: form["channel_hint"] ?? "") else {
      throw DirectRefusal("invalid_request", "The channel_hint is push, sms, voice or email.")
    }
    var ceremony = Ceremony(authenticator: channel.authenticator, purpose: .challenge)
    ceremony.method = IDXAuthenticator.Method(rawValue: channel.rawValue)
    let id = random.handle("oob_")
    let challenge = try begin(ceremony, id: { _ in id }, form, for: signIn)
    let isNumbered = challenge.ceremony.device.number != nil
    let binding = challenge.isPolled ? (isNumbered ? "transfer" : "none") : "prompt"
    let answer: JSONValue = [
      "challenge_type": .string(grant.rawValue), "oob_code": .string(id),
      "channel": .string(channel.rawValue), "binding_method": .string(binding),
    ]
    return .oauth(
      answer.adding("binding_code", challenge.ceremony.device.number.map(JSONValue.string))
        .adding("expires_in", Self.seconds(challenge.expiresAt.timeIntervalSince(now)))
        .adding("interval", Self.seconds(challenge.interval)))
  }

  /// Asks for a passkey's signature.
  private mutating func beginPasskey(
    _ form: [String: String], by grant: DirectGrant, for signIn: DirectSignIn?
  ) throws(DirectRefusal) -> OrgReply {
    let ceremony = Ceremony(authenticator: .webAuthn, purpose: .challenge)
    let challenge = try begin(
      ceremony, id: { $0.passkeyRequest?["challenge"]?.string }, form, for: signIn)
    let account = account(challenge.account)
    let kind = WebAuthnAuthenticator()
    let details = account.user.enrollments.map(\.detail)
    let enrollments = details.compactMap { detail -> JSONValue? in
      guard case .passkey(let passkey) = detail else { return nil }
      return [
        "credentialId": .string(Base64URL.encode(passkey.id)),
        "displayName": .string(kind.displayName),
        "profile": kind.profile(of: detail, user: account.user) ?? .null,
      ]
    }
    let allowed = account.user.passkeys.map {
      ["type": "public-key", "id": .string(Base64URL.encode($0.id))] as JSONValue
    }
    let wait = challenge.expiresAt.timeIntervalSince(now) * 1000
    let publicKey = (challenge.ceremony.passkeyRequest ?? [:])
      .adding("allowCredentials", .array(allowed)).adding("timeout", Self.seconds(wait))
    return .oauth([
      "challengeType": .string(grant.rawValue), "publicKey": publicKey,
      "authenticatorEnrollments": .array(enrollments),
    ])
  }

  /// Begins a ceremony of a user who has what it takes, and remembers it.
  private mutating func begin(
    _ ceremony: Ceremony, id: (Ceremony) -> String?, _ form: [String: String],
    for signIn: DirectSignIn?
  ) throws(DirectRefusal) -> DirectChallenge {
    let key = signIn?.account ?? OrgAccount.Key(form["login_hint"] ?? "")
    let account = account(key)
    var ceremony = ceremony
    ceremony.enrollment = account.user.enrollments.firstIndex {
      $0.authenticator == ceremony.authenticator
    }
    let isDemanded = signIn?.demanded.contains(ceremony.authenticator) ?? true
    // Nobody is told who exists or is locked: neither has anything to be reached by.
    guard account.isOpen, isDemanded, ceremony.enrollment != nil,
      let kind = OrgAuthenticators[ceremony.authenticator],
      kind.begin(&ceremony, for: account.user, in: &self) == nil, let id = id(ceremony)
    else {
      let way = form["channel_hint"].map { "channel \($0)" } ?? "passkey"
      throw DirectRefusal("invalid_request", "This user has no \(way) to be asked by.")
    }
    let isPush = ceremony.method == "push"
    let lifetime = isPush ? DeviceErrand.patience : settings.directLifetime
    let challenge = DirectChallenge(
      account: key, mfaToken: form["mfa_token"], ceremony: ceremony,
      expiresAt: now.addingTimeInterval(lifetime))
    if let token = form["mfa_token"], var signIn {
      direct.endChallenges(of: token)
      signIn.expiresAt = now.addingTimeInterval(settings.directLifetime)
      direct.pending[token] = signIn
    }
    direct.challenges[id] = challenge
    return challenge
  }
}
