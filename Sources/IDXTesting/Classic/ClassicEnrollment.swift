import IDXBase
import IDX

// Setting factors up by the classic API.
extension OrgCore {
  /// What must or may be set up, and whether it may be passed over.
  func offeredSetUps(
    _ transaction: OrgTransaction
  ) -> (kinds: [ClassicFactor.Kind], isOptional: Bool) {
    guard case .enrollment(let keys, let isOptional) = classicDemand(transaction) else {
      return ([], false)
    }
    return (keys.flatMap(ClassicFactor.Kind.of).filter(\.canBeSetUp), isOptional)
  }

  /// Begins a set-up.
  mutating func enroll(
    _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    for name in ["factorType", "provider"] where body[name]?.string == nil {
      throw ClassicRefusal.invalid([FormCheck.Problem(path: name, kind: .missing)])
    }
    let kind = offeredSetUps(transaction).kinds.first {
      $0.type == body["factorType"]?.string && $0.provider == body["provider"]?.string
    }
    guard let kind, let account = transaction.account.flatMap({ accounts[$0] }) else {
      throw ClassicRefusal.notOffered
    }
    try check(body, against: [kind.enrollment])
    let profile = body["profile"] ?? [:]
    var ceremony = Ceremony(authenticator: kind.authenticator, purpose: .enroll)
    ceremony.method = kind.method
    switch kind.authenticator {
    case .securityQuestion: return try enroll(ceremony, asking: profile, &transaction)
    case .phone: ceremony.phoneNumber = profile["phoneNumber"]?.string
    case .email:
      let address = profile["email"]?.string ?? account.user.email
      guard address.lowercased() == account.user.email.lowercased() else {
        throw ClassicRefusal.invalid("email", ["That is not the user's address."])
      }
    default: break
    }
    return try open(ceremony, &transaction)
  }

  /// Ends a set-up with a code, or asks whether the device has ended it.
  mutating func activate(
    _ body: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    guard let ceremony = transaction.ceremony else { throw ClassicRefusal.notOffered }
    return ceremony.authenticator == .oktaVerify
      ? try poll(ceremony, &transaction) : try prove(ceremony, by: body, &transaction)
  }

  /// Sets a question of the org's up, which ends at once.
  private mutating func enroll(
    _ ceremony: Ceremony, asking profile: JSONValue, _ transaction: inout OrgTransaction
  ) throws(ClassicRefusal) -> OrgReply {
    let question = profile["question"]?.string ?? ""
    guard QuestionAuthenticator.questions.contains(where: { $0.key == question }) else {
      throw ClassicRefusal.invalid("question", ["That is none of the questions."])
    }
    let credentials: JSONValue = [
      "questionKey": .string(question), "answer": profile["answer"] ?? .null,
    ]
    let rejection = transaction.account.flatMap { accounts[$0] }.flatMap {
      QuestionAuthenticator().judge(credentials, of: ceremony, by: $0, in: self)
    }
    if let rejection { throw ClassicRefusal.invalid("answer", [rejection.message.text]) }
    return try finish(ceremony, with: credentials, &transaction)
  }
}
