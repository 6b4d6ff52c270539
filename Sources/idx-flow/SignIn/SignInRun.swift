import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// A sign-in of the command from its start to its end: it sees each screen and each reply.
struct SignInRun {
  /// Shows the screens; nil if nobody is asked.
  let frontEnd: (any FrontEnd)?
  /// The username that is offered at the first question for one: Enter accepts it.
  var username: String?
  /// The devices of a demo, and whether they answer in place of a program.
  var demo: (devices: Demo, answersForProgram: Bool)?
  /// Returns from a page at once, as in a recording; nil for a browser.
  var browser: (@Sendable (URL) async -> URL?)?
  /// Offers a browser for what cannot be done here; nil if that would not help.
  var offer: BrowserOffer?

  /// Whether the person has chosen to continue in the browser.
  private(set) var isBrowserChosen = false
  /// Whether the person has agreed to Okta FastPass, when they were asked.
  private(set) var hasAgreedToFastPass = false
  /// Why the last step that could not be done here could not; nil if there was none.
  private(set) var unsupported: String?

  init(
    on frontEnd: (any FrontEnd)?, username: String? = nil,
    demo: (devices: Demo, answersForProgram: Bool)? = nil,
    browser: (@Sendable (URL) async -> URL?)? = nil, offer: BrowserOffer? = nil
  ) {
    (self.frontEnd, self.username, self.demo) = (frontEnd, username, demo)
    (self.browser, self.offer) = (browser, offer)
  }

  mutating func run(
    _ coordinator: FlowCoordinator, _ configuration: FlowConfiguration,
    _ options: StartOptions = StartOptions(), goal: Goal?
  ) async throws -> Outcome {
    var run = try await coordinator.begin(configuration, options, goal: goal)
    while true {
      switch try await run.next() {
      case .end(let outcome): return outcome
      case .show(var pending):
        await prepare(&pending.screen)
        guard let reply = try await reply(to: pending, &run) else { continue }
        run.take(reply, to: pending)
      }
    }
  }

  private mutating func prepare(_ screen: inout Screen) async {
    unsupported = screen.unsupported ?? unsupported
    if let username, screen.attempt == 1,
      let index = screen.inputs.firstIndex(where: {
        $0.contentType == .username && $0.kind == .text && $0.suggestion == nil
      })
    {
      screen.inputs[index].suggestion = username
    }
    offer?.add(to: &screen)
    await demo?.devices.showCode(on: &screen)
  }

  private mutating func reply(
    to pending: PendingScreen, _ run: inout FlowRun
  ) async throws -> Reply? {
    let screen = pending.screen
    if let page = screen.page, let end = await browser?(page.url) { return .returned(end) }
    guard let frontEnd else { throw CancellationError() }
    guard let reply = try await run.reply(to: pending, on: frontEnd) else { return nil }
    if case .choose(BrowserOffer.optionID) = reply {
      isBrowserChosen = true
      return .cancel
    }
    if case .fastPass(.delivered) = reply, !screen.startsByItself { hasAgreedToFastPass = true }
    if let demo, demo.answersForProgram, screen.isMain(reply) {
      return try await demo.devices.reply(of: screen) ?? reply
    }
    return reply
  }
}
