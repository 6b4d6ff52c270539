import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What a browser does at the pages to which a sign-in leads (protocol section 1.9).
extension OrgCore {
  /// Does what a page asks, and returns the address at which the browser ends; nil if it stays there.
  mutating func visit(_ address: String, as login: String?, refusing: Bool) -> URL? {
    let user = login.map(OrgAccount.Key.init) ?? firstUser
    if settings.policy.accounts.passwordSite?.address == address, let user {
      accounts[user]?.user.daysToPasswordExpiry = nil
      if accounts[user]?.user.status == .passwordExpired { accounts[user]?.user.status = .active }
    }
    guard let page = page(at: address) else { return nil }
    var transaction = page.transaction
    if refusing {
      return callback(of: transaction, error: "access_denied", "The sign-in was refused there.")
    }
    transactions[transaction.stateHandle] = nil
    let result: StepResult
    if page.name == .redirectIdVerify {
      result = leaveInterstitial(&transaction)
    } else if let challenge = transaction.challenge, let key = transaction.account {
      result = complete(challenge, with: nil, of: key, &transaction)
    } else if let user, accounts[user]?.exists == true {
      transaction.account = user
      transaction.proved.addIdentityProvider()
      result = advance(&transaction)
    } else {
      result = .unchanged
    }
    transaction.expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
    _ = record(result, of: transaction)
    switch transaction.step {
    case .succeeded(let code): return callback(of: transaction, [("interaction_code", code)])
    case .final(let step) where step.isRefusal:
      return callback(of: transaction, error: "access_denied", step.messages.first?.text ?? "")
    default:
      return callback(of: transaction, error: "interaction_required", "More steps are needed.")
    }
  }

  /// Where the link of a mail leads in the browser of the app that waits for its code.
  func openLink(in message: Mailbox.Message) -> URL? {
    transactions.values.first { $0.challenge?.code == message.code }
      .flatMap { callback(of: $0, [("otp", message.code)]) }
  }

  /// The sign-in that offers a page, and the name of the remediation.
  private func page(at address: String) -> (transaction: OrgTransaction, name: Remediation.Name)? {
    for transaction in transactions.values where now < transaction.expiresAt {
      let offered = transaction.document["remediation"]?["value"]?.array?.first {
        $0["href"]?.string == address && $0["method"] == "GET"
      }
      if let name = offered?["name"]?.string {
        return (transaction, Remediation.Name(rawValue: name))
      }
    }
    return nil
  }

  private func callback(
    of transaction: OrgTransaction, error code: String, _ description: String
  ) -> URL? {
    callback(of: transaction, [("error", code), ("error_description", description)])
  }

  private func callback(
    of transaction: OrgTransaction, _ parameters: [(String, String)]
  ) -> URL? {
    guard let interaction = interactions[transaction.interaction],
      var components = URLComponents(string: interaction.redirectURI)
    else { return nil }
    let added = (parameters + [("state", interaction.state)]).map {
      URLQueryItem(name: $0, value: $1)
    }
    components.queryItems = (components.queryItems ?? []) + added
    return components.url
  }
}
