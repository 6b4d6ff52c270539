import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXScreens
import IDXRecording
import IDXSimulatedOrg
import IDXTesting

@testable import IDXFlow

/// A sign-in to a simulated org with one user.
///
/// Time passes only while the coordinator waits.
struct TestSignIn {
  static let login = SimulatedUser.demo.login
  static let password = SimulatedUser.demo.password.revealed
  static let now = Date(timeIntervalSince1970: 1_800_000_000)

  let org: SimulatedOrg
  let transport: RecordingTransport
  let client: IDXClient
  let tokens: TokenClient
  let configuration: FlowConfiguration

  /// A sign-in whose requests go to the org, or to a transport that forwards them to it.
  init(
    _ org: SimulatedOrg, scopes: [String] = FlowConfiguration.defaultScopes,
    through transport: (any Transport)? = nil
  ) throws {
    self.org = org
    self.transport = RecordingTransport(transport ?? org)
    tokens = TokenClient(transport: self.transport, now: { org.now })
    client = IDXClient(transport: self.transport, tokens: tokens)
    configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: scopes)
  }

  init(_ scenario: OrgScenario, shape: ResponseShape = []) throws {
    try self.init(SimulatedOrg(scenario, shape: shape, seed: 3, clock: { Self.now }))
  }

  init(
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
  func coordinator(
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
  func run(
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

  func person(
    _ replies: [ScriptedReply], passkeys: (any PasskeyProvider)? = nil
  ) -> ScriptedFrontEnd {
    ScriptedFrontEnd(replies, passkeys: passkeys, now: { Self.now })
  }

  /// The state after the username.
  func afterUsername() async throws -> FlowState {
    try await client.proceed(
      .identify, ["identifier": .text(Self.login)], from: client.start(configuration))
  }

  /// The state after the username and the password.
  func afterPassword() async throws -> FlowState {
    try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(Self.password)],
      from: afterUsername())
  }

  /// The credential after the username and the password.
  func credential() async throws -> Credential { try await client.redeem(afterPassword()) }

  // MARK: Replies

  /// The code of the newest email, text message or call.
  func sentCode(_ question: String = "credentials.passcode") -> ScriptedReply {
    .answer(question) { [org] in await org.mailbox.messages.last?.code }
  }

  /// The code that an app or token of the person shows.
  func code(
    of key: IDXAuthenticator.Key, _ question: String = "credentials.passcode", ahead: Int = 0
  ) -> ScriptedReply {
    .answer(question) { [org] in await org.code(of: key, for: Self.login, ahead: ahead) }
  }

  /// The address that the browser returns to from the page of a step.
  func returning(
    from step: Remediation.Name = .redirectIdP, refusing: Bool = false
  ) -> ScriptedReply {
    .returning(step) { [org] in await org.visit($0, refusing: refusing) }
  }

  /// An approved push while the server is polled.
  func approvingPush() -> ScriptedReply {
    .elsewhere("challenge-poll") { [org] in
      await org.approvePush(for: Self.login, choosing: org.pushes(for: Self.login).last?.number)
    }
  }
}

extension ScriptedReply {
  static let login = answer("identifier", .text(TestSignIn.login))
  static let password = passcode(TestSignIn.password)

  static func passcode(_ text: String) -> ScriptedReply {
    answer("credentials.passcode", .text(text))
  }

  static func authenticator(_ key: IDXAuthenticator.Key) -> ScriptedReply {
    answer("authenticator", .authenticator(key))
  }
}

extension ScriptedFrontEnd {
  /// The problems that were shown, other than messages of the server.
  var problems: [String] {
    screens.flatMap { screen in
      let received = screen.step?.messagesOfNoField.compactMap(\.text) ?? []
      return screen.messages.filter { message in
        message.kind == .error && !received.contains { message.text.hasPrefix($0) }
      }.map(\.text)
    }
  }

  /// The unsupported steps that were shown.
  var unsupportedSteps: [UnsupportedStep] {
    screens.filter { $0.unsupported != nil }.compactMap { $0.step.flatMap(UnsupportedStep.init) }
  }

  /// The steps that waited, in order.
  var waits: [Step] { screens.filter { $0.action.role == .wait }.compactMap(\.step) }

  /// The screens at the end, at which the person could start over.
  var ends: [Screen] { screens.filter { $0.step == nil } }
}

extension ScriptedFrontEnd.Question {
  var step: Step? { screen.step }
}

/// A front-end that asks and waits with closures, and cancels all choices.
struct ClosureFrontEnd: FrontEnd {
  var asking: @Sendable () async throws -> Reply = { .cancel }
  var waiting: @Sendable () async throws -> Reply = { .cancel }

  func reply(to screen: Screen) async throws -> Reply {
    if screen.action.role == .wait { return try await waiting() }
    return screen.inputs.isEmpty ? .cancel : try await asking()
  }
}

extension Outcome {
  /// The successful sign-in.
  var signIn: SignIn? { if case .signedIn(let signIn) = self { signIn } else { nil } }
  /// The last state, if the sign-in ended without tokens.
  var end: FlowState? { if case .ended(let state) = self { state } else { nil } }
  var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension Decision {
  /// The answers to the step's own form.
  var answers: Answers? { if case .submit(let answers, nil) = self { answers } else { nil } }
}

extension FlowState {
  var names: [Remediation.Name] { response.remediations.map(\.name) }
}

extension SignInPolicy {
  /// The policy with another account policy.
  func accounts(_ change: (inout AccountPolicy) -> Void) -> SignInPolicy {
    var policy = self
    change(&policy.accounts)
    return policy
  }
}

/// Records the events of a coordinator, one line each.
actor EventLog {
  private(set) var lines: [String] = []

  func add(_ event: FlowEvent) { lines.append(Self.line(for: event)) }

  func count(of prefix: String) -> Int { lines.count { $0.hasPrefix(prefix) } }

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

/// The error that a body throws.
func flowError<T>(_ body: () async throws -> T) async throws -> FlowError {
  do { _ = try await body() } catch let error as FlowError { return error }
  throw NoError()
}

struct NoError: Error {}
