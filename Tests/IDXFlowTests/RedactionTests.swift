import IDXBase
import Foundation
import IDX
import IDXStorage
import IDXTesting
import Testing

@testable import IDXFlow
@testable import IDXOAuth

@Suite("Secrets stay out of sight")
struct RedactionTests {
  /// All ways in which a value may come to be seen by accident.
  private func sights(of value: Any) -> String {
    var text = "\(value)" + String(reflecting: value)
    dump(value, to: &text)
    guard let error = value as? any Error else { return text }
    let bridged = error as NSError
    text += error.localizedDescription + "\(bridged) \(bridged.userInfo)"
    if let cause = (error as? FlowError)?.underlying { text += sights(of: cause) }
    if let cause = (error as? TransportError)?.underlying { text += sights(of: cause) }
    return text
  }

  private func showsNothing(
    _ value: Any, of secrets: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = sights(of: value)
    for secret in secrets {
      #expect(!secret.isEmpty, sourceLocation: sourceLocation)
      #expect(!text.contains(secret), sourceLocation: sourceLocation)
    }
  }

  private func secrets(of state: FlowState) throws -> [String] {
    let saved = try JSONValue(parsing: JSONEncoder().encode(state))
    return [
      saved["interactionHandle"]?.string, saved["pkce"]?["verifier"]?.string,
      saved["redirectState"]?.string, saved["nonce"]?.string, state.response.stateHandle?.revealed,
    ].compactMap(\.self)
  }

  @Test("A state shows none of its handles, nor what its response holds")
  func state() async throws {
    let world = try World(.required(.googleAuthenticator))
    let state = try await world.client.proceed(
      .selectAuthenticatorEnroll, ["authenticator": .optionNamed("google_otp")],
      from: world.pastPassword())
    let app = try #require(state.response.currentAuthenticator?.oneTimePassword?.sharedSecret)
    let secrets = try secrets(of: state) + [app.revealed]
    #expect(secrets.count == 6)
    showsNothing(state, of: secrets)
    let step = Step(
      state.response.remediations[0], state: state, attempt: 2,
      previous: ["credentials.passcode": "000000"])
    showsNothing(step, of: secrets + ["000000"])
    showsNothing(FlowEvent.received(state), of: secrets)
    showsNothing(FlowEvent.accepted(step.remediation, step.authenticator), of: secrets)
    showsNothing(Outcome.ended(state), of: secrets)
    showsNothing(Notice.step(step), of: secrets)
  }

  @Test("What was shown to set up an app does not show the key")
  func authenticatorApp() async throws {
    let world = try World(.required(.googleAuthenticator))
    let person = world.person([
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
    ])
    _ = try await world.signIn([], person: person)
    let app = try #require(await person.apps.first)
    let key = try #require(app.uri?.secret.revealed)
    showsNothing(app, of: [key])
    showsNothing(Notice.authenticatorApp(app), of: [key])
  }

  @Test("A sign-in that succeeded shows neither tokens nor code")
  func signIn() async throws {
    let world = try World()
    let signIn = try #require(try await world.signIn([.login, .password]).signIn)
    let code = try #require(signIn.state.response.interactionCode)
    let secrets = try secrets(of: signIn.state)
    showsNothing(
      Outcome.signedIn(signIn),
      of: secrets + [code.revealed, signIn.credential.tokens.accessToken.revealed])
  }

  @Test("What a sign-in leaves behind shows no token, wherever it is kept")
  func credential() async throws {
    let world = try World(scopes: ["openid", "offline_access"])
    let signIn = try #require(try await world.signIn([.login, .password]).signIn)
    let credential = signIn.credential
    let tokens = TokenKind.allCases.compactMap { credential.tokens[$0]?.revealed }
    let secrets = try tokens + [#require(credential.nonce).revealed]
    #expect(secrets.count == 4)
    let client = TokenClient(transport: world.line, now: { [org = world.org] in org.now })
    let store = MemoryCredentialStore()
    await store.save(credential)
    let session = CredentialSession(credential.id, store: store, client: client)
    let info = try await session.userInfo()
    let payload = try JWT(parsing: #require(credential.tokens.idToken))
    let holders: [Any] = [
      credential, credential.id, credential.tokens, signIn, store, await store.entries(), client,
      session, info, world.client, world.org, payload, [credential.id: credential],
    ]
    for holder in holders { showsNothing(holder, of: secrets) }
    for request in await world.line.requests { showsNothing(request, of: secrets) }
    showsNothing(try await session.refresh(), of: secrets)
    await world.org.inject(.serverError, at: "/revoke")
    let result = try await session.signOut()
    #expect(result.failures.count == 1)
    showsNothing(result, of: secrets)
    for failure in result.failures { showsNothing(failure.error, of: secrets) }
  }

  @Test("An address that ends the session stands in no error of the engine")
  func logout() async throws {
    let world = try World()
    let credential = try await world.client.redeem(world.pastPassword())
    let client = TokenClient(transport: world.line)
    let token = try #require(credential.tokens.idToken).revealed
    let url = try #require(client.logoutURL(of: credential))
    // Whoever asks for the address has the token in it; a request for it does not show it.
    #expect(url.absoluteString.contains(token))
    showsNothing(TransportRequest(url: url), of: [token])
    let failing = Exchange(transport: BrokenTransport())
    showsNothing(
      try await flowError { try await failing.get(url) }, of: [token])
  }

  @Test("Errors show neither answers nor bodies")
  func errors() async throws {
    let world = try World(SignInPolicy(start: .withPassword))
    let state = try await world.client.start(world.configuration)
    let answers: Answers = ["credentials.passcode": "hunter2", "rememberMe": "hunter2"]
    let invalid = try await flowError {
      try await world.client.proceed(.identify, answers, from: state)
    }
    showsNothing(invalid, of: try secrets(of: state) + ["hunter2"])
    await world.org.inject(.serverError, at: "identify")
    let failed = try await flowError {
      try await world.client.proceed(
        .identify, ["identifier": "ada-secret", "credentials.passcode": "hunter2"], from: state)
    }
    showsNothing(failed, of: try secrets(of: state) + ["hunter2", "ada-secret"])
  }

  @Test("Requests, submissions, decisions and replies show no answers")
  func requests() async throws {
    let world = try World()
    _ = try await world.pastPassword()
    for request in await world.line.requests {
      showsNothing(request, of: [World.password, World.login, "ih_"])
    }
    let answers: Answers = ["credentials.passcode": "hunter2"]
    let form = try await world.identified().response.remediations[0]
    showsNothing(Submission(form, answers), of: ["hunter2"])
    showsNothing(Decision.submit(answers), of: ["hunter2"])
    showsNothing(Reply.answer("hunter2"), of: ["hunter2"])
  }

  @Test("What a browser brings back shows neither its code nor its state")
  func returned() throws {
    let state = try Wire.state(Wire.document([]))
    let answers = ["interaction_code=ic_hunter2", "otp=hunter2"]
    for answer in answers {
      let url = try #require(
        URL(string: "com.example.shop:/callback?\(answer)&state=a%20state"))
      showsNothing(Reply.returned(url), of: ["hunter2", "a%20state"])
      let returned = try RedirectReturn(url, of: state)
      showsNothing(returned, of: ["hunter2", "a state"])
      showsNothing(Decision.resume(returned), of: ["hunter2", "a state"])
      showsNothing(ScriptedReply.returned("x") { url }, of: ["hunter2"])
    }
  }

  @Test("The tokens with which a sign-in starts are not shown")
  func startOptions() {
    var options = StartOptions()
    options.recoveryToken = "hunter2"
    options.activationToken = "hunter3"
    showsNothing(options, of: ["hunter2", "hunter3"])
  }

  @Test("A step of a run shows nothing of the handlers that it knows of")
  func runningStep() async throws {
    let world = try World()
    let script = try Script(
      parsing: #"[{"step": "identify", "fields": {"identifier": "hunter2"}}]"#.utf8)
    var handlers = ScriptHandler(script).handlers
    handlers.on(.identify) { step in
      showsNothing(step, of: ["hunter2"])
      return .cancel
    }
    _ = try await world.coordinator(handlers).run(world.configuration)
  }

  @Test("A script shows no values")
  func script() throws {
    let script = try Script(
      parsing: #"[{"step": "identify", "fields": {"credentials.passcode": "hunter2"}}]"#.utf8)
    showsNothing(script, of: ["hunter2"])
    showsNothing(script.entries, of: ["hunter2"])
    showsNothing(ScriptHandler(script), of: ["hunter2"])
  }

  @Test("A question that proposes what was typed before shows it to nobody but the person")
  func question() throws {
    let step = try Wire.step(Wire.document([Wire.form("identify")]))
    let field = try #require(
      try IDXResponse(
        parsing: Wire.document([Wire.form("f", [["name": "x", "value": "hunter2"]])]).bytes
      )
      .remediations[0]["x"])
    let question = Question(
      path: "x", field: field, kind: .text, step: step, suggestion: "hunter2")
    showsNothing(question.field, of: ["hunter2"])
  }
}

/// Fails without saying what of.
private struct BrokenTransport: Transport {
  struct Failure: Error {}

  func send(_ request: TransportRequest) async throws -> TransportResponse { throw Failure() }
}
