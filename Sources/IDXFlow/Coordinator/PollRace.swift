import IDX

/// A handler at work on a step, and the polls that may make the step obsolete: whichever comes first
/// wins, and the other is ended before the race is over.
struct PollRace {
  let handler: any StepHandler
  let step: Step

  /// How it ends.
  enum Finish {
    case decided(Decision)
    /// A poll brought news, which the progress then stands at.
    case news
    /// What the step waits for may be polled no longer, and did not come.
    case waitIsOver
  }

  private enum Turn {
    case decided(Result<Decision, any Error>)
    /// Nil where nothing came of the polls that would concern the handler.
    case polled(FlowProgress, Finish?)
  }

  /// Runs it to its end.
  ///
  /// News goes before a decision that came at the same time: what was decided about is no more.
  func run(
    polling form: Remediation, _ progress: inout FlowProgress,
    poll: @escaping @Sendable (Remediation, inout FlowProgress) async throws -> Bool
  ) async throws -> Finish {
    let start = progress
    let (end, finish) = try await withThrowingTaskGroup(of: Turn.self) { group in
      group.addTask {
        do { return .decided(.success(try await handler.decide(step))) } catch {
          return .decided(.failure(error))
        }
      }
      group.addTask { try await watch(form, start, poll) }
      var end = start
      var decided: Result<Decision, any Error>?
      while let turn = try await group.next() {
        switch turn {
        case .decided(let result):
          decided = result
          group.cancelAll()
        case .polled(let progress, let finish):
          end = progress
          guard let finish, !Self.isGivenUp(decided) else { continue }
          group.cancelAll()
          // It may show something to the person until it has ended.
          try await group.waitForAll()
          return (end, Result<Finish, any Error>.success(finish))
        }
      }
      return (end, decided?.map(Finish.decided) ?? .success(.waitIsOver))
    }
    // Also where the handler has thrown: what is said in cancelTimeout bears the handle of the last poll.
    progress = end
    return try finish.get()
  }

  /// Whether the person has given up, which no news takes back.
  private static func isGivenUp(_ decided: Result<Decision, any Error>?) -> Bool {
    switch decided {
    case .success(.cancel)?: true
    case .failure(let error)?: error is CancellationError
    default: false
    }
  }

  /// Polls until there is news, the form is gone, or the time is over.
  private func watch(
    _ form: Remediation, _ start: FlowProgress,
    _ poll: @Sendable (Remediation, inout FlowProgress) async throws -> Bool
  ) async throws -> Turn {
    var progress = start
    // Nobody is asked anew about a code that can still be typed.
    let over: Finish? = form == step.remediation ? .waitIsOver : nil
    while !Task.isCancelled {
      let form = progress.renewed(form)
      guard progress.mayPoll(form) else { return .polled(progress, over) }
      do {
        if try await poll(form, &progress) { return .polled(progress, .news) }
      } catch is CancellationError { break } catch {
        if Task.isCancelled { break }
        guard over != nil else { return .polled(progress, nil) }
        throw error
      }
      guard progress.state.response.allForms.contains(where: { $0.name == form.name }) else {
        return .polled(progress, over)
      }
    }
    return .polled(progress, nil)
  }
}
