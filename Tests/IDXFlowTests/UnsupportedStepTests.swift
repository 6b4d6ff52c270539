import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("What a person cannot do here", .timeLimit(.minutes(5)))
struct UnsupportedStepTests {
  private static let captcha = Wire.form(
    "identify",
    [
      ["name": "identifier", "required": true],
      ["name": "captchaToken", "required": true, "visible": false, "hint": "captcha"],
    ])
  private static let search = Wire.form("device-challenge-poll", [], [("refresh", 2000)])
  private static let way = Wire.form("way-on", [["name": "way", "required": true]])
  private static let page = Wire.form(
    "redirect-idp", href: "https://idp.example/in", method: "GET")
  private static let user = Wire.form("identify", [["name": "identifier", "required": true]])
  private static let keys = Wire.form(
    "launch-passkeys-authenticator",
    [
      Wire.hidden(["authenticatorData", "clientData", "signatureData", "userHandle"])
    ])
  private static let challenge: (String, JSONValue) = (
    "webauthnAutofillUIChallenge",
    ["type": "object", "value": ["challengeData": Wire.challenge]]
  )

  /// Runs handlers against a server that begins with a document and answers the rest from a list, its
  /// last answer again and again.
  private func run(
    _ documents: [JSONValue], _ replies: [ScriptedReply], goal: Goal? = nil,
    limits: FlowLimits = FlowLimits(), log: EventLog = EventLog(),
    with change: (inout Handlers, ScriptedPrompter) -> Void = { _, _ in }
  ) async throws -> (outcome: Outcome, person: ScriptedPrompter, line: RecordingTransport) {
    let rest = Shared(documents.dropFirst())
    let line = RecordingTransport(
      StubServer(document: documents[0]) { _ in
        .json(rest.withLock { $0.popFirst() } ?? Wire.document([]))
      })
    let person = ScriptedPrompter(replies)
    var handlers = Handlers.asking(person)
    change(&handlers, person)
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: handlers, limits: limits,
      sleep: { _ in
        await person.untilIdle()
        try Task.checkCancellation()
      }, observe: { await log.add($0) })
    let outcome = try await coordinator.run(Wire.configuration(), goal: goal)
    try await person.finish()
    return (outcome, person, line)
  }

  @Test("Where one form is left that can be filled in, that is asked next")
  func oneWay() async throws {
    let (_, person, line) = try await run(
      [Wire.document([Self.captcha, Self.way])], [.answer("way", "a")])
    #expect(await person.unsupportedSteps.map(\.kind) == [.captcha])
    #expect(await line.requests.last?.json == ["way": "a"])
  }

  @Test("Where a page is left, nobody is sent there unasked")
  func onePage() async throws {
    let (outcome, person, _) = try await run(
      [Wire.document([Self.captcha, Self.page])], [.cancel("identify")])
    #expect(outcome.isCancelled)
    #expect(await person.unsupportedSteps.map(\.kind) == [.captcha])
  }

  @Test("Where several ways are left, the person picks one")
  func severalWays() async throws {
    let other = Wire.form("other", [["name": "x", "required": true]])
    let (_, _, line) = try await run(
      [Wire.document([Self.captcha, Self.way, other])],
      [.instead("identify", "other"), .answer("x", "b")])
    #expect(await line.requests.last?.json == ["x": "b"])
  }

  @Test("Where nothing is left, the error says what is in the way")
  func noWay() async throws {
    let error = try await flowError { try await run([Wire.document([Self.captcha])], []) }
    #expect(error.code == .noHandler)
    #expect(error.message.contains("captcha"))
  }

  @Test(
    "A search for an app on this device is given up at once, as a browser does that finds none",
    arguments: ["cancel-polling", "cancel-polling-transaction"])
  func search(name: String) async throws {
    let end = Wire.form(name, href: Wire.origin + "/idp/idx/authenticators/poll/cancel")
    let document = Wire.document(
      [Self.search],
      [
        ("authenticatorChallenge", ["type": "object", "value": ["cancel": end]]),
        ("cancel", Wire.form("cancel")),
      ])
    let (_, person, line) = try await run(
      [document, Wire.document([Self.way])], [.answer("way", "a")])
    #expect(await person.unsupportedSteps.map(\.kind) == [.deviceProbe])
    #expect(await line.steps.suffix(2) == ["cancel", "way-on"])
    #expect(await line.requests.dropLast().last?.url.path.contains("poll/cancel") == true)
  }

  @Test("A search that cannot be given up is waited for, as long as that is allowed")
  func endlessSearch() async throws {
    var limits = FlowLimits()
    limits.polling = .seconds(5)
    let document = Wire.document([Self.search], [("cancel", Wire.form("cancel"))])
    let (_, person, line) = try await run(
      [document, document, Wire.document([Self.way])],
      [.elsewhere("device-challenge-poll") {}, .answer("way", "a")])
    #expect(await line.count(of: "device-challenge-poll") == 2)
    #expect(await person.unsupportedSteps.count == 1)
    let (outcome, _, _) = try await run(
      Array(repeating: document, count: 9),
      [.elsewhere("device-challenge-poll") {}, .cancel("device-challenge-poll")], limits: limits)
    #expect(outcome.isCancelled)
  }

  @Test("What somebody is after is taken up once a search before it is over")
  func goalAfterSearch() async throws {
    let scene = try Scene(
      SignInPolicy.passwordOnly.accounts {
        $0.beforeIdentify = [.deviceChallenge(.loopback), .appleSignOn]
        $0.registration = .init(verifiesMail: true)
      })
    let (outcome, person) = try await scene.play(
      [.cancel("userProfile.firstName")], goal: .register)
    #expect(outcome.isCancelled)
    #expect(await person.unsupportedSteps.map(\.kind) == [.deviceProbe, .appleSSOExtension])
  }

  @Test("A passkey stands beside the user name only where something can reach one")
  func passkeyBeside() async throws {
    let document = Wire.document([Self.user, Self.keys], [Self.challenge])
    let (_, without, _) = try await run([document], [.cancel("identifier")])
    #expect(await without.questions.last?.step.alternatives.isEmpty == true)
    let provider = StubPasskeys(
      assertion: PasskeyAssertion(
        clientData: [1], authenticatorData: [2], signature: [3],
        userHandle: Array("00uADA".utf8)))
    let (_, person, line) = try await run(
      [document], [.instead("identifier", .launchPasskeysAuthenticator)]
    ) { $0.usePasskeys(provider, prompter: $1) }
    #expect(await person.unsupportedSteps.isEmpty)
    #expect(await line.requests.last?.json?["credentials"]?["signatureData"]?.string != nil)
  }

  @Test("A form with a handler of its own is left to it, also where it asks nothing")
  func ownHandler() async throws {
    let document = Wire.document([Self.user, Wire.form("launch-authenticator")])
    let (_, _, line) = try await run(
      [document], [.instead("identifier", .launchAuthenticator)]
    ) { handlers, _ in
      handlers.on(.launchAuthenticator) { step in
        .submit(["identifier": "mine"], to: step.response[.identify])
      }
    }
    #expect(await line.requests.last?.json == ["identifier": "mine"])
  }

  @Test("What is picked and then cannot be done leads back to the other forms")
  func declined() async throws {
    let (_, person, line) = try await run(
      [Wire.document([Self.user, Wire.form("mine", [["name": "x", "required": true]])])],
      [.instead("identifier", "mine"), .answer("identifier", "ada")]
    ) { handlers, prompter in
      handlers.fallback = nil
      handlers.on("mine") { _ in .decline }
    }
    #expect(await person.asked == ["identifier", "identifier"])
    #expect(await line.requests.last?.json == ["identifier": "ada"])
  }
}
