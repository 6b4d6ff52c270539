import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Tokens for what a client asks a person for itself (protocol section 7).
extension OrgCore {
  /// Answers a request for tokens whose parameters belong to the grant.
  mutating func directToken(_ form: [String: String], by grant: DirectGrant) -> OrgReply {
    do {
      try check(form, has: grant.required)
      var signIn = try directSignIn(form, by: grant)
      switch grant {
      case .password:
        let ceremony = Ceremony(authenticator: .password, purpose: .challenge)
        try prove([ceremony], by: ["passcode": .string(form["password"] ?? "")], in: &signIn, form)
      case .otp, .mfaOTP: try proveCode(form, by: grant, in: &signIn)
      case .oob, .mfaOOB: try proveElsewhere(form, in: &signIn)
      case .webAuthn, .mfaWebAuthn: try provePasskey(form, in: &signIn)
      }
      if let token = form["mfa_token"] { direct.end(token) }
      return try conclude(signIn)
    } catch {
      return error.reply
    }
  }

  /// What every request of DirectAuth must have.
  func check(_ form: [String: String], has required: [String]) throws(DirectRefusal) {
    guard form["client_id"] == settings.clientID else { throw DirectRefusal(.unknownClient) }
    if let name = required.first(where: { form[$0]?.isEmpty ?? true }) {
      throw DirectRefusal("invalid_request", "The parameter \(name) is required.")
    }
  }

  /// The sign-in that lacks a second factor.
  func pendingSignIn(_ mfaToken: String?) throws(DirectRefusal) -> DirectSignIn {
    guard let signIn = direct.pending[mfaToken ?? ""] else {
      throw DirectRefusal(
        "access_denied", "This sign-in is over: it was used, or answered wrongly too often.",
        status: 403)
    }
    guard now < signIn.expiresAt else {
      throw DirectRefusal("expired_token", "The mfa_token has expired.")
    }
    return signIn
  }

  /// The account of this name, one that nothing opens where nobody has it.
  func account(_ key: OrgAccount.Key) -> OrgAccount {
    accounts[key] ?? OrgAccount(nobodyCalled: key.text)
  }

  private func directSignIn(
    _ form: [String: String], by grant: DirectGrant
  ) throws(DirectRefusal) -> DirectSignIn {
    let isRecovery = try isRecovery(form, by: grant)
    if grant.isSecond {
      var signIn = try pendingSignIn(form["mfa_token"])
      guard isRecovery == signIn.isRecovery else {
        throw DirectRefusal("invalid_request", "The intent is not the one of the beginning.")
      }
      let scopes = form["scope"]?.split(separator: " ").map(String.init) ?? signIn.scopes
      guard !scopes.isEmpty, Set(scopes).isSubset(of: signIn.scopes) else {
        throw DirectRefusal(
          "invalid_scope", "No scope is asked for, or more than in the beginning.")
      }
      guard !Set(grant.authenticators).isDisjoint(with: signIn.demanded) else {
        throw DirectRefusal("invalid_request", "This sign-in takes no \(grant.rawValue).")
      }
      signIn.scopes = scopes
      return signIn
    }
    let known = isRecovery ? Self.scopes(ofRecoveryIn: form) : scopes(in: form)
    guard let scopes = known else { throw DirectRefusal(.unknownScope) }
    let key =
      switch grant {
      case .oob: try challenge(form["oob_code"] ?? "", in: form).account
      case .webAuthn: try challenge(try passkeyChallenge(in: form), in: form).account
      default: OrgAccount.Key(form["username"] ?? form["login_hint"] ?? "")
      }
    return DirectSignIn(account: key, scopes: scopes, isRecovery: isRecovery)
  }

  /// Whether a lost password is to be replaced, which cannot be by the password.
  private func isRecovery(
    _ form: [String: String], by grant: DirectGrant
  ) throws(DirectRefusal) -> Bool {
    switch form["intent"] {
    case nil: return false
    case "recovery":
      guard grant != .password else {
        throw DirectRefusal("invalid_request", "Nobody recovers a password by the password.")
      }
      return true
    default: throw DirectRefusal("invalid_request", "The intent is recovery, or is left out.")
    }
  }

  /// The one scope that goes with a recovery, and with nothing else; nil for any other.
  private static func scopes(ofRecoveryIn form: [String: String]) -> [String]? {
    let scope = "okta.myAccount.password.manage"
    return form["scope"] == scope ? [scope] : nil
  }

  /// What is waiting for this answer.
  func challenge(
    _ id: String, in form: [String: String]
  ) throws(DirectRefusal) -> DirectChallenge {
    // What a passkey is to sign is public, and no one's oob_code.
    guard let challenge = direct.challenges[id], challenge.mfaToken == form["mfa_token"],
      (challenge.ceremony.authenticator == .webAuthn) == (form["oob_code"] == nil)
    else {
      throw DirectRefusal("invalid_grant", "What is answered is unknown or was answered before.")
    }
    guard now < challenge.expiresAt else {
      throw DirectRefusal("expired_token", "The answer comes too late. Begin anew.")
    }
    return challenge
  }

  /// What a passkey says that it has signed: no other parameter tells which challenge it answers.
  func passkeyChallenge(in form: [String: String]) throws(DirectRefusal) -> String {
    guard let bytes = Base64URL.decode(form["clientDataJSON"] ?? ""),
      let challenge = try? JSONValue(parsing: bytes)["challenge"]?.string
    else { throw DirectRefusal("invalid_request", "The clientDataJSON cannot be read.") }
    return challenge
  }
}
