import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth

/// A sign-in with a user name, a password and a code of an app, played back from memory.
///
/// The answers were those of a simulated org, so that what is measured is the engine and not the org.
struct RecordedSignIn: Sendable {
  let configuration: FlowConfiguration
  /// The answers that the server of the recording checks, by their order.
  let answers: [(name: Remediation.Name, answers: Answers)]
  private let playback: Playback
  private let now: Date

  private static let login = "ada@example.com"
  private static let password = "Analytical-1843"
  /// The same each time, so that requests are those that were recorded.
  private static let random = RandomBytes { [UInt8](repeating: 7, count: $0) }

  /// Signs in at a simulated org, and keeps what it answers.
  static func make(asksForIDToken: Bool = true) async throws -> RecordedSignIn {
    let now = Date()
    let secret: Secret = "JBSWY3DPEHPK3PXP"
    let org = SimulatedOrg(
      users: [
        SimulatedUser(
          login: login, password: Secret(password),
          enrollments: [.googleAuthenticator(secret: secret)])
      ], policy: .required(.googleAuthenticator), seed: 1, clock: { now })
    guard let code = TOTPGenerator(base32: secret)?.code(at: now) else { throw Failure() }
    let recorder = Recorder(org)
    let recording = RecordedSignIn(
      configuration: try FlowConfiguration(
        issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
        scopes: asksForIDToken ? FlowConfiguration.defaultScopes : ["profile"]),
      answers: [
        (.identify, ["identifier": .text(login)]),
        (.challengeAuthenticator, ["credentials.passcode": .text(password)]),
        (.challengeAuthenticator, ["credentials.passcode": .text(code)]),
      ], playback: Playback(exchanges: []), now: now)
    _ = try await recording.run(over: recorder)
    return RecordedSignIn(
      configuration: recording.configuration, answers: recording.answers,
      playback: Playback(exchanges: await recorder.exchanges), now: now)
  }

  /// Checks the ID token of the recording once more, its signature with the keys of the recording.
  func idTokenCheck() async throws -> () throws -> Void {
    guard case .signedIn(let signIn) = try await run(with: client),
      let token = signIn.credential.tokens.idToken,
      let keys = playback.exchanges.first(where: { $0.request.url.lastPathComponent == "keys" })
    else { throw Failure() }
    var expectation = IDTokenExpectation(
      issuer: configuration.issuer, clientID: configuration.clientID)
    expectation.nonce = Secret(Self.random.token())
    let set = try JSONWebKeySet(parsing: keys.response.body)
    let (now, expected) = (now, expectation)
    return { _ = try IDToken(validating: token, by: expected, keys: set, at: now) }
  }

  /// A client to which the recording is played back.
  var client: IDXClient { client(over: playback) }

  /// Signs in once.
  func signIn(with client: IDXClient) async throws {
    guard case .signedIn = try await run(with: client) else { throw Failure() }
  }

  struct Failure: Error, CustomStringConvertible {
    let description = "The sign-in did not go as it was recorded."
  }

  private func run(over transport: any Transport) async throws -> Outcome {
    try await run(with: client(over: transport))
  }

  private func run(with client: IDXClient) async throws -> Outcome {
    var handlers = Handlers()
    let answers = answers.map(\.answers)
    handlers.on(.identify) { _ in .submit(answers[0]) }
    handlers.on(.challengeAuthenticator, .password) { _ in .submit(answers[1]) }
    handlers.on(.challengeAuthenticator, .googleAuthenticator) { _ in .submit(answers[2]) }
    return try await FlowCoordinator(client: client, handlers: handlers).run(configuration)
  }

  private func client(over transport: any Transport) -> IDXClient {
    let now = now
    return IDXClient(
      transport: transport, tokens: TokenClient(transport: transport, now: { now }),
      random: Self.random)
  }
}

/// A request, and what was answered.
private struct RecordedExchange: Sendable {
  let request: TransportRequest
  let response: TransportResponse
}

/// Lets requests through to an org, and keeps what comes back.
private actor Recorder: Transport {
  private let org: SimulatedOrg
  private(set) var exchanges: [RecordedExchange] = []

  init(_ org: SimulatedOrg) { self.org = org }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let response = try await org.send(request)
    exchanges.append(RecordedExchange(request: request, response: response))
    return response
  }
}

/// Answers what was asked before as it was answered before, and nothing else.
private struct Playback: Transport {
  let exchanges: [RecordedExchange]

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let found = exchanges.first { $0.request.url == request.url && $0.request.body == request.body }
    guard var response = found?.response else { throw RecordedSignIn.Failure() }
    // Bytes of its own, as a network would bring them: no two states share them.
    response.body = response.body.copied
    return response
  }
}
