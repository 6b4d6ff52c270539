import IDXBase
import IDXClassicAuth
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

@Suite("How a sign-in by the classic API begins, starts over and ends")
struct ClassicEndingTests {
  private static let success = ClassicAuthClientTests.success

  @Test("Who starts over must still have signed in as lately as was asked")
  func maximumAge() async throws {
    var options = StartOptions()
    options.maximumAge = 60
    var visit = try await AuthnVisit([Self.success], returning: .tokens, options)
    try await visit.name()
    visit.state = try await visit.client.cancel(visit.state)
    try await visit.pass()
    _ = try? await visit.client.redeem(visit.state)
    #expect(await visit.server.url?.query()?.contains("max_age=60") == true)
  }

  @Test("A sign-in that is taken up and starts over must still be as late as was asked")
  func maximumAgeAfterEnd() async throws {
    var options = StartOptions()
    options.maximumAge = 60
    var visit = try await AuthnVisit(
      [.error("E0000069", "User is locked"), Self.success], returning: .tokens, options)
    try await visit.name()
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada"]) }
    handlers.on(.challengeAuthenticator) { _ in .submit(["credentials.passcode": "pw"]) }
    handlers.atEnd = { _ in .restart }
    let coordinator = FlowCoordinator(client: visit.client, handlers: handlers)
    _ = try? await coordinator.run(from: visit.state)
    #expect(await visit.server.url?.query()?.contains("max_age=60") == true)
  }

  @Test("How strong a sign-in must be cannot be asked for here, and is not passed over")
  func strength() async throws {
    var options = StartOptions()
    options.acrValues = ["urn:okta:loa:2fa:any"]
    let error = await #expect(throws: FlowError.self) {
      _ = try await AuthnVisit([], returning: .tokens, options)
    }
    #expect(error?.code == .invalidConfiguration)
  }

  @Test("A session token that is wanted is an end in good order")
  func sessionTokenPhase() async throws {
    var visit = try await AuthnVisit([Self.success], returning: .sessionToken)
    try await visit.pass()
    #expect(visit.state.isAtEnd && visit.state.sessionToken == "session-1")
    #expect("\(FlowPhase(visit.state))" == "done")
    #expect(!"\(visit.state.response)".contains("session-1"))
  }

  @Test("What another protocol's server calls a session token is none")
  func foreignSessionToken() throws {
    var draft = IDXResponse.Draft()
    draft.original = ["status": "SUCCESS", "sessionToken": "x"]
    let configuration = try FlowConfiguration(
      issuer: JSONValue.origin, clientID: "0oa1", redirectURI: "com.example.app:/callback")
    let state = try FlowState(speaking: .identityEngine, to: configuration, draft: draft)
    #expect(state.sessionToken == nil)
  }

  @Test("Only success signs in, and with a token that is one", arguments: ["", "MFA_REQUIRED"])
  func noSuccess(status: String) async throws {
    let json: JSONValue = [
      "status": .string(status.isEmpty ? "SUCCESS" : status),
      "sessionToken": .string(status.isEmpty ? "" : "session-1"),
    ]
    var visit = try await AuthnVisit([.json(json)])
    try await visit.pass()
    #expect(!visit.state.isSignedIn && visit.state.sessionToken == nil)
    #expect(!visit.state.response.allMessages.isEmpty)
  }

  @Test("A redirect that repeats the session token in its refusal does not get it into the error")
  func echo() async throws {
    var visit = try await AuthnVisit([Self.success])
    try await visit.pass()
    let location =
      "com.example.app:/callback?error=access_denied&error_description=bad+session-1"
      + "&state=\(visit.state.redirectState.revealed)"
    await visit.server.answer(
      AuthnServer.Answer(status: 302, headers: ["Location": location], body: []))
    let (client, state) = (visit.client, visit.state)
    let error = await #expect(throws: FlowError.self) { _ = try await client.redeem(state) }
    #expect(error?.code == .refused && error.map { !"\($0)".contains("session-1") } == true)
    #expect((error?.underlying as? OAuthError)?.explanation?.contains("session-1") == false)
  }

  @Test("A snapshot of a sign-in that has succeeded is redeemed elsewhere, by its session token")
  func snapshot() async throws {
    var visit = try await AuthnVisit([Self.success])
    try await visit.pass()
    let saved = try JSONDecoder().decode(
      FlowState.self, from: JSONEncoder().encode(visit.state))
    #expect(saved == visit.state && saved.isSignedIn)
    _ = try? await visit.client.redeem(saved)
    #expect(await visit.server.url?.query()?.contains("sessionToken=session-1") == true)
  }

  @Test(
    "The link of a mail is pasted in many ways",
    arguments: [
      " https://org.example/signin/reset-password/tok-1 \n", "tok-1",
      "https://org.example/signin/reset-password/tok-1/",
      "https://org.example/signin/reset-password/tok-1#top",
      "https://org.example/signin/reset-password/tok-1?fromURI=/a/b#top",
      "https://org.example/reset?a=b&recoveryToken=tok-1",
      "<https://org.example/signin/reset-password/tok-1>.",
      "https://org.example/signin/reset-password/tok-1.", "https://org.example/r?token=tok-1",
    ])
  func link(text: String) async throws {
    var visit = try await mail([.state("PASSWORD_RESET")])
    try await visit.submit(.challengeAuthenticator, ["credentials.passcode": .text(text)])
    #expect(await visit.server.requests.last?.body == ["recoveryToken": "tok-1"])
  }

  @Test("A link that is not good is asked for again")
  func wrongLink() async throws {
    var visit = try await mail([
      .error("E0000011", "Invalid token provided", status: 401), .state("PASSWORD_RESET"),
    ])
    try await visit.submit(.challengeAuthenticator, ["credentials.passcode": "tok-9"])
    #expect(!visit.state.isAtEnd && visit.state.isRefusal)
    #expect(visit.state.response.messages.contains { $0.text == "Invalid token provided" })
    try await visit.submit(.challengeAuthenticator, ["credentials.passcode": "tok-1"])
    #expect(await visit.server.isUsedUp)
  }

  /// A recovery whose mail was sent.
  private func mail(_ answers: [AuthnServer.Answer]) async throws -> AuthnVisit {
    let sent = AuthnServer.Answer.json([
      "status": "RECOVERY_CHALLENGE", "factorResult": "WAITING", "factorType": "EMAIL",
      "recoveryType": "PASSWORD",
    ])
    var visit = try await AuthnVisit([sent] + answers)
    try await visit.name()
    try await visit.submit(.recover)
    try await visit.submit(.selectAuthenticatorAuthenticate, ["authenticator": .option(0)])
    return visit
  }
}
