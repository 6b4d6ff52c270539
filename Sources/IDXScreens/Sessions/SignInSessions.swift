import IDX
import IDXBase
public import IDXFlow
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The open sign-ins of a server: one request shows a screen, and another one brings the reply.
///
/// Between two requests, a sign-in is only in the store, so that any process that shares the store can take
/// the next request. Of two requests at the same time, such as a double click, one is carried out; the other
/// one gets the page that follows, and nothing is sent twice.
///
///     let sessions = SignInSessions(client: client, configuration: configuration, store: store)
///     // The first request; put the ID into a cookie, and the revision into the form.
///     guard case .page(let page) = try await sessions.start() else { … }
///     // The next request, with the form.
///     switch try await sessions.reply(.submit(values), to: id, revision: revision) {
///     case .page(let page): show(page)
///     case .signedIn(let signIn): keep(signIn.credential)
///     case .ended(let screen): show(screen)
///     case .cancelled: goHome()
///     }
///
/// It throws a ``IDXOAuth/FlowError`` with a sentence for the person if the sign-in failed and must be started again, with the code
/// `unreadableState` if there is none with the ID.
public struct SignInSessions: Sendable {
  private let client: any FlowClient
  private let configuration: FlowConfiguration
  private let screens: Screens
  private let store: any SessionStore
  private let limits: FlowLimits
  private let lifetime: Duration
  private let random: RandomBytes
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void

  /// How long one request may take, except the first one.
  ///
  /// Its claim to the sign-in lasts longer, so that no other request can begin while it may still send
  /// something.
  private static let requestLimit: Duration = .seconds(90)
  private static let claim: TimeInterval = 120
  /// How often and how long a request waits for another one.
  private static let (waits, pause) = (20, Duration.milliseconds(250))

  /// Creates the sign-ins of a server.
  ///
  /// - Parameters:
  ///   - client: The client of the protocol; one for all sign-ins.
  ///   - configuration: The org and the app.
  ///   - screens: The screens and their words.
  ///   - store: Keeps the sign-ins between requests.
  ///   - limits: The limits of each sign-in.
  ///   - lifetime: How long a sign-in is kept after a request.
  ///   - random: Makes the IDs.
  ///   - now: The current time.
  ///   - sleep: Waits: for another request of the same sign-in, and until the time of a request is over. One
  ///     that returns at once for long times would end every request.
  public init(
    client: any FlowClient, configuration: FlowConfiguration, screens: Screens = Screens(),
    store: any SessionStore = MemorySessionStore(), limits: FlowLimits = FlowLimits(),
    lifetime: Duration = .seconds(3600), random: RandomBytes = .system,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    self.configuration = configuration
    self.screens = screens
    self.store = store
    self.limits = limits
    self.lifetime = lifetime
    self.random = random
    self.now = now
    self.sleep = sleep
  }

  // MARK: Requests

  /// Starts a sign-in; a goal is reached first.
  public func start(
    _ options: StartOptions = StartOptions(), goal: Goal? = nil
  ) async throws -> SessionTurn {
    let progress = try await coordinator(TurnFrontEnd(), client).begin(
      configuration, options, goal: goal)
    return try await advance(
      Session(progress: progress), random.token(), replacing: nil, with: nil)
  }

  /// The page of a sign-in again; nothing is sent.
  public func page(of id: String) async throws -> SessionTurn {
    try await page(of: try await load(id).session, id)
  }

  /// Carries out the reply to a page.
  ///
  /// Nothing is sent if the page is old, or if another request of this sign-in takes longer than a few
  /// seconds: the person sees the current page, with a message.
  ///
  /// - Parameters:
  ///   - reply: The reply.
  ///   - id: The ID of the sign-in.
  ///   - revision: The revision of the page; nil for a reply without a page, such as the return of a browser.
  public func reply(
    _ reply: Reply, to id: String, revision: Int?
  ) async throws -> SessionTurn {
    for wait in 0...Self.waits {
      let (stored, session) = try await load(id)
      if let revision, revision != session.revision {
        return try await page(of: session, id, saying: "session.old-page")
      }
      if !session.isClaimed(at: now()) {
        var claimed = session
        claimed.claimEnd = now().addingTimeInterval(Self.claim)
        let data = try claimed.data()
        if try await store.replace(stored, by: data, for: id, lifetime: lifetime) {
          return try await advance(session, id, replacing: data, with: reply)
        }
      }
      if wait < Self.waits { try await sleep(Self.pause) }
    }
    let session = try await load(id).session
    return try await page(of: session, id, saying: "session.busy", reply)
  }

  /// Asks the server once whether there is news; a page with a ``Screen/wait`` does so at its interval.
  ///
  /// Without news, the revision of the page stays the same. The server is not asked more often than it
  /// wants, nor while another request is under way.
  public func poll(_ id: String, revision: Int) async throws -> SessionTurn {
    let session = try await load(id).session
    let isEarly = session.nextPoll.map { now() < $0 } ?? true
    guard revision == session.revision, !isEarly, !session.isClaimed(at: now()) else {
      return try await page(of: session, id)
    }
    return try await reply(.poll, to: id, revision: revision)
  }

  // MARK: Turns

  /// Continues a sign-in with a reply until the next page, and saves it.
  private func advance(
    _ session: Session, _ id: String, replacing stored: Data?, with reply: Reply?
  ) async throws -> SessionTurn {
    let frontEnd = TurnFrontEnd(reply, mayPoll: session.nextPoll.map { now() >= $0 } ?? true)
    let (progress, result) = await advance(session.progress, coordinator(frontEnd, client))
    func save(_ data: Data?) async throws -> Bool {
      try await store.replace(stored, by: data, for: id, lifetime: lifetime)
    }
    do {
      guard let outcome = try result.get() else {
        var page = try frontEnd.page(id, progress)
        // Without a wait, the time for polls is over, which the person must see too.
        let isNews =
          !frontEnd.hasPolled || page.screen.wait == nil
          || (!frontEnd.wasEarly && progress.polls == 0)
        page.revision = session.revision + (isNews ? 1 : 0)
        let next = Session(
          progress: progress, revision: page.revision,
          nextPoll: frontEnd.wasEarly
            ? session.nextPoll
            : page.screen.wait.map { now().addingTimeInterval($0.interval / .seconds(1)) })
        guard try await save(next.data()) else {
          return try await self.page(of: id)
        }
        return .page(page)
      }
      // A store that fails now must not lose the result; what it keeps expires.
      _ = try? await save(nil)
      return SessionTurn(outcome, words: screens.words)
    } catch let error as FlowError {
      // When the time for polls is over, the person can still do something else.
      let isOver = frontEnd.hasPolled && error.code == .limitReached
      let next = Session(progress: progress, revision: session.revision + 1)
      guard isOver else {
        _ = try? await save(nil)
        throw error
      }
      _ = try await save(next.data())
      return try await page(of: next, id)
    } catch {
      // The sign-in itself has not failed, so the next request continues it.
      let next = Session(progress: progress, revision: session.revision + 1)
      _ = try? await save(next.data())
      throw error
    }
  }

  /// Runs a coordinator for a limited time; the progress is the last one, also after an error.
  private func advance(
    _ start: FlowProgress, _ coordinator: FlowCoordinator
  ) async -> (FlowProgress, Result<Outcome?, any Error>) {
    await withTaskGroup(of: (FlowProgress, Result<Outcome?, any Error>)?.self) { group in
      group.addTask {
        var progress = start
        do {
          let outcome = try await coordinator.advance(&progress)
          return (progress, .success(outcome))
        } catch {
          return (progress, .failure(error))
        }
      }
      group.addTask {
        try? await sleep(Self.requestLimit)
        return nil
      }
      var result: (FlowProgress, Result<Outcome?, any Error>)?
      while let next = await group.next() {
        group.cancelAll()
        if let next { result = next }
      }
      return result ?? (start, .failure(CancellationError()))
    }
  }

  /// The page of a session, made without a request, with a message in front of the others.
  private func page(
    of session: Session, _ id: String, saying message: Words.Key? = nil, _ reply: Reply = .cancel
  ) async throws -> SessionTurn {
    let frontEnd = TurnFrontEnd()
    var progress = session.progress
    _ = try await coordinator(frontEnd, SilentClient()).advance(&progress)
    var page = try frontEnd.page(id, progress)
    page.revision = session.revision
    if let message {
      page.screen = page.screen.refused(
        reply, because: InvalidReply(message: screens.words.sentence(message)))
      page.isShownOnce = true
    }
    return .page(page)
  }

  private func coordinator(
    _ frontEnd: TurnFrontEnd, _ client: any FlowClient
  ) -> FlowCoordinator {
    let words = screens.words
    return FlowCoordinator(
      client: client,
      handlers: .showing(screens, on: frontEnd, now: now, isPolledByCoordinator: false),
      limits: limits,
      // The page waits between two polls.
      sleep: { _ in try Task.checkCancellation() },
      observe: { event in
        guard case .accepted(let form, let authenticator) = event else { return }
        frontEnd.confirm(words.confirmation(of: form, authenticator))
      })
  }

  private func load(_ id: String) async throws -> (data: Data, session: Session) {
    // The store may keep other things under other names, which a cookie must not reach.
    guard Base64URL.decode(id)?.count == 32, let data = try await store.load(id) else {
      throw FlowError(.unreadableState, screens.words.sentence("session.gone"))
    }
    return (data, try Session(data, for: configuration))
  }
}

// MARK: - Results

/// What follows a request of an open sign-in.
///
/// A later version may add a case, so a `switch` needs a `default`.
public enum SessionTurn: Sendable {
  /// The person sees a page.
  case page(SessionPage)
  /// The person is signed in; the server no longer has the sign-in.
  case signedIn(SignIn)
  /// The sign-in has ended without tokens, and continues elsewhere; the screen says where.
  case ended(Screen)
  /// The person has cancelled the sign-in.
  case cancelled

  init(_ outcome: Outcome, words: Words) {
    switch outcome {
    case .signedIn(let signIn): self = .signedIn(signIn)
    case .ended(let state): self = .ended(Screen(end: state, words: words))
    case .cancelled: self = .cancelled
    }
  }
}

/// A page of an open sign-in.
public struct SessionPage: Sendable, Hashable, Redacted {
  /// The ID of the sign-in: 32 random bytes in Base64url.
  ///
  /// Whoever knows it can continue the sign-in, so keep it in a cookie that scripts cannot read.
  public let id: String
  /// A hash of the ID, for a hidden field of the form: whoever sends it has seen a page of this sign-in, so
  /// no other site has made the request.
  public let formToken: String
  /// The number of the page, which its reply brings back.
  public internal(set) var revision: Int
  /// What the page shows.
  public internal(set) var screen: Screen
  /// What the server has just accepted, such as “Sent again.”; nil if the screen shows it.
  public let confirmation: String?
  /// Whether only this page shows something: problems with the reply, a confirmation, or that the reply was
  /// too late.
  ///
  /// Otherwise a server can redirect the browser to an address that shows ``SignInSessions/page(of:)``.
  public internal(set) var isShownOnce: Bool

  /// The token in the forms of a sign-in (``formToken``), to check a request before it is carried out.
  public static func formToken(of id: String) -> String {
    Base64URL.encode(HashFunction.sha256.hash(Array("form token of \(id)".utf8)))
  }

  /// The screen and the revision, without the ID.
  public var description: String { "page \(revision): \(screen)" }
}

/// A sign-in as it is stored.
private struct Session {
  var progress: FlowProgress
  var revision = 0
  var nextPoll: Date?
  /// Until when a request has the sign-in for itself; nil if none is under way.
  var claimEnd: Date?

  func isClaimed(at now: Date) -> Bool { claimEnd.map { now < $0 } ?? false }

  init(progress: FlowProgress, revision: Int = 0, nextPoll: Date? = nil) {
    self.progress = progress
    self.revision = revision
    self.nextPoll = nextPoll
  }

  private struct Head: Codable {
    let revision: Int
    let nextPoll: Date?
    let claimEnd: Date?
  }

  /// One line for the session, and one for the progress.
  func data() throws -> Data {
    let head = Head(revision: revision, nextPoll: nextPoll, claimEnd: claimEnd)
    return try JSONEncoder().encode(head) + [UInt8(ascii: "\n")] + progress.snapshot()
  }

  init(_ data: Data, for configuration: FlowConfiguration) throws {
    let end = data.firstIndex(of: UInt8(ascii: "\n")) ?? data.endIndex
    guard let head = try? JSONDecoder().decode(Head.self, from: data[..<end]),
      (0...1_000_000).contains(head.revision)
    else {
      throw FlowError(.unreadableState, "The saved sign-in is damaged. Sign in again.")
    }
    progress = try FlowProgress(
      snapshot: Data(data[end...].dropFirst()), for: configuration)
    (revision, nextPoll, claimEnd) = (head.revision, head.nextPoll, head.claimEnd)
  }
}

/// Gives one reply, to the first screen, and keeps the next screen.
private final class TurnFrontEnd: FrontEnd {
  private struct State {
    var reply: Reply?
    var screen: Screen?
    var confirmation: String?
    var hasPolled = false
    var wasEarly = false
  }

  private let state: Locked<State>
  /// Whether the time for the next poll has come.
  private let mayPoll: Bool

  init(_ reply: Reply? = nil, mayPoll: Bool = true) {
    state = Locked(State(reply: reply))
    self.mayPoll = mayPoll
  }

  /// Whether the reply asked for news.
  var hasPolled: Bool { state.withLock { $0.hasPolled } }
  /// Whether it asked too early.
  var wasEarly: Bool { state.withLock { $0.wasEarly } }

  func reply(to screen: Screen) async throws -> Reply {
    let reply = state.withLock { state -> Reply? in
      state.screen = screen
      guard let reply = state.reply else { return nil }
      state.reply = nil
      let isPoll = reply == .poll || (screen.action.role == .wait && screen.isMain(reply))
      guard isPoll else { return reply }
      (state.hasPolled, state.wasEarly) = (true, !mayPoll)
      return screen.wait != nil && mayPoll ? .poll : nil
    }
    guard let reply else { throw FlowPause() }
    return reply
  }

  func confirm(_ sentence: String?) { state.withLock { $0.confirmation = sentence } }

  /// The page with the last screen.
  func page(_ id: String, _ progress: FlowProgress) throws -> SessionPage {
    let (screen, confirmation) = state.withLock { ($0.screen, $0.confirmation) }
    guard var screen else {
      throw FlowError(.inputNeeded, "A handler has paused the sign-in without a screen.")
    }
    if let interval = screen.wait?.interval {
      screen.wait?.interval = max(interval, progress.pause)
    }
    return SessionPage(
      id: id, formToken: SessionPage.formToken(of: id), revision: 0, screen: screen,
      confirmation: confirmation,
      // A refused reply counts as an attempt on the screen, but not at the server.
      isShownOnce: confirmation != nil || screen.attempt != screen.step?.attempt ?? 1)
  }
}

/// Sends nothing.
private struct SilentClient: FlowClient {
  func start(
    _ configuration: FlowConfiguration, _ options: StartOptions
  ) async throws -> FlowState { throw FlowPause() }

  func proceed(_ submission: Submission, from state: FlowState) async throws -> FlowState {
    throw FlowPause()
  }

  func refresh(_ state: FlowState) async throws -> FlowState { throw FlowPause() }

  func redeem(_ state: FlowState, username: String?) async throws -> Credential {
    throw FlowPause()
  }
}
