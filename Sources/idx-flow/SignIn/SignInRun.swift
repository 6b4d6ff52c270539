import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// A sign-in of the command from its start to its end: it sees each screen, each reply and each event.
struct SignInRun {
  let answerSource: AnswerSource
  /// The username that is offered at the first question for one: Enter accepts it.
  var username: String?
  /// The org, if it is simulated.
  var demo: Demo?
  /// Returns from each page at once, as in a recording; nil for a browser.
  var browser: (@Sendable (URL) async throws -> URL)?
  /// Offers other protocols for what cannot be done here; nil if that would not help.
  var fallback: OtherWays?
  /// The factors that are offered first; nil if nobody at a terminal chooses.
  var factors: UsualFactors?

  /// What has happened.
  private(set) var history = SignInHistory()
  /// The protocol that the app allows, if it does not allow the planned one; otherwise nil.
  private(set) var allowedFlow: ProtocolChoice?
  /// Whether the person has agreed to Okta FastPass, when they were asked.
  private(set) var hasAgreedToFastPass = false
  /// The username that the person typed last; nil if none was asked for.
  private(set) var typedUsername: String?
  /// Whether the sign-in was brought back by a browser, on this computer or elsewhere.
  private(set) var hasUsedBrowser = false
  /// Whether the sign-in began with a session of the org that is kept.
  private(set) var hadSession = false
  /// Why the last step that could not be done here could not; nil if there was none.
  private(set) var unsupported: String?
  /// Whether the person has entered a password or a code: they trust the org.
  private(set) var hasTypedSecret = false
  /// Whether the person has chosen to continue in the browser.
  private(set) var isBrowserChosen = false

  /// Signs in as planned, or in a browser if that fails here and may work there.
  mutating func run(_ plan: SignInPlan) async throws -> Outcome {
    await demo?.prepare(for: plan.flow)
    var outcome: Outcome
    do { outcome = try await run(plan, plan.flow) } catch {
      let failure = CommandFailure(error)
      guard
        let other = try await fallback?.flow(after: failure, insteadOf: plan.flow, plan.tokens)
      else {
        throw failure.otherWaysRemedy(insteadOf: plan.flow).map(failure.adding) ?? failure
      }
      if failure.setup != nil { allowedFlow = other }
      outcome = try await run(plan, other)
    }
    if case .cancelled = outcome, isBrowserChosen, let other = await fallback?.flow(plan.tokens) {
      outcome = try await run(plan, other)
    }
    return outcome
  }

  private mutating func run(_ plan: SignInPlan, _ flow: ProtocolChoice) async throws -> Outcome {
    hasUsedBrowser = flow.isOnPage
    let (start, hadSession) = await plan.start(of: flow)
    self.hadSession = hadSession
    do {
      let client = flow.client(over: plan.transport, plan.tokens)
      let outcome = try await run(
        client, plan.configuration, start,
        goal: flow.isOnPage ? nil : plan.options.goal?.goal, limits: flow.limits)
      if case .ended(let state) = outcome,
        let setup = SetupProblem(endOf: state)
      {
        throw CommandFailure(setup)
      }
      return outcome
    } catch {
      // The classic API gets no request before the password.
      if history.last == nil || flow.signInProtocol == .classic,
        let setup = await SetupProblem(
          startFailingWith: error, in: flow.signInProtocol, of: plan.configuration, plan.tokens)
      {
        throw CommandFailure(setup)
      }
      throw history.explaining(
        CommandFailure(
          error, signingInTo: plan.configuration, grantType: flow.grantType,
          networkRemedy: CommandFailure.networkRemedy))
    }
  }

  /// Signs in with a client, from the first request to the outcome.
  mutating func run(
    _ client: any FlowClient, _ configuration: FlowConfiguration,
    _ options: StartOptions = StartOptions(), goal: Goal?, limits: FlowLimits = FlowLimits()
  ) async throws -> Outcome {
    // The engine reports events while this run waits for it, and what is written about one depends on those before.
    let seen = Locked(history)
    defer { history = seen.withLock { $0 } }
    let coordinator = FlowCoordinator(
      client: client, handlers: answerSource.handlers, limits: limits,
      observe: { [answerSource, demo] event in
        let before = seen.withLock { history in
          defer { history.add(event) }
          return history
        }
        if case .received(let state) = event { demo?.enterUserCode(of: state, after: before.last) }
        answerSource.report(event, after: before)
      })
    var run = try await coordinator.begin(configuration, options, goal: goal)
    while true {
      switch try await run.next() {
      case .end(let outcome): return outcome
      case .show(var pending):
        // What is not asked for is answered all the same.
        let whole = pending
        let usual = await prepare(&pending.screen)
        let typed = usual == nil ? try await reply(to: pending, &run) : usual
        guard let reply = typed else { continue }
        if let completed = factors?.complete(reply, to: pending.screen) {
          run.take(completed, to: whole)
        } else {
          run.take(reply, to: pending)
        }
      }
    }
  }

  /// Changes a screen before it is shown; returns the reply if nobody need be asked.
  private mutating func prepare(_ screen: inout Screen) async -> Reply? {
    unsupported = screen.unsupported ?? unsupported
    // Enter must not send what is not shown.
    if let username, username == username.sanitized, screen.attempt == 1,
      let index = screen.inputs.firstIndex(where: {
        $0.contentType == .username && $0.kind == .text && $0.suggestion == nil
      })
    {
      screen.inputs[index].suggestion = username
    }
    fallback?.add(to: &screen)
    answerSource.explainPasskey(on: &screen)
    await demo?.showCode(on: &screen)
    return factors?.prepare(&screen)
  }

  private mutating func reply(
    to pending: PendingScreen, _ run: inout FlowRun
  ) async throws -> Reply? {
    let screen = pending.screen
    if let page = screen.page, let browser { return .returned(try await browser(page.url)) }
    guard let shown = answerSource.shown else { throw pending.noFrontEndError }
    guard let reply = try await run.reply(to: pending, on: shown) else { return nil }
    if case .returned = reply { hasUsedBrowser = true }
    if case .submit(let values) = reply,
      screen.visibleInputs(with: values).contains(where: {
        $0.kind == .secret || $0.contentType == .oneTimeCode
      })
    {
      hasTypedSecret = true
    }
    if case .submit(let values) = reply,
      let input = screen.visibleInputs(with: values).first(where: { $0.contentType == .username })
    {
      let typed = values[input.id]?.revealed.trimmed() ?? ""
      if !typed.isEmpty { typedUsername = String(typed) }
    }
    if case .choose(OtherWays.optionID) = reply {
      isBrowserChosen = true
      return .cancel
    }
    if case .fastPass(.delivered) = reply, !screen.startsByItself { hasAgreedToFastPass = true }
    // A program has none of the devices of a demo.
    if let demo, shown is ProgramFrontEnd, screen.isMain(reply) {
      return try await demo.reply(of: screen) ?? reply
    }
    return reply
  }
}
