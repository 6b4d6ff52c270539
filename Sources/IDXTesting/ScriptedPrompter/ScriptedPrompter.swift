public import Foundation
public import IDX
public import IDXFlow

/// A person in a test, who replies to the questions of a sign-in from a list, and records what was shown
/// and asked.
///
/// The replies must be in the order of the questions. If the next reply is to a different question, the
/// sign-in ends with an error. ``finish()`` throws if there are unused replies.
///
///     let org = SimulatedOrg(
///       users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
///       policy: .required(.googleAuthenticator))
///     let configuration = try FlowConfiguration(
///       issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
///     let person = ScriptedPrompter([
///       .answer("identifier", "ada@shop.example"),
///       .answer("credentials.passcode", "Analytical-1843"),
///       .answer("authenticator", .authenticator(.googleAuthenticator)),
///       .totp("credentials.passcode"),
///     ])
///     let coordinator = FlowCoordinator(client: org.client, handlers: .asking(person))
///     let outcome = try await coordinator.run(configuration)
///     try await person.finish()
///     let titles = await person.steps  // what was shown, in order
public actor ScriptedPrompter: Prompter {
  /// The notices that were shown, in order.
  public private(set) var notices: [Notice] = []
  /// The questions that were asked, in order, including one without a matching reply.
  public private(set) var questions: [Question] = []
  /// The steps that waited, in order.
  public private(set) var waits: [Step] = []
  /// The final states at which the person could start over, in order.
  public private(set) var ends: [FlowState] = []

  private var isIdle = false
  private var watchers: [UUID: CheckedContinuation<Void, Never>] = [:]
  private var replies: ArraySlice<ScriptedReply>
  private let now: @Sendable () -> Date

  /// Creates a person with these replies.
  ///
  /// `now` is the time for TOTP codes: the org's time if it differs from the system's.
  public init(_ replies: [ScriptedReply], now: @escaping @Sendable () -> Date = { Date() }) {
    self.replies = replies[...]
    self.now = now
  }

  /// The names of the steps that were shown, in order.
  public var steps: [Remediation.Name] { shownSteps.map(\.remediation.name) }

  /// The keys of the shown messages of steps and their fields, in order.
  public var messages: [IDXMessage.Key] {
    shownSteps.flatMap { $0.messages + $0.remediation.form.allMessages }.compactMap(\.key)
  }

  /// The authenticator apps that were shown, in order.
  public var apps: [AuthenticatorApp] {
    notices.compactMap { if case .authenticatorApp(let app) = $0 { app } else { nil } }
  }

  /// The paths of the questions, in order.
  public var asked: [String] { questions.map(\.path) }

  /// Throws a ``ScriptedPrompterError`` if there are unused replies.
  public func finish() throws {
    guard replies.isEmpty else {
      let names = replies.map { "“\($0.question)”" }.joined(separator: ", ")
      throw ScriptedPrompterError("The sign-in ended without these questions: \(names).")
    }
  }

  /// Records a notice.
  public func show(_ notice: Notice) { notices.append(notice) }

  /// Replies from the list.
  ///
  /// Throws a ``ScriptedPrompterError`` if the next reply is to a different question or does not fit.
  public func ask(_ question: Question) async throws -> Reply {
    questions.append(question)
    guard let next = replies.first, next.isTo(question) else {
      throw mismatch(Self.words(for: question))
    }
    return try await take(next, among: question.formsBeside + question.step.alternatives)
  }

  /// Chooses the form that the next reply names.
  public func choose(_ forms: [Remediation], at step: Step) async throws -> Reply {
    guard let next = replies.first, next.isTo(step) else {
      let names = forms.map { "“\($0.name)”" }.joined(separator: ", ")
      throw mismatch("“\(step.remediation.name)” offers \(names)")
    }
    return try await take(next, among: forms)
  }

  /// Waits until its task is cancelled, unless the next reply is to this step.
  public func wait(at step: Step) async throws -> Reply {
    waits.append(step)
    if let next = replies.first, next.isTo(step) {
      return try await take(next, among: step.alternatives)
    }
    return try await idle()
  }

  /// Whether the next reply is to start over.
  public func startsOver(after state: FlowState) -> Bool {
    ends.append(state)
    guard replies.first?.question == ScriptedReply.startingOver.question else { return false }
    replies.removeFirst()
    return true
  }

  /// Waits until the person is idle or the task is cancelled.
  ///
  /// Call it before time passes, as in
  /// `sleep: { await person.untilIdle(); await org.advance(by: $0 / .seconds(1)) }`. Then the sign-in polls
  /// only while the person is idle, and each run of a test is the same.
  public func untilIdle() async {
    guard !isIdle, !Task.isCancelled else { return }
    let id = UUID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { watchers[id] = continuation }
      }
    } onCancel: {
      Task { await self.resume(id) }
    }
  }

  /// Replies with the address that the browser returns to from the page, from the next reply.
  public func open(_ page: RedirectPage) async throws -> Reply {
    guard let next = replies.first, next.isTo(page.step) else {
      throw mismatch(
        "“\(page.step.remediation.name)” sends the browser to \(page.url.host ?? "a page")")
    }
    return try await take(next, among: page.step.alternatives, page: page.url)
  }

  private func take(
    _ reply: ScriptedReply, among forms: [Remediation], page: URL? = nil
  ) async throws -> Reply {
    replies.removeFirst()
    let situation = ScriptedReply.Situation(forms: forms, app: apps.last, page: page, date: now())
    if let reply = try await reply.reply(situation) { return reply }
    return try await idle()
  }

  private func idle() async throws -> Reply {
    isIdle = true
    defer { isIdle = false }
    for id in Array(watchers.keys) { resume(id) }
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  private func resume(_ id: UUID) { watchers.removeValue(forKey: id)?.resume() }

  private func mismatch(_ words: String) -> ScriptedPrompterError {
    ScriptedPrompterError(
      replies.first.map { "The next reply is to “\($0.question)”, and \(words)." }
        ?? "All replies are used, and \(words).")
  }

  private var shownSteps: [Step] {
    notices.compactMap { if case .step(let step) = $0 { step } else { nil } }
  }

  private static func words(for question: Question) -> String {
    let label = question.field.label.map { " (“\($0)”)" } ?? ""
    let problem = question.problem.map { " again (\($0))" } ?? ""
    return "“\(question.step.remediation.name)” asks “\(question.path)”\(label)\(problem)"
  }
}

/// A difference between the replies of a ``ScriptedPrompter`` and the questions of a sign-in.
///
/// It contains the names of questions, but no replies.
public struct ScriptedPrompterError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The difference, as a sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
