import IDXDirectAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

// What is sent, or asked of the person elsewhere.
extension HostileServerTests {
  @Test("What stands for the first factor is spent: the sign-in ends, and no code is asked for")
  func spentToken() async throws {
    for code in ["invalid_grant", "expired_token", "access_denied"] {
      let (choice, client, _) = try await afterPassword([
        Self.mfa("\(Self.otp) \(Self.oob)"),
        .error(code, #","error_description":"It is spent.""#),
      ])
      let state = try await client.proceed(
        .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)],
        from: choice)
      #expect(state.isAtEnd && state.response.messages.map(\.text) == ["It is spent."])
    }
  }

  @Test(
    "What no beginning can mean is an error",
    arguments: ["authorization_pending", "slow_down", "mfa_required"])
  func senselessBeginning(code: String) async throws {
    let (choice, client, _) = try await afterPassword([
      Self.mfa(Self.otp + " " + Self.oob), .error(code),
    ])
    let error = try await error {
      try await client.proceed(
        .selectAuthenticatorAuthenticate, ["authenticator": .authenticator(.oktaVerify)],
        from: choice)
    }
    #expect(error.code == .refused)
  }

  @Test("A push that was answered already is over, and is not polled for ever")
  func spentPush() async throws {
    let (choice, client, server) = try await afterPassword([
      Self.mfa(Self.oob), .json(#"{"oob_code":"oob-1","binding_method":"none","interval":1}"#),
      .lost, .error("invalid_grant", #","error_description":"It is unknown.""#),
    ])
    let pushed = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    let error = try await error { try await client.poll(pushed) }
    #expect(error.code == .network)
    let state = try await client.poll(pushed)
    #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    #expect(state.response.messages.map(\.text) == ["It is unknown."])
    #expect(await server.isUsedUp)
  }

  @Test("An approval whose tokens got lost ends the sign-in in words, and not at a limit")
  func lostApproval() async throws {
    let spent = ScriptedServer.Answer.error(
      "invalid_grant", #","error_description":"It is spent.""#)
    let server = ScriptedServer([
      Self.mfa(Self.oob), .json(#"{"oob_code":"oob-1","binding_method":"none"}"#),
      .error("authorization_pending"), .lost, spent, spent,
    ])
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada"]) }
    handlers.on(.challengeAuthenticator) { _ in .submit(["credentials.passcode": "secret-1"]) }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in .submit(["authenticator": .option(0)]) }
    handlers.on(.challengePoll) { _ in .poll() }
    let coordinator = FlowCoordinator(
      client: DirectAuthClient(transport: server), handlers: handlers, sleep: { _ in })
    guard case .ended(let state) = try await coordinator.run(configuration) else {
      Issue.record("It did not end.")
      return
    }
    #expect(state.response.messages.map(\.text) == ["It is spent."])
    #expect(await server.isUsedUp)
  }

  @Test("An error names the step at which it came up")
  func step() async throws {
    let failure = ScriptedServer.Answer.json("", status: 502)
    let (choice, client, _) = try await afterPassword([
      Self.mfa(Self.oob), failure, .json(#"{"oob_code":"oob-1","binding_method":"none"}"#),
      failure,
    ])
    let begun = try await error {
      try await client.proceed(.selectAuthenticatorAuthenticate, choosing(0), from: choice)
    }
    #expect(begun.remediation == .selectAuthenticatorAuthenticate)
    let pushed = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    let polled = try await error { try await client.poll(pushed) }
    #expect(polled.remediation == .challengePoll)
  }

  @Test(
    "A challenge that cannot be answered leads back to the choice",
    arguments: [
      #"{}"#, #"[]"#, #"{"oob_code":""}"#, #"{"oob_code":{"a":1}}"#, "<html>", "",
      #"{"oob_code":"o","binding_method":"transfer"}"#,
      #"{"oob_code":"o","binding_method":"transfer","binding_code":""}"#,
      #"{"oob_code":"o","binding_method":"transfer","binding_code":["42"]}"#,
    ])
  func uselessChallenge(body: String) async throws {
    let (choice, client, _) = try await afterPassword([Self.mfa(Self.oob), .json(body)])
    let state = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    #expect(state.response.remediations.map(\.name) == [.selectAuthenticatorAuthenticate])
    #expect(state.response.messages.first?.isError == true)
  }

  @Test(
    "A passkey that is asked for senselessly is an error where there is no other way",
    arguments: [#"{}"#, #"{"publicKey":"YWJj"}"#, #"{"publicKey":[1]}"#, #"{"publicKey":17}"#])
  func uselessPasskey(body: String) async throws {
    let error = try await error {
      try await afterPassword([Self.mfa(Self.webAuthn), .json(body)]).0
    }
    #expect(error.code == .unexpectedResponse && !error.message.contains("another way"))
  }

  @Test("A challenge that is nested without end is an error and no crash")
  func deepPasskey() async throws {
    for depth in [30, 60, 120, 500, 5000] {
      let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let body = #"{"publicKey":{"challenge":"YWJj","extensions":\#(deep)}}"#
      do {
        let state = try await afterPassword([Self.mfa(Self.webAuthn), .json(body)]).0
        #expect(state.response.currentAuthenticator?.webAuthnChallenge != nil)
      } catch let error as FlowError { #expect(error.code == .unexpectedResponse) }
    }
  }

  @Test(
    "The pace of polls stays within reason",
    arguments: [
      ("-7", 1), ("0", 1), ("2", 2), ("1000000000", 60), ("99999999999999999999", 5),
      ("true", 5), (#""3""#, 5), ("null", 5), ("[1]", 5),
    ])
  func interval(text: String, seconds: Int) async throws {
    let challenge = #"{"oob_code":"o","binding_method":"none","interval":\#(text)}"#
    let (choice, client, _) = try await afterPassword(
      [Self.mfa(Self.oob), .json(challenge)]
        + Array(repeating: .error("slow_down"), count: 30))
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    #expect(state.response.remediations.first?.refresh == .seconds(seconds))
    for _ in 0..<30 { state = try await client.poll(state) }
    #expect(state.response.remediations.first?.refresh == .seconds(60))
  }

  @Test("A saved state with a pace that no clock has is polled at a bearable one")
  func damagedPace() async throws {
    let (choice, client, _) = try await afterPassword([
      Self.mfa(Self.oob), .json(#"{"oob_code":"o","binding_method":"none","interval":7}"#),
      .error("slow_down"), .error("authorization_pending"),
    ])
    let pushed = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    for number in ["9223372036854775807", "-9223372036854775808"] {
      let text = String(decoding: try JSONEncoder().encode(pushed), as: UTF8.self)
        .replacing(#"\"interval\":7"#, with: #"\"interval\":\#(number)"#)
      #expect(text.contains(number))
      let state = try JSONDecoder().decode(FlowState.self, from: Data(text.utf8))
      let polled = try await client.poll(state)
      #expect(polled.response.remediations.first?.refresh ?? .zero <= .seconds(60))
    }
  }

  @Test("A number that a push no longer has is not shown beside the next one")
  func staleNumber() async throws {
    let (choice, client, _) = try await afterPassword([
      Self.mfa(Self.oob),
      .json(#"{"oob_code":"o","binding_method":"transfer","binding_code":"42"}"#),
      .json(#"{"oob_code":"p","binding_method":"none"}"#),
    ])
    var state = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    #expect(state.response.currentAuthenticator?.numberChallenge == "42")
    state = try await client.proceed(.resend, from: state)
    #expect(state.response.currentAuthenticator?.numberChallenge == nil)
    #expect(state.response.remediations.first?.name == .challengePoll)
  }

  @Test("A code by phone is typed also where the server does not say how it comes back")
  func unnamedBinding() async throws {
    let (choice, client, _) = try await afterPassword([
      Self.mfa(Self.oob), .json(#"{"oob_code":"o","channel":"sms"}"#),
      .json(#"{"oob_code":"p","channel":"push"}"#),
    ])
    let typed = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(1), from: choice)
    #expect(typed.response.remediations.first?.name == .challengeAuthenticator)
    let polled = try await client.proceed(
      .selectAuthenticatorAuthenticate, choosing(0), from: choice)
    #expect(polled.response.remediations.first?.name == .challengePoll)
  }
}
