import Foundation
import IDXBase
import IDXFlow
import IDXRecording
import IDXSimulatedOrg
import IDXTesting

/// A person of a simulated org as a front-end.
struct PersonFrontEnd: FrontEnd {
  let person: SimulatedPerson
  let idle = Idle()
  /// What acts as the browser; nil for the org.
  var replay: ReplayTransport?

  init(_ person: SimulatedPerson, replay: ReplayTransport? = nil) {
    self.person = person
    self.replay = replay
  }

  func reply(to screen: Screen) async throws -> Reply {
    if let replay, let page = screen.page {
      return await replay.visit(page.url).map(Reply.returned)
        ?? .failed("The browser did not return.")
    }
    if let reply = try await person.reply(to: screen) { return reply }
    await idle.begin()
    // Ends when the polls have news, and cancel this task.
    for await _ in AsyncStream<Never>.makeStream().stream {}
    await idle.end()
    throw CancellationError()
  }
}

extension PersonFrontEnd {
  /// Runs sign-ins of the person; time passes only while the person waits.
  func coordinator(
    with client: any FlowClient, at org: SimulatedOrg,
    observe: @escaping @Sendable (FlowEvent) async -> Void = { _ in }
  ) -> FlowCoordinator {
    FlowCoordinator(
      client: client,
      handlers: .showing(Screens(canUsePasskeys: true), on: self, now: { org.now }),
      sleep: { try await idle.pass($0, at: org) }, observe: observe)
  }
}

extension OpenSignIns {
  /// Plays a sign-in of a person to its end, and shows each page.
  func play(
    _ person: SimulatedPerson, at org: SimulatedOrg, show: (Screen) -> Void
  ) async throws -> OpenSignInResult {
    var result = try await start()
    while case .page(let page) = result {
      show(page.screen)
      if let reply = try await person.reply(to: page.screen) {
        result = try await self.reply(reply, to: page.id, revision: page.revision)
      } else {
        result = try await news(after: page, at: org)
      }
    }
    return result
  }

  /// Polls until there is another page, or the end.
  private func news(
    after page: OpenSignInPage, at org: SimulatedOrg
  ) async throws -> OpenSignInResult {
    while true {
      org.advance(by: (page.screen.wait?.interval ?? .zero) / .seconds(1))
      let result = try await poll(page.id, revision: page.revision)
      guard case .page(let next) = result, next.revision == page.revision else { return result }
    }
  }
}

/// Lets time pass only while the person waits.
actor Idle {
  private var isIdle = false
  private var watchers: [CheckedContinuation<Void, Never>] = []

  func begin() {
    isIdle = true
    wake()
  }

  func end() { isIdle = false }

  func pass(_ duration: Duration, at org: SimulatedOrg) async throws {
    await withTaskCancellationHandler {
      if !isIdle, !Task.isCancelled { await withCheckedContinuation { watchers.append($0) } }
    } onCancel: {
      Task { await self.wake() }
    }
    try Task.checkCancellation()
    org.advance(by: duration / .seconds(1))
  }

  private func wake() {
    for watcher in watchers { watcher.resume() }
    watchers = []
  }
}
