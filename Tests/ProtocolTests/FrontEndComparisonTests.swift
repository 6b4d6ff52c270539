import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import TerminalSupport
import SignInSupport
import Testing

// One after the other: each terminal takes a thread of Dispatch, which has at most 255.
@Suite(
  "A terminal, the pages of a server and the model of an app reach the same result", .serialized,
  .timeLimit(.minutes(10)))
struct FrontEndComparisonTests {
  @Test("In every scenario of every protocol", arguments: ScenarioCase.all.sample(every: 12))
  func comparison(test: ScenarioCase) async throws {
    let terminal = try await TerminalPlay(test).run()
    let server = try await ServerPlay.run(test)
    let model = try await ModelPlay.run(test)
    expect(terminal.screens.count > 0)
    expectEqual(server, terminal)
    expectEqual(model, terminal)
  }
}

/// How a sign-in went: the titles of its screens, and its end.
private struct Course: Equatable {
  var screens: [String] = []
  var end = ""

  /// Adds a screen, unless it is shown again after a poll.
  mutating func add(_ screen: Screen) {
    let faults = screen.faults.joined()
    let line = "\(screen.title) \(screen.attempt) \(screen.action.label)\(faults)"
    if screens.last != line { screens.append(line) }
  }

  mutating func end(_ error: FlowError) { end = "not signed in: \(error.message)" }

  mutating func end(_ outcome: Outcome) {
    switch outcome {
    case .signedIn(let signIn):
      end = "signed in as \(signIn.credential.username ?? "") with \(signIn.credential.scopes)"
    case .ended(let state):
      end = "not signed in: \(state.response.allMessages.compactMap(\.text).joined())"
    case .cancelled: end = "cancelled"
    }
  }
}

/// One sign-in of a person.
private struct Play {
  let org: SimulatedOrg
  let client: any FlowClient
  let person: SimulatedPerson
  let passkeys: (any PasskeyProvider)?

  init(_ test: ScenarioCase) async throws {
    org = SharedSignIn.org(test.scenario)
    client = await test.signInProtocol.client(of: org)
    passkeys = SoftwareAuthenticator([.demo])
    person = SimulatedPerson(of: org, goal: test.scenario.goal, passkeys: passkeys)
  }
}

// MARK: - A server

private enum ServerPlay {
  static func run(_ test: ScenarioCase) async throws -> Course {
    let play = try await Play(test)
    var course = Course()
    let org = play.org
    let sessions = OpenSignIns(
      client: play.client, configuration: play.org.configuration,
      handlers: .showing(Screens(canUsePasskeys: true)), now: { org.now },
      sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    do {
      switch try await sessions.play(play.person, at: org, show: { course.add($0) }) {
      case .page: break
      case .signedIn(let signIn): course.end(.signedIn(signIn))
      case .ended(let screen):
        course.end = "not signed in: \(screen.messages.map(\.text).joined())"
      case .cancelled: course.end(.cancelled)
      }
    } catch let error as FlowError { course.end(error) }
    return course
  }
}

// MARK: - An app

@MainActor
private enum ModelPlay {
  static func run(_ test: ScenarioCase) async throws -> Course {
    let play = try await Play(test)
    let idle = Idle()
    var course = Course()
    let model = SignInModel(
      client: play.client, handlers: .showing(Screens(canUsePasskeys: true)),
      sleep: { [org = play.org] in try await idle.pass($0, at: org) })
    model.start(play.org.configuration)
    var last: Screen?
    while let screen = await model.next(after: last) {
      course.add(screen)
      if let reply = try await play.person.reply(to: screen) {
        model.reply(reply, to: screen)
      } else {
        await idle.begin()
        _ = await model.next(after: screen)
        await idle.end()
      }
      last = screen
    }
    await model.end()
    switch model.phase {
    case .signedIn(let credential):
      course.end =
        "signed in as \(credential.username ?? "") with \(credential.scopes)"
    case .completed(let state): course.end(.ended(state))
    case .cancelled: course.end(.cancelled)
    case .failed(let failure): course.end = "not signed in: \(failure.message)"
    default: course.end = "\(model.phase)"
    }
    return course
  }
}

// MARK: - A terminal

/// A person who types at a pseudo-terminal what the reply means.
private final class TerminalPlay: FrontEnd {
  private let play: Play
  private let pseudo: PseudoTerminal
  private let frontEnd: TerminalFrontEnd
  private let idle = Idle()
  private let course = Locked(Course())

  init(_ test: ScenarioCase) async throws {
    play = try await Play(test)
    pseudo = try PseudoTerminal()
    pseudo.resize(columns: 200, rows: 100)
    let terminal = try InteractiveTerminal(
      path: pseudo.path, environment: ["TERM": "dumb", "LANG": "C.UTF-8"])
    frontEnd = TerminalFrontEnd(
      terminal: terminal, drawsQRCodes: false, passkeys: play.passkeys,
      ticks: { AsyncStream { nil } }, now: { [org = play.org] in org.now })
  }

  func run() async throws -> Course {
    let (idle, org) = (idle, play.org)
    let coordinator = FlowCoordinator(
      client: play.client,
      handlers: .showing(Screens(canUsePasskeys: true), on: self, now: { org.now }),
      sleep: { try await idle.pass($0, at: org) })
    do {
      let outcome = try await coordinator.run(play.org.configuration)
      course.withLock { $0.end(outcome) }
    } catch let error as FlowError {
      course.withLock { $0.end(error) }
    }
    return course.withLock { $0 }
  }

  func reply(to screen: Screen) async throws -> Reply {
    course.withLock { $0.add(screen) }
    guard let wanted = try await play.person.reply(to: screen) else {
      await idle.begin()
      let reply: Reply
      do { reply = try await frontEnd.reply(to: screen) } catch {
        await idle.end()
        throw error
      }
      return reply
    }
    async let typed = frontEnd.reply(to: screen)
    for (prompt, line) in lines(for: wanted, at: screen) {
      _ = try await pseudo.shown(until: prompt)
      try pseudo.type(line)
    }
    let reply = try await typed
    expect(isSame(reply, wanted), "\(screen.title)")
    return reply
  }

  /// The prompts of a screen, and what the person types at each.
  private func lines(for reply: Reply, at screen: Screen) -> [(prompt: String, line: String)] {
    // What starts by itself needs no choice.
    let start = screen.startsByItself || !screen.inputs.isEmpty ? [] : [("Choose 1", "1\n")]
    switch reply {
    case .submit where screen.onlyReply != nil: return []
    case .submit(let values):
      var lines = start
      var questions = ScreenQuestions(screen)
      while let input = questions.next() {
        let value = values[input.id]?.revealed ?? ""
        let position = input.choices.firstIndex { $0.id == value }
        let line = position.map { String($0 + 1) } ?? (input.kind == .toggle ? "y" : value)
        if !screen.isClear(input) { lines.append((prompt(for: input), line + "\n")) }
        questions.take(Secret(value))
      }
      return lines
    case .choose(let id):
      guard let input = ScreenQuestions(screen).next() else {
        let position = ([screen.action] + screen.options).firstIndex { $0.id == id } ?? 0
        return [("Choose 1", "\(position + 1)\n")]
      }
      let label = screen.options.first { $0.id == id }?.label ?? ""
      return [(prompt(for: input), "?\n"), ("go back: ", "\(label)\n")]
    case .returned(let url): return start + [("Paste the address: ", "\(url.absoluteString)\n")]
    case .cancel:
      let list = screen.step == nil ? "]: " : "Choose 1"
      return [(ScreenQuestions(screen).next().map(prompt) ?? list, "\u{4}")]
    case .created, .signed, .fastPass: return start
    case .failed: return []
    }
  }

  /// The end of the prompt for an input.
  private func prompt(for input: Screen.Input) -> String {
    if !input.choices.isEmpty { return "Choose 1" }
    if !input.isRequired, input.suggestion == nil, input.kind != .toggle { return "(optional): " }
    if input.kind == .toggle, input.isRequired, input.suggestion == nil { return "(y/n): " }
    if input.kind == .toggle || input.suggestion != nil { return "]: " }
    return input.label + (input.label.hasSuffix("?") ? " " : ": ")
  }

  private func isSame(_ reply: Reply, _ wanted: Reply) -> Bool {
    switch (reply, wanted) {
    case (.submit(let values), .submit(let others)):
      values.filter { $0.value != "" } == others.filter { $0.value != "" }
    case (.created, .created), (.signed, .signed): true
    default: reply == wanted
    }
  }
}
