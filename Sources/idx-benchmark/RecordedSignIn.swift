import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth

/// A sign-in with a username, a password and a code, played back from memory.
///
/// The responses are recorded from a simulated org, so that the benchmarks measure the engine only.
struct RecordedSignIn: Sendable {
  let configuration: FlowConfiguration
  /// The answers of the user, in order.
  let answers: [(name: Remediation.Name, answers: Answers)]
  private let playback: Playback
  private let now: Date

  private static let login = "ada@example.com"
  private static let password = "Analytical-1843"
  /// Always the same bytes, so that the requests match the recording.
  private static let random = RandomBytes { [UInt8](repeating: 7, count: $0) }

  /// Signs in to a simulated org and records its responses.
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

  /// Returns a function that validates the recorded ID token with the recorded keys.
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

  /// A client that plays the recording back.
  var client: IDXClient { client(over: playback) }

  /// Signs in once.
  func signIn(with client: IDXClient) async throws {
    guard case .signedIn = try await run(with: client) else { throw Failure() }
  }

  struct Failure: Error, CustomStringConvertible {
    let description = "The sign-in does not match the recording."
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

/// A request and its response.
private struct RecordedExchange: Sendable {
  let request: TransportRequest
  let response: TransportResponse
}

/// Passes requests to an org and records the responses.
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

/// Returns the recorded response to a recorded request; throws for other requests.
private struct Playback: Transport {
  let exchanges: [RecordedExchange]

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let found = exchanges.first { $0.request.url == request.url && $0.request.body == request.body }
    guard var response = found?.response else { throw RecordedSignIn.Failure() }
    // A copy, like bytes from the network: no two states share it.
    response.body = response.body.copied
    return response
  }
}
