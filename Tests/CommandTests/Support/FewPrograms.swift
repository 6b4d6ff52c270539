import IDXBase
import Testing

extension Tag {
  /// Tests that start a program or need a terminal. Leave them out with `swift test --skip CommandTests`.
  @Tag static var startsPrograms: Self
}

/// Runs few of the tests that start programs at the same time.
///
/// Programs have limits of time, such as those of the doctor, which a machine with many of them at once would
/// miss. The tests that run have threads of their own (``withOwnThreads(_:)``), because they wait for programs and block
/// meanwhile.
struct FewPrograms: SuiteTrait, TestTrait, TestScoping {
  private static let gate = Gate(width: 2)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withOwnThreads {
      await Self.gate.enter()
      defer { Self.gate.leave() }
      try await function()
    }
  }
}

extension Trait where Self == FewPrograms {
  static var fewPrograms: Self { FewPrograms() }
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
