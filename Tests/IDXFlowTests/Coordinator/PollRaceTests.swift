import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
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

  /// A handler that chooses the first option at some time, while the authenticator is polled.
  private struct ChoosingHandler: StepHandler {
    let until: @Sendable () async -> Void
    func decide(_ step: Step) async throws -> Decision {
      await until()
      return .submit(["size": .option(0)])
    }
    func poll(for step: Step) -> Remediation? { step.authenticator?[.poll] }
  }

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
    handlers.register(ChoosingHandler { for await _ in polled { return } }, for: "pick")
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
    let poll = Wire.form("poll", [], [("refresh", 4000)])
    let email: JSONValue = ["key": "okta_email", "id": "autEMAIL000000000001", "poll": poll]
    let challenge = Wire.document(
      [Wire.form("challenge-authenticator", [["name": "code", "required": true]])],
      [("currentAuthenticatorEnrollment", ["type": "object", "value": email])])
    let failed = Locked(0)
    let transport = RequestLog(
      StubServer(document: challenge) { request in
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
}
