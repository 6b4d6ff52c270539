import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPages
import IDXPrompt
import IDXSimulatedOrg
import IDXTesting
import Testing

/// One sign-in with a wrong password, and every public value that holds it on its way from the key to the server
/// and back.
/// What was typed is in no description of a public value.
struct TypedSecretTests {
  private static let typed = "Typed-Wrong-1843"
  private static let path = "credentials.passcode"

  /// The values, by the name of their type.
  @MainActor private static func holders() async throws -> [(name: String, value: Any)] {
    let org = SimulatedOrg(OrgScenario["password"])
    let client = org.client
    let started = try await client.start(org.configuration)
    let state = try await client.proceed(
      .identify, ["identifier": .text(SimulatedUser.demo.login)], from: started)
    let form = try require(state.response[.challengeAuthenticator])
    let values = [path: Secret(typed)]
    let answers: Answers = [path: .text(typed)]
    let submission = Submission(form, answers)
    let refused = try await client.proceed(submission, from: state)
    let step = Step(form, state: refused, attempt: 2, previous: answers)
    let screen = Screen(step)
    var questions = ScreenQuestions(screen, asksAgain: true)
    questions.take(Secret(typed))
    expect(questions.values == values && !refused.response.allMessages.isEmpty)
    let reply = Reply.submit(values)

    // The engine, with the password as the last answer.
    let engine = FlowEngine(client: client)
    var progress = FlowProgress(state)
    let move = FlowMove.decide(.submit(answers), at: try progress.nextStep(for: form))
    let outcome = try await engine.make(move, in: &progress)
    expect(outcome == nil && progress.state.response.allMessages.count > 0)
    let shown = try await Handlers.showing().next(in: progress)

    // A sign-in of a user interface, before and after the password is sent.
    let model = SignInModel(client: client)
    model.start(org.configuration)
    let first = try await require(model.next())
    model["identifier"] = SimulatedUser.demo.login
    model.submit(first)
    let second = try await require(model.next(after: first))
    model[path] = typed
    expectEqual(model.values[path], Secret(typed))

    // A sign-in of a web site.
    let sessions = OpenSignIns(
      client: client, configuration: org.configuration, store: MemoryOpenSignInStore())
    let page = try await require(sessions.start().page)
    let username = Reply.submit(["identifier": Secret(SimulatedUser.demo.login)])
    let asked = try await require(
      sessions.reply(username, to: page.id, revision: page.revision).page)
    let told = try await sessions.reply(reply, to: asked.id, revision: asked.revision)

    // A sign-in whose screens are shown by a loop of its own, with an answer that is not sent yet.
    var run = try await FlowCoordinator(client: client, handlers: .showing())
      .begin(org.configuration)
    for reply in [username, reply] {
      guard case .show(let pending) = try await run.next() else { break }
      run.take(reply, to: pending)
    }

    // Errors of answers that do not fit.
    let unknown = Submission(form, answers.adding("\(path).more", .text(typed)))
    let invalid = try require(
      #expect(throws: FlowError.self) { _ = try unknown.body() })
    let unfit = try require(
      #expect(throws: InvalidReply.self) {
        _ = try screen.decision(on: .choose(typed))
      })
    let script = try Script(
      parsing: JSONValue.array([
        ["step": "challenge-authenticator", "fields": [path: .string(typed)]]
      ]).bytes)
    let person = ScriptedFrontEnd([.answer(path, .text(typed))])
    _ = try await person.reply(to: screen)
    let request = TransportRequest(
      method: "POST", url: org.issuer, body: try submission.body().bytes)
    expectContains(String(decoding: request.body, as: UTF8.self), typed)

    defer { model.cancel() }
    return [
      ("Secret", Secret(typed)), ("Answer", Answer.text(typed)),
      ("Answer", Answer.optionNamed(typed)), ("Answers", answers), ("Submission", submission),
      ("Decision", Decision.submit(answers)), ("EndDecision", EndDecision.submit(submission)),
      ("Step", step), ("Screen", screen), ("Screen.Input", screen.inputs),
      ("Screen", screen.refused(reply, because: unfit)), ("Reply", reply),
      ("ScreenQuestions", questions), ("FlowMove", move), ("FlowProgress", progress),
      ("FlowNext", try progress.next()), ("FlowState", refused),
      ("FlowEvent", FlowEvent.submitting(form)), ("FlowEvent", FlowEvent.received(refused)),
      ("Outcome", Outcome.ended(refused)), ("SignInModel", model), ("Screen", second),
      ("Decision", Decision.ask(screen)),
      ("Handlers", Handlers().adding { _ in .submit(answers) }),
      ("ScreenNext", shown),
      ("PendingScreen", try require(shown.pending)),
      ("OpenSignInResult", told), ("OpenSignInPage", asked), ("ScreenPage", ScreenPage(asked)),
      ("OpenSignIns", sessions),
      ("FlowError", invalid), ("InvalidAnswers", try require(invalid.underlying)),
      ("InvalidReply", unfit), ("Script", script), ("Script.Entry", script.entries),
      ("ScriptHandler", ScriptHandler(script)), ("KnownAnswers", KnownAnswers(answers)),
      ("ScriptedFrontEnd", person),
      ("ScriptedFrontEnd.Question", await person.questions),
      ("ScriptedReply", ScriptedReply.answer(path, .text(typed))),
      ("TransportRequest", request), ("InteractiveTerminal.Line", line),
    ]
  }

  private static var line: InteractiveTerminal.Line { .text(Secret(typed)) }

  @Test(
    "No public type that can hold what was typed shows it when it is printed, reflected or dumped")
  @MainActor func descriptions() async throws {
    // The search finds what a value shows.
    struct Leak { let password: String }
    struct Failure: Error { let password: String }
    for value in [Leak(password: Self.typed), Failure(password: Self.typed)] as [Any] {
      expectContains(printedTexts(of: value), Self.typed)
    }
    let holders = try await Self.holders()
    for (name, value) in holders {
      expect(!printedTexts(of: value).contains(Self.typed), "\(name)")
    }
    // A new type that holds answers has to be among them. What cannot be copied cannot be printed either.
    let checked = Set(holders.map(\.name))
    let found = try Self.typesWithAnswers()
    expect(found.count > 10)
    expectEqual(found.subtracting(checked), [])
  }

  /// The public types with a stored property or a case whose type can hold what was typed.
  private static func typesWithAnswers() throws -> Set<String> {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources").standardized
    let holder =
      /\b(Answers?|Reply|Submission|Decision|EndDecision|Step|Screen|FlowProgress|ScreenQuestions|FlowMove)\b(?!\.)/
    let type = /^( *)public (?:final |indirect )*(?:struct|enum|class|actor) (\w+)/
    let extended = /^extension ([\w.]+)/
    let stored = /^( *)(?:\w+(?:\(set\))? )*(?:let|var) \w+: [^{]*$/
    let payload = /^( *)case \w+\(/
    var found: Set<String> = []
    for folder in ["Engine", "Protocols", "System", "FrontEnds", "Testing"] {
      let files = FileManager.default.enumerator(atPath: sources.appending(path: folder).path)
      // The views for Apple platforms are not compiled here.
      for case let name as String in try require(files)
      where name.hasSuffix(".swift") && !name.hasPrefix("IDXSwiftUI/") {
        let text = try String(
          contentsOf: sources.appending(path: folder).appending(path: name), encoding: .utf8)
        var scope: [(indent: Int, name: String)] = []
        for line in text.split(separator: "\n") {
          let indent = line.prefix { $0 == " " }.count
          scope.removeAll { $0.indent >= indent && !line.hasSuffix("{") && line.contains("}") }
          if let match = try type.firstMatch(in: line) {
            scope.removeAll { $0.indent >= indent }
            scope.append((indent, line.contains("~Copyable") ? uncopied : String(match.2)))
          } else if let match = try extended.firstMatch(in: line) {
            scope = [(0, String(match.1))]
          } else if let owner = scope.last, indent == owner.indent + 2,
            line.firstMatch(of: stored) != nil || line.firstMatch(of: payload) != nil,
            line.firstMatch(of: holder) != nil
          {
            found.insert(scope.map(\.name).joined(separator: "."))
          }
        }
      }
    }
    return found.filter { !$0.contains(uncopied) }
  }

  private static let uncopied = "~Copyable"
}

extension Answers {
  fileprivate func adding(_ path: String, _ answer: Answer) -> Answers {
    var answers = self
    answers[path] = answer
    return answers
  }
}

extension Handlers {
  fileprivate func adding(
    _ handler: @escaping @Sendable (Step) async throws -> Decision
  ) -> Handlers {
    var handlers = self
    handlers.on(.identify) { try await handler($0) }
    return handlers
  }
}
