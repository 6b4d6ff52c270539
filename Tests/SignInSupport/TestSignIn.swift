package import Foundation
package import IDX
package import IDXBase
package import IDXFlow
package import IDXOAuth
package import IDXSimulatedOrg
package import IDXTesting

/// A sign-in to a simulated org with one user.
///
/// Time passes only while the coordinator waits.
package struct TestSignIn {
  package static let login = SimulatedUser.demo.login
  package static let password = SimulatedUser.demo.password.revealed
  package static let now = Date(timeIntervalSince1970: 1_800_000_000)

  package let org: SimulatedOrg
  package let transport: RequestLog
  package let client: IDXClient
  package let tokens: TokenClient
  package let configuration: FlowConfiguration

  /// A sign-in whose requests go to the org, or to a transport that forwards them to it.
  package init(
    _ org: SimulatedOrg, scopes: [String] = FlowConfiguration.defaultScopes,
    dpop: DPoPPolicy = .whenRequired, through transport: (any Transport)? = nil
  ) throws {
    self.org = org
    self.transport = RequestLog(transport ?? org)
    tokens = TokenClient(transport: self.transport, now: { org.now })
    client = IDXClient(transport: self.transport, tokens: tokens)
    configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: scopes, dpop: dpop)
  }

  package init(_ scenario: OrgScenario, shape: ResponseShape = []) throws {
    try self.init(SimulatedOrg(scenario, shape: shape, seed: 3, clock: { Self.now }))
  }

  package init(
    _ policy: SignInPolicy = .passwordOnly, _ enrollments: SimulatedUser.Enrollment...,
    status: SimulatedUser.Status = .active, shape: ResponseShape = [],
    issuer: String = "https://demo.okta.example/oauth2/default",
    scopes: [String] = FlowConfiguration.defaultScopes
  ) throws {
    var user = SimulatedUser.demo
    user.enrollments = enrollments
    user.status = status
    try self.init(
      SimulatedOrg(
        issuer: issuer, users: [user], policy: policy, shape: shape, seed: 3, clock: { Self.now }),
      scopes: scopes)
  }

  /// A coordinator that polls only when the person is idle.
  package func coordinator(
    _ handlers: Handlers, limits: FlowLimits = FlowLimits(), log: EventLog = EventLog(),
    person: ScriptedFrontEnd? = nil
  ) -> FlowCoordinator {
    let start = ContinuousClock.now
    return FlowCoordinator(
      client: client, handlers: handlers, limits: limits.awaitingCancel,
      sleep: { [org] in
        await person?.untilIdle()
        try Task.checkCancellation()
        org.advance(by: $0 / .seconds(1))
      },
      now: { start },
      observe: { await log.add($0) })
  }

  /// Signs in as a person with these replies; throws if a reply is unused.
  package func run(
    _ replies: [ScriptedReply], goal: Goal? = nil, options: StartOptions = StartOptions(),
    limits: FlowLimits = FlowLimits(), passkeys: (any PasskeyProvider)? = nil,
    log: EventLog = EventLog()
  ) async throws -> (outcome: Outcome, person: ScriptedFrontEnd) {
    let person = person(replies, passkeys: passkeys)
    let handlers = Handlers.showing(Screens(canUsePasskeys: passkeys != nil), on: person)
    let outcome = try await coordinator(handlers, limits: limits, log: log, person: person)
      .run(configuration, options, goal: goal)
    try await person.finish()
    return (outcome, person)
  }

  package func person(
    _ replies: [ScriptedReply], passkeys: (any PasskeyProvider)? = nil
  ) -> ScriptedFrontEnd {
    ScriptedFrontEnd(replies, passkeys: passkeys, now: { Self.now })
  }

  /// The state after the username.
  package func afterUsername() async throws -> FlowState {
    try await client.proceed(
      .identify, ["identifier": .text(Self.login)], from: client.start(configuration))
  }

  /// The state after the username and the password.
  package func afterPassword() async throws -> FlowState {
    try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(Self.password)],
      from: afterUsername())
  }

  /// The credential after the username and the password.
  package func credential() async throws -> Credential { try await client.redeem(afterPassword()) }

  // MARK: Replies

  /// The code of the newest email, text message or call.
  package func sentCode(_ input: String = "credentials.passcode") -> ScriptedReply {
    .answer(input) { [org] in await org.mailbox.messages.last?.code }
  }

  /// The code that an app or token of the person shows.
  package func code(
    of key: IDXAuthenticator.Key, _ input: String = "credentials.passcode", ahead: Int = 0
  ) -> ScriptedReply {
    .answer(input) { [org] in await org.code(of: key, for: Self.login, ahead: ahead) }
  }

  /// The address that the browser returns to from the page of a step.
  package func returning(
    from step: Remediation.Name = .redirectIdP, refusing: Bool = false
  ) -> ScriptedReply {
    .returning(step) { [org] in await org.visit($0, refusing: refusing) }
  }

  /// An approved push while the server is polled.
  package func approvingPush() -> ScriptedReply {
    .elsewhere("challenge-poll") { [org] in
      await org.approvePush(for: Self.login, choosing: org.pushes(for: Self.login).last?.number)
    }
  }
}

extension ScriptedReply {
  package static let login = answer("identifier", .text(TestSignIn.login))
  package static let password = passcode(TestSignIn.password)

  package static func passcode(_ text: String) -> ScriptedReply {
    answer("credentials.passcode", .text(text))
  }

  package static func authenticator(_ key: IDXAuthenticator.Key) -> ScriptedReply {
    answer("authenticator", .authenticator(key))
  }
}

extension ScriptedFrontEnd {
  /// The problems that were shown, other than messages of the server.
  package var problems: [String] {
    screens.flatMap { screen in
      let received = screen.step?.messagesOfNoField.compactMap(\.text) ?? []
      return screen.messages.filter { message in
        message.kind == .error && !received.contains { message.text.hasPrefix($0) }
      }.map(\.text)
    }
  }

  /// The unsupported steps that were shown.
  package var unsupportedSteps: [UnsupportedStep] {
    screens.filter { $0.unsupported != nil }.compactMap { $0.step.flatMap(UnsupportedStep.init) }
  }

  /// The steps that waited, in order.
  package var waits: [Step] { screens.filter { $0.action.role == .wait }.compactMap(\.step) }

  /// The screens at the end, at which the person could start over.
  package var ends: [Screen] { screens.filter { $0.step == nil } }
}

extension ScriptedFrontEnd.Question {
  package var step: Step? { screen.step }
}

/// A front-end that asks and waits with closures, and cancels all choices.
package struct ClosureFrontEnd: FrontEnd {
  let asking: @Sendable () async throws -> Reply
  let waiting: @Sendable () async throws -> Reply

  package init(
    asking: @escaping @Sendable () async throws -> Reply = { .cancel },
    waiting: @escaping @Sendable () async throws -> Reply = { .cancel }
  ) {
    self.asking = asking
    self.waiting = waiting
  }

  package func reply(to screen: Screen) async throws -> Reply {
    if screen.action.role == .wait { return try await waiting() }
    return screen.inputs.isEmpty ? .cancel : try await asking()
  }
}

extension Outcome {
  /// The successful sign-in.
  package var signIn: SignIn? { if case .signedIn(let signIn) = self { signIn } else { nil } }
  /// The last state, if the sign-in ended without tokens.
  package var end: FlowState? { if case .ended(let state) = self { state } else { nil } }
  package var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension Decision {
  /// The answers to the step's own form.
  package var answers: Answers? {
    if case .submit(let answers, nil) = self { answers } else { nil }
  }
}

extension FlowState {
  package var names: [Remediation.Name] { response.remediations.map(\.name) }
}

extension SignInPolicy {
  /// The policy with another account policy.
  package func accounts(_ change: (inout AccountPolicy) -> Void) -> SignInPolicy {
    var policy = self
    change(&policy.accounts)
    return policy
  }
}

/// Records the events of a coordinator, one line each.
package actor EventLog {
  package private(set) var lines: [String] = []

  package init() {}

  package func add(_ event: FlowEvent) { lines.append(Self.line(for: event)) }

  package func count(of prefix: String) -> Int { lines.count { $0.hasPrefix(prefix) } }

  private static func line(for event: FlowEvent) -> String {
    switch event {
    case .received(let state):
      "received " + (state.response.remediations.first?.name.rawValue ?? "no form")
    case .submitting(let form): "submitting \(form.name)"
    case .failed(let form, let error): "failed \(form.name): \(error.code)"
    case .accepted(let form, let authenticator):
      "accepted \(form.name)" + (authenticator?.key.map { " of \($0)" } ?? "")
    case .waiting(let form, let time): "waiting \(time.components.seconds) s for \(form.name)"
    }
  }
}
