import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Waiting for what happens elsewhere")
struct PollTests {
  /// Polls the mail instead of asking for its code.
  private func handlers() -> Handlers {
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": .value(.string(World.login))]) }
    handlers.on(.challengeAuthenticator) { _ in
      .submit(["credentials.passcode": .value(.string(World.password))])
    }
    handlers.on(.selectAuthenticatorEnroll) { _ in
      .submit(["authenticator": .optionNamed("okta_email")])
    }
    handlers.on(.enrollAuthenticator) { step in .poll(step.authenticator?[.poll]) }
    return handlers
  }

  @Test("A link that is followed ends the wait, whose interval is the server's")
  func magicLink() async throws {
    let world = try World(.required(.email))
    let log = EventLog()
    let waits = Waits(world.org, follows: 3)
    let coordinator = FlowCoordinator(
      client: world.client, handlers: handlers(), sleep: { try await waits.sleep($0) },
      observe: { await log.add($0) })
    #expect(try await coordinator.run(world.configuration).signIn != nil)
    #expect(await waits.all == [.seconds(4), .seconds(4), .seconds(4)])
    #expect(await world.line.count(of: "poll") == 3)
    #expect(await log.count(of: "waiting 4 s for poll") == 3)
    #expect(await log.count(of: "accepted enroll-authenticator") == 0)
  }

  @Test("Waiting ends at its limit")
  func limit() async throws {
    let world = try World(.required(.email))
    var limits = FlowLimits()
    limits.polling = .seconds(60)
    let error = try await flowError {
      try await world.coordinator(handlers(), limits: limits).run(world.configuration)
    }
    #expect(error.code == .limitReached)
    #expect(error.message.contains("60 s"))
    #expect(await world.line.count(of: "poll") == 15)
  }

  @Test("A sign-in that expires while it waits ends with that message")
  func expiry() async throws {
    let world = try World(.required(.email))
    var limits = FlowLimits()
    limits.polling = .seconds(600)
    let outcome = try await world.coordinator(handlers(), limits: limits).run(world.configuration)
    #expect(outcome.end?.response.says(.sessionExpired) == true)
  }

  @Test("A network that fails for a moment loses nothing", arguments: 1...3)
  func missedPolls(count: Int) async throws {
    let world = try World(.required(.email))
    for _ in 0..<count { await world.org.inject(.unreachable, at: "poll") }
    let waits = Waits(world.org, follows: count)
    let coordinator = FlowCoordinator(
      client: world.client, handlers: handlers(), sleep: { try await waits.sleep($0) })
    #expect(try await coordinator.run(world.configuration).signIn != nil)
    #expect(await world.line.count(of: "poll") == count + 1)
  }

  @Test("A network that stays away is an error")
  func networkGone() async throws {
    let world = try World(.required(.email))
    for _ in 0..<4 { await world.org.inject(.unreachable, at: "poll") }
    let error = try await flowError {
      try await world.coordinator(handlers()).run(world.configuration)
    }
    #expect(error.code == .network)
    #expect(await world.line.count(of: "poll") == 4)
  }

  @Test("A poll whose answer gets lost is looked up")
  func lostPoll() async throws {
    let world = try World(.required(.email))
    await world.org.inject(.responseLost, at: "poll")
    let waits = Waits(world.org, follows: 1)
    let coordinator = FlowCoordinator(
      client: world.client, handlers: handlers(), sleep: { try await waits.sleep($0) })
    #expect(try await coordinator.run(world.configuration).signIn != nil)
    #expect(await world.line.count(of: "poll") == 1)
    #expect(await world.line.count(of: "introspect") == 2)
  }

  @Test("Where polls come too often, the next one waits for a minute")
  func rateLimit() async throws {
    let world = try World(.required(.email))
    await world.org.inject(.rateLimited(seconds: 30), at: "poll")
    let waits = Waits(world.org, follows: 2)
    let coordinator = FlowCoordinator(
      client: world.client, handlers: handlers(), sleep: { try await waits.sleep($0) })
    #expect(try await coordinator.run(world.configuration).signIn != nil)
    #expect(await waits.all == [.seconds(4), .seconds(60)])
  }

  @Test(
    "The interval of the server is kept within reason",
    arguments: [
      (nil, Duration.seconds(4)), (0, .milliseconds(500)), (-4000, .milliseconds(500)),
      (500, .milliseconds(500)), (2500, .milliseconds(2500)), (3_600_000, .seconds(60)),
    ] as [(Int?, Duration)])
  func interval(refresh: Int?, expected: Duration) async throws {
    let more = refresh.map { [("refresh", JSONValue.number(JSONValue.Number($0)))] } ?? []
    let server = StubServer(document: Wire.document([Wire.form("challenge-poll", [], more)]))
    let person = ScriptedPrompter([])
    let waits = Waits(nil, follows: 0)
    let coordinator = FlowCoordinator(
      client: IDXClient(transport: server), handlers: .asking(person),
      sleep: { try await waits.sleep($0) })
    let outcome = try await coordinator.run(Wire.configuration())
    #expect(outcome.end != nil)
    #expect(await waits.all == [expected])
    #expect(await person.steps == ["challenge-poll"])
  }

  @Test("Cancelling while it waits tells the server")
  func cancelled() async throws {
    let world = try World(.required(.email))
    let coordinator = FlowCoordinator(
      client: world.client, handlers: handlers(),
      sleep: { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
      })
    let task = Task { try await coordinator.run(world.configuration) }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await world.line.steps.last == "cancel")
    #expect(await world.line.count(of: "poll") == 0)
  }
}

/// Waits in no time, and follows the link in the last mail after so many waits.
private actor Waits {
  private(set) var all: [Duration] = []
  private let org: SimulatedOrg?
  private let follows: Int

  init(_ org: SimulatedOrg?, follows: Int) {
    self.org = org
    self.follows = follows
  }

  func sleep(_ time: Duration) async throws {
    all.append(time)
    if all.count == follows, let mail = await org?.mailbox.messages.last {
      await org?.followLink(in: mail)
    }
  }
}
