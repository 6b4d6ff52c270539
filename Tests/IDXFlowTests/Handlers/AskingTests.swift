import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// Handlers that ask.
struct AskingTests {
  private static let name = ["name": "identifier", "required": true] as JSONValue
  private static let server = StubServer(document: Wire.document([Wire.form("identify", [name])]))

  @Test(
    "A handler says what the reply to its own input means, can refuse it, and can leave it alone")
  func ownMeaning() async throws {
    let transport = RequestLog(Self.server)
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

    let log = RequestLog(Self.server)
    handlers = Handlers()
    handlers.on(.identify) { step in .ask(Screen(step)) { _ in nil } }
    let other = ScriptedFrontEnd([.answer("identifier", "ada")])
    handlers.frontEnd = other
    try await expect(log.run(handlers).end != nil)
    await expectEqual(log.requests.last?.json, ["identifier": "ada"])
    handlers.frontEnd = ScriptedFrontEnd([.cancel("identifier")])
    try await expect(log.run(handlers).isCancelled)
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

    // The messages of the fields follow those of the response.
    let field = Self.name.setting("messages", Wire.messages("some.key"))
    let both = Wire.document(
      [Wire.form("identify", [field])], [("messages", Wire.messages("errors.E0000004"))])
    try expectEqual(Wire.step(both).messages.map(\.key), ["errors.E0000004", "some.key"])
  }

  @Test("A reply cannot lead to another screen, and the error says what to do")
  func askingAgain() async throws {
    var handlers = Handlers()
    handlers.on(.identify) { step in .ask(Screen(step)) { _ in .ask(Screen(step)) } }
    handlers.frontEnd = ScriptedFrontEnd([.answer("identifier", "ada")])
    let error = try await requireError(FlowError.self) { try await Self.server.run(handlers) }
    expectContains(error.message, "InvalidReply")
  }

  @Test("Without a front-end, a handler that asks ends the sign-in with an error")
  func nobody() async throws {
    let error = try await requireError(FlowError.self) { try await Self.server.run(.showing()) }
    expectEqual(error.code, .noHandler)
    expectContains(error.message, "no front-end")
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
}
