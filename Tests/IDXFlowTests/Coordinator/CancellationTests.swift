import Expectations
import Foundation
import IDX
import IDXFlow
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Cancelling a sign-in.
struct CancellationTests {
  @Test(
    "Cancelling the task ends the current request, and the server is told if it knows the sign-in",
    arguments: [
      ("interact", 0), ("introspect", 0), ("identify", 1), ("challenge/answer", 1),
      // After the last response, there is nothing to cancel.
      ("token", 0),
    ])
  func duringRequest(path: String, cancels: Int) async throws {
    let test = try TestSignIn()
    await test.org.inject(.held, at: path)
    let person = test.person([.login, .password])
    let task = Task { try await test.coordinator(.showing(on: person)).run(test.configuration) }
    await test.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await expectEqual(test.transport.count(of: "cancel"), cancels)
    await expectEqual(
      test.transport.steps.dropLast(cancels).last, path.split(separator: "/").last.map(String.init))
  }

  @Test(
    "If a front-end throws CancellationError, or the task is cancelled during a question, the server is told"
  )
  func whileAsking() async throws {
    for frontEnd in [
      ClosureFrontEnd(asking: { throw CancellationError() }),
      ClosureFrontEnd(asking: {
        withUnsafeCurrentTask { $0?.cancel() }
        return .submit(["identifier": Secret(TestSignIn.login)])
      }),
    ] {
      let test = try TestSignIn()
      let task = Task { try await test.coordinator(.showing(on: frontEnd)).run(test.configuration) }
      await #expect(throws: CancellationError.self) { try await task.value }
      await expectEqual(test.transport.steps, ["interact", "introspect", "cancel"])
    }
  }

  @Test(
    "If the server cannot be told, or does not answer the cancel, the sign-in is cancelled anyway")
  func unansweredCancel() async throws {
    for fault in [Fault.unreachable, .serverError, .responseLost] {
      let test = try TestSignIn()
      await test.org.inject(fault, at: "cancel")
      try await expect(test.run([.cancel("identifier")]).outcome.isCancelled, "\(fault)")
    }
    let test = try TestSignIn()
    await test.org.inject(.held, at: "cancel")
    let person = test.person([.cancel("identifier")])
    var coordinator = test.coordinator(.showing(on: person))
    // The time is over when the server has the request.
    coordinator.engine.waitForCancel = { [org = test.org] _ in await org.waitUntilHeld() }
    try await expect(coordinator.run(test.configuration).isCancelled)
    await expectEqual(test.transport.count(of: "cancel"), 1)
  }

  @Test(
    "If the task is cancelled, CancellationError is thrown instead of the error of a handler or a transport"
  )
  func otherError() async throws {
    struct Failed: Error {}
    let test = try TestSignIn()
    var handlers = Handlers()
    handlers.on(.identify) { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      throw Failed()
    }
    let coordinator = test.coordinator(handlers)
    let task = Task { try await coordinator.run(test.configuration) }
    await #expect(throws: CancellationError.self) { try await task.value }
    await expectEqual(test.transport.steps.last, "cancel")

    struct Broken: Transport {
      struct Failure: Error {}
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        withUnsafeCurrentTask { $0?.cancel() }
        throw Failure()
      }
    }
    let start = Task { try await Broken().start() }
    await #expect(throws: CancellationError.self) { try await start.value }
  }
}
