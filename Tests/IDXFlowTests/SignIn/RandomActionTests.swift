import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import SignInSupport
import IDXBase
import Testing

@Suite("Random actions of a person", .timeLimit(.minutes(10)))
struct RandomActionTests {
  /// The prefix of messages about answers that were not offered.
  private static let errorPrefix = "simulated."
  /// A message for people that has the same prefix.
  private static let otherKeys: Set<IDXMessage.Key> = ["simulated.password.elsewhere"]

  @Test(
    "Nothing is sent that was not offered, every screen has words, and every sign-in ends",
    arguments: OrgScenario.all.map(\.name).sample(every: 3))
  func randomActions(name: String) async throws {
    let scenario = try require(OrgScenario.named(name))
    let passkeys = SoftwareAuthenticator([.demo])
    for seed in 0..<2 as Range<UInt64> {
      let test = try TestSignIn(scenario)
      let person = RandomPerson(seed: seed, org: test.org, passkeys: passkeys)
      let keys = Locked<Set<IDXMessage.Key>>([])
      let handlers = Handlers.showing(Screens(canUsePasskeys: true), on: person)
      let coordinator = FlowCoordinator(
        client: test.client, handlers: handlers,
        sleep: { [org = test.org] in
          await person.untilIdle()
          try Task.checkCancellation()
          org.advance(by: $0 / .seconds(1))
        },
        observe: { event in
          guard case .received(let state) = event else { return }
          keys.withLock { $0.formUnion(state.response.allMessages.compactMap(\.key)) }
        })
      do {
        _ = try await coordinator.run(
          test.configuration, goal: seed % 2 == 0 ? scenario.goal : nil)
      } catch let error as FlowError where [.limitReached, .rateLimited].contains(error.code) {
        // Random actions may reach a limit.
      } catch {
        let trace = await person.trace.suffix(12).joined(separator: "; ")
        Issue.record("\(name), seed \(seed): \(error) after \(trace)")
      }
      let errors = keys.withLock { $0 }
        .filter { $0.rawValue.hasPrefix(Self.errorPrefix) && !Self.otherKeys.contains($0) }
      let trace = await person.trace.suffix(12).joined(separator: "; ")
      expectEmpty(errors, "\(name), seed \(seed), after \(trace)")
      await expect(person.faults.isEmpty, "\(name), seed \(seed)")
    }
  }
}

/// A person who usually gives the right answer and sometimes does something else, depending on the seed.
actor RandomPerson: FrontEnd {
  private(set) var trace: [String] = []
  /// What was wrong with the screens.
  private(set) var faults: [String] = []
  private let org: SimulatedOrg
  private let passkeys: (any PasskeyProvider)?
  private var state: UInt64
  private var actionsLeft = 60
  private var isIdle = false
  /// The task that waits until the person is idle. There is only one, because polls do not overlap.
  private var idleWaiter: CheckedContinuation<Void, Never>?

  init(seed: UInt64, org: SimulatedOrg, passkeys: (any PasskeyProvider)?) {
    state = seed
    self.org = org
    self.passkeys = passkeys
  }

  func reply(to screen: Screen) async throws -> Reply {
    faults += screen.faults
    guard mayAct("sees “\(screen.title)”") else { return .cancel }
    guard let step = screen.step else { return draw(2) == 0 ? .submit([:]) : .cancel }
    if screen.action.role == .wait { return try await wait(at: screen, step) }
    if let page = screen.page { return await visit(page, at: screen) }
    if let request = screen.passkey, let passkeys, draw(4) > 0 {
      return try await request.reply(from: passkeys)
    }
    if screen.inputs.isEmpty { return choose(among: [screen.action] + screen.options) }
    if draw(20) == 0 { return choose(among: screen.options) }
    var questions = ScreenQuestions(screen)
    while let input = questions.next() {
      guard mayAct("is asked \(input.id)") else { return .cancel }
      switch draw(20) {
      case 0: return .submit(questions.values)
      case 1: questions.take("nonsense")
      case 2: questions.take("")
      default: questions.take(Secret(await value(for: input, at: step, questions.values)))
      }
    }
    return .submit(questions.values)
  }

  private func choose(among options: [Screen.Option]) -> Reply {
    guard let option = pick(options) else { return .cancel }
    trace.append("chooses \(option.label)")
    return .choose(option.id)
  }

  private func wait(at screen: Screen, _ step: Step) async throws -> Reply {
    if draw(4) == 0 { return choose(among: screen.options) }
    if draw(2) == 0 {
      await org.completeEnrollment(for: TestSignIn.login)
      await org.approvePush(for: TestSignIn.login, choosing: step.authenticator?.numberChallenge)
    }
    isIdle = true
    defer { isIdle = false }
    resumeIdleWaiter()
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  private func visit(_ page: Screen.Page, at screen: Screen) async -> Reply {
    if draw(4) == 0 { return choose(among: screen.options) }
    let url = await org.visit(page.url, refusing: draw(3) == 0)
    return url.map(Reply.returned) ?? .failed("The browser did not return.")
  }

  /// Returns when the person waits.
  func untilIdle() async {
    guard !isIdle else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        resumeIdleWaiter()
        if Task.isCancelled { continuation.resume() } else { idleWaiter = continuation }
      }
    } onCancel: {
      Task { await self.resumeIdleWaiter() }
    }
  }

  private func resumeIdleWaiter() {
    idleWaiter?.resume()
    idleWaiter = nil
  }

  /// Records an action; returns false if the person must stop.
  private func mayAct(_ action: String) -> Bool {
    trace.append(action)
    actionsLeft -= 1
    return actionsLeft > 0
  }

  private func value(
    for input: Screen.Input, at step: Step, _ values: [Screen.Input.ID: Secret]
  ) async -> String {
    if let first = input.repeats { return values[first]?.revealed ?? "" }
    switch input.kind {
    case .choice(let choices): return pick(choices)?.id ?? ""
    case .toggle: return draw(2) == 0 ? "true" : "false"
    case .text, .secret: break
    }
    if input.id.hasSuffix("email") { return "mary\(draw(90))@example.com" }
    return await SimulatedPerson(of: org).text(for: input, at: step)
  }

  private func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(draw(UInt64(elements.count)))]
  }

  /// A random number below `count` (SplitMix64).
  private func draw(_ count: UInt64) -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return (mixed ^ (mixed >> 31)) % count
  }
}
