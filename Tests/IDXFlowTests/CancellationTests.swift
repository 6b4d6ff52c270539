import IDXOAuth
import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Cancelling the task of a sign-in")
struct CancellationTests {
  @Test(
    "The request under way is given up, and the server is told",
    arguments: [
      "identify", "challenge/answer", "token",
    ])
  func duringRequest(path: String) async throws {
    let world = try World()
    await world.org.inject(.held, at: path)
    let person = world.person([.login, .password])
    let task = Task { try await world.coordinator(.asking(person)).run(world.configuration) }
    await world.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Nothing is left to give up once the code is there: the last response has no cancel.
    #expect(await world.line.count(of: "cancel") == (path == "token" ? 0 : 1))
  }

  @Test(
    "Before there is anything to cancel, nothing is sent", arguments: ["interact", "introspect"])
  func duringStart(path: String) async throws {
    let world = try World()
    await world.org.inject(.held, at: path)
    let task = Task {
      try await world.coordinator(.asking(world.person([]))).run(world.configuration)
    }
    await world.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await world.line.steps.last == path)
  }

  @Test("A prompter that is interrupted ends the sign-in, and the server is told")
  func prompterInterrupted() async throws {
    struct Interrupted: Prompter {
      func choose(_ forms: [Remediation], at step: Step) -> Reply { .cancel }
      func show(_ notice: Notice) {}
      func ask(_ question: Question) throws -> Reply { throw CancellationError() }
    }
    let world = try World()
    await #expect(throws: CancellationError.self) {
      try await world.coordinator(.asking(Interrupted())).run(world.configuration)
    }
    #expect(await world.line.steps == ["interact", "introspect", "cancel"])
  }

  @Test("A task that is cancelled while a person thinks sends no answer")
  func whileAsking() async throws {
    struct TooLate: Prompter {
      func choose(_ forms: [Remediation], at step: Step) -> Reply { .cancel }
      func show(_ notice: Notice) {}
      func ask(_ question: Question) -> Reply {
        withUnsafeCurrentTask { $0?.cancel() }
        return .answer(.value(.string(World.login)))
      }
    }
    let world = try World()
    let task = Task {
      try await world.coordinator(.asking(TooLate())).run(world.configuration)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await world.line.steps == ["interact", "introspect", "cancel"])
  }

  @Test(
    "A server that does not take the cancel changes nothing",
    arguments: [
      Fault.unreachable, .serverError, .responseLost,
    ])
  func farewellFails(fault: Fault) async throws {
    let world = try World()
    await world.org.inject(fault, at: "cancel")
    let outcome = try await world.signIn([.cancel("identifier")])
    #expect(outcome.isCancelled)
  }

  @Test("A server that does not answer the cancel is not waited for")
  func farewellHangs() async throws {
    let world = try World()
    await world.org.inject(.held, at: "cancel")
    var limits = FlowLimits()
    limits.cancelTimeout = .milliseconds(1)
    let outcome = try await world.signIn([.cancel("identifier")], limits: limits)
    #expect(outcome.isCancelled)
    #expect(await world.line.count(of: "cancel") == 1)
  }

  @Test("An error of another kind that comes with the cancel gives way to CancellationError")
  func otherError() async throws {
    struct Failed: Error {}
    let world = try World()
    var handlers = Handlers()
    handlers.on(.identify) { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      throw Failed()
    }
    let coordinator = world.coordinator(handlers)
    let task = Task { try await coordinator.run(world.configuration) }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await world.line.steps.last == "cancel")
  }

  @Test("Cancelled while it starts, it ends as cancelled, whatever the transport throws")
  func start() async throws {
    struct Broken: Transport {
      struct Odd: Error {}
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        withUnsafeCurrentTask { $0?.cancel() }
        throw Odd()
      }
    }
    let configuration = try Wire.configuration()
    let task = Task { try await IDXClient(transport: Broken()).start(configuration) }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
