import IDXBase
import IDX

// The authenticators in a response: which are offered, which the user has, which one it is about.
extension OrgDocument {
  var demand: SignInDemand {
    guard let account else { return .nothing }
    return SignInDemand(policy: settings.policy, account: account, transaction: transaction)
  }

  /// The members of the response that hold authenticators, in their order.
  var authenticators: [(name: String, value: JSONValue)] {
    switch transaction.step {
    case .refused, .succeeded, .account: return []
    case .identify where settings.policy.accounts.identityProvidersOnly: return []
    case .identify:
      guard settings.policy.start == .withPassword, let kind = OrgAuthenticators[.password] else {
        return []
      }
      return [
        (
          "currentAuthenticator",
          wrap(offered(kind).adding("recover", recover(for: kind, .challenge)))
        )
      ]
    case .selectChallenge, .selectEnrollment, .needsData, .ceremony: break
    }
    guard let account else { return [] }
    let kinds = offeredKeys.compactMap { OrgAuthenticators[$0] }
    var members = [("authenticators", list(kinds.map(offered)))]
    members.append(("authenticatorEnrollments", list(enrollments(of: account))))
    if let ceremony = transaction.ceremony, let kind = OrgAuthenticators[ceremony.authenticator] {
      members.append((container(of: ceremony, kind), wrap(current(ceremony, kind, account))))
    }
    return members
  }

  /// The member under which the authenticator of a ceremony stands (section 2.5).
  func container(of ceremony: Ceremony, _ kind: any OrgAuthenticator) -> String {
    ceremony.purpose == .challenge && kind.challengesEnrollment
      ? "currentAuthenticatorEnrollment" : "currentAuthenticator"
  }

  func form(
    _ name: Remediation.Name, _ path: String, _ fields: [JSONValue] = [], relatesTo: String? = nil,
    refresh: Int? = nil
  ) -> JSONValue {
    OrgForm.form(
      name, href: settings.endpoint(path), stateHandle: transaction.stateHandle, fields,
      relatesTo: relatesTo, refresh: refresh)
  }

  func wrap(_ value: JSONValue) -> JSONValue { ["type": "object", "value": value] }
  func list(_ values: [JSONValue]) -> JSONValue { ["type": "array", "value": .array(values)] }

  private var offeredKeys: [IDXAuthenticator.Key] {
    switch demand {
    case .password, .newPassword, .expiringPassword: [.password]
    case .challenge(let keys), .enrollment(let keys, _): keys
    case .refusal, .nothing: []
    }
  }

  private func offered(_ kind: any OrgAuthenticator) -> JSONValue { json(kind, id: kind.id) }

  func json(_ kind: any OrgAuthenticator, id: String) -> JSONValue {
    [
      "type": .string(kind.type.rawValue), "key": .string(kind.key.rawValue), "id": .string(id),
      "displayName": .string(kind.displayName),
      "methods": .array(kind.methods.map { ["type": .string($0.value)] }),
    ]
  }

  /// What the user has set up, the password first.
  ///
  /// Before the password was right that is all: what an account has beside it is nobody else's
  /// business.
  private func enrollments(of account: OrgAccount) -> [JSONValue] {
    let kind = account.hasPassword ? OrgAuthenticators[.password] : nil
    let password = kind.map { json($0, id: account.enrollmentID(at: nil)) }
    guard !transaction.verified.isEmpty || transaction.errand != nil else {
      return [password].compactMap(\.self)
    }
    let others = account.user.enrollments.enumerated().compactMap { index, enrollment in
      OrgAuthenticators[enrollment.authenticator].map { kind in
        let json = json(kind, id: account.enrollmentID(at: index))
          .adding("profile", kind.profile(of: enrollment.detail, user: account.user))
        return kind.enrollmentDetails(of: enrollment.detail)
          .reduce(json) { $0.adding($1.name, $1.value) }
      }
    }
    return [password].compactMap(\.self) + others
  }

  private func current(
    _ ceremony: Ceremony, _ kind: any OrgAuthenticator, _ account: OrgAccount
  ) -> JSONValue {
    let isEnrollment = ceremony.purpose == .challenge && kind.challengesEnrollment
    let id = isEnrollment ? account.enrollmentID(at: ceremony.enrollment) : kind.id
    var json = json(kind, id: id)
    if let index = ceremony.enrollment, account.user.enrollments.indices.contains(index) {
      let detail = account.user.enrollments[index].detail
      json = json.adding("profile", kind.profile(of: detail, user: account.user))
    }
    json = json.adding("recover", recover(for: kind, ceremony.purpose))
    // Until something was sent there is nothing to wait for, and only the way of sending to tell.
    if case .needsData = transaction.step, ceremony.device.channel == nil { return json }
    for (name, value) in kind.details(of: ceremony, for: account.user, policy: settings.policy) {
      json = json.adding(name, value)
    }
    for action in kind.actions(of: ceremony, rules: settings.policy.factors) {
      json = json.adding(
        action.member, form(action.name, action.path, action.fields, refresh: action.refresh))
    }
    return json
  }
}
