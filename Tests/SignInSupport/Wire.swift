import Foundation
package import IDX
package import IDXBase
package import IDXFlow
import IDXOAuth
package import IDXTesting

/// Responses written by hand, for what the simulated org does not send.
package enum Wire {
  package static let origin = "https://id.shop.example"

  package static func configuration(
    _ issuer: String = origin + "/oauth2/default",
    scopes: [String] = FlowConfiguration.defaultScopes
  ) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: issuer, clientID: "0oaShopApp0000000001", redirectURI: "com.example.shop:/callback",
      scopes: scopes)
  }

  package static func document(_ forms: [JSONValue], _ more: [(String, JSONValue)] = [])
    -> JSONValue
  {
    let members: [(String, JSONValue)] =
      [
        ("version", "1.0.0"), ("stateHandle", "02-state-handle"),
        ("remediation", ["type": "array", "value": .array(forms)]),
      ] + more
    return .object(JSONValue.Object(members.map { JSONValue.Object.Member($0.0, $0.1) }))
  }

  /// A document with one form of these fields.
  package static func document(of fields: JSONValue..., name: String = "a-new-step") -> JSONValue {
    document([form(name, fields)])
  }

  /// A member for the current authenticator.
  package static func current(_ authenticator: JSONValue) -> (String, JSONValue) {
    ("currentAuthenticator", ["type": "object", "value": authenticator])
  }

  /// A document that waits for an app of the device, with this challenge.
  package static func document(challenge: JSONValue) -> JSONValue {
    document(
      [form("device-challenge-poll")],
      [("authenticatorChallenge", ["type": "object", "value": challenge])])
  }

  package static func messages(_ key: String, kind: String = "ERROR") -> JSONValue {
    [
      "type": "array",
      "value": [["message": "Words.", "i18n": ["key": .string(key)], "class": .string(kind)]],
    ]
  }

  package static func form(
    _ name: String, href: String? = nil, method: String = "POST", _ fields: [JSONValue] = [],
    _ more: [(String, JSONValue)] = []
  ) -> JSONValue {
    let members: [(String, JSONValue)] =
      [
        ("name", .string(name)), ("href", .string(href ?? "\(origin)/idp/idx/\(name)")),
        ("method", .string(method)), ("value", .array(fields)),
      ] + more
    return .object(JSONValue.Object(members.map { JSONValue.Object.Member($0.0, $0.1) }))
  }

  package static func state(_ document: JSONValue, status: Int = 200) throws -> FlowState {
    let start = FlowState.Start(
      .idx, try configuration(), interactionHandle: "ih_stub", pkce: PKCE(),
      redirectState: "a state", nonce: "a nonce")
    return FlowState(
      start, response: try IDXResponse(parsing: document.bytes), status: status, requestID: nil)
  }

  /// A step for the first form of a document.
  package static func step(
    _ document: JSONValue, attempt: Int = 1, previous: Answers? = nil,
    problems: [InvalidAnswers.Problem] = []
  ) throws -> Step {
    let state = try state(document)
    return Step(
      state.response.remediations[0], state: state, attempt: attempt, previous: previous,
      problems: problems)
  }

  /// The decision of the form handler about a step, with a person who replies so.
  package static func decide(
    _ step: Step, _ replies: [ScriptedReply]
  ) async throws -> (Decision, ScriptedFrontEnd) {
    let person = ScriptedFrontEnd(replies)
    let decision = try await Handlers.showing(on: person).asking.decide(step)
    try await person.finish()
    return (decision, person)
  }
}

extension Handlers {
  /// A handler that decides as these do, and asks their front-end at once.
  package var asking: any StepHandler { AskingHandler(handlers: self) }
}

private struct AskingHandler: StepHandler {
  let handlers: Handlers

  func decide(_ original: Step) async throws -> Decision {
    var step = original
    step.context = handlers.context(Date())
    for handler in handlers.handlers(for: step) {
      switch try await handler.decide(step) {
      case .decline: continue
      case .ask(var screen, let then):
        while let frontEnd = handlers.frontEnd {
          let reply = try await frontEnd.reply(to: screen)
          do { return try then?(reply) ?? screen.decision(on: reply) } catch let refusal
            as InvalidReply
          {
            screen = screen.refused(reply, because: refusal)
          }
        }
        return .ask(screen)
      case let decision: return decision
      }
    }
    return .decline
  }
}

extension Transport {
  package var client: IDXClient { IDXClient(transport: self) }

  /// Starts a sign-in to the server of the hand-written responses.
  package func start() async throws -> FlowState { try await client.start(Wire.configuration()) }

  /// Runs a sign-in to the server of the hand-written responses.
  package func run(
    _ handlers: Handlers, goal: Goal? = nil, limits: FlowLimits = FlowLimits(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in },
    observe: @escaping @Sendable (FlowEvent) async -> Void = { _ in }
  ) async throws -> Outcome {
    let start = ContinuousClock.now
    let coordinator = FlowCoordinator(
      client: client, handlers: handlers, limits: limits.awaitingCancel, sleep: sleep,
      now: { start },
      observe: observe)
    // The hand-written servers issue no ID tokens.
    return try await coordinator.run(Wire.configuration(scopes: ["profile"]), goal: goal)
  }
}

extension FlowLimits {
  /// The same limits, with more time for the cancel than a busy machine ever needs to send it.
  package var awaitingCancel: FlowLimits {
    var limits = self
    limits.cancelTimeout = .seconds(3600)
    return limits
  }
}

extension JSONValue {
  /// The object with one member changed; nil removes it.
  package func setting(_ name: String, _ value: JSONValue?) -> JSONValue {
    guard var object else { return self }
    object[name] = value
    return .object(object)
  }
}
