import Foundation
import IDX
import IDXFlow
import IDXTesting
import IDXOAuth
import Testing

@Suite("Whatever a person does", .timeLimit(.minutes(5)))
struct RandomActionTests {
  /// What the org says to a client that sends what was not offered begins so.
  private static let bug = "simulated."
  /// These it says to people.
  private static let sayings: Set<IDXMessage.Key> = ["simulated.password.elsewhere"]

  @Test(
    "Nothing is sent that was not offered, and every sign-in comes to an end",
    arguments: Situation.all)
  func randomActions(situation: Situation) async throws {
    let name = situation.name
    let scenario = try #require(OrgScenario.named(name))
    for seed in 0..<UInt64(Self.rounds) {
      let scene = try Scene(scenario)
      let person = RandomPerson(seed: seed, scene: scene)
      let said = Shared<Set<IDXMessage.Key>>([])
      var handlers = Handlers.asking(person)
      if let passkeys = situation.passkeys { handlers.usePasskeys(passkeys, prompter: person) }
      let coordinator = FlowCoordinator(
        client: scene.client, handlers: handlers,
        sleep: { [org = scene.org] in
          await person.untilIdle()
          try Task.checkCancellation()
          org.advance(by: $0 / .seconds(1))
        },
        observe: { event in
          guard case .received(let state) = event else { return }
          said.withLock { $0.formUnion(state.response.allMessages.compactMap(\.key)) }
        })
      do {
        _ = try await coordinator.run(
          scene.configuration, goal: seed % 2 == 0 ? situation.goal : nil)
      } catch let error as FlowError where [.limitReached, .rateLimited].contains(error.code) {
        // A person who does anything does too much.
      } catch {
        let trace = await person.trace.suffix(12).joined(separator: "; ")
        Issue.record("\(name), seed \(seed): \(error) after \(trace)")
      }
      let bugs = said.withLock { $0 }
        .filter { $0.rawValue.hasPrefix(Self.bug) && !Self.sayings.contains($0) }
      let trace = await person.trace.suffix(12).joined(separator: "; ")
      #expect(bugs.isEmpty, "\(name), seed \(seed), after \(trace)")
    }
  }

  /// How often each situation is gone through; more where the environment says so.
  static let rounds =
    ProcessInfo.processInfo.environment["IDX_WHIMS"].flatMap { Int($0) } ?? 2
}

/// A person who often does the right thing, and anything else now and then, always the same for a
/// seed.
actor RandomPerson: Prompter {
  private(set) var trace: [String] = []
  private let scene: Scene
  private var state: UInt64
  private var maxAttempts = 60
  private var isIdle = false
  /// Who waits until the person waits; there is one poll at a time.
  private var watcher: CheckedContinuation<Void, Never>?

  init(seed: UInt64, scene: Scene) {
    state = seed
    self.scene = scene
  }

  func show(_ notice: Notice) {}

  func ask(_ question: Question) async throws -> Reply {
    let step = question.step
    guard goesOn("\(step.remediation.name) asks \(question.path)") else { return .cancel }
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
    guard goesOn("\(step.remediation.name) chooses"), let form = pick(forms) else { return .cancel }
    trace.append("picks \(form.name)")
    return .instead(form)
  }

  func wait(at step: Step) async throws -> Reply {
    guard goesOn("waits at \(step.remediation.name)") else { return .cancel }
    if draw(4) == 0, let form = pick(step.alternatives) {
      trace.append("picks \(form.name)")
      return .instead(form)
    }
    if draw(2) == 0 {
      await scene.org.completeEnrollment(for: Scene.login)
      await scene.org.approvePush(for: Scene.login, choosing: step.authenticator?.numberChallenge)
    }
    isIdle = true
    defer { isIdle = false }
    endWatch()
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  func startsOver(after state: FlowState) -> Bool { goesOn("starts over") && draw(2) == 0 }

  func open(_ page: RedirectPage) async -> Reply {
    guard goesOn("visits \(page.step.remediation.name)") else { return .cancel }
    switch draw(4) {
    case 0 where page.step.response.remediations.count > 1: return .nothing
    case 1: return pick(page.step.alternatives).map(Reply.instead) ?? .cancel
    default:
      let url = await scene.org.visit(page.url, refusing: draw(3) == 0)
      return url.map(Reply.returned) ?? .nothing
    }
  }

  /// Returns once the person waits.
  func untilIdle() async {
    guard !isIdle else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        endWatch()
        if Task.isCancelled { continuation.resume() } else { watcher = continuation }
      }
    } onCancel: {
      Task { await self.endWatch() }
    }
  }

  private func endWatch() {
    watcher?.resume()
    watcher = nil
  }

  private func goesOn(_ words: String) -> Bool {
    trace.append(words)
    maxAttempts -= 1
    return maxAttempts > 0
  }

  private func answer(to question: Question) async -> Answer {
    if case .choice(let options, _) = question.kind {
      return .option(Int(draw(UInt64(max(options.count, 1)))))
    }
    if case .confirmation = question.kind { return .value(.bool(draw(2) == 0)) }
    let step = question.step
    switch question.path {
    case "identifier": return .text(Scene.login)
    case "userCode": return "WDJB-MJHT"
    case "credentials.answer": return "Difference"
    case let path where path.hasSuffix("email"): return .text("mary\(draw(90))@example.com")
    case let path where path.hasSuffix("phoneNumber"): return "+15550100188"
    default: break
    }
    if step.setsPassword(in: question.field) { return "Mechanism-1831" }
    guard let authenticator = step.authenticator, let key = authenticator.key else {
      return .text(await scene.org.user(Scene.login)?.password.revealed ?? Scene.password)
    }
    if authenticator.isPassword {
      return .text(await scene.org.user(Scene.login)?.password.revealed ?? Scene.password)
    }
    if let code = await scene.org.code(of: key, for: Scene.login) { return .text(code) }
    return .text(await scene.org.mailbox.messages.last?.code ?? "1234")
  }

  private func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(draw(UInt64(elements.count)))]
  }

  /// A number below another (SplitMix64).
  private func draw(_ count: UInt64) -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return (mixed ^ (mixed >> 31)) % count
  }
}
