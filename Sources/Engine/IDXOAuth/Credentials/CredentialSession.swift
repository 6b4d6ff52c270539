#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A credential in a store, refreshed when necessary.
///
///     let session = CredentialSession(credential.id, store: store, client: tokens)
///     let api = AuthenticatedTransport(session, over: transport, origins: [URL(string: "https://api.example.com")!])
///     let response = try await api.send(TransportRequest(url: url))
///
/// If several callers need a refresh at the same time, in this process or in others with the same store,
/// only one request is sent. New tokens are saved before the old ones are removed. A refresh continues
/// after its caller is canceled, because the server may already have replaced the refresh token. A
/// program that is about to end waits for it with ``finish()``. ``changes()`` tells what happens to it.
public actor CredentialSession {
  /// What happened to the credential; a later version may add a case.
  public indirect enum Change: Sendable {
    /// There are new tokens.
    case refreshed(Credential)
    /// There is no way to get new tokens: the person has to sign in again.
    case expired(FlowError)
    /// The credential is no longer in the store.
    case signedOut
  }

  /// The ID of the credential.
  public nonisolated let id: Credential.ID

  private let store: any CredentialStore
  let client: TokenClient
  private let margin: TimeInterval
  private var refreshTask: Task<Credential, any Error>?
  private var signOutTask: Task<SignOut, any Error>?
  private var unsaved: UnsavedTokens?
  private var observers: [UUID: AsyncStream<Change>.Continuation] = [:]

  /// New tokens that could not be saved, and the tokens in the store that they replace.
  private struct UnsavedTokens {
    let credential: Credential
    let replaced: Tokens
  }

  /// Creates a credential session.
  ///
  /// `margin` is the time in seconds for which an access token must still be valid, so that it does not
  /// expire on its way. For tokens with a lifetime below ten times the margin, it is a tenth of the
  /// lifetime.
  public init(
    _ id: Credential.ID, store: any CredentialStore, client: TokenClient, margin: TimeInterval = 60
  ) {
    self.id = id
    self.store = store
    self.client = client
    self.margin = margin
  }

  deinit { for observer in observers.values { observer.finish() } }

  /// The changes from now on that this credential session causes or notices, for any number of observers.
  ///
  /// A refresh by another process is noticed only when this credential session tries to refresh. The stream ends
  /// with it.
  public func changes() -> AsyncStream<Change> {
    let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
    let key = UUID()
    observers[key] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { [weak self] in await self?.removeObserver(key) }
    }
    return stream
  }

  private func removeObserver(_ key: UUID) { observers[key] = nil }

  private func announce(_ change: Change) {
    for observer in observers.values { observer.yield(change) }
  }

  /// Announces a sign-out that was noticed here.
  private func signedOut() -> FlowError {
    announce(.signedOut)
    return FlowError(.signInNeeded, "Nobody is signed in. Sign in first.")
  }

  // MARK: Getting the credential

  /// The credential in the store, even if it is no longer valid.
  ///
  /// New tokens that could not be saved before are saved now, and returned even if that fails again.
  /// Throws a ``FlowError`` with ``FlowError/Code/signInNeeded`` if there is no credential, and the
  /// store's errors.
  public func credential() async throws -> Credential {
    if unsaved != nil {
      do {
        try await store.withLock(on: id) { _ = try await self.saveUnsavedTokens() }
      } catch is CredentialStoreError {
        if let unsaved { return unsaved.credential }
      }
    }
    guard let credential = try await store.credential(id) else { throw signedOut() }
    return credential
  }

  /// The credential, refreshed first if its access token expires soon.
  ///
  /// Throws what ``credential()`` and ``refresh()`` throw.
  public func valid() async throws -> Credential {
    let credential = try await credential()
    return isValid(credential) ? credential : try await renew(credential)
  }

  /// The credential, refreshed first even if it is still valid.
  ///
  /// If another caller refreshes it at the same time, there is only one refresh. Throws
  /// ``FlowError/Code/signInNeeded`` if the person has to sign in again, other errors of
  /// ``TokenClient/refresh(_:)``, and the store's errors.
  public func refresh() async throws -> Credential { try await renew(try await credential()) }

  /// Asks the server for claims about the person; refreshes first if the server no longer accepts the
  /// access token.
  ///
  /// Throws what ``valid()`` and ``TokenClient/userInfo(_:)`` throw.
  public func userInfo() async throws -> UserInfo {
    let credential = try await valid()
    do { return try await client.userInfo(credential) } catch let error as FlowError
      where error.code == .signInNeeded
    {
      guard credential.tokens.refreshToken != nil else {
        throw await refused(credential, error)
      }
      let renewed = try await renew(credential)
      do { return try await client.userInfo(renewed) } catch let error as FlowError
        where error.code == .signInNeeded
      {
        throw await refused(renewed, error)
      }
    }
  }

  /// Asks the server whether it still accepts the tokens, and refreshes them if that helps.
  ///
  /// Throws ``FlowError/Code/signInNeeded`` if the person has to sign in again.
  public func check() async throws -> Credential {
    let credential = try await credential()
    guard credential.refusedAt == nil else { return try await renew(credential) }
    let canRefresh = credential.tokens.refreshToken != nil
    if canRefresh, try await !client.isActive(.refresh, of: credential) {
      // Another process may have refreshed it in the meantime.
      guard await keepRefusal(of: credential) else { return try await check() }
      announce(.expired(TokenClient.refusal))
      throw TokenClient.refusal
    }
    if isValid(credential), try await client.isActive(.access, of: credential) { return credential }
    guard canRefresh || !isValid(credential) else {
      throw await refused(credential, TokenClient.refusal)
    }
    return try await renew(credential)
  }

  /// Remembers that the server has refused the tokens, and returns the error.
  private func refused(_ credential: Credential, _ error: FlowError) async -> FlowError {
    await keepRefusal(of: credential)
    announce(.expired(error))
    return error
  }

  /// Remembers in the store that the server has refused the tokens; returns false if there are others by now.
  @discardableResult
  private func keepRefusal(of credential: Credential) async -> Bool {
    let (store, date) = (store, client.now())
    // A store that fails does not hide the refusal; the server is then asked again the next time.
    let isCurrent = try? await store.withLock(on: id) {
      guard let stored = try await store.credential(credential.id) else { return true }
      guard stored.tokens == credential.tokens else { return false }
      try await store.save(stored.refused(at: date))
      return true
    }
    return isCurrent ?? true
  }

  private func isValid(_ credential: Credential) -> Bool {
    credential.isValid(at: client.now(), for: credential.margin(atMost: margin))
  }

  // MARK: Signing out

  /// Revokes the tokens and removes the credential, even if a token cannot be revoked.
  ///
  /// It continues after its caller is canceled, so that no revoked tokens stay in the store. Throws
  /// ``FlowError/Code/signInNeeded`` if nobody is signed in, and a ``CredentialStoreError`` if the store
  /// cannot be read or the credential cannot be removed.
  public func signOut() async throws -> SignOut {
    let task = signOutTask ?? Task { try await performSignOut() }
    signOutTask = task
    return try await task.valueUnlessCancelled
  }

  /// Waits for a refresh or sign-out that continues after its caller was canceled.
  ///
  /// Call it before the program ends. Canceling the task ends the wait.
  public func finish() async {
    _ = try? await refreshTask?.valueUnlessCancelled
    _ = try? await signOutTask?.valueUnlessCancelled
  }

  private func performSignOut() async throws -> SignOut {
    defer { signOutTask = nil }
    let (store, client, id) = (store, client, id)
    return try await store.withLock(on: id) {
      let stored = try await store.credential(id)
      guard let credential = await self.newest(stored) else { throw await self.signedOut() }
      var result = SignOut()
      for kind in [TokenKind.refresh, .access] where credential.tokens[kind] != nil {
        do {
          try await client.revoke(kind, of: credential)
          result.revoked.append(kind)
        } catch let error as FlowError { result.failures.append((kind, error)) }
      }
      do { try await store.remove(id) } catch let error as CredentialStoreError {
        let outcome =
          result.failures.isEmpty
          ? "The tokens were revoked" : "Some tokens could not be revoked"
        throw CredentialStoreError(
          error.code, "\(outcome), but the credential cannot be removed. \(error.message)",
          systemCode: error.systemCode)
      }
      credential.tokens.key?.remove()
      await self.setUnsaved(nil)
      await self.announce(.signedOut)
      return result
    }
  }

  // MARK: Refreshing

  /// Refreshes, unless another caller has since this credential was read.
  func renew(_ seen: Credential) async throws -> Credential {
    let task = refreshTask ?? Task { try await performRefresh(seen) }
    refreshTask = task
    return try await task.valueUnlessCancelled
  }

  private func performRefresh(_ seen: Credential) async throws -> Credential {
    defer { refreshTask = nil }
    let (store, client, id) = (store, client, id)
    return try await store.withLock(on: id) {
      guard let stored = try await self.saveUnsavedTokens() else { throw await self.signedOut() }
      // Compare access tokens: after a failed refresh, only the refresh token is new.
      if stored.tokens.accessToken != seen.tokens.accessToken {
        await self.announce(.refreshed(stored))
        return stored
      }
      // Find out whether the store can be written before the refresh token is used up.
      try await store.save(stored)
      let renewal: TokenClient.Renewal
      do { renewal = try await client.renewal(of: stored) } catch let error as FlowError
        where error.asksForSignIn
      {
        // Nobody must use the access token either, because it belongs to a sign-in that the server has
        // ended. If the store fails, the server is asked again the next time.
        if error.underlying is OAuthError {
          try? await store.save(stored.refused(at: client.now()))
        }
        await self.announce(.expired(error))
        throw error
      }
      // They count even if they cannot be saved.
      if renewal.failure == nil { await self.announce(.refreshed(renewal.credential)) }
      do { try await store.save(renewal.credential) } catch {
        // Still inside the lock, so that the next caller finds the new tokens.
        await self.setUnsaved(
          UnsavedTokens(credential: renewal.credential, replaced: stored.tokens))
        throw error
      }
      if let failure = renewal.failure { throw failure }
      return renewal.credential
    }
  }

  /// Saves the new tokens that could not be saved before; returns the credential in the store.
  ///
  /// Call it inside the lock.
  private func saveUnsavedTokens() async throws -> Credential? {
    let stored = try await store.credential(id)
    let newest = newest(stored)
    if let newest, unsaved != nil {
      try await store.save(newest)
      unsaved = nil
    }
    return newest
  }

  /// The stored credential, or the new tokens that could not be saved in its place.
  ///
  /// If others have removed or replaced the stored credential since, theirs counts.
  private func newest(_ stored: Credential?) -> Credential? {
    if let unsaved, unsaved.replaced == stored?.tokens { return unsaved.credential }
    unsaved = nil
    return stored
  }

  /// Revokes new tokens that could not be saved, if the server no longer accepts the old ones in their place; returns
  /// a sentence about it, and nil if there are no such tokens.
  ///
  /// It is for a program that is about to end, and cannot save them later.
  package func revokeUnsavedTokens() async -> String? {
    guard let unsaved, unsaved.credential.tokens.refreshToken != unsaved.replaced.refreshToken
    else {
      return nil
    }
    self.unsaved = nil
    return await client.revokeAll(unsaved.credential.tokens, of: unsaved.credential.id.app)
  }

  private func setUnsaved(_ tokens: UnsavedTokens?) { unsaved = tokens }
}

/// The result of a sign-out; the credential is removed in any case.
public struct SignOut: Sendable {
  /// The kinds of tokens that the server revoked.
  public var revoked: [TokenKind] = []
  /// The kinds of tokens that could not be revoked, and why; they stay valid until they expire.
  public var failures: [(kind: TokenKind, error: FlowError)] = []

  /// Creates the result of a sign-out without tokens.
  public init() {}
}
