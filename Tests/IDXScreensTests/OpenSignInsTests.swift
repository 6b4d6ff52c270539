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
  private let passwordReply = Reply.submit(["credentials.passcode": SimulatedUser.demo.password])

  @Test("Two processes take turns with one sign-in and set up Google Authenticator")
  func twoProcesses() async throws {
    let server = Server(.required(.googleAuthenticator))
    let (one, other) = (server.process(), server.process())
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
    let code = Secret(totp.code(at: server.org.now))
    let result = try await one.reply(.submit(["credentials.passcode": code]), to: page)
    guard case .signedIn(let signIn) = result else {
      Issue.record("Unexpected result: \(result)")
      return
    }
    expectEqual(signIn.credential.username, login)
  }

  @Test(
    "Of two equal requests at the same time, one is sent, and both get the same result",
    .promise("one-request"))
  func doubleClick() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let kept = Locked(0)
    let keep: @Sendable (SignIn) async throws -> String? = { _ in "account \(kept.increment())" }
    await server.org.inject(.held, at: "/challenge/answer")
    let slow = server.process(keep: keep)
    let sent = Task { try await slow.reply(passwordReply, to: first) }
    await server.org.waitUntilHeld()
    // The second request waits until the first one has its answer.
    let fast = server.process(
      keep: keep,
      pause: {
        await server.org.release()
        _ = await sent.result
      })
    let second = try await fast.reply(passwordReply, to: first)
    let results = [try await sent.value, second]
    expectEqual(results.map(\.keptAs), ["account 1", "account 1"])
    expectEqual(kept.withLock { $0 }, 1)
    expect(results[0].tokens != nil && results[0].tokens == results[1].tokens)
    expectEqual(server.requests(to: "/challenge/answer"), 1)
    // Whoever only has the ID gets no tokens.
    for other in [
      { try await fast.page(of: first.id) }, { try await fast.poll(first) },
      { try await fast.reply(passwordReply, to: first.id, revision: first.revision + 1) },
      { try await fast.reply(passwordReply, to: first.id, revision: nil) },
      { try await fast.reply(.cancel, to: first) },
      { try await fast.reply(.choose("quit"), to: first) },
    ] as [() async throws -> OpenSignInResult] {
      try await expectEqual(requireError(FlowError.self, other).code, .unreadableState)
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
    let process = server.process(keep: { _ in "account" })
    for _ in 0..<2 {
      try await expectEqual(process.reply(passwordReply, to: first).keptAs, "account")
    }
    for next in [other, passwordReply] {
      try await expectEqual(
        requireError(FlowError.self) { try await process.reply(next, to: first) }.code,
        .unreadableState)
    }
  }

  @Test(
    "What is stored of a reply does not say what it was, and has no code that was not sent",
    .promise("saved-answers"))
  func replyMark() throws {
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

    var screen = Screen(title: "", host: "", action: .main(.submit, ""))
    screen.inputs = [
      .init(id: "code", kind: .text, label: "", isRequired: true, contentType: .oneTimeCode),
      .init(id: "name", kind: .text, label: "", isRequired: true),
      .init(id: "password", kind: .secret, label: "", isRequired: true),
    ]
    let remark = SavedOpenSignIn.Remark(
      InvalidReply(problems: ["name": "No."]),
      of: .submit(["code": "123456", "name": "Ada", "password": "Secret-1"]), to: screen)
    expectEqual(remark.values, ["name": "Ada"])
  }

  @Test("A sign-in that cannot be kept has failed, also for a second click")
  func notKept() async throws {
    struct Full: Error {}
    let server = Server(.passwordOnly)
    let page = try await server.passwordPage()
    let process = server.process(keep: { _ in throw Full() })
    for _ in 0..<2 {
      try await expectEqual(
        requireError(FlowError.self) { try await process.reply(passwordReply, to: page) }.code,
        .notKept)
    }
    expectEqual(server.requests(to: "/challenge/answer"), 1)
  }

  @Test(
    "An old page that is posted again sends nothing and leads to the current page, with the reason for a refusal",
    .promise("one-request"))
  func oldPage() async throws {
    let server = Server(.passwordOnly)
    let process = server.process()
    let first = try await require(process.start().page)
    let second = try await process.answer(first, "identifier", login)
    let sent = server.requests
    let again = try await process.answer(first, "identifier", login.uppercased())
    expect(again.screen.title == second.screen.title && again.revision == second.revision)
    expectEqual(again.screen.messages.map(\.text), [Words.english["open-sign-in.old-page"]])
    try await expectEqual(process.page(of: again.id).page, again)
    expectEqual(server.requests, sent)
    let refused = try await process.answer(again, "credentials.passcode", "Wrong-1843")
    let repeated = try await process.answer(again, "credentials.passcode", "Wrong-1843")
    expectEqual(
      repeated.screen.messages.map(\.text),
      [Words.english["open-sign-in.old-page"] ?? ""] + refused.screen.messages.map(\.text))
    try await expectEqual(process.page(of: again.id).page, repeated)
    let stored = try await require(server.store.load(again.id))
    expect(!String(decoding: stored, as: UTF8.self).contains("Wrong-1843"))
    // The current page can be used.
    try await expect(process.reply(passwordReply, to: repeated).tokens != nil)
  }

  @Test(
    "An old page that brings another username starts over with it, and no password is sent for the first"
  )
  func correctedUsername() async throws {
    var scenario = OrgScenario["password"]
    scenario.users.append(SimulatedUser(login: "adda@example.com", password: "Difference-1822"))
    let server = Server(scenario)
    let process = server.process()
    let first = try await require(process.start().page)
    let wrong = try await process.answer(first, "identifier", "adda@example.com")
    expectEqual(wrong.screen.person, .init(username: "adda@example.com", changeID: "cancel"))
    let corrected = try await process.answer(first, "identifier", " \(login)")
    expectEqual(corrected.screen.person?.username, login)
    expectEqual(corrected.screen.inputs.map(\.kind), [.secret])
    expect(corrected.revision > wrong.revision && corrected.screen.messages.isEmpty)
    try await expect(process.reply(passwordReply, to: corrected).tokens != nil)
  }

  @Test(
    "Refused replies show their problems, also if the page is loaded again, and the screen keeps its number"
  )
  func problems() async throws {
    let server = Server(.passwordOnly)
    let process = server.process()
    var page = try await require(process.start().page)
    expect(!page.formToken.contains(page.id) && page.screen.number == 1)
    page = try await process.answer(page, "identifier", " ")
    try await expectEqual(process.page(of: page.id).page, page)
    expectEqual(page.screen.number, 1)
    expectEqual(page.screen.inputs.first?.problem, Words.english["problem.missing"])
    page = try await process.choose(page, "nothing")
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
    let (last, process) = (page, server.process(limits))
    let error = try await requireError(FlowError.self) {
      try await process.answer(last, "credentials.passcode", "Wrong-1843")
    }
    // The page that is loaded again says the same.
    let again = try await requireError(FlowError.self) { try await process.page(of: last.id) }
    expect(error.code == .limitReached && again.code == .limitReached)
    expectEqual(again.message, error.message)
    server.org.advance(by: 61)
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
    let process = server.process()
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
    try await expect(process.reply(passwordReply, to: page).tokens != nil)
  }

  @Test("A goal is reached in a later request, although its form comes only after the username")
  func goal() async throws {
    let server = Server(OrgScenario["recover"])
    let process = server.process()
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
    let process = server.process()
    let page = try await server.pushPage(of: process)
    expectEqual(page.screen.wait?.interval, .seconds(4))
    let sent = server.requests
    var next = try await require(process.poll(page).page)
    expect(server.requests == sent && next.revision == page.revision)
    server.org.advance(by: 4)
    next = try await require(process.poll(page).page)
    expect(server.requests == sent + 1 && next.revision == page.revision)
    // Nor does the button of the page ask earlier.
    next = try await require(process.reply(.submit([:]), to: page).page)
    expect(server.requests == sent + 1 && next.revision == page.revision)
    // The page in another window asks at once, too.
    _ = try await process.poll(page)
    expectEqual(server.requests, sent + 1)
    await server.org.inject(.rateLimited(seconds: 50), at: "/poll")
    server.org.advance(by: 4)
    next = try await require(process.poll(page).page)
    expectEqual(next.screen.wait?.interval, .seconds(50))
    server.org.advance(by: 49)
    _ = try await process.poll(next)
    expectEqual(server.requests, sent + 2)
    await server.org.approvePush(for: login)
    server.org.advance(by: 1)
    try await expect(process.poll(next).tokens != nil)
  }

  @Test(
    "A confirmation is on one page only, which can be loaded again; an approved push is confirmed too"
  )
  func confirmation() async throws {
    let server = Server(OrgScenario["email"])
    let process = server.process()
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
    let pushing = push.process()
    page = try await push.pushPage(of: pushing)
    await push.org.approvePush(for: login)
    push.org.advance(by: 4)
    page = try await require(pushing.poll(page).page)
    expectEqual(page.screen.step?.remediation.name, .selectAuthenticatorEnroll)
    expectEqual(page.confirmation, Words.english["done.approved"])
  }

  @Test(
    "A handler that decides to poll sends no polls, because no page waits for them",
    arguments: [(300, FlowError.Code.inputNeeded), (1, .limitReached)])
  func pollWithoutPage(seconds: Int, code: FlowError.Code) async throws {
    var handlers = Handlers.showing()
    handlers.on(.challengePoll) { _ in .poll() }
    let server = Server(OrgScenario["push"])
    var limits = FlowLimits()
    limits.polling = .seconds(seconds)
    let process = server.process(limits, handlers: handlers)
    let page = try await process.answer(server.passwordPage(), "credentials.passcode", password)
    try await expectEqual(
      requireError(FlowError.self) {
        try await process.answer(page, "authenticator.methodType", "push")
      }.code, code)
    expectEqual(server.requests(to: "/poll"), 0)
  }

  @Test("A changed screen of a push polls like the built-in one")
  func changedWaitingScreen() async throws {
    var handlers = Handlers.showing()
    handlers.on(.challengePoll) { step in
      let decision = try await step.builtInDecision()
      guard case .ask(var screen, _) = decision else { return decision }
      screen.title = "Look at your phone"
      return .ask(screen)
    }
    let server = Server(OrgScenario["push"])
    let process = server.process(handlers: handlers)
    let page = try await server.pushPage(of: process)
    expect(page.screen.title == "Look at your phone" && page.screen.wait != nil)
    await server.org.approvePush(for: login)
    server.org.advance(by: 4)
    try await expect(process.poll(page).tokens != nil)
  }

  @Test(
    "A handler that declines is asked once, and the built-in one next; a reply that it declines is refused"
  )
  func declined() async throws {
    let count = Locked(0)
    var handlers = Handlers.showing()
    handlers.on(.identify) { _ in
      _ = count.increment()
      return .decline
    }
    let server = Server(.passwordOnly)
    let page = try await require(server.process(handlers: handlers).start().page)
    expectEqual(page.screen.inputs.map(\.id), ["identifier"])
    expectEqual(count.withLock { $0 }, 1)
    handlers.frontEnd = ScriptedFrontEnd([.cancel("identifier")])
    let coordinator = FlowCoordinator(client: IDXClient(transport: server.org), handlers: handlers)
    // The built-in screen is shown.
    try await expect(coordinator.run(server.org.configuration).isCancelled)
    expectEqual(count.withLock { $0 }, 2)

    handlers = Handlers.showing()
    handlers.on(.identify) { step in
      guard case .ask(let screen, _) = try await step.builtInDecision() else { return .decline }
      return .ask(screen) { _ in .decline }
    }
    let process = server.process(handlers: handlers)
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
      let failing = server.process(
        through: FailingTransport(transport: server.org, path: "/token"))
      await #expect(throws: CancellationError.self) {
        try await failing.reply(passwordReply, to: first)
      }
      let process = server.process()
      let sent = server.requests
      let page = try await require(process.page(of: first.id).page)
      expect(page.revision > first.revision && page.screen.inputs.isEmpty)
      expectEqual(page.screen.title, Words.english["interrupted.title"])
      // Loading a page sends nothing.
      expectEqual(server.requests, sent)
      let result = try await process.reply(reply, to: page)
      switch (reply, result) {
      case (.submit, .signedIn), (.cancel, .cancelled):
        // What has ended is soon removed.
        server.org.advance(by: 61)
        await expectEqual(server.store.load(page.id), nil)
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
    let process = server.process()
    var page = try await server.pushPage(of: process)
    await server.org.approvePush(for: login)
    server.org.advance(by: 4)
    page = try await require(
      process.poll(page.id, revision: page.revision, fetchesTokens: false).page)
    expectEqual(page.screen.title, Words.english["interrupted.title"])
    expectEqual(server.requests(to: "/token"), 0)
    try await expect(process.reply(.submit([:]), to: page).tokens != nil)
  }

  @Test("If a poll is cancelled, such as by a browser that goes away, the next one asks again")
  func cancelledPoll() async throws {
    let server = Server(OrgScenario["push"])
    let process = server.process()
    let page = try await server.pushPage(of: process)
    server.org.advance(by: 4)
    let failing = server.process(through: FailingTransport())
    await #expect(throws: CancellationError.self) { try await failing.poll(page) }
    let sent = server.requests
    _ = try await process.poll(page)
    expectEqual(server.requests, sent + 1)
  }

  @Test("When the time for polls is over, the page offers something else")
  func overdue() async throws {
    let server = Server(OrgScenario["push"])
    var limits = FlowLimits()
    limits.polling = .seconds(7)
    let process = server.process(limits)
    var page = try await server.pushPage(of: process)
    let waiting = page
    for _ in 0..<4 where page.screen.wait != nil {
      server.org.advance(by: 4)
      page = try await require(process.poll(page).page)
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
    // It can only load and claim the sign-in.
    let dead = server.process(
      store: UnsteadyStore(store: server.store, failing: 3..<Int.max), through: FailingTransport())
    _ = try? await dead.reply(passwordReply, to: first)
    let told = try await server.process().answer(first, "credentials.passcode", password)
    expectEqual(told.screen.messages.map(\.text), [Words.english["open-sign-in.busy"]])
    server.org.advance(by: 121)
    try await expect(server.process().reply(passwordReply, to: first).tokens != nil)
  }

  @Test(
    "Until a request that takes too long is given up, no other is sent; after that, the sign-in goes on",
    .promise("one-request"))
  func claimOutlastsRequest() async throws {
    let server = Server(.passwordOnly)
    let first = try await server.passwordPage()
    let other = server.process()
    let told = Locked<[OpenSignInPage]>([])
    let slow = server.process(limit: {
      await server.org.waitUntilHeld()
      server.org.advance(by: 1)
      let page = try await other.answer(first, "credentials.passcode", "Other-1843")
      told.withLock { $0.append(page) }
    })
    await server.org.inject(.held, at: "/challenge/answer")
    await #expect(throws: CancellationError.self) { try await slow.reply(passwordReply, to: first) }
    let pages = told.withLock { $0 }
    // One each second, to the last one.
    expectEqual(pages.map(\.revision), Array(repeating: first.revision, count: 90))
    let busy = try require(Words.english["open-sign-in.busy"])
    expectEqual(pages.flatMap(\.screen.messages).map(\.text), pages.map { _ in busy })
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
    let process = server.process(store: store)
    var page = try await require(persist { try await process.start() }.page)
    page = try await persist { [page] in try await process.answer(page, "identifier", login) }
    let result = try await persist { [page] in try await process.reply(passwordReply, to: page) }
    let tokens = try require(result.tokens)
    expectEqual(server.requests(to: "/challenge/answer"), 1)
    await expect(store.hasFailed)
    // The second click after a double click gets it too.
    try await expectEqual(process.reply(passwordReply, to: page).tokens, tokens)
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
        try await refuses(id, server)
      }
    }
    try await refuses(String(repeating: "B", count: 43), server)
    // Something else that the server keeps in the same store.
    _ = await server.store.replace(nil, by: stored, for: "account:1", lifetime: .seconds(60))
    try await refuses("account:1", server)
  }

  private func refuses(_ id: String, _ server: Server) async throws {
    try await expectEqual(
      requireError(FlowError.self) { try await server.process().page(of: id) }.code,
      .unreadableState)
  }

  @Test("The memory store replaces only what is expected, and forgets what is old")
  func memoryStore() async {
    let time = Locked(Date())
    let store = MemoryOpenSignInStore(now: { time.withLock { $0 } })
    let (a, b) = (Data("a".utf8), Data("b".utf8))
    await expect(store.replace(nil, by: a, for: "1", lifetime: .seconds(10)))
    await expect(!store.replace(nil, by: b, for: "1", lifetime: .seconds(10)))
    await expect(!store.replace(b, by: a, for: "1", lifetime: .seconds(10)))
    await expect(store.replace(a, by: b, for: "1", lifetime: .seconds(10)))
    await expectEqual(store.load("1"), b)
    time.withLock { $0 += 11 }
    await expectEqual(store.load("1"), nil)
    await expect(store.replace(nil, by: a, for: "1", lifetime: .seconds(10)))
    await expect(store.replace(a, by: nil, for: "1", lifetime: .seconds(10)))
    await expectEqual(store.load("1"), nil)

    let full = MemoryOpenSignInStore(maximumCount: 10, now: { time.withLock { $0 } })
    for number in 0...10 {
      _ = await full.replace(
        nil, by: Data([UInt8(number)]), for: "\(number)", lifetime: .seconds(3600))
      time.withLock { $0 += 1 }
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
  let store: MemoryOpenSignInStore
  private let counted = Locked<[String]>([])
  /// The same in each run: with random numbers, one of 4096 other replies fits the mark.
  private let random = RandomBytes.seeded(1)

  init(_ policy: SignInPolicy) {
    self.init(SimulatedOrg(users: [.demo], policy: policy, seed: 3, clock: { TestSignIn.now }))
  }

  init(_ scenario: OrgScenario) {
    self.init(SimulatedOrg(scenario, seed: 3, clock: { TestSignIn.now }))
  }

  private init(_ org: SimulatedOrg) {
    self.org = org
    store = MemoryOpenSignInStore(now: { org.now })
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
  ) -> OpenSignIns {
    let org = org
    let counting = CountingTransport(transport: transport ?? org, counted: counted)
    return OpenSignIns(
      client: IDXClient(
        transport: counting, tokens: TokenClient(transport: counting, now: { org.now })),
      configuration: org.configuration, handlers: handlers,
      store: store ?? self.store, limits: limits, keep: keep, random: random,
      now: { org.now }, sleep: { try await $0 < .seconds(1) ? pause() : limit() })
  }

  /// The page that asks for the password.
  func passwordPage() async throws -> OpenSignInPage {
    let page = try await require(process().start().page)
    return try await process().answer(page, "identifier", SimulatedUser.demo.login)
  }

  /// The page that waits for a push.
  func pushPage(of process: OpenSignIns) async throws -> OpenSignInPage {
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
  fileprivate func reply(
    _ reply: Reply, to page: OpenSignInPage
  ) async throws -> OpenSignInResult {
    try await self.reply(reply, to: page.id, revision: page.revision)
  }

  fileprivate func answer(
    _ page: OpenSignInPage, _ id: Screen.Input.ID, _ value: String
  ) async throws -> OpenSignInPage {
    try await require(reply(.submit([id: Secret(value)]), to: page).page)
  }

  fileprivate func choose(
    _ page: OpenSignInPage, _ option: Screen.Option.ID
  ) async throws -> OpenSignInPage {
    try await require(reply(.choose(option), to: page).page)
  }

  fileprivate func poll(_ page: OpenSignInPage) async throws -> OpenSignInResult {
    try await poll(page.id, revision: page.revision)
  }
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

/// Cancels requests: all of them, or those to a path.
private struct FailingTransport: Transport {
  var transport: (any Transport)?
  var path = ""

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard let transport, !request.url.path.hasSuffix(path) else { throw CancellationError() }
    return try await transport.send(request)
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
