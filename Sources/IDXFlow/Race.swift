import IDX

/// A handler at work on a step, and the polls that may make the step obsolete: whichever comes first
/// wins, and the other is ended before the race is over.
struct Race {
  let handler: any StepHandler
  let step: Step

  private enum Turn {
    case decided(Result<Decision, any Error>)
    case polled(Progress, isNews: Bool)
  }

  /// The decision; nil where a poll brought news, which the progress then stands at.
  ///
  /// News goes before a decision that came at the same time: what was decided about is no more.
  func run(
    polling form: Remediation, _ progress: inout Progress,
    poll: @escaping @Sendable (Remediation, inout Progress) async throws -> Void
  ) async throws -> Decision? {
    let start = progress
    let (end, decided) = try await withThrowingTaskGroup(of: Turn.self) { group in
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
          decided = decided ?? result
          group.cancelAll()
        case .polled(let progress, let isNews):
          end = progress
          guard isNews, !Self.isGivenUp(decided) else { continue }
          group.cancelAll()
          // It may show something to the person until it has ended.
          try await group.waitForAll()
          return (end, Result<Decision, any Error>?.none)
        }
      }
      return (end, decided)
    }
    // Also where the handler has thrown: what is said in farewell bears the handle of the last poll.
    progress = end
    return try decided?.get()
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
    _ form: Remediation, _ start: Progress,
    _ poll: @Sendable (Remediation, inout Progress) async throws -> Void
  ) async throws -> Turn {
    var progress = start
    let isWaitedFor = form == step.remediation
    while !Task.isCancelled {
      let form = progress.renewed(form)
      guard progress.mayPoll(form) else {
        // Nobody is asked anew about a code that can still be typed.
        return .polled(progress, isNews: isWaitedFor)
      }
      let earlier = progress.state
      do { try await poll(form, &progress) } catch is CancellationError { break } catch {
        if Task.isCancelled { break }
        guard isWaitedFor else { return .polled(progress, isNews: false) }
        throw error
      }
      if progress.state.isNews(after: earlier) { return .polled(progress, isNews: true) }
      guard progress.state.response.everyForm.contains(where: { $0.name == form.name }) else {
        return .polled(progress, isNews: isWaitedFor)
      }
    }
    return .polled(progress, isNews: false)
  }
}
