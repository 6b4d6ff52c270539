import IDXDirectAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

@Suite("DirectAuth, request by request")
struct DirectAuthClientTests {
  private static let otp = "http://auth0.com/oauth/grant-type/mfa-otp"
  private static let oob = "http://auth0.com/oauth/grant-type/mfa-oob"
  private static func mfa(_ types: String) -> ScriptedServer.Answer {
    .error(
      "mfa_required", #","mfa_token":"mfa-1","supported_challenge_types":"\#(types)""#, status: 403)
  }

  private let configuration: FlowConfiguration

  init() throws {
    configuration = try FlowConfiguration(
      issuer: "https://shop.example/oauth2/default", clientID: "app", redirectURI: "app:/callback",
      scopes: ["openid"])
  }

  /// The state before the second factor, and the server.
  private func afterPassword(
    _ types: String, _ answers: [ScriptedServer.Answer]
  ) async throws -> (FlowState, DirectAuthClient, ScriptedServer) {
    let server = ScriptedServer([Self.mfa(types)] + answers)
    let client = DirectAuthClient(transport: server)
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "secret-1"], from: state)
    return (state, client, server)
  }

  @Test("A password alone signs in, in one request")
  func password() async throws {
    let server = ScriptedServer([.tokens])
    let client = DirectAuthClient(transport: server)
    var state = try await client.start(configuration)
    #expect(state.response.remediations.map(\.name) == [.identify])
    state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
    #expect(state.response.remediations.map(\.name) == [.challengeAuthenticator])
    #expect(state.response.currentAuthenticator?.key == .password)
    #expect(state.response.user?.identifier == "ada")
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "secret-1"], from: state)
    #expect(state.isSignedIn && !state.isAtEnd)
    let credential = try await client.redeem(state)
    #expect(credential.tokens.accessToken.revealed == "at-1")
    #expect(credential.username == "ada")
    let sent = await server.requests
    #expect(sent.map(\.endpoint) == ["token"])
    #expect(
      sent.first?.parameters == [
        "client_id": "app", "grant_type": "password", "username": "ada", "password": "secret-1",
        "scope": "openid",
        "grant_types_supported":
          "\(Self.otp) \(Self.oob) urn:okta:params:oauth:grant-type:mfa-webauthn",
      ])
  }

  @Test("A wrong password is asked for again, with what the server says")
  func wrongPassword() async throws {
    let server = ScriptedServer([
      .error("invalid_grant", #","error_description":"Wrong: secret-1""#), .tokens,
    ])
    let client = DirectAuthClient(transport: server)
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "secret-1"], from: state)
    #expect(state.status == 400 && !state.isSignedIn)
    #expect(state.response.says(.authenticationFailed))
    // The server repeats the password, and this package does not.
    #expect(state.response.messages.first?.text == "Wrong: ‹secret›")
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "secret-2"], from: state)
    #expect(state.isSignedIn)
  }

  @Test("A code of an app as the second factor")
  func oneTimeCode() async throws {
    let (state, client, server) = try await afterPassword(
      Self.otp, [.error("invalid_otp"), .tokens])
    #expect(state.response.remediations.first?.name == .challengeAuthenticator)
    #expect(state.response.currentAuthenticator?.key == .googleAuthenticator)
    let wrong = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "000000"], from: state)
    #expect(wrong.response.says(.passcodeInvalid))
    let right = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "123456"], from: wrong)
    #expect(right.isSignedIn)
    let sent = await server.requests
    #expect(sent.last?.parameters["mfa_token"] == "mfa-1")
    #expect(sent.last?.parameters["otp"] == "123456")
    #expect(sent.last?.parameters["grant_type"] == Self.otp)
  }

  @Test("A push with a number is polled at the server's pace until it is approved")
  func push() async throws {
    let (choice, client, server) = try await afterPassword(
      "\(Self.otp) \(Self.oob)",
      [
        .json(
          #"{"oob_code":"oob-1","channel":"push","binding_method":"transfer","binding_code":"42","expires_in":300,"interval":2}"#
        ),
        .error("authorization_pending"), .error("slow_down"), .tokens,
      ])
    #expect(choice.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)], from: choice
    )
    #expect(state.response.remediations.first?.name == .challengePoll)
    #expect(state.response.remediations.first?.refresh == .seconds(2))
    #expect(state.response.currentAuthenticator?.numberChallenge == "42")
    state = try await client.poll(state)
    #expect(state.response.remediations.first?.refresh == .seconds(2) && state.status == 200)
    state = try await client.poll(state)
    #expect(state.response.remediations.first?.refresh == .seconds(7))
    state = try await client.poll(state)
    #expect(state.isSignedIn)
    let sent = await server.requests
    #expect(sent.map(\.endpoint) == ["token", "challenge", "token", "token", "token"])
    #expect(
      sent[1].parameters == [
        "client_id": "app", "mfa_token": "mfa-1", "challenge_types_supported": Self.oob,
        "channel_hint": "push",
      ])
    #expect(sent[2].parameters["oob_code"] == "oob-1" && sent[2].parameters["binding_code"] == nil)
  }

  @Test(
    "A code that is sent is typed, and can be sent again", arguments: ["sms", "voice", "email"])
  func phone(channel: String) async throws {
    let sent =
      #"{"oob_code":"oob-N","channel":"\#(channel)","binding_method":"prompt","interval":5}"#
    let (choice, client, server) = try await afterPassword(
      Self.oob, [.json(sent), .json(sent.replacing("N", with: "2")), .tokens])
    let index = try #require(["push", "sms", "voice", "email"].firstIndex(of: channel))
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(index)], from: choice)
    #expect(state.response.remediations.first?.name == .challengeAuthenticator)
    #expect(state.response.currentAuthenticator?.key == (channel == "email" ? .email : .phone))
    state = try await client.proceed(.resend, from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "4711"], from: state)
    #expect(state.isSignedIn)
    let requests = await server.requests
    #expect(requests[1].parameters["channel_hint"] == channel)
    #expect(requests.last?.parameters["oob_code"] == "oob-2")
    #expect(requests.last?.parameters["binding_code"] == "4711")
  }

  @Test(
    "What ends a push leads back to the choice",
    arguments: ["access_denied", "oob_rejected", "expired_token"])
  func pushEnds(code: String) async throws {
    let (choice, client, _) = try await afterPassword(
      Self.oob, [.json(#"{"oob_code":"o","binding_method":"none"}"#), .error(code, status: 403)])
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .option(0)], from: choice)
    state = try await client.poll(state)
    #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    #expect(state.response.messages.first?.isError == true)
  }

  @Test("A factor that is not set up is said to be so, and another can be chosen")
  func unusable() async throws {
    let (choice, client, _) = try await afterPassword(
      "\(Self.otp) \(Self.oob)", [.error("invalid_request"), .tokens])
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)], from: choice
    )
    #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    #expect(state.response.messages.first?.text?.contains("Okta Verify") == true)
    state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.googleAuthenticator)],
      from: state)
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "123456"], from: state)
    #expect(state.isSignedIn)
  }

  @Test("A passkey signs what the server asks, as the second factor")
  func passkey() async throws {
    let type = "urn:okta:params:oauth:grant-type:mfa-webauthn"
    let (challenged, client, server) = try await afterPassword(
      type,
      [
        .json(#"{"challengeType":"x","publicKey":{"challenge":"YWJj","rpId":"shop.example"}}"#),
        .tokens,
      ])
    #expect(challenged.response.currentAuthenticator?.webAuthnChallenge?["challenge"] == "YWJj")
    let state = try await client.proceed(
      .challengeAuthenticator,
      [
        "credentials.authenticatorData": "AQ", "credentials.clientData": "Ag",
        "credentials.signatureData": "Aw",
      ], from: challenged)
    #expect(state.isSignedIn)
    let last = await server.requests.last?.parameters
    #expect(
      last?["clientDataJSON"] == "Ag" && last?["signature"] == "Aw" && last?["userHandle"] == nil)
  }

  @Test("Several first factors are a choice, and a push may be the first")
  func firstFactors() async throws {
    let server = ScriptedServer([
      .json(#"{"oob_code":"o","binding_method":"none","interval":1}"#), .tokens,
    ])
    let client = DirectAuthClient(transport: server, factors: [.password, .otp, .push])
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
    #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)], from: state)
    state = try await client.poll(state)
    #expect(state.isSignedIn)
    let sent = await server.requests
    #expect(sent.map(\.endpoint) == ["primary-authenticate", "token"])
    #expect(
      sent[0].parameters["login_hint"] == "ada"
        && sent[0].parameters["challenge_hint"] == "urn:okta:params:oauth:grant-type:oob")
  }

  @Test("A state goes through JSON at every step, the tokens with it")
  func snapshots() async throws {
    let (choice, client, _) = try await afterPassword("\(Self.otp) \(Self.oob)", [.tokens])
    func again(_ state: FlowState) throws -> FlowState {
      try JSONDecoder().decode(FlowState.self, from: JSONEncoder().encode(state))
    }
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.googleAuthenticator)],
      from: try again(choice))
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "123456"], from: try again(state))
    let credential = try await client.redeem(try again(state))
    #expect(credential.tokens.accessToken.revealed == "at-1")
    for text in ["\(state)", String(reflecting: state), "\(choice.response.remediations)"] {
      #expect(!text.contains("at-1") && !text.contains("mfa-1") && !text.contains("secret-1"))
    }
  }

  @Test(
    "What says nothing about the proof is an error",
    arguments: [
      (.error("invalid_client", status: 401), .refused),
      (.error("invalid_grant", status: 429), .rateLimited),
      (.json("oops", status: 502), .serverFailed), (.json("<html>"), .unexpectedResponse),
      (.error("consent_required"), .refused),
    ] as [(ScriptedServer.Answer, FlowError.Code)])
  func errors(_ answer: ScriptedServer.Answer, _ code: FlowError.Code) async throws {
    let client = DirectAuthClient(transport: ScriptedServer([answer]))
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
    await #expect {
      try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": "secret-1"], from: state)
    } throws: { ($0 as? FlowError)?.code == code }
  }

  @Test("A demand for what cannot be given here ends the sign-in, and so does a denial")
  func ends() async throws {
    for answer in [Self.mfa("urn:something:else"), .error("access_denied", status: 403)] {
      let client = DirectAuthClient(transport: ScriptedServer([answer]))
      var state = try await client.start(configuration)
      state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
      state = try await client.proceed(
        .challengeAuthenticator, ["credentials.passcode": "secret-1"], from: state)
      #expect(state.isAtEnd && state.response.messages.count == 1)
    }
  }

  @Test("Recovery asks for tokens that only replace the password")
  func recovery() async throws {
    let server = ScriptedServer([.tokens])
    let client = DirectAuthClient(transport: server, factors: [.otp], intent: .recovery)
    var state = try await client.start(configuration)
    state = try await client.proceed(.identify, ["identifier": "ada"], from: state)
    _ = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "123456"], from: state)
    let sent = await server.requests.first?.parameters
    #expect(sent?["intent"] == "recovery" && sent?["scope"] == "okta.myAccount.password.manage")
    #expect(sent?["login_hint"] == "ada" && sent?["otp"] == "123456")
  }

  @Test("Cancelling starts over")
  func cancel() async throws {
    let (choice, client, server) = try await afterPassword(Self.oob, [])
    let state = try await client.cancel(choice)
    #expect(state.response.remediations.map(\.name) == [.identify])
    #expect(await server.requests.count == 1)
  }
}
