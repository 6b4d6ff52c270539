import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// Handlers that ask.
struct AskingTests {
  private static let name = ["name": "identifier", "required": true] as JSONValue

  @Test(
    "A handler says what the reply to its own input means, can refuse it, and can leave it alone")
  func ownMeaning() async throws {
    let transport = RequestLog(
      StubServer(document: Wire.document([Wire.form("identify", [Self.name])])))
    var handlers = Handlers()
    handlers.on(.identify) { step in
      var screen = Screen(step)
      screen.inputs = [
        Screen.Input(id: "staff", kind: .text, label: "Staff number", isRequired: true)
      ]
      return .ask(screen) { reply in
        guard case .submit(let values) = reply, let number = values["staff"]?.revealed else {
          return .cancel
        }
        guard Int(number) != nil else {
          throw InvalidReply(problems: ["staff": "Enter digits."])
        }
        return .submit(["identifier": .text("\(number)@staff.example")])
      }
    }
    let person = ScriptedFrontEnd([.answer("staff", "seven"), .answer("staff", "7")])
    handlers.frontEnd = person
    try await expect(transport.run(handlers).end != nil)
    await expectEqual(person.screens.map(\.number), [1, 2])
    await expectEqual(person.questions.map(\.input.problem), [nil, "Enter digits."])
    await expectEqual(transport.requests.last?.json, ["identifier": "7@staff.example"])

    let log = RequestLog(
      StubServer(document: Wire.document([Wire.form("identify", [Self.name])])))
    handlers = Handlers()
    handlers.on(.identify) { step in .ask(Screen(step)) { _ in nil } }
    let other = ScriptedFrontEnd([.answer("identifier", "ada")])
    handlers.frontEnd = other
    try await expect(log.run(handlers).end != nil)
    await expectEqual(log.requests.last?.json, ["identifier": "ada"])
    handlers.frontEnd = ScriptedFrontEnd([.cancel("identifier")])
    guard case .cancelled = try await log.run(handlers) else {
      Issue.record("The sign-in was not canceled.")
      return
    }
  }

  @Test("A step says why answers were refused: what does not fit the form, or the server's errors")
  func refusals() throws {
    let form = Wire.form("identify", [Self.name])
    let document = Wire.document([form], [("messages", Wire.messages("errors.E0000004"))])
    try expectEqual(Wire.step(Wire.document([form])).refusals, [])
    try expectEqual(Wire.step(document).refusals, ["Words."])
    let info = Wire.document([form], [("messages", Wire.messages("idx.email.sent", kind: "INFO"))])
    try expectEqual(Wire.step(info).refusals, [])
    let problems = try require(
      #expect(throws: InvalidAnswers.self) {
        _ = try Wire.step(document).remediation.body(answering: [:])
      }
    ).problems
    try expectEqual(Wire.step(document, problems: problems).refusals, ["Enter an answer."])
  }

  @Test("A reply cannot lead to another screen, and the error says what to do")
  func askingAgain() async throws {
    let server = StubServer(document: Wire.document([Wire.form("identify", [Self.name])]))
    var handlers = Handlers()
    handlers.on(.identify) { step in .ask(Screen(step)) { _ in .ask(Screen(step)) } }
    handlers.frontEnd = ScriptedFrontEnd([.answer("identifier", "ada")])
    let error = try await flowError { try await server.run(handlers) }
    expectContains(error.message, "InvalidReply")
  }

  @Test("Without a front-end, a handler that asks ends the sign-in with an error")
  func nobody() async throws {
    let server = StubServer(document: Wire.document([Wire.form("identify", [Self.name])]))
    let error = try await flowError { try await server.run(.showing()) }
    expectEqual(error.code, .noHandler)
    expectContains(error.message, "no front-end")
  }

  @Test("A decision to end stops with the server's messages, and the server is not told")
  func end() async throws {
    let document = Wire.document(
      [Wire.form("identify", [Self.name])], [("messages", Wire.messages("too.late"))])
    let transport = RequestLog(StubServer(document: document))
    var handlers = Handlers()
    handlers.on(.identify) { _ in .end }
    let end = try await transport.run(handlers).end
    expectEqual(try require(end).response.allMessages.map(\.key), ["too.late"])
    await expectEqual(transport.steps, ["interact", "introspect"])
  }

  @Test(
    "Each of the five remediations of a sign-in has a row of its own in the table",
    arguments: [
      .identify, .challengeAuthenticator, .selectAuthenticatorEnroll, .enrollAuthenticator, .skip,
    ] as [Remediation.Name])
  func rows(name: Remediation.Name) throws {
    let handlers = Handlers.showing()
    let step = try Wire.step(Wire.document(of: Self.name, name: name.rawValue))
    expectEqual(handlers.handlers(for: step).count, 2)
    let other = try Wire.step(Wire.document(of: Self.name, name: "a-new-step"))
    expectEqual(handlers.handlers(for: other).count, 1)
  }

  @Test(
    "A handler of the app is asked before the built-in one for a passkey, however it is registered")
  func beforePasskey() async throws {
    let document = Wire.document(
      [
        Wire.form(
          "challenge-authenticator",
          [["name": "credentials", "form": ["value": [["name": "authenticatorData"]]]]])
      ], [Wire.current(["id": "aut1", "key": "webauthn", "type": "security_key"])])
    var handlers = Handlers.showing(Screens(canUsePasskeys: true), on: ScriptedFrontEnd([]))
    handlers.on(.challengeAuthenticator) { _ in .cancel }
    try await expect(StubServer(document: document).run(handlers).isCancelled)
  }

  @Test(
    "An app that changes the screen for the username does not change whether the device is remembered",
    arguments: [DevicePermission.never, .always])
  func rememberedByChangedScreen(permission: DevicePermission) async throws {
    let remember =
      ["name": "rememberMe", "type": "boolean", "value": false, "label": "Remember"] as JSONValue
    let transport = RequestLog(
      StubServer(document: Wire.document([Wire.form("identify", [Self.name, remember])])))
    let person = ScriptedFrontEnd([.answer("identifier", "ada")])
    var handlers = Handlers.showing(Screens(rememberDevice: permission), on: person)
    handlers.on(.identify) { step in
      let decision = try await step.builtInDecision()
      guard case .ask(var screen, _) = decision else { return decision }
      screen.title = "Welcome back"
      return .ask(screen)
    }
    try await expect(transport.run(handlers).end != nil)
    await expectEqual(
      transport.requests.last?.json,
      ["identifier": "ada", "rememberMe": .bool(permission == .always)])
  }

  @Test("A handler that takes its time is polled beside, and what it asks after that is shown")
  func slowThenAsks() async throws {
    struct Slow: StepHandler {
      let until: @Sendable () async -> Void
      func decide(_ step: Step) async throws -> Decision {
        await until()
        var screen = Screen(step)
        screen.title = "Ready"
        return .ask(screen)
      }
      func poll(for step: Step) -> Remediation? { step.authenticator?[.poll] }
    }
    let poll = Wire.form("poll", [], [("refresh", 2000)])
    let document = Wire.document(
      [Wire.form("challenge-authenticator", [["name": "code", "required": true]])],
      [Wire.current(["key": "okta_email", "id": "aut1", "poll": poll])])
    let transport = RequestLog(
      StubServer(document: document) { request in
        request.url.lastPathComponent == "poll" ? .json(document) : .json(Wire.document([]))
      })
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let waits = Locked(0)
    let person = ScriptedFrontEnd([.answer("code", "123456")])
    var handlers = Handlers()
    handlers.frontEnd = person
    handlers.register(
      Slow { for await _ in polled { return } }, for: .challengeAuthenticator)
    _ = try await transport.run(
      handlers, sleep: { _ in if waits.increment() > 1 { polls.yield() } })
    await expectEqual(person.screens.map(\.title), ["Ready"])
    await expect(transport.count(of: "poll") >= 1)
    await expectEqual(transport.requests.last?.json, ["code": "123456"])
  }

  @Test("On a web site, a closure decides between two pages that different processes show")
  func webSite() async throws {
    let org = SimulatedOrg(users: [.demo], policy: .required(.email))
    let store = MemoryOpenSignInStore()
    let asked = Locked(0)
    func process() throws -> OpenSignIns {
      var handlers = Handlers.showing()
      handlers.on(.challengeAuthenticator, .password) { _ in
        _ = asked.increment()
        await Task.yield()
        return .submit(["credentials.passcode": .text(SimulatedUser.demo.password.revealed)])
      }
      handlers.on(.identify) { step in
        .ask(Screen(step)) { reply in
          guard case .submit(let values) = reply else { return .cancel }
          return .submit(["identifier": .text((values["identifier"]?.revealed ?? "") + ".com")])
        }
      }
      return OpenSignIns(
        client: IDXClient(transport: org), configuration: org.configuration,
        handlers: handlers, store: store)
    }
    guard case .page(let first) = try await process().start() else {
      Issue.record("There is no page.")
      return
    }
    expectEqual(first.screen.inputs.map(\.id), ["identifier"])
    let login = String(SimulatedUser.demo.login.dropLast(".com".count))
    let second = try await process().reply(
      .submit(["identifier": Secret(login)]), to: first.id, revision: first.revision)
    guard case .page(let page) = second else {
      Issue.record("\(second)")
      return
    }
    expectEqual(page.screen.step?.remediation.name, .selectAuthenticatorEnroll)
    expectEqual(asked.withLock { $0 }, 1)
  }

  @Test("A program that writes the loop sees each screen and each reply")
  func ownLoop() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    let person = ScriptedFrontEnd([
      .answer("identifier", .text(SimulatedUser.demo.login)),
      .answer("credentials.passcode", "wrong"),
      .answer("credentials.passcode", .text(SimulatedUser.demo.password.revealed)),
    ])
    let coordinator = FlowCoordinator(client: org.client, handlers: .showing())
    var (titles, replies): ([String], Int) = ([], 0)
    var run = try await coordinator.begin(org.configuration)
    while case .show(var pending) = try await run.next() {
      pending.screen.title += "!"
      guard let reply = try await run.reply(to: pending, on: person) else { continue }
      titles.append(pending.screen.title)
      replies += 1
      run.take(reply, to: pending)
    }
    expect(titles.allSatisfy { $0.hasSuffix("!") })
    expectEqual(replies, 3)
    await expectEqual(person.screens.map(\.number), [1, 2, 3])
  }

  @Test("A reply that cannot be used does not put off the next poll")
  func refusedReplies() async throws {
    /// Replies with nothing, each second of its clock.
    struct Hasty: FrontEnd {
      let clock: TestInstant
      let shown = Locked(0)

      func reply(to screen: Screen) async throws -> Reply {
        let count = shown.increment()
        if count > 20 { return .cancel }
        while clock.log.waits.count < count { await Task.yield() }
        clock.advance(by: .seconds(1))
        return .submit([:])
      }
    }
    let poll = Wire.form("poll", [], [("refresh", 4000)])
    let document = Wire.document(
      [Wire.form("challenge-authenticator", [["name": "code", "required": true]])],
      [Wire.current(["key": "okta_email", "id": "aut1", "poll": poll])])
    let clock = TestInstant()
    let coordinator = FlowCoordinator(
      client: StubServer(document: document) { _ in .json(document) }.client,
      handlers: .showing(on: Hasty(clock: clock)),
      sleep: { time in
        if time > .zero { while !Task.isCancelled { await Task.yield() } }
        try Task.checkCancellation()
      },
      now: { clock.now }, observe: { clock.log.append($0) })
    try await expect(coordinator.run(Wire.configuration(scopes: ["profile"])).isCancelled)
    let waits = clock.log.waits
    expect(waits.contains { $0 < .seconds(4) }, "\(waits)")
  }
}

/// A clock that a test advances, and the waits that were announced.
private final class TestInstant: Sendable {
  private let time = Locked(ContinuousClock.now)
  let log = WaitLog()

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

private final class WaitLog: Sendable {
  private let events = Locked<[Duration]>([])
  var waits: [Duration] { events.withLock { $0 } }
  @Sendable func append(_ event: FlowEvent) {
    if case .waiting(_, let time) = event { events.withLock { $0.append(time) } }
  }
}
