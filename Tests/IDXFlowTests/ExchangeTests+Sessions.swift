import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

// Identity providers, and how sign-ins expire, are given up and taken up: (j) and (k).
extension ExchangeTests {
  private static let provider = AccountPolicy.IdentityProvider(type: "OIDC", name: "Company")
  private static let beside = SignInPolicy.passwordOnly.accounts {
    $0.identityProviders = [provider]
  }
  private static let only = beside.accounts { $0.identityProvidersOnly = true }
  private static let choosing = ScriptedReply.instead("identifier", .redirectIdP)

  @Test("(j) An identity provider brings the code for the tokens back")
  func providerSignsIn() async throws {
    let scene = try Scene(Self.beside)
    let log = EventLog()
    let (outcome, _) = try await scene.play([Self.choosing, scene.visiting()], log: log)
    #expect(await log.count(of: "accepted redirect-idp") == 1)
    #expect(outcome.signIn != nil)
    // Nothing is sent to the page, and what it brought is not asked about.
    #expect(await scene.line.steps == ["interact", "introspect", "token"])
    #expect(await scene.line.requests.last?.parameters["code_verifier"] != nil)
  }

  @Test("(j) After the identity provider more is needed, and the sign-in goes on")
  func providerThenMore() async throws {
    let policy = SignInPolicy.required(.email).accounts { $0.identityProviders = [Self.provider] }
    let scene = try Scene(policy, .email)
    let (outcome, _) = try await scene.play(
      [Self.choosing, scene.visiting(), .passcode("000000"), scene.mailed()])
    #expect(outcome.signIn != nil)
    #expect(
      await scene.line.steps == [
        "interact", "introspect", "introspect", "challenge", "answer", "answer", "token",
      ])
    let handles = await scene.line.requests.compactMap { $0.json?["interactionHandle"]?.string }
    #expect(Set(handles).count == 1)
  }

  @Test("(j) Who is refused there is told why, and goes there once more")
  func providerRefuses() async throws {
    let scene = try Scene(Self.only)
    let (outcome, person) = try await scene.play([
      scene.visiting(refusing: true), .instead("redirect-idp", .redirectIdP), scene.visiting(),
    ])
    #expect(outcome.signIn != nil)
    #expect(await person.problems.count == 1)
  }

  @Test("(j) Who is refused there can sign in with the password instead")
  func passwordAfterRefusal() async throws {
    let scene = try Scene(Self.beside)
    let (outcome, _) = try await scene.play(
      [Self.choosing, scene.visiting(refusing: true), .instead("redirect-idp", .identify)]
        + ScriptedReply.entry)
    #expect(outcome.signIn != nil)
  }

  @Test(
    "(j) What comes back for another sign-in, or to another address, is not taken",
    arguments: [
      "com.example.demo:/callback?interaction_code=stolen&state=another",
      "com.example.demo:/callback?interaction_code=stolen",
      "com.example.demo:/elsewhere?interaction_code=stolen&state=another",
      "com.example.demo:/callback",
    ])
  func foreignReturn(address: String) async throws {
    let scene = try Scene(Self.only)
    let (outcome, person) = try await scene.play([
      .returning("redirect-idp") { _ in URL(string: address) }, .cancel("redirect-idp"),
    ])
    #expect(outcome.isCancelled)
    #expect(await scene.line.count(of: "token") == 0)
    #expect(await person.problems.count == 1)
    #expect(await person.problems.allSatisfy { !$0.contains("stolen") })
  }

  @Test("(k) A sign-in that took too long ends; started over it has another handle and verifier")
  func expiry() async throws {
    let scene = try Scene(.passwordOnly)
    let org = scene.org
    let (outcome, person) = try await scene.play(
      [
        .answer("identifier", .text(Scene.login)),
        .answer("credentials.passcode") {
          org.advance(by: 3600)
          return Scene.password
        },
        .startingOver,
      ] + ScriptedReply.entry)
    #expect(outcome.signIn != nil)
    #expect(await person.ends.map { $0.response.says(.sessionExpired) } == [true])
    let beginnings = await scene.line.requests.filter { $0.url.lastPathComponent == "interact" }
    #expect(beginnings.count == 2)
    #expect(Set(beginnings.map { $0.parameters["code_challenge"] }).count == 2)
    #expect(Set(beginnings.map { $0.parameters["state"] }).count == 2)
  }

  @Test("(k) Who does not start over gets the end with its message")
  func expiryWithoutRestart() async throws {
    let scene = try Scene(.passwordOnly)
    await scene.org.inject(.sessionExpired, at: "/identify")
    let (outcome, _) = try await scene.play([.answer("identifier", .text(Scene.login))])
    let state = try #require(outcome.end)
    #expect(state.status == 401)
    #expect(state.response.says(.sessionExpired))
  }

  @Test("(k) An expired sign-in that could be cancelled is begun anew all the same")
  func expiredWithCancel() async throws {
    let expired = Wire.document(
      [],
      [("messages", Wire.messages("idx.session.expired")), ("cancel", Wire.form("cancel"))])
    let line = RecordingTransport(StubServer(document: expired))
    let person = ScriptedPrompter([.startingOver, .startingOver])
    let coordinator = FlowCoordinator(client: IDXClient(transport: line), handlers: .asking(person))
    #expect(try await coordinator.run(Wire.configuration()).end != nil)
    #expect(
      await line.steps == Array(repeating: ["interact", "introspect"], count: 3).flatMap(\.self))
  }

  @Test("(k) To cancel leads back to the user name, with another handle of the same sign-in")
  func startOver() async throws {
    let scene = try Scene(.passwordOnly)
    let (outcome, _) = try await scene.play(
      [
        .answer("identifier", "nobody@example.com"), .instead("credentials.passcode", .cancel),
      ] + ScriptedReply.entry)
    #expect(outcome.signIn?.user?.identifier == Scene.login)
    #expect(await scene.line.count(of: "interact") == 1)
    let handles = await scene.line.requests.compactMap { $0.json?["stateHandle"]?.string }
    #expect(Set(handles).count == 2)
  }

  @Test("(k) Who gives up tells the server, and is asked nothing more")
  func giveUp() async throws {
    let scene = try Scene(.passwordOnly)
    let (outcome, _) = try await scene.play(
      [.answer("identifier", .text(Scene.login)), .cancel("credentials.passcode")])
    #expect(outcome.isCancelled)
    #expect(await scene.line.steps.last == "cancel")
  }

  @Test("(k) A sign-in that was saved goes on elsewhere where it stood")
  func takenUp() async throws {
    let scene = try Scene(.passwordOnly)
    let started = try await scene.client.start(scene.configuration)
    let state = try await scene.client.proceed(
      .identify, ["identifier": .text(Scene.login)], from: started)
    let saved = try JSONEncoder().encode(state)
    let person = ScriptedPrompter([.passcode(Scene.password)])
    let elsewhere = scene.org.client
    let restored = try await elsewhere.refresh(JSONDecoder().decode(FlowState.self, from: saved))
    let outcome = try await FlowCoordinator(client: elsewhere, handlers: .asking(person))
      .run(from: restored)
    #expect(outcome.signIn != nil)
    #expect(await scene.line.count(of: "interact") == 1)
  }

  @Test("(k) A consent that is refused ends with that, and one may start over")
  func refusedConsent() async throws {
    let policy = SignInPolicy.passwordOnly.accounts {
      $0.afterFactors = [.consent(scopes: ["email"])]
    }
    let scene = try Scene(policy)
    let (outcome, person) = try await scene.play(
      ScriptedReply.entry + [.answer("consent", false)])
    #expect(outcome.end?.status == 403)
    #expect(await scene.line.sent.last == Sent("consent", ["consent": false]))
    #expect(await person.ends.count == 1)
  }
}
