import IDXFlow
import Foundation
import IDX
import IDXBase
import IDXOAuth

/// The result of a request, besides the new step of the sign-in.
struct StepResult {
  var status = 200
  var messages: [Message] = []
  /// Messages about fields of the first form, by their dotted paths.
  var fieldMessages: [String: Message] = [:]
  /// Whether the sign-in is at a new step, which extends its time.
  var isNewStep = false

  /// The sign-in is at a new step.
  static let moved = StepResult(isNewStep: true)
  static let unchanged = StepResult()

  static func rejected(_ rejection: Rejection) -> StepResult {
    let (status, message) = (rejection.status, rejection.message)
    return rejection.field.map { StepResult(status: status, fieldMessages: [$0: message]) }
      ?? StepResult(status: status, messages: [message])
  }
}

// Requests to `/idp/idx`.
extension OrgCore {
  private static let mediaTypes = ["application/json", "application/ion+json"]

  func startSignIn(of interaction: String) {
    signIn = SignIn(
      .idx, handle: random.handle("02"), at: now, lifetime: settings.lifetime(of: .identify))
    signIn.interaction = interaction
    signIn.step = firstStep(after: 0)
    if settings.policy.acceptsPasskeyFirst, let authenticator = OrgAuthenticator[.webAuthn] {
      var challenge = AuthenticatorChallenge(authenticator, .challenge)
      if (try? challenge.proof.begin(&challenge, in: self)) != nil {
        signIn.passkeyFirst = challenge
      }
    }
    interactions[interaction]?.stateHandle = signIn.handle
    signIns[signIn.handle] = signIn
  }

  func introspect(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let body = try object(of: request)
    let names = ["interactionHandle", "stateHandle", "stateToken"]
    guard body.members.count == 1, let member = body.members.first, names.contains(member.name),
      let text = member.value.string
    else { throw .idx([.handleNotAlone], status: 400) }
    let isInteraction = member.name == "interactionHandle"
    let handle = isInteraction ? interactions[text]?.stateHandle : text
    guard resume(handle ?? "", .idx) else { throw .expired }
    guard !mistakes.contains(.noMatchingPolicy) else {
      throw .idx([.noMatchingPolicy], status: 403)
    }
    return record(.unchanged)
  }

  func proceed(_ request: TransportRequest) throws(Refusal) -> OrgResponse {
    let address = request.url.absoluteString
    let path = String(address.dropFirst(settings.idx("").count))
    guard address.hasPrefix(settings.idx("")), Self.isKnown(path) else { throw .notFound }
    let body = try object(of: request)
    guard let handle = body["stateHandle"] else {
      throw .idx([.missing("stateHandle")], status: 400)
    }
    guard resume(handle.string ?? "", .idx) else { throw .expired }

    let forms = FormCheck.forms(in: signIn.document, method: request.method, href: address)
    let problems = FormCheck(tolerated: requestRules.toleratedMembers)
      .problems(of: .object(Self.withoutReason(body, at: path)), answering: forms)
    guard !forms.isEmpty, problems.isEmpty else {
      return misfit(forms.isEmpty ? [.notOffered] : problems.map(\.message))
    }
    if isBlocked, path != "/cancel" {
      return record(StepResult(status: 429, messages: [.tooManyAttempts]))
    }
    signIns[signIn.handle] = nil
    let result = answer(.object(body), at: path)
    if result.isNewStep {
      signIn.expiresAt = now.addingTimeInterval(settings.lifetime(of: signIn.step))
    }
    return record(result)
  }

  /// The body without the reason for which a client gives up the wait for Okta Verify, which no form names.
  private static func withoutReason(_ body: JSONValue.Object, at path: String) -> JSONValue.Object {
    guard path == "/authenticators/poll/cancel", let reason = body["reason"]?.string,
      ["OV_UNREACHABLE_BY_LOOPBACK", "OV_RETURNED_ERROR", "USER_CANCELED"].contains(reason)
    else { return body }
    var body = body
    (body["reason"], body["statusCode"]) = (nil, nil)
    return body
  }

  /// The response to a body that does not fit a form.
  ///
  /// By the strict rules, it has messages but no forms and no `cancel`, as real servers respond to some bodies: the
  /// mistake is the client's, and introspection returns the step, which has not changed. A value that fits but is
  /// wrong, such as a wrong code, repeats the step with a message at the field or at the response.
  private func misfit(_ messages: [Message]) -> OrgResponse {
    guard requestRules.isStrict else {
      return record(StepResult(status: 400, messages: messages))
    }
    var draft = IDXResponse.Draft()
    draft.messages = messages
    draft.expiresAt = signIn.expiresAt.timestamp
    draft.members = JSONValue.Object([
      .init("stateHandle", .string(signIn.handle)), .init("intent", "LOGIN"),
    ])
    return .idx(draft.json, status: 400)
  }

  /// Writes the response and saves it; it determines which requests are accepted.
  func record(_ result: StepResult) -> OrgResponse {
    updateDeviceRequest()
    signIn.document = document.json(result)
    signIns[signIn.handle] = signIn
    return .idx(signIn.document, status: result.status)
  }

  var document: OrgDocument {
    OrgDocument(
      settings: settings, signIn: signIn, account: signIn.account.flatMap { accounts[$0] },
      proved: proved)
  }

  /// Whether there were too many wrong answers, in this sign-in or in another one.
  var isBlocked: Bool {
    signIn.isBlocked
      || (account.user.status == .locked && !signIn.proved.keys.isEmpty && signIn.operation == nil)
  }

  /// Makes a sign-in the current one; false if it is unknown or has expired.
  func resume(_ handle: String, _ signInProtocol: SignInProtocol) -> Bool {
    guard let found = signIns[handle], found.signInProtocol == signInProtocol else { return false }
    guard now < found.expiresAt else {
      signIns[handle] = nil
      return false
    }
    signIn = found
    return true
  }

  private func object(of request: TransportRequest) throws(Refusal) -> JSONValue.Object {
    try request.check(method: "POST", sending: Self.mediaTypes, accepting: Self.mediaTypes)
    guard let object = try? JSONValue(parsing: request.body).object else {
      throw .idx([.bodyNotJSON], status: 400)
    }
    return object
  }
}
