import IDX
import OAuth

/// What a link stands for that an administrator has sent.
struct OrgLinkToken: Sendable {
  let account: OrgAccount.Key
  let purpose: OrgErrand.Kind
}

extension OrgCore {
  mutating func issueToken(for login: String, purpose: OrgErrand.Kind) -> Secret? {
    let key = OrgAccount.Key(login)
    guard accounts[key]?.exists == true else { return nil }
    let token = random.handle("lt_")
    linkTokens[token] = OrgLinkToken(account: key, purpose: purpose)
    return Secret(token)
  }

  /// Why the tokens of a beginning are not accepted; nil where they are, or where there are none.
  func refusedTokens(in form: [String: String]) -> OrgReply? {
    for (name, kind) in Self.linkParameters {
      guard let token = form[name] else { continue }
      guard linkTokens[token]?.purpose == kind else {
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
