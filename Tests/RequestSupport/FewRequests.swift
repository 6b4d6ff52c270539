import IDXBase
package import Testing

/// Runs few of the tests that send requests, or start programs that do, at the same time.
///
/// On Linux, a request of `URLSession` keeps a processor busy until the response is there. If many waited at
/// once, the servers of the tests would get no time to answer. The tests that run have threads of their own,
/// so that no request waits for other tests.
package struct FewRequests: SuiteTrait, TestTrait, TestScoping {
  private static let gate = Gate(width: 2)

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withOwnThreads {
      await Self.gate.enter()
      defer { Self.gate.leave() }
      try await function()
    }
  }
}

extension Trait where Self == FewRequests {
  package static var fewRequests: Self { FewRequests() }
}

/// Lets in a number of tasks at a time, in the order in which they come.
private final class Gate: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>

  init(width: Int) { state = Locked(State(free: width)) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let isIn = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isIn { continuation.resume() }
    }
  }

  func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
