import Expectations
import Foundation
import IDX
import IDXBase
@testable import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

@Suite("The open sign-ins of a server", .timeLimit(.minutes(10)))
struct OpenSignInsTests {
  private let login = SimulatedUser.demo.login
  private let password = SimulatedUser.demo.password.revealed

  @Test("Two processes take turns with one sign-in and set up Google Authenticator")
  func twoProcesses() async throws {
    let server = Server(.required(.googleAuthenticator))
    let (one, other) = (try server.process(), try server.process())
    var page = try await require(one.start().page)
    expectEqual(page.screen.inputs.map(\.id), ["identifier"])
    page = try await other.answer(page, "identifier", login)
    page = try await one.answer(page, "credentials.passcode", password)
    let choice = try require(page.screen.inputs.first?.choices.first?.id)
    page = try await other.answer(page, "authenticator", choice)
    let totp = try require(page.screen.setUp?.uri?.totp)
    // Loading the page again shows the same key.
    let again = try await require(one.page(of: page.id).page)
    expect(again.screen.setUp == page.screen.setUp && again.revision == page.revision)
    let turn = try await one.reply(
      .submit(["credentials.passcode": Secret(totp.code(at: server.clock.now))]), to: page.id,
      revision: page.revision)
    guard case .signedIn(let signIn) = turn else {
      Issue.record("Unexpected turn: \(turn)")
      return
    }
    expectEqual(signIn.credential.username, login)
    server.clock.advance(by: 61)
    await expectEqual(server.store.load(page.id), nil)
    await #expect { try await one.page(of: page.id) } throws: {
      ($0 as? FlowError)?.code == .unreadableState
    }
  }

  @Test(
    "Of two equal requests at the same time, one is sent, and both get the same result",
    .promise("one-request"))
  func doubleClick() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let gate = Gate()
    let slow = try server.process(through: GatedTransport(org: server.org, gate: gate))
    let reply = Reply.submit(["credentials.passcode": Secret(password)])
    let sent = Task { try await slow.reply(reply, to: first.id, revision: first.revision) }
    await gate.arrival()
    // The second request waits until the first one has its answer.
    let fast = try server.process(pause: {
      await gate.open()
      _ = await sent.result
    })
    let second = try await fast.reply(reply, to: first.id, revision: first.revision)
    let tokens = [try await sent.value, second].map(\.tokens)
    expect(tokens[0] != nil && tokens[0] == tokens[1])
    expectEqual(server.requests(to: "/challenge/answer"), 1)
    // Whoever only has the ID gets no tokens.
    for other in [
      { try await fast.page(of: first.id) },
      { try await fast.poll(first.id, revision: first.revision) },
      { try await fast.reply(.cancel, to: first.id, revision: first.revision) },
      { try await fast.reply(.choose("quit"), to: first.id, revision: first.revision) },
      { try await fast.reply(reply, to: first.id, revision: first.revision + 1) },
      { try await fast.reply(reply, to: first.id, revision: nil) },
    ] as [@Sendable () async throws -> OpenSignInResult] {
      await #expect { _ = try await other() } throws: {
        ($0 as? FlowError)?.code == .unreadableState
      }
    }
  }

  @Test(
    "The result goes only to the reply that earned it: the first other one deletes it",
    .promise("earned-result"),
    arguments: [
      .submit(["credentials.passcode": "wrong"]), .submit([:]), .choose("x"), .failed("x"),
      .returned(URL(string: "com.example.shop:/callback?code=x")!), .fastPass(.delivered),
    ] as [Reply])
  func otherReply(other: Reply) async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let process = try server.process(keep: { _ in "account" })
    let reply = Reply.submit(["credentials.passcode": Secret(password)])
    for _ in 0..<2 {
      let result = try await process.reply(reply, to: first.id, revision: first.revision)
      expectEqual(result.keptAs, "account")
    }
    for next in [other, reply] {
      await #expect {
        _ = try await process.reply(next, to: first.id, revision: first.revision)
      } throws: {
        ($0 as? FlowError)?.code == .unreadableState
      }
    }
  }

  @Test(
    "What is stored of a reply does not say what it was, and has no code that was not sent",
    .promise("saved-answers"))
  func replyMark() async throws {
    let random = RandomBytes { [UInt8](repeating: 7, count: $0) }
    let mark = ReplyMark(.submit(["a": "1", "b": "2"]), random: random)
    expect(mark.fits(.submit(["b": "2", "a": "1"])))
    for other in [
      .submit(["a": "2", "b": "1"]), .submit(["a": "1"]), .submit([:]), .choose("a"), .cancel,
      .fastPass(.refused(status: nil)), .fastPass(.refused(status: 1)), .failed("a"),
    ] as [Reply] {
      expect(!mark.fits(other))
    }
    // Many texts have the same mark, so it does not say which of them was typed.
    let fitting = (0..<50_000).count { number in
      ReplyMark(.submit(["a": Secret("\(number)")]), random: random)
        == ReplyMark(.submit(["a": "x"]), random: random)
    }
    expect((5...30).contains(fitting), "\(fitting)")
    let text = try String(decoding: JSONEncoder().encode(mark), as: UTF8.self)
    expect(text.utf8.count < 70, "\(text)")

    let screen = {
      var screen = Screen(title: "", host: "", action: .main(.submit, ""))
      screen.inputs = [
        .init(id: "code", kind: .text, label: "", isRequired: true, contentType: .oneTimeCode),
        .init(id: "name", kind: .text, label: "", isRequired: true),
        .init(id: "password", kind: .secret, label: "", isRequired: true),
      ]
      return screen
    }()
    let remark = SavedOpenSignIn.Remark(
      InvalidReply(problems: ["name": "No."]),
      of: .submit(["code": "123456", "name": "Ada", "password": "Secret-1"]), to: screen)
    expectEqual(remark.values, ["name": "Ada"])
  }

  @Test(
    "A result is kept once, under a name that each request gets; one that cannot be kept has failed"
  )
  func keptOnce() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let kept = Locked(0)
    // One of two requests waits until the other one has ended.
    let (others, ended) = AsyncStream<Never>.makeStream()
    let process = try server.process(
      keep: { _ in
        kept.withLock { count in
          count += 1
          return "account \(count)"
        }
      }, pause: { for await _ in others {} })
    let reply = Reply.submit(["credentials.passcode": Secret(password)])
    func send() async throws -> OpenSignInResult {
      defer { ended.finish() }
      return try await process.reply(reply, to: first.id, revision: first.revision)
    }
    async let one = send()
    async let two = send()
    let late = try await [one, two]
    let third = try await process.reply(reply, to: first.id, revision: first.revision)
    expectEqual((late + [third]).map(\.keptAs), ["account 1", "account 1", "account 1"])
    expectEqual(kept.withLock { $0 }, 1)

    struct Full: Error {}
    let other = Server(.passwordOnly)
    let page = try await other.passwordPage()
    let failing = try other.process(keep: { _ in throw Full() })
    for _ in 0..<2 {
      let error = try await flowError {
        try await failing.reply(reply, to: page.id, revision: page.revision)
      }
      expectEqual(error.code, .notKept)
    }
    expectEqual(other.requests(to: "/challenge/answer"), 1)
  }

  @Test(
    "While a request is under way for long, another one is told so, and nothing is sent",
    .promise("one-request"))
  func busy() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let gate = Gate()
    let slow = try server.process(through: GatedTransport(org: server.org, gate: gate))
    async let sent = slow.reply(
      .submit(["credentials.passcode": Secret(password)]), to: first.id, revision: first.revision)
    await gate.arrival()
    let told = try await server.process().answer(first, "credentials.passcode", "Other-1843")
    expectEqual(told.revision, first.revision)
    expectEqual(told.screen.messages.map(\.text), [Words.english["open-sign-in.busy"]])
    await gate.open()
    _ = try await sent
    expectEqual(server.requests(to: "/challenge/answer"), 1)
  }

  @Test(
    "An old page that is posted again sends nothing and leads to the current page, with the reason for a refusal",
    .promise("one-request"))
  func oldPage() async throws {
    let server = Server(.passwordOnly)
    let process = try server.process()
    let first = try await require(process.start().page)
    let second = try await process.answer(first, "identifier", login)
    let sent = server.requests
    let again = try await process.answer(first, "identifier", login.uppercased())
    expect(again.screen.title == second.screen.title && again.revision == second.revision)
    expectEqual(again.screen.messages.map(\.text), [Words.english["open-sign-in.old-page"]])
    try await expectEqual(process.page(of: again.id).page, again)
    expectEqual(server.requests, sent)
    guard
      case .signedIn = try await process.reply(
        .submit(["credentials.passcode": Secret(password)]), to: again.id, revision: again.revision)
    else {
      Issue.record("The current page could not be used.")
      return
    }

    let other = Server(.passwordOnly)
    let late = try other.process()
    let asked = try await other.passwordPage()
    let refused = try await late.answer(asked, "credentials.passcode", "Wrong-1843")
    let repeated = try await late.answer(asked, "credentials.passcode", "Wrong-1843")
    expectEqual(
      repeated.screen.messages.map(\.text),
      [Words.english["open-sign-in.old-page"] ?? ""] + refused.screen.messages.map(\.text))
    try await expectEqual(late.page(of: asked.id).page, repeated)
    let stored = try await require(other.store.load(asked.id))
    expect(!String(decoding: stored, as: UTF8.self).contains("Wrong-1843"))
  }

  @Test(
    "An old page that brings another username starts over with it, and no password is sent for the first"
  )
  func correctedUsername() async throws {
    var scenario = OrgScenario["password"]
    scenario.users.append(SimulatedUser(login: "adda@example.com", password: "Difference-1822"))
    let server = Server(scenario)
    let process = try server.process()
    let first = try await require(process.start().page)
    let wrong = try await process.answer(first, "identifier", "adda@example.com")
    expectEqual(
      wrong.screen.person, .init(username: "adda@example.com", changeID: "cancel"))
    let corrected = try await process.answer(first, "identifier", " \(login)")
    expectEqual(corrected.screen.person?.username, login)
    expectEqual(corrected.screen.inputs.map(\.kind), [.secret])
    expect(corrected.revision > wrong.revision && corrected.screen.messages.isEmpty)
    let result = try await process.reply(
      .submit(["credentials.passcode": Secret(password)]), to: corrected.id,
      revision: corrected.revision)
    expectEqual(result.tokens != nil, true)
  }

  @Test(
    "Refused replies show their problems, also if the page is loaded again, and the screen keeps its number"
  )
  func problems() async throws {
    let server = Server(.passwordOnly)
    let process = try server.process()
    var page = try await require(process.start().page)
    expect(!page.formToken.contains(page.id) && page.screen.number == 1)
    page = try await process.answer(page, "identifier", " ")
    try await expectEqual(process.page(of: page.id).page, page)
    expectEqual(page.screen.number, 1)
    expectEqual(page.screen.inputs.first?.problem, Words.english["problem.missing"])
    page = try await require(
      process.reply(.choose("nothing"), to: page.id, revision: page.revision).page)
    expectEqual(page.screen.messages.map(\.text), [Words.english["problem.option"]])
    page = try await process.answer(page, "identifier", login)
    expectEqual(page.screen.inputs.map(\.kind), [.secret])
    expect(page.screen.messages.isEmpty && page.screen.number == 2)
  }

  @Test(
    "Refused answers count from request to request, up to the limit, and are not stored",
    .promise("saved-answers"))
  func attempts() async throws {
    let server = Server(.passwordOnly)
    var limits = FlowLimits()
    limits.attempts = 3
    let first = try await server.passwordPage()
    var page = first
    for attempt in 1...2 {
      page = try await server.process(limits).answer(page, "credentials.passcode", "Wrong-1843")
      expectEqual(page.screen.attempt, attempt + 1)
      let stored = try await require(server.store.load(page.id))
      expect(!String(decoding: stored, as: UTF8.self).contains("Wrong-1843"))
    }
    let last = page
    await #expect {
      try await server.process(limits).answer(last, "credentials.passcode", "Wrong-1843")
    } throws: {
      ($0 as? FlowError)?.code == .limitReached
    }
    // A second click gets the same sentence.
    await #expect { try await server.process(limits).page(of: last.id) } throws: {
      ($0 as? FlowError)?.code == .limitReached
    }
    server.clock.advance(by: 61)
    await expectEqual(server.store.load(first.id), nil)
  }

  @Test(
    "A return without this sign-in's state sends nothing, is no attempt, and the open page stays valid",
    .promise("wrong-return"),
    arguments: [
      "error=interaction_required", "error=interaction_required&state=other", "error=access_denied",
      "code=x&state=y", "",
    ])
  func foreignReturn(query: String) async throws {
    let server = Server(.passwordOnly)
    let process = try server.process()
    let page = try await server.passwordPage()
    func progress() async throws -> Data? {
      try await require(server.store.load(page.id)).split(separator: UInt8(ascii: "\n")).last
    }
    let (sent, stored) = (server.requests, try await progress())
    let address = try require(URL(string: "com.example.app:/callback?\(query)"))
    let told = try await require(
      process.reply(.returned(address), to: page.id, revision: nil).page)
    expectEqual(told.revision, page.revision)
    expectEqual(told.screen.messages.map(\.text), [Words.english["open-sign-in.foreign-return"]])
    expectEqual(server.requests, sent)
    try await expectEqual(progress(), stored)
    let result = try await process.reply(
      .submit(["credentials.passcode": Secret(password)]), to: page.id, revision: page.revision)
    expect(result.tokens != nil)
  }

  @Test("A goal is reached in a later request, although its form comes only after the username")
  func goal() async throws {
    let server = Server(try require(OrgScenario.named("recover")))
    let process = try server.process()
    var page = try await require(process.start(goal: .recover).page)
    expectEqual(page.screen.title, Words.english["identify-recovery.title"])
    page = try await process.answer(page, "identifier", login)
    expectEqual(page.screen.step?.authenticator?.isPassword, false)
  }

  @Test(
    "A page that waits asks at the server's pace, also after a rate limit, and changes only with news"
  )
  func polls() async throws {
    let server = Server(OrgScenario["push"])
    let process = try server.process()
    let page = try await server.pushPage(of: process)
    expect(page.screen.wait != nil)
    let sent = server.requests
    var next = try await require(process.poll(page.id, revision: page.revision).page)
    expect(server.requests == sent && next.revision == page.revision)
    server.clock.advance(by: 4)
    next = try await require(process.poll(page.id, revision: page.revision).page)
    expect(server.requests == sent + 1 && next.revision == page.revision)
    // Nor does the button of the page ask earlier.
    next = try await require(
      process.reply(.submit([:]), to: page.id, revision: page.revision).page)
    expect(server.requests == sent + 1 && next.revision == page.revision)
    // The page in another window asks at once, too.
    _ = try await process.poll(page.id, revision: page.revision)
    expectEqual(server.requests, sent + 1)
    await server.org.approvePush(
      for: login, choosing: server.org.pushes(for: login).last?.number)
    server.clock.advance(by: 4)
    guard case .signedIn = try await process.poll(page.id, revision: page.revision) else {
      Issue.record("The approval was not noticed.")
      return
    }

    let busy = Server(OrgScenario["push"])
    let other = try busy.process()
    var waiting = try await busy.pushPage(of: other)
    expectEqual(waiting.screen.wait?.interval, .seconds(4))
    await busy.org.inject(.rateLimited(seconds: 50), at: "/poll")
    busy.clock.advance(by: 4)
    waiting = try await require(other.poll(waiting.id, revision: waiting.revision).page)
    expectEqual(waiting.screen.wait?.interval, .seconds(50))
    let count = busy.requests
    busy.clock.advance(by: 49)
    _ = try await other.poll(waiting.id, revision: waiting.revision)
    expectEqual(busy.requests, count)
  }

  @Test(
    "A confirmation is on one page only, which can be loaded again; an approved push is confirmed too"
  )
  func confirmation() async throws {
    let server = Server(OrgScenario["email"])
    let process = try server.process()
    var page = try await server.passwordPage()
    page = try await process.answer(page, "credentials.passcode", password)
    while let choice = page.screen.inputs.first(where: { !$0.choices.isEmpty }) {
      page = try await process.answer(page, choice.id, choice.choices[0].id)
    }
    server.org.advance(by: 60)
    let resend = try require(page.screen.options.first { $0.role == .resend })
    page = try await process.choose(page, resend.id)
    expectEqual(page.confirmation, Words.english["done.sent"])
    try await expectEqual(process.page(of: page.id).page, page)
    let other = try require(page.screen.options.first { $0.role == .startOver })
    page = try await process.choose(page, other.id)
    expectEqual(page.confirmation, nil)

    var scenario = OrgScenario["push"]
    scenario.policy.optional = [.googleAuthenticator]
    let push = Server(scenario)
    let pushing = try push.process()
    page = try await push.pushPage(of: pushing)
    await push.org.approvePush(for: login)
    push.clock.advance(by: 4)
    page = try await require(pushing.poll(page.id, revision: page.revision).page)
    expectEqual(page.screen.step?.remediation.name, .selectAuthenticatorEnroll)
    expectEqual(page.confirmation, Words.english["done.approved"])
  }

  @Test(
    "A handler that decides to poll sends no polls, because no page waits for them",
    arguments: [(300, FlowError.Code.inputNeeded), (1, .limitReached)])
  func pollWithoutPage(seconds: Int, code: FlowError.Code) async throws {
    struct Impatient: StepHandler {
      func decide(_ step: Step) -> Decision { .poll() }
    }
    var handlers = Handlers.showing()
    handlers.register(Impatient(), for: .challengePoll)
    let server = Server(OrgScenario["push"])
    var limits = FlowLimits()
    limits.polling = .seconds(seconds)
    let process = try server.process(limits, handlers: handlers)
    var page = try await server.passwordPage()
    page = try await process.answer(page, "credentials.passcode", password)
    let choice = page
    await #expect {
      try await process.answer(choice, "authenticator.methodType", "push")
    } throws: {
      ($0 as? FlowError)?.code == code
    }
    expectEqual(server.requests(to: "/poll"), 0)
  }

  @Test("A changed screen of a push polls like the built-in one")
  func changedWaitingScreen() async throws {
    struct Patient: StepHandler {
      func decide(_ step: Step) async throws -> Decision {
        let decision = try await step.builtInDecision()
        guard case .ask(var screen, _) = decision else { return decision }
        screen.title = "Look at your phone"
        return .ask(screen)
      }
    }
    var handlers = Handlers.showing()
    handlers.register(Patient(), for: .challengePoll)
    let server = Server(OrgScenario["push"])
    let process = try server.process(handlers: handlers)
    let page = try await server.pushPage(of: process)
    expect(page.screen.title == "Look at your phone" && page.screen.wait != nil)
    await server.org.approvePush(for: login)
    server.clock.advance(by: 4)
    let result = try await process.poll(page.id, revision: page.revision)
    expect(result.tokens != nil)
  }

  @Test(
    "A handler that declines is asked once, and the built-in one next; a reply that it declines is refused"
  )
  func declined() async throws {
    struct Undecided: StepHandler {
      let count: Locked<Int>

      func decide(_ step: Step) -> Decision {
        count.withLock { $0 += 1 }
        return .decline
      }
    }
    let handler = Undecided(count: Locked(0))
    var handlers = Handlers.showing()
    handlers.register(handler, for: .identify)
    let server = Server(.passwordOnly)
    let page = try await require(server.process(handlers: handlers).start().page)
    expectEqual(page.screen.inputs.map(\.id), ["identifier"])
    expectEqual(handler.count.withLock { $0 }, 1)
    let person = ScriptedFrontEnd([.cancel("identifier")])
    handlers.frontEnd = person
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server.org), handlers: handlers)
    guard case .cancelled = try await coordinator.run(server.org.configuration) else {
      Issue.record("The built-in screen was not shown.")
      return
    }
    expectEqual(handler.count.withLock { $0 }, 2)

    struct Indifferent: StepHandler {
      func decide(_ step: Step) async throws -> Decision {
        guard case .ask(let screen, _) = try await step.builtInDecision() else { return .decline }
        return .ask(screen) { _ in .decline }
      }
    }
    handlers = Handlers.showing()
    handlers.register(Indifferent(), for: .identify)
    let process = try server.process(handlers: handlers)
    let first = try await require(process.start().page)
    let sent = server.requests
    let again = try await process.answer(first, "identifier", login)
    expect(again.revision == first.revision && server.requests == sent)
    expectEqual(again.screen.messages.map(\.text), [Words.english["problem.option"]])
  }

  @Test(
    "If a request ends between the accepted password and the tokens, the next one continues",
    .promise("page-load"))
  func interrupted() async throws {
    for reply in [Reply.submit([:]), .cancel, .choose("other")] {
      let server = Server(.passwordOnly)
      let first = try await server.passwordPage()
      let failing = try server.process(
        through: FailingTransport(transport: server.org, path: "/token"))
      await #expect(throws: CancellationError.self) {
        try await failing.answer(first, "credentials.passcode", password)
      }
      let process = try server.process()
      let sent = server.requests
      let page = try await require(process.page(of: first.id).page)
      expect(page.revision > first.revision && page.screen.inputs.isEmpty)
      expectEqual(page.screen.title, Words.english["interrupted.title"])
      // Loading a page sends nothing.
      expectEqual(server.requests, sent)
      let result = try await process.reply(reply, to: page.id, revision: page.revision)
      switch (reply, result) {
      case (.submit, .signedIn), (.cancel, .cancelled): break
      case (.choose, .page(let again)):
        expect(again.revision == page.revision && server.requests == sent)
      default: Issue.record("Unexpected: \(reply), \(result)")
      }
    }
  }

  @Test(
    "A poll for a GET fetches no tokens; the page that follows has a button for it",
    .promise("page-load"))
  func safePoll() async throws {
    let server = Server(OrgScenario["push"])
    let process = try server.process()
    var page = try await server.pushPage(of: process)
    await server.org.approvePush(for: login)
    server.clock.advance(by: 4)
    page = try await require(
      process.poll(page.id, revision: page.revision, fetchesTokens: false).page)
    expectEqual(page.screen.title, Words.english["interrupted.title"])
    expectEqual(server.requests(to: "/token"), 0)
    let result = try await process.reply(.submit([:]), to: page.id, revision: page.revision)
    expect(result.tokens != nil)
  }

  @Test("If a poll is cancelled, such as by a browser that goes away, the next one asks again")
  func cancelledPoll() async throws {
    let server = Server(OrgScenario["push"])
    let process = try server.process()
    let page = try await server.pushPage(of: process)
    server.clock.advance(by: 4)
    let failing = try server.process(through: FailingTransport())
    await #expect(throws: CancellationError.self) {
      try await failing.poll(page.id, revision: page.revision)
    }
    let sent = server.requests
    _ = try await process.poll(page.id, revision: page.revision)
    expectEqual(server.requests, sent + 1)
  }

  @Test("When the time for polls is over, the page offers something else")
  func overdue() async throws {
    let server = Server(OrgScenario["push"])
    var limits = FlowLimits()
    limits.polling = .seconds(9)
    let process = try server.process(limits)
    var page = try await server.pushPage(of: process)
    let waiting = page
    for _ in 0..<4 where page.screen.wait != nil {
      server.clock.advance(by: 4)
      page = try await require(process.poll(page.id, revision: page.revision).page)
    }
    expect(page.screen.wait == nil && page.screen.title == Words.english["wait.over.title"])
    expect(page.revision > waiting.revision)
    page = try await process.choose(page, page.screen.action.id)
    expect(page.screen.messages.isEmpty && !page.screen.inputs.isEmpty)
  }

  @Test("If a process dies during a request, another one continues when its claim has ended")
  func death() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let dead = try server.process(
      store: DyingStore(store: server.store), through: FailingTransport())
    _ = try? await dead.answer(first, "credentials.passcode", password)
    let told = try await server.process().answer(first, "credentials.passcode", password)
    expectEqual(told.screen.messages.map(\.text), [Words.english["open-sign-in.busy"]])
    server.clock.advance(by: 121)
    guard
      case .signedIn = try await server.process().reply(
        .submit(["credentials.passcode": Secret(password)]), to: first.id, revision: first.revision)
    else {
      Issue.record("The sign-in could not be continued.")
      return
    }
  }

  @Test(
    "Until a request that takes too long is given up, no other is sent; after that, the sign-in goes on",
    .promise("one-request"))
  func claimOutlastsRequest() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let gate = Gate()
    let other = try server.process()
    let told = Locked<[OpenSignInPage]>([])
    let slow = try server.process(
      through: GatedTransport(org: server.org, gate: gate),
      limit: {
        await gate.arrival()
        server.clock.advance(by: 1)
        let page = try await other.answer(first, "credentials.passcode", "Other-1843")
        told.withLock { $0.append(page) }
      })
    await #expect(throws: CancellationError.self) {
      try await slow.answer(first, "credentials.passcode", password)
    }
    let pages = told.withLock { $0 }
    expectEqual(
      pages.map(\.screen.messages.last?.text), pages.map { _ in Words.english["open-sign-in.busy"] }
    )
    // One each second, to the last one.
    expectEqual(pages.count, 90)
    expectEqual(server.requests(to: "/challenge/answer"), 1)
    let page = try await require(other.page(of: first.id).page)
    expect(page.screen.title == first.screen.title && page.revision > first.revision)
  }

  @Test(
    "While the store is away for a moment, no sign-in is lost", .promise("store-away"),
    arguments: 1...7)
  func storeThatIsAwayForAMoment(call: Int) async throws {
    let server = Server(.passwordOnly)
    let store = UnsteadyStore(store: server.store, failing: call..<call + 3)
    let process = try server.process(store: store)
    var page = try await require(persist { try await process.start() }.page)
    let id = page.id
    page = try await persist { [page] in try await process.answer(page, "identifier", login) }
    let reply = Reply.submit(["credentials.passcode": Secret(password)])
    let revision = page.revision
    let result = try await persist { try await process.reply(reply, to: id, revision: revision) }
    let tokens = try require(result.tokens)
    expectEqual(server.requests(to: "/challenge/answer"), 1)
    await expect(store.hasFailed)
    // The second click after a double click gets it too.
    try await expectEqual(process.reply(reply, to: id, revision: revision).tokens, tokens)
  }

  /// Does something again after an error of the store, like a person.
  private func persist<Result>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    while true {
      do { return try await body() } catch is UnsteadyStore.Away {}
    }
  }

  @Test(
    "A sign-in of another org, a damaged one, and an unknown one are refused",
    .promise("stored-sign-in"))
  func foreign() async throws {
    let server = Server(.passwordOnly)
    let page = try await server.passwordPage()
    let stored = try await require(server.store.load(page.id))
    let text = String(decoding: stored, as: UTF8.self)
    let changed = text.replacing("demo.okta.example", with: "other.okta.example")
    let most = Int.max
    let entries = [
      text, changed, "{}\n{", "{\"revision\":\(most)}" + text.drop { $0 != "\n" },
      text.replacing("\"steps\":1", with: "\"steps\":\(most)"),
      text.replacing("\"waited\":[0,0]", with: "\"waited\":[\(Int.min),0]"),
    ]
    expectEqual(Set(entries).count, entries.count)
    for (number, entry) in entries.enumerated() {
      // An ID has 32 bytes.
      let id = String(repeating: "A", count: 42) + ["A", "E", "I", "M", "Q", "U"][number]
      _ = await server.store.replace(nil, by: Data(entry.utf8), for: id, lifetime: .seconds(60))
      if number == 0 {
        try await expect(server.process().page(of: id).page != nil)
      } else {
        await refuses(id, server)
      }
    }
    await refuses(String(repeating: "B", count: 43), server)
    // Something else that the server keeps in the same store.
    _ = await server.store.replace(nil, by: stored, for: "account:1", lifetime: .seconds(60))
    await refuses("account:1", server)
  }

  private func refuses(_ id: String, _ server: Server) async {
    await #expect { try await server.process().page(of: id) } throws: {
      ($0 as? FlowError)?.code == .unreadableState
    }
  }

  @Test("A cancelled sign-in is removed")
  func ends() async throws {
    let server = Server(.passwordOnly)
    let process = try server.process()
    let page = try await require(process.start().page)
    guard
      case .cancelled = try await process.reply(
        .cancel, to: page.id, revision: page.revision)
    else {
      Issue.record("The sign-in was not cancelled.")
      return
    }
    server.clock.advance(by: 61)
    await expectEqual(server.store.load(page.id), nil)
  }

  @Test(
    "The memory store replaces only what is expected, and forgets what is old"
  )
  func memoryStore() async {
    let clock = TestClock()
    let store = MemoryOpenSignInStore(now: { clock.now })
    let (a, b) = (Data("a".utf8), Data("b".utf8))
    await expect(store.replace(nil, by: a, for: "1", lifetime: .seconds(10)))
    await expect(!store.replace(nil, by: b, for: "1", lifetime: .seconds(10)))
    await expect(!store.replace(b, by: a, for: "1", lifetime: .seconds(10)))
    await expect(store.replace(a, by: b, for: "1", lifetime: .seconds(10)))
    await expectEqual(store.load("1"), b)
    clock.advance(by: 11)
    await expectEqual(store.load("1"), nil)
    await expect(store.replace(nil, by: a, for: "1", lifetime: .seconds(10)))
    await expect(store.replace(a, by: nil, for: "1", lifetime: .seconds(10)))
    await expectEqual(store.load("1"), nil)

    let full = MemoryOpenSignInStore(maximumCount: 10, now: { clock.now })
    for number in 0...10 {
      _ = await full.replace(
        nil, by: Data([UInt8(number)]), for: "\(number)", lifetime: .seconds(3600))
      clock.advance(by: 1)
    }
    await expectEqual(full.load("0"), nil)
    for number in 2...10 {
      await expectEqual(full.load("\(number)"), Data([UInt8(number)]))
    }
  }
}

/// An org, and a store that several processes share.
private struct Server {
  let org: SimulatedOrg
  let clock = TestClock()
  let store: MemoryOpenSignInStore
  private let counted = Locked<[String]>([])
  /// The same in each run: with random numbers, one of 4096 other replies fits the mark.
  private let random = RandomBytes.seeded(1)

  init(_ policy: SignInPolicy) { self.init(OrgScenario["password"], policy) }

  init(_ scenario: OrgScenario) { self.init(scenario, nil) }

  private init(_ scenario: OrgScenario, _ policy: SignInPolicy?) {
    let clock = clock
    org =
      policy.map {
        SimulatedOrg(users: [.demo], policy: $0, seed: 3, clock: { TestClock.start })
      } ?? SimulatedOrg(scenario, seed: 3, clock: { TestClock.start })
    store = MemoryOpenSignInStore(now: { clock.now })
  }

  var requests: Int { counted.withLock { $0.count } }
  func requests(to path: String) -> Int {
    counted.withLock { $0.filter { $0.hasSuffix(path) }.count }
  }

  func process(
    _ limits: FlowLimits = FlowLimits(), handlers: Handlers = .showing(),
    store: (any OpenSignInStore)? = nil,
    through transport: (any Transport)? = nil,
    keep: (@Sendable (SignIn) async throws -> String?)? = nil,
    pause: @escaping @Sendable () async throws -> Void = {},
    limit: @escaping @Sendable () async throws -> Void = {
      try await Task.sleep(for: .seconds(3600))
    }
  ) throws -> OpenSignIns {
    let (org, clock) = (org, clock)
    let counting = CountingTransport(transport: transport ?? org, counted: counted)
    return OpenSignIns(
      client: IDXClient(
        transport: counting, tokens: TokenClient(transport: counting, now: { org.now })),
      configuration: org.configuration, handlers: handlers,
      store: store ?? self.store, limits: limits, keep: keep, random: random,
      now: { clock.now }, sleep: { try await $0 < .seconds(1) ? pause() : limit() })
  }

  /// The page that asks for the password.
  func passwordPage() async throws -> OpenSignInPage {
    let process = try process()
    let page = try await require(process.start().page)
    return try await process.answer(page, "identifier", SimulatedUser.demo.login)
  }
}

extension Server {
  /// The page that waits for a push.
  fileprivate func pushPage(of process: OpenSignIns) async throws -> OpenSignInPage {
    let page = try await process.answer(
      passwordPage(), "credentials.passcode", SimulatedUser.demo.password.revealed)
    return try await process.answer(page, "authenticator.methodType", "push")
  }
}

extension OpenSignInResult {
  fileprivate var page: OpenSignInPage? { if case .page(let page) = self { page } else { nil } }

  fileprivate var keptAs: String? {
    if case .signedIn(let signIn) = self { signIn.keptAs } else { nil }
  }

  fileprivate var tokens: Tokens? {
    if case .signedIn(let signIn) = self { signIn.credential.tokens } else { nil }
  }
}

extension OpenSignIns {
  fileprivate func answer(
    _ page: OpenSignInPage, _ id: Screen.Input.ID, _ value: String
  ) async throws -> OpenSignInPage {
    let turn = try await reply(.submit([id: Secret(value)]), to: page.id, revision: page.revision)
    return try require(turn.page)
  }

  fileprivate func choose(
    _ page: OpenSignInPage, _ option: Screen.Option.ID
  ) async throws -> OpenSignInPage {
    try await require(reply(.choose(option), to: page.id, revision: page.revision).page)
  }
}

private final class TestClock: Sendable {
  static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let passed = Locked<TimeInterval>(0)

  var now: Date { Self.start.addingTimeInterval(passed.withLock { $0 }) }
  func advance(by seconds: TimeInterval) { passed.withLock { $0 += seconds } }
}

private struct CountingTransport: Transport {
  let transport: any Transport
  let counted: Locked<[String]>

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    // Keys are fetched at any time.
    if request.url.lastPathComponent != "keys" { counted.withLock { $0.append(request.url.path) } }
    return try await transport.send(request)
  }
}

/// Holds requests back until a gate opens.
private struct GatedTransport: Transport {
  let org: SimulatedOrg
  let gate: Gate

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await gate.pass()
    return try await org.send(request)
  }
}

/// Cancels requests: all of them, or those to a path.
private struct FailingTransport: Transport {
  var transport: (any Transport)?
  var path = ""

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard let transport, !request.url.path.hasSuffix(path) else { throw CancellationError() }
    return try await transport.send(request)
  }
}

/// A store whose process dies after its first change.
private actor DyingStore: OpenSignInStore {
  let store: MemoryOpenSignInStore
  private var changes = 0

  init(store: MemoryOpenSignInStore) { self.store = store }

  func load(_ id: String) async throws -> Data? { await store.load(id) }

  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool {
    changes += 1
    guard changes == 1 else { throw CancellationError() }
    return await store.replace(expected, by: data, for: id, lifetime: lifetime)
  }
}

/// A store whose calls with these numbers fail.
private actor UnsteadyStore: OpenSignInStore {
  struct Away: Error {}

  let store: MemoryOpenSignInStore
  let failing: Range<Int>
  private var calls = 0

  init(store: MemoryOpenSignInStore, failing: Range<Int>) {
    self.store = store
    self.failing = failing
  }

  var hasFailed: Bool { calls >= failing.lowerBound }

  func load(_ id: String) async throws -> Data? {
    try count()
    return await store.load(id)
  }

  func replace(
    _ expected: Data?, by data: Data?, for id: String, lifetime: Duration
  ) async throws -> Bool {
    try count()
    return await store.replace(expected, by: data, for: id, lifetime: lifetime)
  }

  private func count() throws {
    calls += 1
    if failing.contains(calls) { throw Away() }
  }
}

/// Holds tasks back, and tells when the first one has arrived.
private actor Gate {
  private var isOpen = false
  private var hasArrival = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var watchers: [CheckedContinuation<Void, Never>] = []

  func pass() async throws {
    hasArrival = true
    for watcher in watchers { watcher.resume() }
    watchers = []
    if !isOpen {
      await withTaskCancellationHandler {
        await withCheckedContinuation { held.append($0) }
      } onCancel: {
        Task { await self.open() }
      }
    }
    try Task.checkCancellation()
  }

  func arrival() async {
    guard !hasArrival else { return }
    await withCheckedContinuation { watchers.append($0) }
  }

  func open() {
    isOpen = true
    for task in held { task.resume() }
    held = []
  }
}
