import IDXOAuth
import IDXBase
import Foundation
import IDX
import IDXTesting
import Testing

@testable import IDXFlow

@Suite("Waiting for what a person does elsewhere")
struct WaitingTests {
  private static func push(
    _ number: String? = nil, refresh: Int = 2000, beside: JSONValue...
  ) -> JSONValue {
    let data: JSONValue = number.map { ["contextualData": ["correctAnswer": .string($0)]] } ?? [:]
    var app = data.object ?? JSONValue.Object()
    app["key"] = "okta_verify"
    app["id"] = "autOKTAVERIFY0000001"
    return Wire.document(
      [Wire.form("challenge-poll", [], [("refresh", .number(JSONValue.Number(refresh)))])] + beside,
      [("currentAuthenticator", ["type": "object", "value": .object(app)])])
  }

  private static let rejected = Wire.document(
    [Wire.form("resend"), Wire.form("select-authenticator-authenticate", [["name": "way"]])],
    [("messages", Wire.messages("api.authn.poll.error.push_rejected"))])

  /// Runs the built-in handlers against a server that answers polls and sends from a list, its last
  /// answer again and again.
  private func run(
    _ replies: [ScriptedReply], _ documents: [JSONValue], limits: FlowLimits = FlowLimits(),
    status: Int = 200
  ) async throws -> (Result<Outcome, any Error>, ScriptedPrompter, RecordingTransport, [Duration]) {
    let rest = Shared(documents.dropFirst())
    let line = RecordingTransport(
      StubServer(document: documents[0]) { _ in
        let next = rest.withLock { rest in rest.count > 1 ? rest.removeFirst() : rest.first }
        return .json(next ?? Wire.document([]), status: status)
      })
    let person = ScriptedPrompter(replies)
    let waits = Shared<[Duration]>([])
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: .asking(person), limits: limits,
      sleep: { wait in
        await person.untilIdle()
        try Task.checkCancellation()
        waits.withLock { $0.append(wait) }
      })
    let configuration = try Wire.configuration()
    let result: Result<Outcome, any Error>
    do { result = .success(try await coordinator.run(configuration)) } catch {
      result = .failure(error)
    }
    try await person.finish()
    return (result, person, line, waits.withLock { $0 })
  }

  @Test("Each poll keeps the pace of the response before it")
  func pace() async throws {
    let (_, _, line, waits) = try await run(
      [],
      [
        Self.push(refresh: 2000), Self.push(refresh: 7000), Self.push(refresh: 500),
        Wire.document([]),
      ])
    #expect(waits == [.seconds(2), .seconds(7), .milliseconds(500)])
    #expect(await line.count(of: "challenge-poll") == 3)
  }

  @Test("A push that was rejected is sent again only when the person wants it")
  func rejected() async throws {
    let (result, person, line, _) = try await run(
      [.instead("resend", .resend)],
      [Self.push(), Self.push(), Self.rejected, Self.push("17"), Wire.document([])])
    #expect(try result.get().end != nil)
    #expect(
      await line.steps.suffix(4) == [
        "challenge-poll", "challenge-poll", "resend", "challenge-poll",
      ])
    #expect(await person.messages == ["api.authn.poll.error.push_rejected"])
  }

  @Test("While something is waited for, the person may turn to something else")
  func instead() async throws {
    let other = Wire.form("select-authenticator-authenticate", [["name": "way", "required": true]])
    let (result, _, line, waits) = try await run(
      [.instead("challenge-poll", .selectAuthenticatorAuthenticate), .answer("way", "code")],
      [Self.push(beside: other), Wire.document([])])
    #expect(try result.get().end != nil)
    #expect(waits.isEmpty)
    #expect(await line.requests.last?.json == ["way": "code"])
  }

  @Test("The person may give up while something is waited for")
  func cancel() async throws {
    let (result, _, _, _) = try await run([.cancel("challenge-poll")], [Self.push()])
    #expect(try result.get().isCancelled)
  }

  @Test("Another number to pick is shown, and the same one is not shown again")
  func number() async throws {
    let (_, person, _, _) = try await run(
      [], [Self.push("17"), Self.push("17"), Self.push("42"), Wire.document([])])
    #expect(await person.waits.map(\.authenticator?.numberChallenge) == ["17", "42"])
  }

  @Test("When nothing happens in the time allowed, the person chooses what to do")
  func overdue() async throws {
    var limits = FlowLimits()
    limits.polling = .seconds(5)
    let other = Wire.form("select-authenticator-authenticate", [["name": "way", "required": true]])
    let (result, person, line, waits) = try await run(
      [
        .elsewhere("challenge-poll") {},
        .instead("challenge-poll", .selectAuthenticatorAuthenticate), .answer("way", "code"),
      ],
      Array(repeating: Self.push(beside: other), count: 3) + [Wire.document([])], limits: limits)
    #expect(try result.get().end != nil)
    #expect(waits == [.seconds(2), .seconds(2)])
    #expect(await line.requests.last?.json == ["way": "code"])
    #expect(await person.waits.map(\.timeLeft) == [.seconds(5)])
  }

  @Test("An overdue step with nothing else to do ends with the limit")
  func overdueAlone() async throws {
    var limits = FlowLimits()
    limits.polling = .seconds(5)
    let (result, _, line, _) = try await run([], [Self.push()] + [Self.push()], limits: limits)
    let error = try #require(throws: FlowError.self) { try result.get() }
    #expect(error.code == .limitReached)
    #expect(error.message.contains("within 5 s"))
    #expect(await line.count(of: "challenge-poll") == 2)
  }

  @Test("A poll that fails while a code can be typed disturbs nobody")
  func failingBeside() async throws {
    let poll = Wire.form("poll", [], [("refresh", 4000)])
    let mail: JSONValue = ["key": "okta_email", "id": "autEMAIL000000000001", "poll": poll]
    let challenge = Wire.document(
      [Wire.form("challenge-authenticator", [["name": "code", "required": true]])],
      [("currentAuthenticatorEnrollment", ["type": "object", "value": mail])])
    let failed = Shared(0)
    let line = RecordingTransport(
      StubServer(document: challenge) { request in
        guard request.url.lastPathComponent == "poll" else { return .json(Wire.document([])) }
        failed.withLock { $0 += 1 }
        throw TransportError(.unreachable, message: "No.", mayHaveArrived: false)
      })
    let (polled, polls) = AsyncStream<Void>.makeStream()
    let person = Typist {
      for await _ in polled { return "123456" }; return nil
    }
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: line), handlers: .asking(person),
      sleep: { _ in if failed.withLock({ $0 }) >= 2 { polls.yield() } })
    let outcome = try await coordinator.run(Wire.configuration())
    #expect(outcome.end != nil)
    #expect(await line.requests.last?.json == ["code": "123456"])
  }

  /// Types one answer, when it is time.
  private struct Typist: Prompter {
    let text: @Sendable () async -> String?
    func show(_ notice: Notice) {}
    func ask(_ question: Question) async throws -> Reply {
      await text().map { .answer(.value(.string($0))) } ?? .cancel
    }
    func choose(_ forms: [Remediation], at step: Step) -> Reply { .cancel }
  }

  @Test("No poll is sent before the one before it was answered, nor after its step")
  func oneAtATime() async throws {
    let count = 10_000
    let sent = Shared(0)
    let running = Shared(0)
    let most = Shared(0)
    let server = StubServer(document: Self.push()) { request in
      let now = running.withLock { value in
        value += 1
        return value
      }
      most.withLock { $0 = max($0, now) }
      await Task.yield()
      running.withLock { $0 -= 1 }
      let polls = sent.withLock { value in
        value += 1
        return value
      }
      return .json(polls < count ? Self.push() : Wire.document([]))
    }
    var limits = FlowLimits()
    limits.polling = .seconds(1_000_000)
    limits.pollingInAll = .seconds(1_000_000)
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: .asking(ScriptedPrompter([])), limits: limits,
      sleep: { _ in })
    #expect(try await coordinator.run(Wire.configuration()).end != nil)
    #expect(sent.withLock { $0 } == count)
    #expect(most.withLock { $0 } == 1)
  }
}
