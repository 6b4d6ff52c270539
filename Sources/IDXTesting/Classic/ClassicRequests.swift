import IDXOAuth
import IDXBase
import IDX
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The way of a request to `/api/v1/authn`: is it well formed, was it offered, what follows.
extension OrgCore {
  mutating func authn(at address: String, _ request: TransportRequest) -> OrgReply {
    do throws(ClassicRefusal) {
      let path = String(address.dropFirst(settings.authn("").count))
      guard let action = ClassicAction(path: path) else { throw ClassicRefusal.noSuchAddress }
      let body = try classicBody(of: request)
      return action.isBeginning
        ? try begin(action, body) : try proceed(action, at: address, body)
    } catch {
      return error.reply
    }
  }

  /// The image that is to be scanned in a set-up; nobody but the client knows its address.
  func factorImage(at address: String, _ request: TransportRequest) -> OrgReply {
    if let refusal = RequestCheck.refusal(of: request, method: "GET") { return refusal }
    let token = String(address.dropFirst(settings.factorImages.count))
    let transaction = transactions.values.first {
      $0.classic?.imageToken == token && now < $0.expiresAt
    }
    guard let text = transaction?.ceremony?.qrCode?.split(separator: ",").last,
      let data = Data(base64Encoded: String(text))
    else { return ClassicRefusal.noSuchAddress.reply }
    return .image(Array(data))
  }

  /// The questions that may be set up.
  func factorQuestions(_ request: TransportRequest) -> OrgReply {
    if let refusal = RequestCheck.refusal(of: request, method: "GET") { return refusal }
    return .oauth(
      .array(
        QuestionAuthenticator.questions.map {
          ["question": .string($0.key), "questionText": .string($0.text)]
        }))
  }

  private mutating func begin(
    _ action: ClassicAction, _ body: JSONValue
  ) throws(ClassicRefusal) -> OrgReply {
    try check(body, against: action.forms ?? [])
    switch action {
    case .recoverPassword: return try recover(.recovery, body)
    case .unlock: return try recover(.unlock, body)
    case .recoveryToken: return try followRecovery(body)
    default: break
    }
    guard body["username"] != nil else {
      let transaction = try classicTransaction(body)
      return recordClassic(transaction)
    }
    return try authenticate(body)
  }

  private mutating func proceed(
    _ action: ClassicAction, at address: String, _ body: JSONValue
  ) throws(ClassicRefusal) -> OrgReply {
    var transaction = try classicTransaction(body, isGivenUp: action == .cancel)
    guard Self.offers(address, in: classicDocument(transaction)) else {
      throw ClassicRefusal.notOffered
    }
    let account =
      transaction.account.flatMap { accounts[$0] } ?? OrgAccount(nobodyCalled: "")
    let factor = transaction.ceremony.flatMap(account.factor)
    switch action {
    case .verify:
      guard
        let factor = factor
          ?? demandedFactors(transaction).first(where: {
            settings.authn(action.path($0.id(of: account))) == address
          })
      else { throw ClassicRefusal.notOffered }
      try check(body, against: [factor.kind.verification(isOpen: transaction.ceremony != nil)])
      return try verify(factor, body, &transaction)
    case .activate: try check(body, against: (factor?.kind.activation).map { [$0] } ?? [])
    case .enroll: return try enroll(body, &transaction)
    default: try check(body, against: action.forms ?? [])
    }
    switch action {
    case .activate: return try activate(body, &transaction)
    case .previous: return stepBack(&transaction)
    case .skip: return try skipClassic(&transaction)
    case .resend, .resendActivation, .resendRecovery: return try resendClassic(&transaction)
    case .changePassword, .resetPassword: return try replacePassword(body, &transaction)
    case .recoveryAnswer, .verifyRecovery: return try proveRecovery(body, &transaction)
    default:
      transactions[transaction.stateHandle] = nil
      return .oauth([:])
    }
  }

  func check(_ body: JSONValue, against forms: [[JSONValue]]) throws(ClassicRefusal) {
    let problems = FormCheck.problems(of: body, answering: forms)
    guard problems.isEmpty else { throw ClassicRefusal.invalid(problems) }
  }

  /// The sign-in that a body's state token stands for; it ends where the account was locked
  /// meanwhile.
  mutating func classicTransaction(
    _ body: JSONValue, isGivenUp: Bool = false
  ) throws(ClassicRefusal) -> OrgTransaction {
    guard let token = body["stateToken"] else {
      throw ClassicRefusal.invalid([FormCheck.Problem(path: "stateToken", kind: .missing)])
    }
    guard let transaction = living(token.string ?? "", isClassic: true) else {
      throw ClassicRefusal.unknownToken
    }
    guard isGivenUp || !isBlocked(transaction) else {
      transactions[transaction.stateHandle] = nil
      throw ClassicRefusal.locked
    }
    return transaction
  }

  /// Remembers where a sign-in stands, and says it.
  mutating func recordClassic(_ transaction: OrgTransaction) -> OrgReply {
    var transaction = transaction
    // Every answer lets the time begin anew.
    transaction.expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
    transactions[transaction.stateHandle] = transaction
    return .oauth(classicDocument(transaction))
  }

  /// Whether a response links to an address, wherever in it.
  private static func offers(_ address: String, in response: JSONValue) -> Bool {
    switch response {
    case .array(let elements): elements.contains { offers(address, in: $0) }
    case .object(let object):
      object["href"]?.string == address && object["hints"]?["allow"] == ["POST"]
        || object.members.contains { offers(address, in: $0.value) }
    default: false
    }
  }

  private func classicBody(of request: TransportRequest) throws(ClassicRefusal) -> JSONValue {
    let types = ["application/json"]
    let refusal = RequestCheck.refusal(
      of: request, method: "POST", sending: types, accepting: types)
    if let refusal { throw ClassicRefusal(refusal) }
    guard let body = try? JSONValue(parsing: request.body), body.object != nil else {
      throw ClassicRefusal.bodyNotJSON
    }
    return body
  }
}
