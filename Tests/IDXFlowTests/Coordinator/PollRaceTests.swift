import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXTesting
import SignInSupport
import Testing

@testable import IDXFlow

@Suite("Polls while a handler runs", .timeLimit(.minutes(10)))
struct PollRaceTests {
  @Test(
    "A cancel wins over a poll that brings news, and is sent with the handle of the last poll"
  )
  func cancelDuringNews() async throws {
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let server = StubServer(document: PollTests.push()) { _ in
      polls.yield()
      while !Task.isCancelled { await Task.yield() }
      return .json(Wire.document([]))
    }
    let person = ClosureFrontEnd(waiting: {
      for await _ in polled { break }
      throw CancellationError()
    })
    await #expect(throws: CancellationError.self) { try await server.run(.showing(on: person)) }

    let (passed, passes) = AsyncStream<Void>.makeStream()
    let waits = Locked(0)
    let transport = RequestLog(
      StubServer(document: PollTests.push()) { _ in .json(PollTests.push(handle: "second")) })
    let second = ClosureFrontEnd(waiting: {
      for await _ in passed { break }
      throw CancellationError()
    })
    await #expect(throws: CancellationError.self) {
      try await transport.run(
        .showing(on: second),
        sleep: { _ in
          guard waits.increment() > 1 else { return }
          passes.yield()
          while true {
            try Task.checkCancellation()
            await Task.yield()
          }
        })
    }
    await expectEqual(transport.requests.last?.url.lastPathComponent, "cancel")
    await expectEqual(transport.requests.last?.json?["stateHandle"], "second")
  }

  /// A handler that decides after some time, while the authenticator is polled.
  private struct SlowHandler: StepHandler {
    let polled: AsyncStream<Void>
    let decision: @Sendable (Step) -> Decision

    func decide(_ step: Step) async throws -> Decision {
      for await _ in polled { break }
      return decision(step)
    }
    func poll(for step: Step) -> Remediation? { step.authenticator?[.poll] }
  }

  /// A step that takes a code, while its authenticator is polled.
  private static let challenge = Wire.document(
    [Wire.form("challenge-authenticator", [["name": "code", "required": true]])],
    [
      Wire.current([
        "key": "okta_email", "id": "aut1",
        "poll": Wire.form("poll", [], [("refresh", 4000)]),
      ])
    ])

  @Test("An option chosen by position keeps its meaning if a poll changes the order")
  func changedOrder() async throws {
    @Sendable func document(_ sizes: String...) -> JSONValue {
      let options = sizes.map { ["label": .string($0), "value": .string($0)] as JSONValue }
      let poll = Wire.form("poll", [], [("refresh", 2000)])
      return Wire.document(
        [Wire.form("pick", [["name": "size", "options": .array(options)]])],
        [Wire.current(["key": "okta_email", "id": "aut1", "poll": poll])])
    }
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let transport = RequestLog(
      StubServer(document: document("S", "L")) { request in
        guard request.url.lastPathComponent == "poll" else { return .json(Wire.document([])) }
        return .json(document("L", "S"))
      })
    let waits = Locked(0)
    var handlers = Handlers()
    let handler = SlowHandler(polled: polled) { _ in .submit(["size": .option(0)]) }
    handlers.register(handler, for: "pick")
    _ = try await transport.run(
      handlers, sleep: { _ in if waits.increment() > 1 { polls.yield() } })
    let request = await transport.requests.last { $0.url.lastPathComponent == "pick" }
    expectEqual(request?.json, ["size": "S"])
  }

  @Test("A handler that always wants to poll is still asked when the time is over")
  func overdue() async throws {
    struct PollingHandler: StepHandler {
      func decide(_ step: Step) async throws -> Decision {
        while !step.isOverdue {
          try Task.checkCancellation()
          await Task.yield()
        }
        return .cancel
      }
      func poll(for step: Step) -> Remediation? { step.remediation }
    }
    var limits = FlowLimits()
    limits.polling = .seconds(5)
    var handlers = Handlers()
    handlers.fallback = PollingHandler()
    let server = StubServer(document: PollTests.push()) { _ in .json(PollTests.push()) }
    try await expect(server.run(handlers, limits: limits).isCancelled)
  }

  @Test("Failed polls do not disturb a person who types a code")
  func failedPolls() async throws {
    let failed = Locked(0)
    let transport = RequestLog(
      StubServer(document: Self.challenge) { request in
        guard request.url.lastPathComponent == "poll" else { return .json(Wire.document([])) }
        _ = failed.increment()
        throw TransportError(.unreachable, message: "No.", mayHaveArrived: false)
      })
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let person = ClosureFrontEnd(asking: {
      for await _ in polled { return .submit(["code": "123456"]) }
      return .cancel
    })
    let outcome = try await transport.run(
      .showing(on: person), sleep: { _ in if failed.withLock({ $0 }) >= 2 { polls.yield() } })
    expect(outcome.end != nil)
    await expectEqual(transport.requests.last?.json, ["code": "123456"])
  }

  @Test("A handler that takes its time is polled beside, and what it asks after that is shown")
  func slowThenAsks() async throws {
    let transport = RequestLog(
      StubServer(document: Self.challenge) { request in
        let isPoll = request.url.lastPathComponent == "poll"
        return .json(isPoll ? Self.challenge : Wire.document([]))
      })
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let waits = Locked(0)
    let person = ScriptedFrontEnd([.answer("code", "123456")])
    var handlers = Handlers()
    handlers.frontEnd = person
    let handler = SlowHandler(polled: polled) { step in
      var screen = Screen(step)
      screen.title = "Ready"
      return .ask(screen)
    }
    handlers.register(handler, for: .challengeAuthenticator)
    _ = try await transport.run(
      handlers, sleep: { _ in if waits.increment() > 1 { polls.yield() } })
    await expectEqual(person.screens.map(\.title), ["Ready"])
    await expect(transport.count(of: "poll") >= 1)
    await expectEqual(transport.requests.last?.json, ["code": "123456"])
  }

  @Test("A reply that cannot be used does not put off the next poll")
  func refusedReplies() async throws {
    let clock = Locked(ContinuousClock.now)
    let waits = Locked<[Duration]>([])
    let shown = Locked(0)
    // Replies with nothing, one second apart.
    let person = ClosureFrontEnd(asking: {
      let count = shown.increment()
      if count > 20 { return .cancel }
      while waits.withLock({ $0.count }) < count { await Task.yield() }
      clock.withLock { $0 += Duration.seconds(1) }
      return .submit([:])
    })
    let coordinator = FlowCoordinator(
      client: StubServer(document: Self.challenge) { _ in .json(Self.challenge) }.client,
      handlers: .showing(on: person),
      sleep: { time in
        if time > .zero { while !Task.isCancelled { await Task.yield() } }
        try Task.checkCancellation()
      },
      now: { clock.withLock { $0 } },
      observe: { event in
        if case .waiting(_, let wait) = event { waits.withLock { $0.append(wait) } }
      })
    try await expect(coordinator.run(Wire.configuration(scopes: ["profile"])).isCancelled)
    let all = waits.withLock { $0 }
    expect(all.contains { $0 < .seconds(4) }, "\(all)")
  }
}
