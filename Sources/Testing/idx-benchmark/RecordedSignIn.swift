import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXSimulatedOrg

/// A sign-in with a username, a password and a code, played back from memory.
///
/// The responses are recorded from a simulated org, so that the benchmarks measure the engine only.
struct RecordedSignIn: Sendable {
  let configuration: FlowConfiguration
  /// The answers of the user, in order.
  let answers: [(name: Remediation.Name, answers: Answers)]
  /// Plays the recording back.
  private(set) var client: IDXClient
  private let now: Date
  private var exchanges: [Exchange] = []

  fileprivate typealias Exchange = (request: TransportRequest, response: TransportResponse)

  /// Always the same bytes, so that the requests match the recording.
  private static let random = RandomBytes { [UInt8](repeating: 7, count: $0) }

  fileprivate static let mismatch = BenchmarkError(
    description: "The sign-in does not match the recording.", exitStatus: 1)

  /// Signs in to a simulated org, whose addresses begin with the origin, and records its responses.
  init(
    asksForIDToken: Bool = true, origin: String = "https://demo.okta.example"
  ) async throws {
    let now = Date()
    self.now = now
    let (login, password) = ("ada@example.com", "Analytical-1843")
    let secret: Secret = "JBSWY3DPEHPK3PXP"
    let org = SimulatedOrg(
      issuer: origin + "/oauth2/default",
      users: [
        SimulatedUser(
          login: login, password: Secret(password),
          enrollments: [.googleAuthenticator(secret: secret)])
      ], policy: .required(.googleAuthenticator), seed: 1, clock: { now })
    guard let code = TOTPGenerator(base32: secret)?.code(at: now) else { throw Self.mismatch }
    configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: asksForIDToken ? FlowConfiguration.defaultScopes : ["profile"])
    answers = [
      (.identify, ["identifier": .text(login)]),
      (.challengeAuthenticator, ["credentials.passcode": .text(password)]),
      (.challengeAuthenticator, ["credentials.passcode": .text(code)]),
    ]
    let recorder = Recorder(org)
    client = Self.client(over: recorder, now)
    try await signIn()
    exchanges = await recorder.exchanges
    client = Self.client(over: Playback(exchanges: exchanges), now)
  }

  private static func client(over transport: any Transport, _ now: Date) -> IDXClient {
    IDXClient(
      transport: transport, tokens: TokenClient(transport: transport, now: { now }), random: random)
  }

  /// The same sign-in, with requests that pass through a transport.
  func sending(over transport: (any Transport) -> any Transport) -> RecordedSignIn {
    var copy = self
    copy.client = Self.client(over: transport(Playback(exchanges: exchanges)), now)
    return copy
  }

  /// The same sign-in over the network, with a limit that is long enough when many wait at once.
  ///
  /// `authorities` are those of the server, if it has a certificate.
  func overNetwork(authorities: CertificateAuthorities? = nil) -> RecordedSignIn {
    sending { _ in
      HTTPTransport(limits: .init(time: .seconds(600)), authorities: authorities)
    }
  }

  /// The answers as the forms of pages send them, in order.
  var replies: [Reply] {
    answers.map { _, answers in
      .submit(
        answers.entries.compactMapValues { answer in
          answer.json?.plainText.map { Secret($0) }
        })
    }
  }

  /// The recorded response to a request with a target such as `/oauth2/v1/token`; nil for other requests.
  func response(to target: String, _ body: [UInt8]) -> TransportResponse? {
    exchanges.first { $0.request.url.path == target && $0.request.body == body }?.response
  }

  /// The first recorded response to a target, whatever the body was.
  func firstResponse(to target: String) -> TransportResponse? {
    exchanges.first { $0.request.url.path == target }?.response
  }

  /// Signs in once.
  @discardableResult
  func signIn() async throws -> SignIn {
    let answers = answers.map(\.answers)
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(answers[0]) }
    handlers.on(.challengeAuthenticator, .password) { _ in .submit(answers[1]) }
    handlers.on(.challengeAuthenticator, .googleAuthenticator) { _ in .submit(answers[2]) }
    let coordinator = FlowCoordinator(client: client, handlers: handlers)
    guard case .signedIn(let signIn) = try await coordinator.run(configuration) else {
      throw Self.mismatch
    }
    return signIn
  }

  /// A sign-in before its second answer.
  func stateBeforePassword() async throws -> FlowState {
    let state = try await client.start(configuration)
    return try await client.proceed(answers[0].name, answers[0].answers, from: state)
  }

  /// The step after ``stateBeforePassword()``.
  func answerPassword(_ state: FlowState) async throws -> FlowState {
    try await client.proceed(answers[1].name, answers[1].answers, from: state)
  }

  /// A sign-in before its last answer.
  func stateBeforeCode() async throws -> FlowState {
    try await answerPassword(try await stateBeforePassword())
  }

  /// Checks of the recorded ID token with the recorded keys, which were parsed before.
  struct IDTokenChecks {
    /// Checks the signature and all claims of a token, which is parsed each time.
    let all: () throws -> Void
    /// Checks the signature of a token that was parsed before.
    let signature: () throws -> Void
    /// The same with OpenSSL; nil if it is not installed.
    let openSSL: (() throws -> Void)?
  }

  func idTokenChecks() async throws -> IDTokenChecks {
    guard let token = try await signIn().credential.tokens.idToken,
      let keys = exchanges.first(where: { $0.request.url.lastPathComponent == "keys" })
    else { throw Self.mismatch }
    var expectation = IDTokenExpectation(
      issuer: configuration.issuer, clientID: configuration.clientID)
    expectation.nonce = Secret(Self.random.token())
    let set = try JSONWebKeySet(parsing: keys.response.body)
    let parsed = try JWT(parsing: token)
    let key = try JSONValue(parsing: keys.response.body)["keys"]?.array?.first
    let parts = token.revealed.split(separator: ".")
    guard let modulus = key?["n"]?.string.flatMap(Base64URL.decode),
      let exponent = key?["e"]?.string.flatMap(Base64URL.decode), parts.count == 3,
      let signature = Base64URL.decode(String(parts[2]))
    else { throw Self.mismatch }
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    return IDTokenChecks(
      all: { [expectation] in
        _ = try IDToken(validating: token, by: expectation, keys: set, at: Date())
      }, signature: { try parsed.verify(with: set) },
      openSSL: OpenSSL(modulus: modulus, exponent: exponent).map { openSSL in
        { guard openSSL.verifies(signature, of: signed) else { throw Self.mismatch } }
      })
  }
}

/// Passes requests to an org and records the responses.
private actor Recorder: Transport {
  private let org: SimulatedOrg
  private(set) var exchanges: [RecordedSignIn.Exchange] = []

  init(_ org: SimulatedOrg) { self.org = org }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let response = try await org.send(request)
    exchanges.append((request, response))
    return response
  }
}

/// Returns the recorded response to a recorded request; throws for other requests.
private struct Playback: Transport {
  let exchanges: [RecordedSignIn.Exchange]

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let found = exchanges.first { $0.request.url == request.url && $0.request.body == request.body }
    guard var response = found?.response else { throw RecordedSignIn.mismatch }
    // A copy, like bytes from the network: no two states share it.
    response.body = response.body.copied
    return response
  }
}
