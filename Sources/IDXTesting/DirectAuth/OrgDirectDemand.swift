import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What follows once something was proved by DirectAuth.
extension OrgCore {
  /// Gives tokens, or says what the policy still demands.
  mutating func conclude(_ signIn: DirectSignIn) throws(DirectRefusal) -> OrgReply {
    let account = account(signIn.account)
    switch demand(of: signIn, account) {
    case .nothing:
      if !signIn.isRecovery, let refusal = settings.policy.accounts.refusalWithoutPage {
        throw DirectRefusal(
          refusal.code, refusal.description, status: refusal.code == "access_denied" ? 403 : 400)
      }
      accounts[signIn.account]?.failures = 0
      return issue(
        scopes: signIn.scopes, to: OrgPerson(account),
        for: OrgSignIn(proving: signIn.verified, by: signIn.methods, at: now), nonce: nil)
    case .challenge(let keys): return try demandSecond(keys, of: signIn)
    case .enrollment(let keys, _):
      throw denial("\(names(of: keys)) is required, and DirectAuth cannot set it up.")
    case .password, .newPassword, .expiringPassword:
      throw denial("The password has expired, and cannot be changed here.")
    case .refusal(let message, _): throw denial(message.text)
    }
  }

  private func demand(of signIn: DirectSignIn, _ account: OrgAccount) -> SignInDemand {
    guard signIn.isRecovery else {
      return SignInDemand(
        policy: settings.policy, account: account, verified: signIn.verified, keepsPassword: true,
        hasSkipped: true)
    }
    let recovery = settings.policy.accounts.recovery
    let methods = recovery?.methods.filter(account.hasEnrolled) ?? []
    guard ![.suspended, .notAssigned].contains(account.user.status), !methods.isEmpty else {
      return .refusal(.recoveryNotAllowed, status: 403)
    }
    if signIn.verified.isDisjoint(with: methods) { return .challenge(methods) }
    let isAsked = recovery?.asksQuestion == true && account.hasEnrolled(.securityQuestion)
    return isAsked ? .challenge([.securityQuestion]) : .nothing
  }

  private mutating func demandSecond(
    _ keys: [IDXAuthenticator.Key], of signIn: DirectSignIn
  ) throws(DirectRefusal) -> OrgReply {
    let types = DirectGrant.second.filter { !Set($0.authenticators).isDisjoint(with: keys) }
    guard !types.isEmpty else {
      throw denial("\(names(of: keys)) is required, which DirectAuth cannot ask for.")
    }
    var signIn = signIn
    signIn.demanded = keys
    signIn.expiresAt = now.addingTimeInterval(settings.directLifetime)
    let token = random.handle("mfa_")
    direct.pending[token] = signIn
    let answer: JSONValue = [
      "error": "mfa_required", "error_description": "A second factor is needed.",
      "mfa_token": .string(token),
      "supported_challenge_types": .string(types.map(\.rawValue).joined(separator: " ")),
    ]
    return .oauth(answer, status: 403)
  }

  private func denial(_ description: String) -> DirectRefusal {
    DirectRefusal("access_denied", description, status: 403)
  }

  /// What these are called, one of which is demanded.
  func names(of keys: [IDXAuthenticator.Key]) -> String {
    keys.map { OrgAuthenticators[$0]?.displayName ?? $0.rawValue }.joined(separator: " or ")
  }
}

extension OrgSettings {
  /// How long a sign-in by DirectAuth waits, as long as one that has named a user.
  var directLifetime: TimeInterval { lifetime(of: .selectChallenge) }
}
