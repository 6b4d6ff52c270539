import IDX

/// Runs a handler and polls at the same time; whichever finishes first wins, and the other is ended.
struct PollRace {
  let handler: any StepHandler
  let step: Step

  /// How the race ends.
  enum Finish {
    case decided(Decision)
    /// A poll brought news, and the progress is at the new state.
    case news
    /// The time for polling is over, and nothing happened.
    case timedOut
  }

  private indirect enum Event {
    case decided(Result<Decision, any Error>)
    /// The polling ended; nil if the race continues until the handler decides.
    case polled(FlowProgress, Result<Finish, any Error>?)
  }

  /// Runs the race; news wins over a decision at the same time, because that is about an old step.
  func run(
    polling form: Remediation, _ progress: inout FlowProgress,
    poll: @escaping @Sendable (Remediation, inout FlowProgress) async throws -> Bool
  ) async throws -> Finish {
    let start = progress
    let (end, finish) = await withTaskGroup(of: Event.self) { group in
      group.addTask {
        do { return .decided(.success(try await handler.decide(step))) } catch {
          return .decided(.failure(error))
        }
      }
      group.addTask { await keepPolling(form, start, poll) }
      var end = start
      var decided: Result<Decision, any Error>?
      while let event = await group.next() {
        switch event {
        case .decided(let result):
          decided = result
          group.cancelAll()
        case .polled(let progress, let finish):
          end = progress
          guard let finish, !Self.isCancelled(decided) else { continue }
          group.cancelAll()
          // The handler may show something to the person until it has ended.
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

  /// Whether the person canceled, which news cannot undo.
  private static func isCancelled(_ decided: Result<Decision, any Error>?) -> Bool {
    switch decided {
    case .success(.cancel)?: true
    case .failure(let error)?: error is CancellationError
    default: false
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
