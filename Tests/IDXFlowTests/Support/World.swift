import IDXBase
import Foundation
import IDX
import IDXTesting
import IDXOAuth

@testable import IDXFlow

/// An org with one user, and what is needed to sign in to it. Time stands still unless it is told
/// to go on.
struct World {
  static let login = "ada@shop.example"
  static let password = "Analytical-1843"
  static let moment = Date(timeIntervalSince1970: 1_800_000_000)

  let org: SimulatedOrg
  let line: RecordingTransport
  let client: IDXClient
  let configuration: FlowConfiguration

  init(
    issuer: String = "https://id.shop.example/oauth2/default",
    _ policy: SignInPolicy = .passwordOnly,
    status: SimulatedUser.Status = .active, enrollments: [SimulatedUser.Enrollment] = [],
    shape: ResponseShape = [], scopes: [String] = FlowConfiguration.defaultScopes
  ) throws {
    let user = SimulatedUser(
      login: Self.login, password: Secret(Self.password), status: status, enrollments: enrollments)
    org = SimulatedOrg(
      issuer: issuer, users: [user], policy: policy, shape: shape, seed: 1, clock: { Self.moment })
    line = RecordingTransport(org)
    client = IDXClient(
      transport: line, tokens: TokenClient(transport: line, now: { [org] in org.now }),
      random: RandomBytes { [UInt8](repeating: 7, count: $0) })
    configuration = try FlowConfiguration(
      issuer: issuer, clientID: org.clientID, redirectURI: org.redirectURI, scopes: scopes)
  }

  /// A coordinator whose waiting lets time pass in the org alone, once the person has nothing to say.
  func coordinator(
    _ handlers: Handlers, limits: FlowLimits = FlowLimits(), log: EventLog = EventLog(),
    person: ScriptedPrompter? = nil
  ) -> FlowCoordinator {
    FlowCoordinator(
      client: client, handlers: handlers, limits: limits,
      sleep: { [org] in
        await person?.untilIdle()
        try Task.checkCancellation()
        org.advance(by: TimeInterval($0.components.seconds))
      },
      observe: { await log.add($0) })
  }

  /// A sign-in by a person who replies so; fails where a reply is left over.
  func signIn(
    _ replies: [ScriptedReply], limits: FlowLimits = FlowLimits(), log: EventLog = EventLog(),
    person: ScriptedPrompter? = nil
  ) async throws -> Outcome {
    let person = person ?? self.person(replies)
    let outcome = try await coordinator(
      .asking(person), limits: limits, log: log, person: person
    )
    .run(configuration)
    try await person.finish()
    return outcome
  }

  func person(_ replies: [ScriptedReply]) -> ScriptedPrompter {
    ScriptedPrompter(replies, now: { Self.moment })
  }

  /// The sign-in after the user name.
  func identified() async throws -> FlowState {
    let state = try await client.start(configuration)
    return try await client.proceed(
      .identify, ["identifier": .value(.string(Self.login))], from: state)
  }

  /// The sign-in after user name and password.
  func pastPassword() async throws -> FlowState {
    try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .value(.string(Self.password))],
      from: identified())
  }

  /// The code of the newest mail or text message.
  var lastCode: String? { get async { await org.mailbox.messages.last?.code } }
}

extension ScriptedReply {
  static let login = answer("identifier", .value(.string(World.login)))
  static let password = answer("credentials.passcode", .value(.string(World.password)))
  static func passcode(_ text: String) -> ScriptedReply {
    answer("credentials.passcode", .value(.string(text)))
  }
  static func authenticator(_ key: IDXAuthenticator.Key) -> ScriptedReply {
    answer("authenticator", .optionNamed(key.rawValue))
  }
}

extension Outcome {
  /// The sign-in, where it succeeded.
  var signIn: SignIn? { if case .signedIn(let signIn) = self { signIn } else { nil } }
  /// The last state, where it ended without tokens.
  var end: FlowState? { if case .ended(let state) = self { state } else { nil } }
  var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension FlowState {
  var names: [Remediation.Name] { response.remediations.map(\.name) }
}
