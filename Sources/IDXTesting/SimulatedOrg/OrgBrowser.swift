import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What a browser does at the pages to which a sign-in leads (protocol section 1.9).
extension OrgCore {
  /// Does what a page asks, and returns the address on which the browser ends; nil where it stays.
  mutating func visit(_ address: String, as login: String?, refusing: Bool) -> URL? {
    renewPassword(at: address, for: login)
    guard let page = page(at: address) else { return nil }
    var transaction = page.transaction
    if refusing {
      return callback(
        of: transaction,
        [("error", "access_denied"), ("error_description", "The sign-in was refused there.")])
    }
    let key = login.map(OrgAccount.Key.init) ?? firstUser
    transactions[transaction.stateHandle] = nil
    let outcome: OrgOutcome
    if page.name == .redirectIdVerify {
      outcome = pass(&transaction)
    } else if let ceremony = transaction.ceremony {
      outcome = complete(ceremony, with: .null, &transaction)
    } else if let key, accounts[key]?.exists == true {
      transaction.account = key
      // Another's word stands for the password.
      transaction.verified.insert(.password)
      transaction.isVouchedFor = true
      outcome = advance(&transaction)
    } else {
      outcome = OrgOutcome()
    }
    transaction.expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
    _ = record(outcome, of: transaction)
    switch transaction.step {
    case .succeeded(let code): return callback(of: transaction, [("interaction_code", code)])
    case .refused(let message):
      return callback(
        of: transaction, [("error", "access_denied"), ("error_description", message.text)])
    default:
      return callback(
        of: transaction,
        [("error", "interaction_required"), ("error_description", "More steps are needed.")])
    }
  }

  /// Where the link of a mail leads in the browser of the app that waits for its code.
  func openLink(in message: Mailbox.Message) -> URL? {
    transactions.values.first { $0.ceremony?.code == message.code }
      .flatMap { callback(of: $0, [("otp", message.code)]) }
  }

  /// The sign-in that offers a page, and the name under which it does.
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

  private mutating func renewPassword(at address: String, for login: String?) {
    guard settings.policy.accounts.passwordSite?.address == address,
      let key = login.map(OrgAccount.Key.init) ?? firstUser
    else { return }
    accounts[key]?.user.daysToPasswordExpiry = nil
    if accounts[key]?.user.status == .passwordExpired { accounts[key]?.user.status = .active }
  }
}
