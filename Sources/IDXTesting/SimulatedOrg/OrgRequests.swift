import IDXOAuth
import IDXBase
import IDX
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The way of a request to `/idp/idx`: is it well formed, was it offered, what follows.
extension OrgCore {
  private static let mediaTypes = ["application/json", "application/ion+json"]

  /// Begins a sign-in at its first step and returns its state handle.
  mutating func beginTransaction(of interaction: String) -> String {
    let handle = random.handle("02")
    let expiresAt = now.addingTimeInterval(settings.lifetime(of: .identify))
    var transaction = OrgTransaction(
      interaction: interaction, stateHandle: handle, expiresAt: expiresAt)
    transaction.step = firstStep(after: 0)
    transaction.since = now
    transactions[handle] = transaction
    return handle
  }

  /// Says at which step a sign-in stands, as often as one asks.
  mutating func introspect(_ request: TransportRequest) -> OrgReply {
    let body: JSONValue.Object
    switch self.body(of: request) {
    case .refusal(let refusal): return refusal
    case .object(let object): body = object
    }
    let names = ["interactionHandle", "stateHandle", "stateToken"]
    guard body.members.count == 1, let member = body.members.first, names.contains(member.name),
      let text = member.value.string
    else { return .refusal([.handleNotAlone], status: 400) }
    let isInteraction = member.name == "interactionHandle"
    guard let handle = isInteraction ? interactions[text]?.stateHandle : text,
      let transaction = living(handle)
    else { return .expired }
    return record(OrgOutcome(), of: transaction)
  }

  /// Answers what a form of the last response sends.
  mutating func proceed(at address: String, _ request: TransportRequest) -> OrgReply {
    let base = settings.endpoint("")
    let path = String(address.dropFirst(base.count))
    guard address.hasPrefix(base), Self.hasAction(at: path) else {
      return .classicError("E0000007", "There is nothing at this address.", status: 404)
    }
    let body: JSONValue.Object
    switch self.body(of: request) {
    case .refusal(let refusal): return refusal
    case .object(let object): body = object
    }
    guard let handle = body["stateHandle"] else {
      return .refusal([.missing("stateHandle")], status: 400)
    }
    guard let text = handle.string, var transaction = living(text) else { return .expired }

    let forms = FormCheck.forms(
      in: transaction.document, method: request.method, href: address)
    guard !forms.isEmpty else { return .refusal([.stepNotOffered], status: 400) }
    let problems = FormCheck.problems(of: .object(body), answering: forms)
    guard problems.isEmpty else { return .refusal(problems.map { $0.message }, status: 400) }

    if isBlocked(transaction), !address.hasSuffix("/cancel") {
      return record(OrgOutcome(status: 429, messages: [.tooManyAttempts]), of: transaction)
    }
    guard let action = Self.action(at: path, for: transaction) else {
      return .refusal([.stepNotOffered], status: 400)
    }
    transactions[transaction.stateHandle] = nil
    let outcome = action(&self, &transaction, .object(body))
    if outcome.isStep {
      transaction.expiresAt = now.addingTimeInterval(settings.lifetime(of: transaction.step))
    }
    return record(outcome, of: transaction)
  }

  /// Writes the response and remembers it: it says what the next request may be.
  mutating func record(_ outcome: OrgOutcome, of transaction: OrgTransaction) -> OrgReply {
    var transaction = transaction
    let account = transaction.account.flatMap { accounts[$0] }
    let document = OrgDocument(settings: settings, transaction: transaction, account: account)
    transaction.document = document.json(outcome)
    transactions[transaction.stateHandle] = transaction
    return .document(transaction.document, status: outcome.status)
  }

  /// Whether answers were wrong too often, in this sign-in or meanwhile in another.
  func isBlocked(_ transaction: OrgTransaction) -> Bool {
    let account = transaction.account.flatMap { accounts[$0] }
    return transaction.isBlocked
      || (account?.user.status == .locked && !transaction.verified.isEmpty
        && transaction.errand == nil)
  }

  /// A sign-in that has not expired, unless it is one by another API.
  mutating func living(_ handle: String, isClassic: Bool = false) -> OrgTransaction? {
    guard let transaction = transactions[handle], (transaction.classic != nil) == isClassic else {
      return nil
    }
    guard now < transaction.expiresAt else {
      transactions[handle] = nil
      return nil
    }
    return transaction
  }

  private enum Body {
    case object(JSONValue.Object)
    case refusal(OrgReply)
  }

  private func body(of request: TransportRequest) -> Body {
    let refusal = RequestCheck.refusal(
      of: request, method: "POST", sending: Self.mediaTypes, accepting: Self.mediaTypes)
    if let refusal { return .refusal(refusal) }
    guard let object = try? JSONValue(parsing: request.body).object else {
      return .refusal(.refusal([.bodyNotJSON], status: 400))
    }
    return .object(object)
  }
}

/// What came of a request, beside the step that the sign-in now stands at.
struct OrgOutcome: Sendable {
  var status = 200
  var messages: [OrgMessage] = []
  /// Messages about fields of the first form, by dotted path.
  var fieldMessages: [String: OrgMessage] = [:]
  /// Whether the sign-in has moved, so that its time begins anew.
  var isStep = false

  static let step = OrgOutcome(isStep: true)

  static func rejected(_ rejection: Rejection) -> OrgOutcome {
    guard let field = rejection.field else {
      return OrgOutcome(status: rejection.status, messages: [rejection.message])
    }
    return OrgOutcome(status: rejection.status, fieldMessages: [field: rejection.message])
  }
}
