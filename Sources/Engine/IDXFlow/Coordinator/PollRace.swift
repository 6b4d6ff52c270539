import IDX

/// Polls while something is decided, such as by a handler or a person; whichever finishes first wins, and the other is
/// ended.
struct PollRace<Value: Sendable> {
  let step: Step
  /// Whether a value cancels the sign-in, which news cannot undo.
  let isCancel: @Sendable (Value) -> Bool
  /// What is done meanwhile.
  let decide: @Sendable () async throws -> Value

  /// How the race ends.
  enum Finish {
    case decided(Value)
    /// A poll brought news, and the progress is at the new state.
    case news
    /// The time for polling is over, and nothing happened.
    case timedOut
  }

  private enum Event {
    case decided(Result<Value, any Error>)
    /// The polling ended; nil if the race continues until there is a decision.
    indirect case polled(FlowProgress, Result<Finish, any Error>?)
  }

  /// Runs the race; news wins over a decision at the same time, because that is about an old step.
  func run(
    polling form: Remediation, _ progress: inout FlowProgress,
    poll: @escaping @Sendable (Remediation, inout FlowProgress) async throws -> Bool
  ) async throws -> Finish {
    let start = progress
    let (end, finish) = await withTaskGroup(of: Event.self) { group in
      group.addTask {
        do { return .decided(.success(try await decide())) } catch {
          return .decided(.failure(error))
        }
      }
      group.addTask { await keepPolling(form, start, poll) }
      var end = start
      var decided: Result<Value, any Error>?
      while let event = await group.next() {
        switch event {
        case .decided(let result):
          decided = result
          group.cancelAll()
        case .polled(let progress, let finish):
          end = progress
          guard let finish, !isCancelled(decided) else { continue }
          group.cancelAll()
          // Something may be shown to the person until it has ended.
          await group.waitForAll()
          return (end, finish)
        }
      }
      return (end, decided?.map(Finish.decided) ?? .success(.timedOut))
    }
    // Also after an error: a cancel must be sent with the handle of the last poll.
    progress = end
    return try finish.get()
  }

  private func isCancelled(_ decided: Result<Value, any Error>?) -> Bool {
    switch decided {
    case .success(let value)?: isCancel(value)
    case .failure(let error)?: error is CancellationError
    case nil: false
    }
  }

  /// Polls until there is news, the form is gone, or the time is over.
  private func keepPolling(
    _ form: Remediation, _ start: FlowProgress,
    _ poll: @Sendable (Remediation, inout FlowProgress) async throws -> Bool
  ) async -> Event {
    var progress = start
    // If the step also takes a code, the person can still type it when polling has ended.
    let timedOut: Result<Finish, any Error>? =
      form == step.remediation ? .success(.timedOut) : nil
    while !Task.isCancelled {
      let form = progress.renewed(form)
      guard progress.mayPoll(form) else { return .polled(progress, timedOut) }
      do {
        if try await poll(form, &progress) { return .polled(progress, .success(.news)) }
      } catch is CancellationError { break } catch {
        if Task.isCancelled { break }
        return .polled(progress, timedOut == nil ? nil : .failure(error))
      }
      guard progress.state.response.allForms.contains(where: { $0.name == form.name }) else {
        return .polled(progress, timedOut)
      }
    }
    return .polled(progress, nil)
  }
}
