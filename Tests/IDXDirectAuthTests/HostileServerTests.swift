import IDXDirectAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

@Suite("DirectAuth with servers that mean ill or are broken")
struct HostileServerTests {
  static let otp = "http://auth0.com/oauth/grant-type/mfa-otp"
  static let oob = "http://auth0.com/oauth/grant-type/mfa-oob"
  static let webAuthn = "urn:okta:params:oauth:grant-type:mfa-webauthn"

  static func mfa(_ types: String) -> ScriptedServer.Answer {
    .error(
      "mfa_required",
      #","mfa_token":"mfa-token-1","supported_challenge_types":"\#(types)""#, status: 403)
  }

  let configuration: FlowConfiguration

  init() throws {
    configuration = try FlowConfiguration(
      issuer: "https://shop.example/oauth2/default", clientID: "app", redirectURI: "app:/callback",
      scopes: ["openid"])
  }

  /// The state after the password, which was answered first.
  func afterPassword(
    _ answers: [ScriptedServer.Answer]
  ) async throws -> (FlowState, DirectAuthClient, ScriptedServer) {
    let server = ScriptedServer(answers)
    let client = DirectAuthClient(transport: server)
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada@shop.example"], from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "secret-1"], from: state)
    return (state, client, server)
  }

  func choosing(_ index: Int) -> Answers { ["authenticator": .option(index)] }

  /// The error that a body throws.
  func error(_ body: () async throws -> FlowState) async throws -> FlowError {
    do { _ = try await body() } catch let error as FlowError { return error }
    Issue.record("Nothing was thrown.")
    throw CancellationError()
  }

  // MARK: What is demanded next

  @Test("A demand that names no types leaves every second factor to choose")
  func unnamedTypes() async throws {
    let demands = [
      #","mfa_token":"mfa-token-1""#,
      #","mfa_token":"mfa-token-1","supported_challenge_types":null"#,
      #","mfa_token":"mfa-token-1","supported_challenge_types":["\#(Self.otp)","\#(Self.oob)"]"#,
    ]
    for (demand, count) in zip(demands, [6, 6, 5]) {
      let (state, _, _) = try await afterPassword([.error("mfa_required", demand)])
      #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
      #expect(state.response.authenticators(in: .authenticatorEnrollments).count == count)
    }
  }

  @Test(
    "A demand without a token that stands for the first factor ends the sign-in",
    arguments: ["", #","mfa_token":"""#, #","mfa_token":17"#, #","mfa_token":null"#])
  func noToken(more: String) async throws {
    let demand = #","supported_challenge_types":"\#(Self.otp)""# + more
    let (state, _, _) = try await afterPassword([.error("mfa_required", demand)])
    #expect(state.isAtEnd)
  }

  @Test("A second factor that is demanded without end ends at the coordinator's limit")
  func endlessDemand() async throws {
    for type in [Self.otp, Self.oob] {
      let server = ScriptedServer(Array(repeating: Self.mfa(type), count: 200))
      var handlers = Handlers()
      handlers.on(.identify) { _ in .submit(["identifier": "ada"]) }
      handlers.on(.challengeAuthenticator) { _ in .submit(["credentials.passcode": "123456"]) }
      handlers.on(.selectAuthenticatorAuthenticate) { _ in .submit(["authenticator": .option(0)]) }
      handlers.on(.challengePoll) { _ in .poll() }
      let coordinator = FlowCoordinator(
        client: DirectAuthClient(transport: server), handlers: handlers, sleep: { _ in })
      await #expect(throws: FlowError.self) { try await coordinator.run(configuration) }
      #expect(await !server.isUsedUp)
    }
  }

  // MARK: What comes in the end

  @Test(
    "What is no token is an error",
    arguments: [
      "{}", "[]", "null", "<html>oops</html>", "", #"{"access_token":""}"#,
      #"{"access_token":17}"#, #"{"token_type":"Bearer","id_token":"x.y.z"}"#,
      #"{"access_token":"a\r\nX-Evil: 1"}"#, #"{"error":"authorization_pending"}"#,
    ])
  func noTokens(body: String) async throws {
    let error = try await error { try await afterPassword([.json(body)]).0 }
    #expect(error.code == .unexpectedResponse)
  }

  @Test("An answer that got lost may have been taken, and the error says so")
  func lostAnswer() async throws {
    let (state, client, server) = try await afterPassword([
      Self.mfa(Self.otp), .lost, .error("invalid_grant"),
    ])
    let error = try await error {
      try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": "123456"], from: state)
    }
    #expect(error.code == .network && error.message.contains("start again"))
    #expect(error.message.hasPrefix("The answer got lost."))
    #expect((error.underlying as? TransportError)?.mayHaveArrived == true)
    // Nothing was sent twice.
    #expect(await server.requests.count == 2)
  }

  @Test("A task that is cancelled ends with that, and with no error of the network")
  func cancelled() async throws {
    let (state, client, server) = try await afterPassword([Self.mfa(Self.otp), .tokens])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": "123456"], from: state)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await server.requests.count == 1)
  }

  @Test("Where a member stands twice, one of the two counts, and it is the same every time")
  func duplicates() async throws {
    let twice = #","mfa_token":"first-1","mfa_token":"second-1","supported_challenge_types":"x""#
    let (choice, client, server) = try await afterPassword([
      .error("mfa_required", twice + #","supported_challenge_types":"\#(Self.oob)""#),
      .json(#"{"oob_code":"first-2","oob_code":"second-2","interval":1,"interval":2}"#), .tokens,
    ])
    let pushed = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    #expect(pushed.response.remediations.first?.refresh == .seconds(2))
    #expect(try await client.poll(pushed).isSignedIn)
    let sent = await server.requests.map(\.parameters)
    #expect(sent.dropFirst().map { $0["mfa_token"] } == ["second-1", "second-1"])
    #expect(sent.last?["oob_code"] == "second-2")
  }

  // MARK: Words

  @Test("What the server echoes of a request is taken out, but who it was about stays")
  func echoes() async throws {
    let words = #","error_description":"ada@shop.example: secret-1 mfa-token-1 oob-code-1 654321""#
    let (wrong, _, _) = try await afterPassword([.error("invalid_grant", words)])
    #expect(
      wrong.response.messages.first?.text
        == "ada@shop.example: ‹secret› mfa-token-1 oob-code-1 654321")
    let (choice, client, _) = try await afterPassword([
      Self.mfa(Self.oob), .json(#"{"oob_code":"oob-code-1","binding_method":"prompt"}"#),
      .error("invalid_grant", words), .error("consent_required", words, status: 401),
      .error("invalid_grant", words, status: 500),
    ])
    let sent = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(1), from: choice)
    let answers: Answers = ["credentials.passcode": "654321"]
    let state = try await client.proceed(.challengeAuthenticator, answers, from: sent)
    var texts = [state.response.messages.first?.text ?? ""]
    for _ in 0..<2 {
      let error = try await error {
        try await client.proceed(.challengeAuthenticator, answers, from: sent)
      }
      var text = "\(error)" + String(reflecting: error) + error.localizedDescription
      dump(error, to: &text)
      texts.append(text)
    }
    for text in texts {
      for secret in ["mfa-token-1", "oob-code-1", "654321"] { #expect(!text.contains(secret)) }
    }
  }

  @Test("Words that steer a terminal arrive without what steers it")
  func controlSequences() async throws {
    let evil = #"\u001b]0;pwned\u0007\u001b[31mWrong\u202e\r\n"#
    let (wrong, _, _) = try await afterPassword([
      .error("invalid_grant", #","error_description":"\#(evil)""#)
    ])
    let text = try #require(wrong.response.messages.first?.text)
    #expect(text.contains("Wrong") && !text.unicodeScalars.contains { $0.value < 0x20 })
    #expect(!text.unicodeScalars.contains("\u{202e}"))
    let error = try await error {
      try await afterPassword([.error(evil, #","error_description":"\#(evil)""#)]).0
    }
    #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
  }

  // MARK: The beginning

  @Test("Who is likely to sign in stands in the field already, and can be changed")
  func loginHint() async throws {
    let client = DirectAuthClient(transport: ScriptedServer([]))
    var options = StartOptions()
    options.loginHint = "ada@shop.example"
    let state = try await client.start(configuration, options)
    let form = try #require(state.response[.identify])
    #expect(form["identifier"]?.value == "ada@shop.example")
    let kept = try await client.proceed(.identify, from: state)
    #expect(kept.response.user?.identifier == "ada@shop.example")
    let other = try await client.proceed(.identify, ["identifier": "eve"], from: state)
    #expect(other.response.user?.identifier == "eve")
  }

  @Test("What this protocol cannot begin with is refused, and not passed over")
  func foreignOptions() async throws {
    let client = DirectAuthClient(transport: ScriptedServer([]))
    let changes: [(inout StartOptions) -> Void] = [
      { $0.recoveryToken = "token-1" }, { $0.activationToken = "token-1" },
      { $0.acrValues = ["urn:okta:loa:2fa:any"] },
    ]
    for change in changes {
      var options = StartOptions()
      change(&options)
      let error = try await error { try await client.start(configuration, options) }
      #expect(error.code == .invalidConfiguration && !error.message.contains("token-1"))
    }
  }
}
