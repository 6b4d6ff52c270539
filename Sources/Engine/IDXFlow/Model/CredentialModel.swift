public import IDXOAuth
public import Observation

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Who is signed in, for a user interface with observable state, such as SwiftUI.
///
/// It shows the current credential of a store, and refreshes it by itself shortly before it expires:
///
///     @State var credentials = CredentialModel(store: store, client: tokens)
///
///     switch credentials.status {
///     case .valid, .expiring: ProfileView(credentials.credential)
///     default: SignInPage()
///     }
///
/// Call ``load()`` at launch and whenever the app becomes active, ``keep(_:)`` after a sign-in, and
/// ``signOut()``. Requests to an API use ``session``.
@MainActor @Observable
public final class CredentialModel {
  /// Whether the person is signed in; a later version may add a case.
  public enum Status: Sendable, Hashable {
    /// The store was not read yet.
    case unknown
    /// The store could not be read, or the person has not confirmed that it may be;
    /// ``CredentialModel/problem`` says why. ``CredentialModel/load()`` tries again.
    case unreadable
    /// Nobody is signed in.
    case signedOut
    /// The access token is valid.
    case valid
    /// The access token expires soon, or has expired and there will be another try to refresh it;
    /// ``CredentialModel/problem`` says what went wrong, and is nil if nothing did.
    case expiring
    /// The person has to sign in again; ``CredentialModel/problem`` says why.
    case expired
  }

  /// Whether the person is signed in.
  public private(set) var status = Status.unknown
  /// The person and the tokens, also after they have expired; nil if nobody is signed in.
  public private(set) var credential: Credential?
  /// When this model last saw a refresh; nil if there was none.
  public private(set) var refreshedAt: Date?
  /// What went wrong last, in a sentence: a store that cannot be read, or a server that cannot be reached;
  /// nil after a success.
  public private(set) var problem: String?
  /// The credential session, for requests to an API; nil if nobody is signed in.
  public private(set) var session: CredentialSession?

  @ObservationIgnored private let store: any CredentialStore
  @ObservationIgnored private let client: TokenClient
  @ObservationIgnored private let margin: TimeInterval
  @ObservationIgnored private let sleep: @Sendable (Duration) async throws -> Void
  /// Follows the changes of the credential session.
  @ObservationIgnored private var changes: Task<Void, Never>?
  /// Waits until something is due.
  @ObservationIgnored private var timer: Task<Void, Never>?
  /// The last refresh that the model began by itself.
  @ObservationIgnored private var renewal: Task<Void, Never>?

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - store: The store of the credentials.
  ///   - client: Refreshes and revokes tokens; its clock says when they expire.
  ///   - margin: How many seconds before its end an access token counts as expiring; at most a tenth of its
  ///     lifetime.
  ///   - sleep: Waits until the credential expires, and between tries to refresh it.
  public init(
    store: any CredentialStore, client: TokenClient, margin: TimeInterval = 60,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.store = store
    self.client = client
    self.margin = margin
    self.sleep = sleep
  }

  deinit {
    changes?.cancel()
    timer?.cancel()
  }

  /// Reads the current credential of the store; if it is about to expire, waits until it is refreshed.
  ///
  /// ``problem`` says why if the store cannot be read, or the server cannot be reached.
  public func load() async {
    if status == .unreadable { status = .unknown }
    await attempt {
      let before = session
      guard let id = try await store.currentID() else {
        if session === before { forget() }
        return
      }
      await follow(id)
      try await show { try await $0.credential() }
      await renewal?.value
    }
    if status == .unknown, !Task.isCancelled { status = .unreadable }
  }

  /// Saves the credential of a sign-in and makes it the current one.
  ///
  /// If that fails, ``problem`` says why, and ``status`` stays as it was.
  public func keep(_ credential: Credential) async {
    await attempt {
      let replaced = try? await store.credential(credential.id)?.tokens.key
      try await store.save(credential)
      if replaced != credential.tokens.key { replaced?.remove() }
      try await store.makeCurrent(credential.id)
      await follow(credential.id)
      // A new sign-in of the same person is no refresh.
      (self.credential, refreshedAt) = (nil, nil)
      show(credential)
    }
  }

  /// Gets new tokens now; ``problem`` says why if that fails.
  public func refresh() async {
    await attempt { try await show { try await $0.refresh() } }
  }

  /// Revokes the tokens and removes the credential.
  ///
  /// If a token could not be revoked, ``problem`` says so; nobody is signed in nevertheless.
  public func signOut() async {
    await attempt {
      let result = try await session?.signOut()
      forget()
      problem = result?.failures.first?.error.message
    }
  }

  // MARK: Changes

  /// Does something that may fail.
  private func attempt(_ body: () async throws -> Void) async {
    problem = nil
    do { try await body() } catch let error as FlowError where error.code == .signInNeeded {
      expire(error)
    } catch { report(error) }
  }

  private func report(_ error: any Error) {
    if !(error is CancellationError) { problem = FlowPhase.Failure.error(error).message }
  }

  private func forget() {
    changes?.cancel()
    timer?.cancel()
    (session, credential, refreshedAt, problem) = (nil, nil, nil, nil)
    status = .signedOut
  }

  /// Observes the credential session of a credential.
  private func follow(_ id: Credential.ID) async {
    guard session?.id != id else { return }
    let session = CredentialSession(id, store: store, client: client, margin: margin)
    self.session = session
    let stream = await session.changes()
    // Another person may have signed in meanwhile.
    guard session === self.session else { return }
    changes?.cancel()
    changes = Task { [weak self] in
      for await change in stream { self?.take(change, of: session) }
    }
  }

  private func take(_ change: CredentialSession.Change, of session: CredentialSession) {
    guard session === self.session else { return }
    switch change {
    case .refreshed(let credential):
      problem = nil
      show(credential)
    case .expired(let error): expire(error)
    case .signedOut: forget()
    }
  }

  private func expire(_ error: FlowError) {
    guard credential != nil else { return forget() }
    timer?.cancel()
    problem = error.message
    status = .expired
  }

  // MARK: Time

  /// Shows a credential, and waits for its end.
  private func show(_ new: Credential) {
    if let credential, credential.id == new.id,
      credential.tokens.accessToken != new.tokens.accessToken
    {
      refreshedAt = new.receivedAt
    }
    credential = new
    status = isExpiring(new) ? .expiring : .valid
    timer?.cancel()
    guard let end = new.expiresAt else { return }
    let now = client.now()
    switch status {
    case .expiring where new.tokens.refreshToken != nil:
      let age = now.timeIntervalSince(new.receivedAt)
      // A server whose tokens expire at once must not be asked without a pause.
      if (0..<Self.pause).contains(age) { return wait(Self.pause - age) }
      renewal = Task { [weak self] in await self?.renew() }
      timer = renewal
    case .expiring where new.isValid(at: now): wait(end.timeIntervalSince(now))
    case .expiring:
      expire(FlowError(.signInNeeded, "The sign-in has expired. Sign in again."))
    default: wait(end.timeIntervalSince(now) - new.margin(atMost: margin))
    }
  }

  /// Shows what the credential session returns, unless it has been replaced meanwhile.
  private func show(_ body: (CredentialSession) async throws -> Credential) async throws {
    guard let session else { return }
    let new = try await body(session)
    guard session === self.session else { return }
    show(new)
  }

  private func renew() async {
    do {
      try await show { try await $0.valid() }
      problem = nil
    } catch let error as FlowError where error.code == .signInNeeded { expire(error) } catch {
      // The change of the credential session was quicker, or the person has signed out.
      guard !Task.isCancelled || error is CredentialStoreError else { return }
      report(error)
      wait((error as? FlowError)?.retryAfter.map { $0 / .seconds(1) } ?? Self.pause)
    }
  }

  /// The seconds between tries to refresh.
  private static let pause: TimeInterval = 30

  /// Looks at the credential again after some seconds.
  private func wait(_ seconds: TimeInterval) {
    timer = Task { [weak self, sleep] in
      do { try await sleep(.seconds(max(seconds, 1))) } catch { return }
      guard let self, let credential, !Task.isCancelled else { return }
      show(credential)
    }
  }

  private func isExpiring(_ credential: Credential) -> Bool {
    !credential.isValid(at: client.now(), for: credential.margin(atMost: margin))
  }
}
