import Expectations
import Foundation
import IDX
import IDXBase
import IDXStorage
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@testable import IDXFlow
@testable import IDXOAuth

/// Descriptions without secrets.
struct RedactionTests {
  /// All texts in which a value, or the cause of an error, could be printed by accident.
  private func texts(of value: Any) -> String {
    var text = printedTexts(of: value)
    if let cause = (value as? FlowError)?.underlying { text += texts(of: cause) }
    if let cause = (value as? TransportError)?.underlying { text += texts(of: cause) }
    return text
  }

  private func showsNothing(
    _ value: Any, of secrets: [String], filePath: StaticString = #filePath, line: Int = #line
  ) {
    let text = texts(of: value)
    for secret in secrets {
      expect(!secret.isEmpty, "A secret is empty.", filePath: filePath, line: line)
      expect(!text.contains(secret), "It shows \(secret).", filePath: filePath, line: line)
    }
  }

  private func secrets(of state: FlowState) throws -> [String] {
    let saved = try JSONValue(parsing: state.snapshot())
    return [
      saved["interactionHandle"]?.string, saved["pkce"]?["verifier"]?.string,
      saved["redirectState"]?.string, saved["nonce"]?.string, state.response.stateHandle?.revealed,
      saved["cookies"]?["cookies"]?.array?.first?["value"]?.string,
    ].compactMap(\.self)
  }

  @Test(
    "A state and a successful sign-in do not show handles, tokens, codes or the response",
    .promise("descriptions"))
  func state() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let state = try await test.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.googleAuthenticator)],
      from: test.afterPassword())
    let app = try require(state.response.currentAuthenticator?.oneTimePassword?.sharedSecret)
    let secrets = try secrets(of: state) + [app.revealed]
    expectEqual(secrets.count, 7)
    showsNothing(state, of: secrets)
    let step = Step(
      state.response.remediations[0], state: state, attempt: 2,
      previous: ["credentials.passcode": "000000"])
    showsNothing(step, of: secrets + ["000000"])
    showsNothing(FlowEvent.received(state), of: secrets)
    showsNothing(FlowEvent.accepted(step.remediation, step.authenticator), of: secrets)
    showsNothing(Outcome.ended(state), of: secrets)
    showsNothing(Screen(step), of: secrets + ["000000"])
    showsNothing(try require(step.authenticatorApp), of: [app.revealed])

    let other = try TestSignIn()
    let signIn = try await require(other.run([.login, .password]).outcome.signIn)
    let code = try require(signIn.state.response.interactionCode)
    let ended = try self.secrets(of: signIn.state)
    showsNothing(
      Outcome.signedIn(signIn),
      of: ended + [code.revealed, signIn.credential.tokens.accessToken.revealed])
  }

  @Test("A credential, its store and its session do not show tokens")
  func credential() async throws {
    let test = try TestSignIn(scopes: ["openid", "offline_access"])
    let signIn = try await require(test.run([.login, .password]).outcome.signIn)
    let credential = signIn.credential
    let tokens = TokenKind.allCases.compactMap { credential.tokens[$0]?.revealed }
    let secrets = try tokens + [require(credential.nonce).revealed]
    expectEqual(secrets.count, 4)
    let store = MemoryCredentialStore()
    await store.save(credential)
    let session = CredentialSession(credential.id, store: store, client: test.tokens)
    let info = try await session.userInfo()
    let payload = try JWT(parsing: require(credential.tokens.idToken))
    let holders: [Any] = [
      credential, credential.id, credential.tokens, signIn, store, await store.entries(),
      test.tokens,
      session, info, test.client, test.org, payload, [credential.id: credential],
    ]
    for holder in holders { showsNothing(holder, of: secrets) }
    for request in await test.transport.requests { showsNothing(request, of: secrets) }
    showsNothing(try await session.refresh(), of: secrets)
    await test.org.inject(.serverError, at: "/revoke")
    let result = try await session.signOut()
    expectEqual(result.failures.count, 1)
    showsNothing(result, of: secrets)
    for failure in result.failures { showsNothing(failure.error, of: secrets) }
  }

  @Test("Errors do not show answers, bodies or the token of a logout address")
  func errors() async throws {
    let test = try TestSignIn(SignInPolicy(start: .withPassword))
    let state = try await test.client.start(test.configuration)
    let answers: Answers = ["credentials.passcode": "hunter2", "rememberMe": "hunter2"]
    let invalid = try await requireError(FlowError.self) {
      try await test.client.proceed(.identify, answers, from: state)
    }
    showsNothing(invalid, of: try secrets(of: state) + ["hunter2"])
    await test.org.inject(.serverError, at: "identify")
    let failed = try await requireError(FlowError.self) {
      try await test.client.proceed(
        .identify, ["identifier": "ada-secret", "credentials.passcode": "hunter2"], from: state)
    }
    showsNothing(failed, of: try secrets(of: state) + ["hunter2", "ada-secret"])

    let other = try TestSignIn()
    let credential = try await other.credential()
    let token = try require(credential.tokens.idToken).revealed
    let logout = try LogoutRequest(of: credential, for: other.configuration)
    showsNothing(logout, of: [token, logout.state.revealed])
    let url = logout.url
    // The address contains the token, but a request for it does not show it.
    expectContains(url.absoluteString, token)
    showsNothing(TransportRequest(url: url), of: [token])
    let failing = IssuerClient(transport: BrokenTransport())
    showsNothing(
      try await requireError(FlowError.self) { try await failing.get(url) }, of: [token])
  }

  @Test("Requests, start options, inputs and returned addresses do not show answers")
  func answers() async throws {
    let test = try TestSignIn()
    _ = try await test.afterPassword()
    for request in await test.transport.requests {
      showsNothing(request, of: [TestSignIn.password, TestSignIn.login, "ih_"])
    }

    var options = StartOptions()
    options.recoveryToken = "hunter2"
    options.activationToken = "hunter3"
    showsNothing(options, of: ["hunter2", "hunter3"])

    let step = try Wire.step(Wire.document(of: ["name": "x", "value": "hunter2"]))
    let field = try require(step.remediation["x"])
    showsNothing(field, of: ["hunter2"])
    showsNothing(Screen(step), of: ["hunter2"])
    showsNothing(Screen(step).inputs, of: ["hunter2"])

    let returning = try Wire.state(Wire.document([]))
    let queries = ["interaction_code=ic_hunter2", "otp=hunter2"]
    for answer in queries {
      let url = try require(
        URL(string: "com.example.shop:/callback?\(answer)&state=a%20state"))
      showsNothing(Reply.returned(url), of: ["hunter2", "a%20state"])
      let returned = try RedirectReturn(url, of: returning)
      showsNothing(returned, of: ["hunter2", "a state"])
      showsNothing(Decision.resume(returned), of: ["hunter2", "a state"])
      showsNothing(ScriptedReply.returned("x") { url }, of: ["hunter2"])
    }
  }
}

/// A transport that always fails.
private struct BrokenTransport: Transport {
  struct Failure: Error {}

  func send(_ request: TransportRequest) async throws -> TransportResponse { throw Failure() }
}
