import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("Answers that get lost")
struct LostAnswerTests {
  private let password: Answers = ["credentials.passcode": .value(.string(World.password))]

  @Test("An answer that may have arrived is looked up, and not sent twice")
  func lookedUp() async throws {
    let world = try World()
    let state = try await world.identified()
    await world.org.inject(.responseLost, at: "challenge/answer")
    let next = try await world.client.proceed(.challengeAuthenticator, password, from: state)
    #expect(next.response.issue != nil)
    #expect(
      await world.line.steps == ["interact", "introspect", "identify", "answer", "introspect"])
    #expect(try await world.client.redeem(next).scopes.isEmpty == false)
  }

  @Test("An answer that did not arrive is not looked up")
  func neverArrived() async throws {
    let world = try World()
    let state = try await world.identified()
    await world.org.inject(.unreachable, at: "challenge/answer")
    let error = try await flowError {
      try await world.client.proceed(.challengeAuthenticator, password, from: state)
    }
    #expect(error.code == .network)
    #expect(error.remediation == .challengeAuthenticator)
    #expect((error.underlying as? TransportError)?.mayHaveArrived == false)
    #expect(await world.line.count(of: "introspect") == 1)
  }

  @Test(
    "Where the look-up fails too, the first error is thrown",
    arguments: [
      Fault.unreachable, .responseLost, .serverError, .rateLimited(seconds: 5),
    ])
  func lookUpFails(fault: Fault) async throws {
    let world = try World()
    let state = try await world.identified()
    await world.org.inject(.responseLost, at: "challenge/answer")
    await world.org.inject(fault, at: "introspect")
    let error = try await flowError {
      try await world.client.proceed(.challengeAuthenticator, password, from: state)
    }
    #expect(error.code == .network)
    #expect((error.underlying as? TransportError)?.code == .connectionLost)
    #expect(await world.line.count(of: "answer") == 1)
    #expect(await world.line.count(of: "introspect") == 2)
    let current = try await world.client.refresh(state)
    #expect(current.response.issue != nil)
  }

  @Test(
    "A start whose answer gets lost is begun anew by the caller",
    arguments: [
      "interact", "introspect",
    ])
  func lostStart(step: String) async throws {
    let world = try World()
    await world.org.inject(.responseLost, at: step)
    let error = try await flowError { try await world.client.start(world.configuration) }
    #expect(error.code == .network)
    #expect(try await world.client.start(world.configuration).names == [.identify])
  }

  @Test("Tokens that get lost are not asked for again, since their code is spent")
  func lostTokens() async throws {
    let world = try World()
    let state = try await world.pastPassword()
    await world.org.inject(.responseLost, at: "token")
    let error = try await flowError { try await world.client.redeem(state) }
    #expect(error.code == .network)
    #expect(await world.line.count(of: "token") == 1)
  }

  @Test("A wrong answer whose refusal gets lost does not count as taken")
  func lostRefusal() async throws {
    let world = try World()
    await world.org.inject(.responseLost, at: "challenge/answer")
    let log = EventLog()
    let outcome = try await world.signIn([.login, .passcode("a guess"), .password], log: log)
    #expect(outcome.signIn != nil)
    #expect(await world.line.count(of: "answer") == 2)
    #expect(
      await log.lines == [
        "received identify",
        "submitting identify", "accepted identify", "received challenge-authenticator",
        "submitting challenge-authenticator", "received challenge-authenticator",
        "submitting challenge-authenticator",
        "accepted challenge-authenticator of okta_password", "received no form",
      ])
  }

  @Test(
    "A cancelled task throws CancellationError, wherever it waits",
    arguments: [
      "interact", "introspect", "identify",
    ])
  func cancelled(step: String) async throws {
    let world = try World()
    await world.org.inject(.held, at: step)
    let task = Task {
      let state = try await world.client.start(world.configuration)
      return try await world.client.proceed(
        .identify, ["identifier": .value(.string(World.login))], from: state)
    }
    await world.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A task that is cancelled during the look-up throws CancellationError")
  func cancelledLookUp() async throws {
    let world = try World()
    let state = try await world.identified()
    await world.org.inject(.responseLost, at: "challenge/answer")
    await world.org.inject(.held, at: "introspect")
    let task = Task {
      try await world.client.proceed(.challengeAuthenticator, password, from: state)
    }
    await world.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A task that is cancelled beforehand sends nothing")
  func cancelledBefore() async throws {
    let world = try World()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await world.client.start(world.configuration)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await world.line.requests.isEmpty)
  }
}
