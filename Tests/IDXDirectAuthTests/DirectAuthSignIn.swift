import Expectations
import Foundation
import IDX
import IDXDirectAuth
import IDXFlow
import IDXBase
import IDXOAuth
import Testing

/// A sign-in to a server with prepared answers.
struct DirectAuthSignIn {
  static let otp = "http://auth0.com/oauth/grant-type/mfa-otp"
  static let oob = "http://auth0.com/oauth/grant-type/mfa-oob"
  static let webAuthn = "urn:okta:params:oauth:grant-type:mfa-webauthn"

  static var configuration: FlowConfiguration {
    get throws {
      try FlowConfiguration(
        issuer: "https://shop.example/oauth2/default", clientID: "app",
        redirectURI: "app:/callback", scopes: ["profile"])
    }
  }

  let client: DirectAuthClient
  let server: ScriptedServer
  var state: FlowState

  /// Starts a sign-in.
  init(
    _ answers: [ScriptedServer.Response], factors: [DirectAuthFactor] = [.password],
    _ options: StartOptions = StartOptions()
  ) async throws {
    server = ScriptedServer(answers)
    client = DirectAuthClient(transport: server, factors: factors)
    state = try await client.start(Self.configuration, options)
  }

  /// A sign-in after the username and the password; the first answer is the one to the password.
  static func afterPassword(
    _ answers: ScriptedServer.Response...
  ) async throws -> DirectAuthSignIn {
    var signIn = try await DirectAuthSignIn(answers)
    try await signIn.enterUsername()
    try await signIn.enter("secret-1")
    return signIn
  }

  mutating func submit(_ name: Remediation.Name, _ answers: Answers = [:]) async throws {
    state = try await client.proceed(name, answers, from: state)
  }

  mutating func enterUsername() async throws {
    try await submit(.identify, ["identifier": "ada@shop.example"])
  }

  /// Enters a password or a code.
  mutating func enter(_ passcode: Answer) async throws {
    try await submit(.challengeAuthenticator, ["credentials.passcode": passcode])
  }

  /// The error of entering a code.
  func error(entering passcode: Answer) async throws -> FlowError {
    try await requireError(FlowError.self) {
      var copy = self
      try await copy.enter(passcode)
    }
  }

  /// Chooses a factor.
  mutating func choose(_ factor: Answer) async throws {
    try await submit(.selectAuthenticatorAuthenticate, ["authenticator": factor])
  }

  mutating func poll() async throws { state = try await client.poll(state) }

  var names: [Remediation.Name] { state.response.remediations.map(\.name) }
}

/// A server that sends prepared answers and records the requests.
actor ScriptedServer: Transport {
  struct Response: Sendable {
    let status: Int
    let body: String

    static func json(_ body: String, status: Int = 200) -> Response {
      Response(status: status, body: body)
    }

    static func error(_ code: String, _ more: String = "", status: Int = 400) -> Response {
      Response(status: status, body: #"{"error":"\#(code)"\#(more)}"#)
    }

    static func mfaRequired(_ types: String) -> Response {
      .error(
        "mfa_required",
        #","mfa_token":"mfa-token-1","supported_challenge_types":"\#(types)""#, status: 403)
    }

    /// The request arrives, and the response is lost.
    static let lost = Response(status: 0, body: "")

    static let tokens = Response(
      status: 200, body: #"{"access_token":"at-1","token_type":"Bearer","expires_in":3600}"#)
  }

  private var answers: [Response]
  /// The endpoints and parameters of the requests, without those for keys.
  private(set) var requests: [(endpoint: String, parameters: [String: String])] = []

  init(_ answers: [Response]) { self.answers = answers }

  var isUsedUp: Bool { answers.isEmpty }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.method == "POST" else {
      return TransportResponse(status: 200, body: Array(#"{"keys":[]}"#.utf8))
    }
    let pairs = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? []
    requests.append(
      (request.url.lastPathComponent, Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }))
    guard !answers.isEmpty else {
      throw TransportError(
        .unreachable, message: "No answer is left.", mayHaveArrived: false)
    }
    let answer = answers.removeFirst()
    guard answer.status > 0 else {
      throw TransportError(.connectionLost, message: "The answer was lost.", mayHaveArrived: true)
    }
    return TransportResponse(
      status: answer.status, headers: ["Content-Type": "application/json"],
      body: Array(answer.body.utf8))
  }
}

extension Handlers {
  /// Handlers that enter a username and a code, choose the first factor, and poll.
  static var simple: Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada"]) }
    handlers.on(.challengeAuthenticator) { _ in .submit(["credentials.passcode": "123456"]) }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in .submit(["authenticator": .option(0)]) }
    handlers.on(.challengePoll) { _ in .poll() }
    return handlers
  }
}
