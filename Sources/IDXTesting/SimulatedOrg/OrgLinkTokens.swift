import IDXBase
import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a link stands for that an administrator, or the org itself, has sent.
struct OrgLinkToken: Sendable {
  let account: OrgAccount.Key
  let purpose: OrgErrand.Kind
  /// An administrator's is good until it is used.
  var expiresAt = Date.distantFuture

  /// For how many seconds a link is good that a user has asked for.
  static let lifetime: TimeInterval = 60 * 60
}

extension OrgCore {
  mutating func issueToken(
    for login: String, purpose: OrgErrand.Kind, until expiresAt: Date = .distantFuture
  ) -> Secret? {
    let key = OrgAccount.Key(login)
    guard accounts[key]?.exists == true else { return nil }
    let token = random.handle("lt_")
    linkTokens[token] = OrgLinkToken(account: key, purpose: purpose, expiresAt: expiresAt)
    return Secret(token)
  }

  /// What a token stands for; nil where it is unknown, used or too old.
  func linkToken(_ token: String) -> OrgLinkToken? {
    linkTokens[token].flatMap { now < $0.expiresAt ? $0 : nil }
  }

  /// Why the tokens of a beginning are not accepted; nil where they are, or where there are none.
  func refusedTokens(in form: [String: String]) -> OrgReply? {
    for (name, kind) in Self.linkParameters {
      guard let token = form[name] else { continue }
      guard linkToken(token)?.purpose == kind else {
        return .oauthError("invalid_request", "The \(name) is invalid.")
      }
    }
    return nil
  }

  /// Spends the token with which a sign-in begins, and goes to the step that it leads to.
  mutating func spendToken(in form: [String: String], at stateHandle: String) {
    for name in Self.linkParameters.keys {
      guard let token = form[name].flatMap({ linkTokens.removeValue(forKey: $0) }),
        var transaction = transactions[stateHandle]
      else { continue }
      transaction.account = token.account
      transaction.errand = OrgErrand(kind: token.purpose, isProved: true)
      _ = advance(&transaction)
      transactions[stateHandle] = transaction
    }
  }

  static let linkParameters: [String: OrgErrand.Kind] = [
    "recovery_token": .recovery, "activation_token": .registration,
  ]
}
