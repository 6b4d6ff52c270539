import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth

/// A situation of the simulated org, and a person who goes through it. Time passes while the person
/// waits, and then only.
struct Scene {
  static let login = SimulatedUser.demo.login
  static let password = SimulatedUser.demo.password.revealed

  let org: SimulatedOrg
  let line: RecordingTransport
  let client: IDXClient
  let configuration: FlowConfiguration

  init(_ scenario: OrgScenario, shape: ResponseShape = []) throws {
    org = SimulatedOrg(scenario, shape: shape, seed: 3, clock: { World.moment })
    line = RecordingTransport(org)
    client = IDXClient(
      transport: line, tokens: TokenClient(transport: line, now: { [org] in org.now }))
    configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
  }

  /// An org with this policy, and the person of the situations as one of its users.
  init(
    _ policy: SignInPolicy, _ enrollments: SimulatedUser.Enrollment...,
    status: SimulatedUser.Status = .active
  ) throws {
    var user = SimulatedUser.demo
    user.enrollments = enrollments
    user.status = status
    try self.init(OrgScenario(name: "", summary: "", users: [user], policy: policy))
  }

  /// Plays a sign-in by a person with these replies; fails where one is left over.
  func play(
    _ replies: [ScriptedReply], goal: Goal? = nil, options: StartOptions = StartOptions(),
    limits: FlowLimits = FlowLimits(), passkeys: (any PasskeyProvider)? = nil,
    log: EventLog = EventLog()
  ) async throws -> (outcome: Outcome, person: ScriptedPrompter) {
    let person = ScriptedPrompter(replies, now: { World.moment })
    var handlers = Handlers.asking(person)
    if let passkeys { handlers.usePasskeys(passkeys, prompter: person) }
    let coordinator = FlowCoordinator(
      client: client, handlers: handlers, limits: limits,
      sleep: { [org] in
        await person.untilIdle()
        try Task.checkCancellation()
        org.advance(by: $0 / .seconds(1))
      },
      observe: { await log.add($0) })
    let outcome = try await coordinator.run(configuration, options, goal: goal)
    try await person.finish()
    return (outcome, person)
  }

  /// The code of the newest mail or text message.
  func mailed(_ question: String = "credentials.passcode") -> ScriptedReply {
    .answer(question) { [org] in await org.mailbox.messages.last?.code }
  }

  /// The code that a device of the person's shows.
  func shown(
    by key: IDXAuthenticator.Key, _ question: String = "credentials.passcode", ahead: Int = 0
  ) -> ScriptedReply {
    .answer(question) { [org] in await org.code(of: key, for: Self.login, ahead: ahead) }
  }

  /// A visit to the page of a step, by a user of the org or by one who is refused there.
  func visiting(
    _ step: Remediation.Name = .redirectIdP, as login: String? = nil, refusing: Bool = false
  ) -> ScriptedReply {
    .returning(step) { [org] in await org.visit($0, as: login, refusing: refusing) }
  }
}

extension ScriptedReply {
  /// The login and the password of the person of the situations.
  static let entry: [ScriptedReply] = [
    .answer("identifier", .text(Scene.login)), .passcode(Scene.password),
  ]
}

/// What was answered to a form: the last part of its path, and the body without the handle.
struct Sent: Hashable, CustomStringConvertible {
  let path: String
  let body: JSONValue

  init(_ path: String, _ body: JSONValue = [:]) {
    self.path = path
    self.body = body
  }

  var description: String { "\(path) \(body.text)" }
}

extension RecordingTransport {
  /// What was answered to forms, in order; polls are left out.
  var sent: [Sent] {
    requests.compactMap { request in
      let path = request.url.lastPathComponent
      guard request.url.path.hasPrefix("/idp/idx/"), !["introspect", "poll"].contains(path),
        let members = request.json?.object?.members
      else { return nil }
      return Sent(path, .object(JSONValue.Object(members.filter { $0.name != "stateHandle" })))
    }
  }
}

extension SignInPolicy {
  /// The policy with accounts changed.
  func accounts(_ change: (inout AccountPolicy) -> Void) -> SignInPolicy {
    var policy = self
    change(&policy.accounts)
    return policy
  }
}
