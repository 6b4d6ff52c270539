import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What came of a request, beside the step at which the sign-in is now.
struct StepResult {
  var status = 200
  var messages: [IDXMessage.Draft] = []
  /// Messages about fields of the first form, by dotted path.
  var fieldMessages: [String: IDXMessage.Draft] = [:]
  /// Whether the sign-in is at a new step, so that its time begins again.
  var isNewStep = false

  /// The sign-in is at a new step.
  static let moved = StepResult(isNewStep: true)
  /// Nothing has changed.
  static let unchanged = StepResult()

  static func rejected(_ rejection: Rejection) -> StepResult {
    guard let field = rejection.field else {
      return StepResult(status: rejection.status, messages: [rejection.message])
    }
    return StepResult(status: rejection.status, fieldMessages: [field: rejection.message])
  }
}

// Requests to `/idp/idx`.
extension OrgCore {
  private static let mediaTypes = ["application/json", "application/ion+json"]

  /// Starts a sign-in at its first step and returns its state handle.
  mutating func startTransaction(of interaction: String) -> String {
    let handle = random.handle("02")
    var transaction = OrgTransaction(
      interaction: interaction, stateHandle: handle,
      expiresAt: now.addingTimeInterval(settings.lifetime(of: .identify)), at: now)
    transaction.step = firstStep(after: 0)
    transactions[handle] = transaction
    return handle
  }

  /// Tells where a sign-in is.
  mutating func introspect(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    let body = try object(of: request)
    let names = ["interactionHandle", "stateHandle", "stateToken"]
    guard body.members.count == 1, let member = body.members.first, names.contains(member.name),
      let text = member.value.string
    else { throw .idx([.handleNotAlone], status: 400) }
    let isInteraction = member.name == "interactionHandle"
    guard let handle = isInteraction ? interactions[text]?.stateHandle : text,
      let transaction = transaction(handle)
    else { throw .expired }
    return record(.unchanged, of: transaction)
  }

  /// Answers a form of the last response.
  mutating func proceed(_ request: TransportRequest) throws(Refusal) -> OrgReply {
    let address = request.url.absoluteString
    let path = String(address.dropFirst(settings.idx("").count))
    guard address.hasPrefix(settings.idx("")), Self.isKnown(path) else { throw .notFound }
    let body = try object(of: request)
    guard let handle = body["stateHandle"] else {
      throw .idx([.missing("stateHandle")], status: 400)
    }
    guard var transaction = transaction(handle.string ?? "") else { throw .expired }

    let forms = FormCheck.forms(in: transaction.document, method: request.method, href: address)
    guard !forms.isEmpty else { throw .idx([.notOffered], status: 400) }
    let problems = FormCheck.problems(of: .object(body), answering: forms)
    guard problems.isEmpty else { throw .idx(problems.map(\.message), status: 400) }
    if isBlocked(transaction), path != "/cancel" {
      return record(StepResult(status: 429, messages: [.tooManyAttempts]), of: transaction)
    }
    transactions[transaction.stateHandle] = nil
    let result = answer(.object(body), at: path, &transaction)
    if result.isNewStep {
      transaction.expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
    }
    return record(result, of: transaction)
  }

  /// Writes the response and remembers it: it determines which requests are accepted.
  mutating func record(_ result: StepResult, of transaction: OrgTransaction) -> OrgReply {
    var transaction = transaction
    transaction.document = document(of: transaction).json(result)
    transactions[transaction.stateHandle] = transaction
    return .idx(transaction.document, status: result.status)
  }

  func document(of transaction: OrgTransaction) -> OrgDocument {
    OrgDocument(
      settings: settings, transaction: transaction,
      account: transaction.account.flatMap { accounts[$0] })
  }

  /// Whether there were too many wrong answers, in this sign-in or in another one.
  func isBlocked(_ transaction: OrgTransaction) -> Bool {
    let account = transaction.account.flatMap { accounts[$0] }
    return transaction.isBlocked
      || (account?.user.status == .locked && !transaction.proved.keys.isEmpty
        && transaction.operation == nil)
  }

  /// A sign-in by IDX or the classic API that has not expired.
  mutating func transaction(_ handle: String, isClassic: Bool = false) -> OrgTransaction? {
    guard let transaction = transactions[handle], (transaction.classic != nil) == isClassic else {
      return nil
    }
    guard now < transaction.expiresAt else {
      transactions[handle] = nil
      return nil
    }
    return transaction
  }

  private func object(of request: TransportRequest) throws(Refusal) -> JSONValue.Object {
    try request.check(method: "POST", sending: Self.mediaTypes, accepting: Self.mediaTypes)
    guard let object = try? JSONValue(parsing: request.body).object else {
      throw .idx([.bodyNotJSON], status: 400)
    }
    return object
  }
}
