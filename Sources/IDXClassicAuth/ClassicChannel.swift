import IDX

/// Where the server may send what recovers a password or unlocks an account.
///
/// It tells only when asked which of them a person has.
enum ClassicChannel: String, Sendable, CaseIterable {
  case email = "EMAIL"
  case sms = "SMS"
  case call = "CALL"

  private var label: String {
    switch self {
    case .email: "Email"
    case .sms: "Phone, by SMS"
    case .call: "Phone, in a call"
    }
  }

  /// The authenticator that stands for it.
  var authenticator: IDXAuthenticator.Draft { authenticator() }

  /// The authenticator that stands for it, with what can be done with it.
  func authenticator(actions: [Remediation.Draft] = []) -> IDXAuthenticator.Draft {
    let isMail = self == .email
    return IDXAuthenticator.Draft(
      isMail ? .email : .phone, type: isMail ? "email" : "phone",
      displayName: isMail ? "Email" : "Phone", id: rawValue,
      methods: [isMail ? "email" : self == .sms ? "sms" : "voice"], actions: actions)
  }

  /// The choice among all, which stand among the authenticators in this order.
  static var choice: Remediation.Field.Draft {
    Remediation.Field.Draft(
      "authenticator", among: .authenticators,
      allCases.map { ($0.label, ["id": .string($0.rawValue)]) })
  }
}
