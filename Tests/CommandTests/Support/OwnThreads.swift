import Foundation

/// Runs a body on threads of its own, apart from those that other tasks keep busy; on macOS since version 15.
///
/// The tests of a process share as many threads as there are processors, and those that wait for programs block
/// them.
func withOwnThreads(_ body: @Sendable () async throws -> Void) async rethrows {
  if #available(macOS 15, *) {
    try await withTaskExecutorPreference(ThreadExecutor(), operation: body)
  } else {
    try await body()
  }
}

extension Task where Failure == any Error {
  /// Starts a task that runs on threads of its own; see ``withOwnThreads(_:)``.
  static func onOwnThreads(
    _ body: sending @escaping @isolated(any) () async throws -> Success
  ) -> Task {
    if #available(macOS 15, *) {
      Task(executorPreference: ThreadExecutor(), operation: body)
    } else {
      Task(operation: body)
    }
  }
}

/// Runs each job on a new thread.
@available(macOS 15, *)
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
