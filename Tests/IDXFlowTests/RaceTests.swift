import IDXOAuth
import IDXBase
import Foundation
import IDX
import IDXTesting
import Testing

@testable import IDXFlow

@Suite("Polls beside a handler at work", .timeLimit(.minutes(5)))
struct RaceTests {
  /// Throws what it is told when it is time, wherever something is waited for.
  private struct Leaver: Prompter {
    let until: @Sendable () async -> Void
    func show(_ notice: Notice) {}
    func ask(_ question: Question) -> Reply { .cancel }
    func choose(_ forms: [Remediation], at step: Step) -> Reply { .cancel }
    func wait(at step: Step) async throws -> Reply {
      await until()
      throw CancellationError()
    }
  }

  private static func push(
    handle: String = "first", href: String? = nil, messages: JSONValue? = nil
  ) -> JSONValue {
    let field: JSONValue = ["name": "stateHandle", "value": .string(handle), "mutable": false]
    return Wire.document(
      [Wire.form("challenge-poll", href: href, [field], [("refresh", 2000)])],
      [("cancel", Wire.form("cancel", [field]))] + (messages.map { [("messages", $0)] } ?? []))
  }

  @Test("Who gives up while a poll brings news has given up")
  func givingUp() async throws {
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let server = StubServer(document: Self.push()) { _ in
      polls.yield()
      while !Task.isCancelled { await Task.yield() }
      return .json(Wire.document([]))
    }
    let person = Leaver { for await _ in polled { return } }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: .asking(person), sleep: { _ in })
    await #expect(throws: CancellationError.self) {
      try await coordinator.run(Wire.configuration())
    }
  }

  /// Picks the first option when it is time, while the poll of the authenticator goes on.
  private struct Picker: StepHandler {
    let until: @Sendable () async -> Void
    func decide(_ step: Step) async throws -> Decision {
      await until()
      return .submit(["size": .option(0)])
    }
    func poll(for step: Step) -> Remediation? { step.authenticator?[.poll] }
  }

  @Test("What was picked by its place stays what it was when a poll brings another order")
  func order() async throws {
    @Sendable func document(_ sizes: String...) -> JSONValue {
      let options = sizes.map { ["label": .string($0), "value": .string($0)] as JSONValue }
      let poll = Wire.form("poll", [], [("refresh", 2000)])
      return Wire.document(
        [Wire.form("pick", [["name": "size", "options": .array(options)]])],
        [
          (
            "currentAuthenticator",
            ["type": "object", "value": ["key": "okta_email", "id": "aut1", "poll": poll]]
          )
        ])
    }
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let line = RecordingTransport(
      StubServer(document: document("S", "L")) { request in
        guard request.url.lastPathComponent == "poll" else { return .json(Wire.document([])) }
        return .json(document("L", "S"))
      })
    let waits = Shared(0)
    var handlers = Handlers()
    handlers.register(Picker { for await _ in polled { return } }, for: "pick")
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: handlers,
      sleep: { _ in
        let isSecond = waits.withLock { count in
          count += 1
          return count > 1
        }
        if isSecond { polls.yield() }
      })
    _ = try await coordinator.run(Wire.configuration())
    #expect(await line.requests.last { $0.url.lastPathComponent == "pick" }?.json == ["size": "S"])
  }

  @Test("Who gives up after polls says so with the handle of the last one")
  func cancelTimeout() async throws {
    let (passed, passes) = AsyncStream<Void>.makeStream()
    let waits = Shared(0)
    let line = RecordingTransport(
      StubServer(document: Self.push()) { _ in .json(Self.push(handle: "second")) })
    let person = Leaver { for await _ in passed { return } }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: .asking(person),
      sleep: { _ in
        let count = waits.withLock { count in
          count += 1
          return count
        }
        guard count > 1 else { return }
        passes.yield()
        while true {
          try Task.checkCancellation()
          await Task.yield()
        }
      })
    await #expect(throws: CancellationError.self) {
      try await coordinator.run(Wire.configuration())
    }
    #expect(await line.requests.last?.url.lastPathComponent == "cancel")
    #expect(await line.requests.last?.json?["stateHandle"] == "second")
  }

  @Test("Each poll goes to where the response before it says")
  func movedPoll() async throws {
    let other = Wire.origin + "/idp/idx/elsewhere"
    let line = RecordingTransport(
      StubServer(document: Self.push()) { request in
        request.url.lastPathComponent == "elsewhere"
          ? .json(Wire.document([])) : .json(Self.push(handle: "second", href: other))
      })
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: .asking(ScriptedPrompter([])),
      sleep: { _ in })
    #expect(try await coordinator.run(Wire.configuration()).end != nil)
    #expect(await line.steps.suffix(2) == ["challenge-poll", "elsewhere"])
    #expect(await line.requests.last?.json?["stateHandle"] == "second")
  }

  @Test("A handler that always names a poll is asked all the same once the time is over")
  func overdue() async throws {
    struct Stubborn: StepHandler {
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
    handlers.fallback = Stubborn()
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: StubServer(document: Self.push()) { _ in .json(Self.push()) }),
      handlers: handlers, limits: limits, sleep: { _ in })
    #expect(try await coordinator.run(Wire.configuration()).isCancelled)
  }

  @Test(
    "A poll that the server is too busy for is sent again, when the server says",
    arguments: [
      (TransportResponse.json([:], status: 503), Duration.seconds(2)),
      (.json([:], status: 429), .seconds(60)),
      (.json([:], status: 429, headers: ["Retry-After": "5"]), .seconds(60)),
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
  func busy(reply: TransportResponse, pause: Duration) async throws {
    let replies = Shared([reply])
    let waits = Shared<[Duration]>([])
    let server = StubServer(document: Self.push()) { _ in
      replies.withLock { $0.popLast() } ?? .json(Wire.document([]))
    }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: .asking(ScriptedPrompter([])),
      sleep: { time in waits.withLock { $0.append(time) } })
    let end = try await coordinator.run(Wire.configuration()).end
    #expect(end?.response.allMessages.isEmpty == true)
    #expect(waits.withLock { $0 } == [.seconds(2), pause])
  }

  @Test("Every reply to a poll is heard of, also one that says again what was first said")
  func repeated() async throws {
    func saying(_ keys: String...) -> JSONValue {
      Self.push(messages: keys.first.map { Wire.messages($0, kind: "INFO") })
    }
    let replies = Shared([Wire.document([]), saying("a"), saying()])
    let heard = Shared<[[String]]>([])
    let coordinator = FlowCoordinator(
      client: IDXClient(
        transport: StubServer(document: saying("a")) { _ in
          .json(replies.withLock { $0.popLast() } ?? Wire.document([]))
        }),
      handlers: .asking(ScriptedPrompter([])), sleep: { _ in },
      observe: { event in
        guard case .received(let state) = event else { return }
        heard.withLock { $0.append(state.response.allMessages.compactMap { $0.key?.rawValue }) }
      })
    _ = try await coordinator.run(Wire.configuration())
    #expect(heard.withLock { $0 } == [["a"], [], ["a"], []])
  }

  @Test("What only looks different is no news to who is typing")
  func noNews() throws {
    func state(_ forms: [String], _ data: JSONValue, _ words: String) throws -> FlowState {
      let message: JSONValue = [
        "message": .string(words), "i18n": ["key": "resend.soon"], "class": "INFO",
      ]
      return try Wire.state(
        Wire.document(
          forms.map { Wire.form($0) },
          [
            ("messages", ["value": [message]]),
            ("currentAuthenticator", ["value": ["id": "a", "contextualData": data]]),
          ]))
    }
    let before = try state(["a", "b", "c"], ["x": 1, "y": ["z": 2, "w": 3]], "In 29 s.")
    let after = try state(["a", "c", "b"], ["y": ["w": 3, "z": 2], "x": 1], "In 25 s.")
    #expect(!after.isNews(after: before))
    #expect(try state(["b", "a", "c"], ["x": 1], "").isNews(after: before))
    #expect(
      try state(["a", "b", "c"], ["x": 2, "y": ["z": 2, "w": 3]], "").isNews(after: before))
  }
}
