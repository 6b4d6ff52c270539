import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

@Suite("Random actions of a person", .timeLimit(.minutes(5)))
struct RandomActionTests {
  /// The prefix of messages about answers that were not offered.
  private static let errorPrefix = "simulated."
  /// A message for people that has the same prefix.
  private static let otherKeys: Set<IDXMessage.Key> = ["simulated.password.elsewhere"]

  @Test(
    "Nothing is sent that was not offered, and every sign-in ends",
    arguments: ScenarioCase.all)
  func randomActions(scenario: ScenarioCase) async throws {
    let name = scenario.name
    let orgScenario = try #require(OrgScenario.named(name))
    for seed in 0..<UInt64(Self.rounds) {
      let test = try TestSignIn(orgScenario)
      let person = RandomPerson(seed: seed, org: test.org)
      let keys = Shared<Set<IDXMessage.Key>>([])
      var handlers = Handlers.asking(person)
      if let passkeys = scenario.passkeys { handlers.usePasskeys(passkeys, prompter: person) }
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
      #expect(errors.isEmpty, "\(name), seed \(seed), after \(trace)")
    }
  }

  /// How often each scenario is run; 2 by default.
  static let rounds =
    ProcessInfo.processInfo.environment["IDX_RANDOM_ROUNDS"].flatMap { Int($0) } ?? 2
}

/// A person who usually gives the right answer and sometimes does something else, depending on the seed.
actor RandomPerson: Prompter {
  private(set) var trace: [String] = []
  private let org: SimulatedOrg
  private var state: UInt64
  private var actionsLeft = 60
  private var isIdle = false
  /// The task that waits until the person is idle. There is only one, because polls do not overlap.
  private var idleWaiter: CheckedContinuation<Void, Never>?

  init(seed: UInt64, org: SimulatedOrg) {
    state = seed
    self.org = org
  }

  func show(_ notice: Notice) {}

  func ask(_ question: Question) async throws -> Reply {
    let step = question.step
    guard mayAct("\(step.remediation.name) asks \(question.path)") else { return .cancel }
    switch draw(20) {
    case 0: return .nothing
    case 1: return .instead(pick(step.alternatives) ?? step.remediation)
    case 2: return .answer("nonsense")
    case 3: return .answer(.option(Int(draw(4))))
    case 4: return .answer("")
    default: return .answer(await answer(to: question))
    }
  }

  func choose(_ forms: [Remediation], at step: Step) -> Reply {
    guard mayAct("\(step.remediation.name) chooses"), let form = pick(forms) else { return .cancel }
    trace.append("chooses \(form.name)")
    return .instead(form)
  }

  func wait(at step: Step) async throws -> Reply {
    guard mayAct("waits at \(step.remediation.name)") else { return .cancel }
    if draw(4) == 0, let form = pick(step.alternatives) {
      trace.append("chooses \(form.name)")
      return .instead(form)
    }
    if draw(2) == 0 {
      await org.completeEnrollment(for: TestSignIn.login)
      await org.approvePush(for: TestSignIn.login, choosing: step.authenticator?.numberChallenge)
    }
    isIdle = true
    defer { isIdle = false }
    resumeIdleWaiter()
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  func startsOver(after state: FlowState) -> Bool { mayAct("starts over") && draw(2) == 0 }

  func open(_ page: RedirectPage) async -> Reply {
    guard mayAct("opens \(page.step.remediation.name)") else { return .cancel }
    switch draw(4) {
    case 0 where page.step.response.remediations.count > 1: return .nothing
    case 1: return pick(page.step.alternatives).map(Reply.instead) ?? .cancel
    default:
      let url = await org.visit(page.url, refusing: draw(3) == 0)
      return url.map(Reply.returned) ?? .nothing
    }
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

  private func answer(to question: Question) async -> Answer {
    if case .choice(let options, _) = question.kind {
      return .option(Int(draw(UInt64(max(options.count, 1)))))
    }
    if case .confirmation = question.kind { return .value(.bool(draw(2) == 0)) }
    let step = question.step
    switch question.path {
    case "identifier": return .text(TestSignIn.login)
    case "userCode": return "WDJB-MJHT"
    case "credentials.answer": return "Difference"
    case let path where path.hasSuffix("email"): return .text("mary\(draw(90))@example.com")
    case let path where path.hasSuffix("phoneNumber"): return "+15550100188"
    default: break
    }
    if step.setsPassword(in: question.field) { return "Mechanism-1831" }
    guard let authenticator = step.authenticator, let key = authenticator.key else {
      return .text(await org.user(TestSignIn.login)?.password.revealed ?? TestSignIn.password)
    }
    if authenticator.isPassword {
      return .text(await org.user(TestSignIn.login)?.password.revealed ?? TestSignIn.password)
    }
    if let code = await org.code(of: key, for: TestSignIn.login) { return .text(code) }
    return .text(await org.mailbox.messages.last?.code ?? "1234")
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
