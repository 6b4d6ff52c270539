public import Foundation
public import IDX
public import IDXFlow

/// A person in a test, who replies to the screens of a sign-in from a list, and records what was shown
/// and asked.
///
/// The replies must be in the order in which the sign-in asks. If the next reply is to something else, the
/// sign-in ends with an error. ``finish()`` throws if there are unused replies.
///
///     let org = SimulatedOrg(
///       users: [SimulatedUser(login: "ada@shop.example", password: "Analytical-1843")],
///       policy: .required(.googleAuthenticator))
///     let configuration = try FlowConfiguration(
///       issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
///     let person = ScriptedFrontEnd([
///       .answer("identifier", "ada@shop.example"),
///       .answer("credentials.passcode", "Analytical-1843"),
///       .answer("authenticator", .authenticator(.googleAuthenticator)),
///       .totp("credentials.passcode"),
///     ])
///     let coordinator = FlowCoordinator(client: org.client, handlers: .showing(on: person))
///     let outcome = try await coordinator.run(configuration)
///     try await person.finish()
///     let titles = await person.screens.map(\.title)  // what was shown, in order
public actor ScriptedFrontEnd: FrontEnd {
  /// The screens that were shown, in order, also those that were shown again.
  public private(set) var screens: [Screen] = []
  /// The inputs that were asked for, in order, including one without a matching reply.
  public private(set) var questions: [Question] = []

  /// An input that was asked for.
  public struct Question: Sendable {
    /// The input that was asked for.
    public let input: Screen.Input
    /// The screen that contains it.
    public let screen: Screen
  }

  private var isIdle = false
  private var watchers: [UUID: CheckedContinuation<Void, Never>] = [:]
  private var replies: ArraySlice<ScriptedReply>
  private let now: @Sendable () -> Date

  private let passkeys: (any PasskeyProvider)?

  /// Creates a person with these replies.
  ///
  /// - Parameters:
  ///   - replies: The replies, in order.
  ///   - passkeys: Answers requests to a passkey; the screens must allow them
  ///     (``/IDXFlow/Screens/canUsePasskeys``).
  ///   - now: The time for TOTP codes: the org's time if it differs from the system's.
  public init(
    _ replies: [ScriptedReply], passkeys: (any PasskeyProvider)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.replies = replies[...]
    self.passkeys = passkeys
    self.now = now
  }

  /// The names of the steps that were shown, in order.
  public var steps: [Remediation.Name] { shownSteps.map(\.remediation.name) }

  /// The keys of the shown messages of steps and their fields, in order.
  public var messages: [IDXMessage.Key] {
    shownSteps.flatMap { $0.messages }.compactMap(\.key)
  }

  /// The authenticator apps that were shown, in order.
  public var apps: [AuthenticatorApp] { screens.filter { $0.attempt == 1 }.compactMap(\.setUp) }

  /// The IDs of the inputs that were asked for, in order.
  public var asked: [Screen.Input.ID] { questions.map { $0.input.repeats ?? $0.input.id } }

  /// Throws a ``ScriptedFrontEndError`` if there are unused replies.
  public func finish() throws {
    guard replies.isEmpty else {
      let names = replies.map { "“\($0.target)”" }.joined(separator: ", ")
      throw ScriptedFrontEndError("The sign-in ended without asking for these: \(names).")
    }
  }

  /// Replies from the list.
  ///
  /// Throws a ``ScriptedFrontEndError`` if the next reply is to something else, or does not fit.
  public func reply(to screen: Screen) async throws -> Reply {
    screens.append(screen)
    guard let step = screen.step else { return startsOver() }
    if !screen.inputs.isEmpty { return try await answer(screen) }
    if let request = screen.passkey, let passkeys, screen.startsByItself {
      return try await request.reply(from: passkeys)
    }
    if let next = replies.first, next.isTo(step) {
      let reply = try await take(next, at: screen)
      guard screen.isMain(reply) else { return reply }
      if let request = screen.passkey, let passkeys {
        return try await request.reply(from: passkeys)
      }
      guard screen.page != nil, let next = replies.first, next.isTo(step) else { return reply }
      return try await take(next, at: screen)
    }
    if screen.action.role == .wait { return try await idle() }
    let names = ([screen.action] + screen.options).map { "“\($0.label)”" }.joined(separator: ", ")
    throw mismatch("“\(step.remediation.name)” offers \(names)")
  }

  private func startsOver() -> Reply {
    guard replies.first?.target == ScriptedReply.startingOver.target else { return .cancel }
    replies.removeFirst()
    return .submit([:])
  }

  private func answer(_ screen: Screen) async throws -> Reply {
    var questions = ScreenQuestions(screen)
    while let input = questions.next() {
      self.questions.append(Question(input: input, screen: screen))
      guard let next = replies.first, next.isTo(input) else {
        throw mismatch(Self.words(for: input, at: screen))
      }
      switch try await take(next, at: screen, for: input) {
      case .submit(let values): questions.take(values[input.id] ?? "")
      case let reply: return reply
      }
    }
    return .submit(questions.values)
  }

  /// Waits until the person is idle or the task is canceled.
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

  private func take(
    _ reply: ScriptedReply, at screen: Screen, for input: Screen.Input? = nil
  ) async throws -> Reply {
    replies.removeFirst()
    let situation = ScriptedReply.Situation(
      screen: screen, input: input, app: apps.last, date: now())
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

  private func mismatch(_ words: String) -> ScriptedFrontEndError {
    ScriptedFrontEndError(
      replies.first.map { "The next reply is to “\($0.target)”, and \(words)." }
        ?? "All replies are used, and \(words).")
  }

  private var shownSteps: [Step] { screens.compactMap(\.step) }

  private static func words(for input: Screen.Input, at screen: Screen) -> String {
    let problem = input.problem.map { " again (\($0))" } ?? ""
    let step = screen.step?.remediation.name.rawValue ?? ""
    return "“\(step)” asks “\(input.id)” (“\(input.label)”)\(problem)"
  }
}

/// A difference between the replies of a ``ScriptedFrontEnd`` and what a sign-in asks.
///
/// It contains the names of inputs and steps, but no replies.
public struct ScriptedFrontEndError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The difference, as a sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
