import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import SignInSupport
import Testing

@Suite("Polling", .timeLimit(.minutes(10)))
struct PollTests {
  private static let form = Wire.form(
    "challenge-poll", [["name": "autoChallenge", "type": "boolean", "value": true]],
    [("refresh", 2000)])

  /// A document with a push that is polled.
  static func push(
    handle: String = "first", href: String? = nil, refresh: Int = 2000, messages: JSONValue? = nil
  ) -> JSONValue {
    let field: JSONValue = ["name": "stateHandle", "value": .string(handle), "mutable": false]
    let refresh = JSONValue.number(JSONValue.Number(refresh))
    return Wire.document(
      [Wire.form("challenge-poll", href: href, [field], [("refresh", refresh)])],
      [("cancel", Wire.form("cancel", [field]))] + (messages.map { [("messages", $0)] } ?? []))
  }

  /// Handlers that poll for the link in an email instead of asking for the code.
  private var emailHandlers: Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .text(TestSignIn.login)]) }
    handlers.on(.challengeAuthenticator) { _ in
      .submit(["credentials.passcode": .text(TestSignIn.password)])
    }
    handlers.on(.selectAuthenticatorEnroll) { _ in
      .submit(["authenticator": .authenticator(.email)])
    }
    handlers.on(.enrollAuthenticator) { step in .poll(step.authenticator?[.poll]) }
    return handlers
  }

  /// Runs the email handlers, and follows the link in the email before a poll.
  private func run(
    _ test: TestSignIn, followingLinkAfter count: Int, log: EventLog = EventLog()
  ) async throws -> (outcome: Outcome, waits: [Duration]) {
    let waits = Waits { [org = test.org] number in
      if number == count, let mail = await org.mailbox.messages.last {
        await org.followLink(in: mail)
      }
    }
    let coordinator = FlowCoordinator(
      client: test.client, handlers: emailHandlers, sleep: { await waits.add($0) },
      observe: { await log.add($0) })
    return (try await coordinator.run(test.configuration), await waits.all)
  }

  // MARK: Intervals

  @Test("The server's interval is used until the link is followed")
  func interval() async throws {
    let test = try TestSignIn(.required(.email))
    let log = EventLog()
    let (outcome, waits) = try await run(test, followingLinkAfter: 3, log: log)
    expect(outcome.signIn != nil)
    expectEqual(waits, [.seconds(4), .seconds(4), .seconds(4)])
    await expectEqual(test.transport.count(of: "poll"), 3)
    await expectEqual(log.count(of: "waiting 4 s for poll"), 3)
    // What the person did elsewhere is observed like what they entered.
    await expectEqual(log.count(of: "accepted enroll-authenticator"), 1)
  }

  @Test(
    "The interval is kept between 0.5 and 60 seconds", .promise("step-limits"),
    arguments: [
      (nil, Duration.seconds(4)), (0, .milliseconds(500)), (-4000, .milliseconds(500)),
      (500, .milliseconds(500)), (2500, .milliseconds(2500)), (3_600_000, .seconds(60)),
    ] as [(Int?, Duration)])
  func limitedInterval(refresh: Int?, expected: Duration) async throws {
    let more = refresh.map { [("refresh", JSONValue.number(JSONValue.Number($0)))] } ?? []
    let server = StubServer(document: Wire.document([Wire.form("challenge-poll", [], more)]))
    let person = ScriptedFrontEnd([])
    let waits = Waits()
    let outcome = try await server.run(.showing(on: person), sleep: { await waits.add($0) })
    expect(outcome.end != nil)
    await expectEqual(waits.all, [expected])
    await expectEqual(person.steps, ["challenge-poll"])
  }

  @Test("Each poll uses the interval and the address of the last response")
  func newestForm() async throws {
    let address = Wire.origin + "/idp/idx/elsewhere"
    let transport = RequestLog(
      StubServer([
        Self.push(), Self.push(refresh: 7000),
        Self.push(handle: "second", href: address, refresh: 500),
      ]))
    let waits = Waits()
    let outcome = try await transport.run(
      .showing(on: ScriptedFrontEnd([])), sleep: { await waits.add($0) })
    expect(outcome.end != nil)
    await expectEqual(waits.all, [.seconds(2), .seconds(7), .milliseconds(500)])
    await expectEqual(transport.steps.suffix(3), ["challenge-poll", "challenge-poll", "elsewhere"])
    await expectEqual(transport.requests.last?.json?["stateHandle"], "second")
  }

  @Test("A poll is not sent before the last one was answered, nor after its step")
  func oneAtATime() async throws {
    let count = 1000
    let sent = Locked(0)
    let running = Locked(0)
    let most = Locked(0)
    let server = StubServer(document: Self.push()) { request in
      let now = running.increment()
      most.withLock { $0 = max($0, now) }
      await Task.yield()
      running.withLock { $0 -= 1 }
      return .json(sent.increment() < count ? Self.push() : Wire.document([]))
    }
    var limits = FlowLimits()
    limits.polling = .seconds(1_000_000)
    limits.totalPolling = .seconds(1_000_000)
    let outcome = try await server.run(.showing(on: ScriptedFrontEnd([])), limits: limits)
    expect(outcome.end != nil)
    expectEqual(sent.withLock { $0 }, count)
    expectEqual(most.withLock { $0 }, 1)
  }

  @Test("Every reply to a poll is observed, also one that repeats an earlier message")
  func observed() async throws {
    func push(_ key: String?) -> JSONValue {
      Self.push(messages: key.map { Wire.messages($0, kind: "INFO") })
    }
    let keys = Locked<[[String]]>([])
    _ = try await StubServer([push("a"), push(nil), push("a")]).run(
      .showing(on: ScriptedFrontEnd([])),
      observe: { event in
        guard case .received(let state) = event else { return }
        keys.withLock { $0.append(state.response.allMessages.compactMap { $0.key?.rawValue }) }
      })
    expectEqual(keys.withLock { $0 }, [["a"], [], ["a"], []])
  }

  // MARK: Limits

  @Test(
    "Polling ends at the limit for a step, at that for the whole sign-in, and when the sign-in expires",
    .promise("step-limits"))
  func limit() async throws {
    let test = try TestSignIn(.required(.email))
    var limits = FlowLimits()
    limits.polling = .seconds(60)
    let error = try await requireError(FlowError.self) {
      try await test.coordinator(emailHandlers, limits: limits).run(test.configuration)
    }
    expectEqual(error.code, .limitReached)
    expectContains(error.message, "within 1 min.")
    await expectEqual(test.transport.count(of: "poll"), 15)

    let expiring = try TestSignIn(.required(.email))
    limits = FlowLimits()
    limits.polling = .seconds(600)
    let outcome = try await expiring.coordinator(emailHandlers, limits: limits)
      .run(expiring.configuration)
    expectEqual(outcome.end?.response.says(.sessionExpired), true)

    let polls = Locked(0)
    let server = StubServer(document: Wire.document([Self.form])) { _ in
      let name = polls.increment().isMultiple(of: 2) ? "enroll-poll" : "challenge-poll"
      return .json(Wire.document([Wire.form(name, [], [("refresh", 30_000)])]))
    }
    let longer = try await requireError(FlowError.self) {
      try await server.run(.showing(on: ScriptedFrontEnd([])))
    }
    expectEqual(longer.code, .limitReached)
    expectContains(longer.message, "within 30 min.")
  }

  @Test(
    "A handler that submits a form that is polled waits each time and reaches the limit on steps")
  func submittedPolls() async throws {
    let waits = Waits()
    var handlers = Handlers()
    handlers.on("challenge-poll") { _ in .submit([:]) }
    var limits = FlowLimits()
    limits.steps = 20
    let server = StubServer(document: Wire.document([Self.form])) { _ in
      .json(Wire.document([Self.form]))
    }
    let error = try await requireError(FlowError.self) {
      try await server.run(handlers, limits: limits, sleep: { await waits.add($0) })
    }
    expectEqual(error.code, .limitReached)
    await expectEqual(waits.all.count, 20)

    // Answers wait too.
    let pause = Waits()
    handlers = Handlers()
    handlers.on("challenge-poll") { _ in .submit(["code": "123456"]) }
    let form = Wire.form("challenge-poll", [["name": "code"]], [("refresh", 2000)])
    let other = StubServer(document: Wire.document([form])) { _ in .json(Wire.document([])) }
    try await expect(other.run(handlers, sleep: { await pause.add($0) }).end != nil)
    await expectEqual(pause.all, [.seconds(2)])
  }

  // MARK: Errors

  @Test(
    "Failed polls do not end the sign-in within 30 s, and end it with their error after that",
    arguments: [1, 3, 8, 9])
  func failedPolls(count: Int) async throws {
    let test = try TestSignIn(.required(.email))
    for _ in 0..<count { await test.org.inject(.unreachable, at: "poll") }
    if count < 9 {
      try await expect(run(test, followingLinkAfter: count).outcome.signIn != nil)
      await expectEqual(test.transport.count(of: "poll"), count + 1)
    } else {
      let error = try await requireError(FlowError.self) {
        try await run(test, followingLinkAfter: count + 1)
      }
      expectEqual(error.code, .network)
      await expectEqual(test.transport.count(of: "poll"), count)
    }
  }

  @Test("If the reply to a poll is lost, the server is asked for the current state")
  func lostResponse() async throws {
    let test = try TestSignIn(.required(.email))
    await test.org.inject(.responseLost, at: "poll")
    try await expect(run(test, followingLinkAfter: 1).outcome.signIn != nil)
    await expectEqual(test.transport.count(of: "poll"), 1)
    await expectEqual(test.transport.count(of: "introspect"), 2)
  }

  @Test(
    "If the server is too busy for a poll, the poll is repeated when the server allows it",
    arguments: [
      (TransportResponse.json([:], status: 503), Duration.seconds(2)),
      (.json([:], status: 429), .seconds(60)),
      (.json([:], status: 429, headers: ["Retry-After": "5"]), .seconds(5)),
      (.json([:], status: 503, headers: ["Retry-After": "7"]), .seconds(7)),
      (TransportResponse(status: 200, body: Array("<html>".utf8)), .seconds(2)),
      (TransportResponse(status: 302, headers: ["Location": "https://wifi.example"]), .seconds(2)),
      (TransportResponse(status: 401, headers: ["WWW-Authenticate": "Basic"]), .seconds(2)),
      (.json([:], status: 429, headers: ["Retry-After": "120"]), .seconds(120)),
      (
        .json(
          Wire.document([], [("messages", Wire.messages("tooManyRequests"))]), status: 429),
        .seconds(60)
      ),
      (
        .json(Wire.document([], [("messages", Wire.messages("oie.tooManyRequests"))])),
        .seconds(60)
      ),
    ])
  func busyServer(reply: TransportResponse, pause: Duration) async throws {
    let replies = Locked([reply])
    let waits = Waits()
    let server = StubServer(document: Self.push()) { _ in
      replies.withLock { $0.popLast() } ?? .json(Wire.document([]))
    }
    let end = try await server.run(
      .showing(on: ScriptedFrontEnd([])), sleep: { await waits.add($0) }
    ).end
    expectEqual(end?.response.allMessages.isEmpty, true)
    await expectEqual(waits.all, [.seconds(2), pause])
  }

  @Test("Cancelling the task during a wait tells the server")
  func cancelled() async throws {
    let test = try TestSignIn(.required(.email))
    let coordinator = FlowCoordinator(
      client: test.client, handlers: emailHandlers,
      sleep: { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
      })
    let task = Task { try await coordinator.run(test.configuration) }
    await #expect(throws: CancellationError.self) { try await task.value }
    await expectEqual(test.transport.steps.last, "cancel")
    await expectEqual(test.transport.count(of: "poll"), 0)
  }

  // MARK: Scripts

  private func script(_ entries: [JSONValue]) throws -> ScriptHandler {
    ScriptHandler(try Script(parsing: JSONValue.array(entries).bytes))
  }

  @Test(
    "A poll in a script is sent with its answers, and repeated if it fails, but not for more than 30 s"
  )
  func failedScriptedPoll() async throws {
    let waits = Waits()
    let replies = Locked([TransportResponse.json([:], status: 500)])
    let transport = RequestLog(
      StubServer(document: Wire.document([Self.form])) { _ in
        replies.withLock { $0.popLast() } ?? .json(Wire.document([]))
      })
    let handler = try script([
      ["step": "challenge-poll", "fields": ["autoChallenge": false]], ["step": "skip"],
    ])
    _ = try await transport.run(handler.handlers, sleep: { await waits.add($0) })
    await expectEqual(handler.remaining, 1)
    let polls = await transport.requests.filter { $0.url.lastPathComponent == "challenge-poll" }
    expectEqual(polls.map { $0.json?["autoChallenge"] }, [false, false])
    await expectEqual(waits.all, [.seconds(2), .seconds(2)])

    for status in [429, 500] {
      let entry: JSONValue = ["step": "challenge-poll"]
      let server = StubServer(document: Wire.document([Self.form])) { _ in
        .json([:], status: status)
      }
      let error = try await requireError(FlowError.self) {
        try await server.run(try script([entry, entry]).handlers)
      }
      expectEqual(error.code, (status == 429 ? .rateLimited : .answerUnconfirmed))
    }
  }
}

/// Records the waits of a coordinator, and runs an action after each.
actor Waits {
  private(set) var all: [Duration] = []
  private let action: @Sendable (Int) async -> Void

  init(_ action: @escaping @Sendable (Int) async -> Void = { _ in }) { self.action = action }

  func add(_ wait: Duration) async {
    all.append(wait)
    await action(all.count)
  }
}
