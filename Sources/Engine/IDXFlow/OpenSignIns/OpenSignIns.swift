import IDX
import IDXBase
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
///     let signIns = OpenSignIns(
///       client: client, configuration: configuration, store: signInStore,
///       keep: { signIn in try await accounts.add(signIn.credential) })
///     // The first request; put the ID of the page into a cookie, and its revision into the form.
///     let first = try await signIns.start()
///     // The next request, with the form.
///     switch try await signIns.reply(.submit(form.values), to: form.id, revision: form.revision) {
///     case .page(let page): show(page)
///     case .signedIn(let signIn): setCookie(signIn.keptAs)
///     case .ended(let screen): show(screen)
///     case .cancelled: goHome()
///     }
///
/// It throws a ``/IDXOAuth/FlowError`` with a sentence for the person if the sign-in failed and must be
/// started again, with the code `unreadableState` if there is none with the ID.
///
/// The result, with the tokens, is returned again for 15 seconds, but only to the same reply to the same page: after
/// a double click, a browser shows only what the second request returns. Another reply to that page, except a cancel,
/// deletes it, because somebody else may know the ID too. A store may keep the result a little longer. So do what must
/// be done once, such as to save the tokens, in `keep`. What a poll has completed belongs to a reply without values.
public struct OpenSignIns: Sendable {
  private let client: any FlowClient
  private let configuration: FlowConfiguration
  private let handlers: Handlers
  private let keep: (@Sendable (SignIn) async throws -> String?)?
  private let store: any OpenSignInStore
  private let limits: FlowLimits
  private let lifetime: Duration
  private let random: RandomBytes
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Duration) async throws -> Void

  /// How many seconds one request may take, except the first one.
  ///
  /// Its claim to the sign-in lasts longer, so that no other request can begin while it may still send
  /// something.
  private static let requestLimit = 90
  private static let claim = TimeInterval(requestLimit + 30)
  /// How long the result of a sign-in is kept.
  private static let resultLifetime: Duration = .seconds(15)
  /// How often and how long a request waits for another one.
  private static let (waits, pause) = (20, Duration.milliseconds(250))
  /// How often a request tries to save what the server has accepted, for 15 seconds in all: a store that did not
  /// answer may refuse all requests for some seconds.
  private static let saves = 60

  /// Creates the sign-ins of a server.
  ///
  /// - Parameters:
  ///   - client: The client of the protocol; one for all sign-ins.
  ///   - configuration: The org and the app.
  ///   - handlers: Decide about the steps, or ask: their screens are the pages.
  ///   - store: Keeps the sign-ins between requests.
  ///   - limits: The limits of each sign-in.
  ///   - lifetime: How long a sign-in is kept after a request that was carried out.
  ///   - keep: Keeps a sign-in that has succeeded, and returns a name for it, such as the ID of its account's cookie. It
  ///     is called once for each sign-in, and every request that returns the result has the name (``SignIn/keptAs``). If
  ///     it throws, the sign-in has failed: revoke the tokens before, because nobody has them then. It may take a minute,
  ///     and is not canceled with the request.
  ///   - random: Makes the IDs.
  ///   - now: The current time.
  ///   - sleep: Waits for another request of the same sign-in, for a store that is away, and, one second at a
  ///     time, until a request has taken too long. A function that returns at once for a second would end every
  ///     request.
  public init(
    client: any FlowClient, configuration: FlowConfiguration, handlers: Handlers = .showing(),
    store: any OpenSignInStore = MemoryOpenSignInStore(), limits: FlowLimits = FlowLimits(),
    lifetime: Duration = .seconds(3600),
    keep: (@Sendable (SignIn) async throws -> String?)? = nil, random: RandomBytes = .system,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    self.configuration = configuration
    self.handlers = handlers
    self.keep = keep
    self.store = store
    self.limits = limits
    self.lifetime = lifetime
    self.random = random
    self.now = now
    self.sleep = sleep
  }

  // MARK: Requests

  /// Starts a sign-in; `goal` is what the person does first, such as resetting a password.
  ///
  /// `context` says for whom: the address and the browser of the request, which the org then sees.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` if the sign-in cannot start, and the error of the store.
  public func start(
    _ options: StartOptions = StartOptions(), goal: Goal? = nil,
    for context: PersonContext = .own
  ) async throws -> OpenSignInResult {
    let progress = try await engine(for: context).begin(
      configuration, options, goal: goal, limits: limits)
    return try await advance(
      SavedOpenSignIn(progress), random.token(), replacing: nil, by: nil, for: context)
  }

  /// The page of a sign-in again; nothing is sent, and there are never tokens.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `unreadableState` if the sign-in is gone, and the error
  /// of the store.
  public func page(of id: String) async throws -> OpenSignInResult {
    try await page(of: try await load(id).saved, id)
  }

  /// Carries out the reply to a page.
  ///
  /// Nothing is sent if the page is old, if another request of this sign-in takes longer than a few seconds,
  /// or if a return (``Reply/returned(_:)``) does not have this sign-in's `state`: the person sees the current
  /// page, with a message, and the page in the browser stays valid. But if an old page brings another username, the
  /// sign-in starts over with it: the person has gone back to correct it, and no password may reach the first one.
  ///
  /// ``page(of:)`` shows the same page, with its messages, so a server can redirect the browser there. Only what is said
  /// while another request is under way is not kept.
  ///
  /// - Parameters:
  ///   - reply: The reply.
  ///   - id: The ID of the sign-in.
  ///   - revision: The revision of the page; nil for a reply without a page, such as the return of a browser.
  ///   - context: For whom the requests are sent: the address and the browser of this request.
  public func reply(
    _ reply: Reply, to id: String, revision: Int?, for context: PersonContext = .own
  ) async throws -> OpenSignInResult {
    for wait in 0...Self.waits {
      let (stored, saved) = try await load(id)
      if let end = saved.end {
        // Not everybody who has the ID may get the tokens, such as another window that cancels.
        guard end.isSignedIn, !reply.isCancel, revision == saved.revision else {
          return try await page(of: saved, id)
        }
        guard end.isEarned(by: reply) else {
          _ = try await store.replace(stored, by: nil, for: id, lifetime: lifetime)
          throw gone
        }
        return try end.result(of: saved.progress, words: words)
      }
      let isOld = revision != nil && revision != saved.revision
      let correction = isOld ? try await correction(of: saved, by: reply) : nil
      if isOld, correction == nil {
        return try await page(of: saved, id, stored, saying: "open-sign-in.old-page")
      }
      if case .returned(let address) = reply, !saved.progress.state.isReturn(address) {
        // Any web page can make the browser request this address, so it must not even count as an attempt.
        return try await page(of: saved, id, stored, saying: "open-sign-in.foreign-return")
      }
      if !saved.isClaimed(at: now()) {
        let move: FlowMove
        if let correction {
          move = correction
        } else {
          let pending = try await pendingScreen(of: saved)
          do { move = try pending.move(on: reply) } catch let refusal as InvalidReply {
            let remark = SavedOpenSignIn.Remark(refusal, of: reply, to: pending.screen)
            return try await page(of: saved, id, stored, with: remark, on: pending.screen)
          }
        }
        guard !move.isPoll || saved.mayPoll(at: now()) else {
          return try await page(of: saved, id)
        }
        let result = try await claim(
          saved, id, stored, by: move, of: reply, isAgain: correction != nil, for: context)
        if let result { return result }
      }
      if wait < Self.waits { try await sleep(Self.pause) }
    }
    let (stored, saved) = try await load(id)
    guard saved.end == nil else { return try await page(of: saved, id) }
    // The reply is for the page that it came from, and for no later one.
    guard revision == nil || revision == saved.revision else {
      return try await page(of: saved, id, stored, saying: "open-sign-in.old-page")
    }
    return try await page(of: saved, id, stored, saying: "open-sign-in.busy", to: reply)
  }

  /// The move that starts a sign-in over because an old page brings another username; nil if it does not, or if the
  /// sign-in cannot start over.
  private func correction(
    of saved: SavedOpenSignIn, by reply: Reply
  ) async throws -> FlowMove? {
    guard case .submit(let values) = reply,
      let username = values["identifier"]?.revealed.trimmed(), !username.isEmpty,
      saved.progress.isForSomebodyElse(username)
    else { return nil }
    let pending = try await pendingScreen(of: saved)
    return try pending.screen.person?.changeID.map { try pending.move(on: .choose($0)) }
  }

  /// Asks the server once whether there is news; a page with a ``Screen/wait`` does so at its interval.
  ///
  /// Without news, the revision of the page stays the same. The server is not asked more often than it
  /// wants, nor while another request is under way.
  ///
  /// - Parameters:
  ///   - id: The ID of the sign-in.
  ///   - revision: The revision of the page that waits.
  ///   - fetchesTokens: Whether the tokens are fetched if the sign-in has succeeded. Pass false for a GET, which
  ///     any web page can cause: the person then sees a page whose reply fetches them.
  ///   - context: For whom the requests are sent: the address and the browser of this request.
  public func poll(
    _ id: String, revision: Int, fetchesTokens: Bool = true, for context: PersonContext = .own
  ) async throws -> OpenSignInResult {
    let (stored, saved) = try await load(id)
    guard saved.end == nil, revision == saved.revision, saved.mayPoll(at: now()),
      !saved.isClaimed(at: now()), let move = try await pendingScreen(of: saved).polling
    else { return try await page(of: saved, id) }
    let result = try await claim(
      saved, id, stored, by: move, for: context, fetchesTokens: fetchesTokens)
    if let result { return result }
    return try await page(of: id)
  }

  // MARK: Continuing

  /// Continues a sign-in that no other request may continue meanwhile; nil if another one was faster.
  private func claim(
    _ saved: SavedOpenSignIn, _ id: String, _ stored: Data, by move: FlowMove,
    of reply: Reply? = nil, isAgain: Bool = false, for context: PersonContext,
    fetchesTokens: Bool = true
  ) async throws -> OpenSignInResult? {
    guard let claimed = try await claim(saved, id, stored) else { return nil }
    return try await advance(
      saved, id, replacing: claimed, by: move, of: reply, isAgain: isAgain, for: context,
      fetchesTokens: fetchesTokens)
  }

  /// What is stored while this request has a sign-in for itself; nil if another one was faster.
  private func claim(
    _ saved: SavedOpenSignIn, _ id: String, _ stored: Data
  ) async throws -> Data? {
    let claimed = try saved.data(
      keeping: stored, claimEnd: now().addingTimeInterval(Self.claim))
    let isClaimed = try await store.replace(stored, by: claimed, for: id, lifetime: lifetime)
    return isClaimed ? claimed : nil
  }

  /// Continues a sign-in with a move until the next page, and saves it.
  ///
  /// The move is that of `reply`, which is nil without one. With `isAgain`, the reply is also the one to the page for
  /// a username.
  private func advance(
    _ saved: SavedOpenSignIn, _ id: String, replacing stored: Data?, by move: FlowMove?,
    of reply: Reply? = nil, isAgain: Bool = false, for context: PersonContext,
    fetchesTokens: Bool = true
  ) async throws -> OpenSignInResult {
    var stored = stored
    let confirmation = Locked<String?>(nil)
    let (progress, result) = await carryOut(
      move, then: isAgain ? reply : nil, saved.progress, for: context,
      fetchesTokens: fetchesTokens,
      confirm: { text in confirmation.withLock { $0 = text } })
    var next = saved
    (next.progress, next.claimEnd) = (progress, nil)
    let isUnchanged = progress.isUnchanged(since: saved.progress)
    func save() async throws -> Bool {
      let hasPage = next.end?.isEnded ?? true
      let lifetime = hasPage ? lifetime : Self.resultLifetime
      let data = try next.data()
      // The server has already moved on, so a store that is away for some seconds must not undo that. Only the
      // start of a sign-in can be done again.
      let (waits, end) = (
        stored == nil ? 0 : Self.saves, now() + Self.pause * Self.saves / .seconds(1)
      )
      for _ in 0..<waits where now() < end {
        do { return try await store.replace(stored, by: data, for: id, lifetime: lifetime) } catch {
          guard (try? await sleep(Self.pause)) != nil else { break }
        }
      }
      return try await store.replace(stored, by: data, for: id, lifetime: lifetime)
    }
    do {
      switch try result.get() {
      case .show(let pending):
        let wait = pending.screen.wait
        // A poll without news changes the sign-in, but not the page. Without a wait, the time for polls is
        // over, which the person must see too.
        let isNews = move?.isPoll != true || wait == nil || progress.polls == 0
        if !isUnchanged {
          next.revision += isNews ? 1 : 0
          next.nextPoll = nil
          if isNews { next.remark = .init(confirmation: confirmation.withLock { $0 }) }
        }
        if next.nextPoll == nil, let wait {
          next.nextPoll = now().addingTimeInterval(wait.interval / .seconds(1))
        }
        guard try await save() else { return try await page(of: id) }
        return .page(OpenSignInPage(id, next, pending.screen))
      case .end(let outcome):
        var end = SavedOpenSignIn.End(outcome)
        if case .signedIn(let signIn) = outcome {
          // That may take longer than what is left of the claim.
          if keep != nil, let claimed = stored {
            stored = (try? await claim(saved, id, claimed)) ?? claimed
          }
          end = .signedIn(
            signIn.credential, keptAs: try await kept(signIn),
            earnedBy: ReplyMark(reply ?? .submit([:]), random: random))
        }
        (next.end, next.remark) = (end, nil)
        // A store that fails now must not lose the result; what it keeps expires.
        _ = try? await save()
        return try end.result(of: progress, words: words)
      }
    } catch let error as FlowError {
      next.revision += 1
      next.remark = nil
      next.end = .failed(code: error.code.rawValue, message: error.message)
      _ = try? await save()
      throw error
    } catch {
      // The sign-in itself has not failed, so the next request continues it.
      if !isUnchanged {
        (next.revision, next.nextPoll, next.remark) = (next.revision + 1, now(), nil)
      }
      _ = try? await save()
      throw error
    }
  }

  /// The name under which a sign-in is kept; its code was used, so it cannot be continued if that fails.
  private func kept(_ signIn: SignIn) async throws -> String? {
    guard let keep else { return nil }
    // A browser that goes away must not lose what the org issues once.
    do { return try await Task { try await keep(signIn) }.value } catch {
      throw FlowError(
        .notKept, "You were signed in, but this site could not remember it. Start again.",
        underlying: error)
    }
  }

  /// How the moves of a request end.
  private enum Finish {
    case show(PendingScreen)
    case end(Outcome)
  }

  /// Makes moves until the next screen, for a limited time; the progress is the last one, also after an
  /// error.
  private func carryOut(
    _ move: FlowMove?, then reply: Reply?, _ start: FlowProgress, for context: PersonContext,
    fetchesTokens: Bool, confirm: @escaping @Sendable (String?) -> Void
  ) async -> (FlowProgress, Result<Finish, any Error>) {
    let engine = engine(for: context, confirm)
    return await withTaskGroup(of: (FlowProgress, Result<Finish, any Error>)?.self) { group in
      group.addTask {
        var progress = start
        do {
          let finish = try await carryOut(
            move, then: reply, &progress, engine, fetchesTokens: fetchesTokens)
          return (progress, .success(finish))
        } catch {
          return (progress, .failure(error))
        }
      }
      group.addTask {
        // The system keeps a cancelled sleep in memory until its time is over, so each one is short.
        for _ in 0..<Self.requestLimit {
          guard (try? await sleep(.seconds(1))) != nil else { return nil }
        }
        return nil
      }
      var result: (FlowProgress, Result<Finish, any Error>)?
      while let next = await group.next() {
        group.cancelAll()
        if let next { result = next }
      }
      return result ?? (start, .failure(CancellationError()))
    }
  }

  private func carryOut(
    _ first: FlowMove?, then reply: Reply?, _ progress: inout FlowProgress, _ engine: FlowEngine,
    fetchesTokens: Bool
  ) async throws -> Finish {
    var (move, reply) = (first, reply)
    while true {
      try Task.checkCancellation()
      if let move, let outcome = try await engine.make(move, in: &progress) { return .end(outcome) }
      switch try await handlers.next(in: progress, now: now()) {
      case .show(let pending):
        // The reply is for the page that asks for a username, and for no other.
        guard let next = reply, pending.screen.inputs.contains(where: { $0.id == "identifier" }),
          let correct = try? pending.move(on: next)
        else { return .show(pending) }
        (move, reply) = (correct, nil)
      case .move(.redeem) where !fetchesTokens:
        return .show(pendingScreen(due: .redeem, of: progress))
      case .move(let next):
        // Nothing would wait between two polls. When the time for them is over, the engine says so.
        if case .decide(_, at: let step) = next, next.isPoll, !step.isOverdue {
          throw FlowError(
            .inputNeeded,
            "A handler decided to poll. On a web site, it must ask with a screen that waits.")
        }
        move = next
      }
    }
  }

  private func engine(
    for context: PersonContext, _ confirm: @escaping @Sendable (String?) -> Void = { _ in }
  ) -> FlowEngine {
    let words = words
    return FlowEngine(
      client: client.acting(for: context),
      // The page waits between two polls.
      sleep: { _ in try Task.checkCancellation() },
      observe: { event in
        guard case .accepted(let form, let authenticator) = event else { return }
        confirm(words.confirmation(of: form, authenticator))
      })
  }

  private var words: Words { handlers.screens.words }

  // MARK: Pages

  /// The screen of an open sign-in; one that asks whether to go on, if a request was interrupted before it came
  /// to a screen.
  private func pendingScreen(of saved: SavedOpenSignIn) async throws -> PendingScreen {
    switch try await handlers.next(in: saved.progress, now: now()) {
    case .show(let pending): pending
    case .move(let move): pendingScreen(due: move, of: saved.progress)
    }
  }

  private func pendingScreen(due move: FlowMove, of progress: FlowProgress) -> PendingScreen {
    PendingScreen(due: move, of: progress.state, words: words)
  }

  /// The page of an open sign-in, made without a request; the result if it has ended.
  private func page(of saved: SavedOpenSignIn, _ id: String) async throws -> OpenSignInResult {
    if let end = saved.end {
      guard !end.isSignedIn else { throw gone }
      return try end.result(of: saved.progress, words: words)
    }
    return .page(OpenSignInPage(id, saved, try await pendingScreen(of: saved).screen))
  }

  /// The page with a message in front of the others, at the current step.
  private func page(
    of saved: SavedOpenSignIn, _ id: String, _ stored: Data, saying message: Words.Key,
    to reply: Reply = .cancel
  ) async throws -> OpenSignInResult {
    let screen = try await pendingScreen(of: saved).screen
    let refusal = InvalidReply(message: words.sentence(message))
    // What the page says already stays.
    var remark = saved.remark ?? .init(refusal, of: reply, to: screen)
    remark.message = refusal.message
    return try await page(of: saved, id, stored, with: remark, on: screen)
  }

  /// The page with a remark, which is saved so that it is still there when the page is loaded again.
  private func page(
    of saved: SavedOpenSignIn, _ id: String, _ stored: Data, with remark: SavedOpenSignIn.Remark,
    on screen: Screen
  ) async throws -> OpenSignInResult {
    var saved = saved
    saved.remark = remark
    // If another request is under way or was faster, or the store is away, only this response has the remark.
    if !saved.isClaimed(at: now()) {
      _ = try? await store.replace(
        stored, by: saved.data(keeping: stored), for: id, lifetime: lifetime)
    }
    return .page(OpenSignInPage(id, saved, screen))
  }

  private var gone: FlowError {
    FlowError(.unreadableState, words.sentence("open-sign-in.gone"))
  }

  private func load(_ id: String) async throws -> (data: Data, saved: SavedOpenSignIn) {
    // The store may keep other things under other names, which a cookie must not reach.
    guard Base64URL.decode(id)?.count == 32, let data = try await store.load(id) else {
      throw gone
    }
    return (data, try SavedOpenSignIn(data, for: configuration, limits))
  }
}
