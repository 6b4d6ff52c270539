import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TerminalPrompter {
  /// Shows what is waited for until the task is cancelled or the person wants something else.
  func untilNews(at step: Step) async throws -> Reply {
    let start = now()
    let end = step.timeLeft.map { start.addingTimeInterval($0 / .seconds(1)) }
    let line = StatusLine(
      terminal: terminal, subject: page.inline(wording.waiting(at: step)),
      hint: "? for other ways")
    while true {
      let typed = try await terminal.waitForKey(ticks: ticks()) { [now] tick in
        line.text(
          at: tick,
          secondsLeft: end.map { Int($0.timeIntervalSince(now()).rounded(.up)) })
      }
      guard case .text(let text) = typed else { return .cancel }
      if text == "?", let reply = try await askAlternatives(step.alternatives) { return reply }
    }
  }
}
