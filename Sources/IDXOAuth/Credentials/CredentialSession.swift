#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A credential in a store, refreshed when it has to be.
///
///     let session = CredentialSession(credential.id, store: store, client: client)
///     request.headers["Authorization"] = "Bearer \(try await session.valid().tokens.accessToken.revealed)"
///
/// However many callers ask at once, here or in other processes with the same store, the server is
/// asked once. New tokens are in the store before the old ones are out of it. A refresh under way goes
/// on where its caller is cancelled: the server may have replaced the refresh token already. A program
/// that is about to end waits for it by ``finish()``.
public actor CredentialSession {
  /// Whose credential it is.
  public nonisolated let id: Credential.ID

  private let store: any CredentialStore
  private let client: TokenClient
  private let margin: TimeInterval
  private var renewal: Task<Credential, any Error>?
  private var departure: Task<SignOut, any Error>?
  private var unsaved: Unsaved?

  /// New tokens that could not be stored, and those that they were to replace.
  private struct Unsaved {
    let credential: Credential
    let replaced: Tokens
  }

  /// The credential of an id in a store.
  ///
  /// `margin` is for how many seconds an access token must still stand, so that it does not expire on
  /// its way; for tokens that stand for less than ten times as long, a tenth of that.
  public init(
    _ id: Credential.ID, store: any CredentialStore, client: TokenClient, margin: TimeInterval = 60
  ) {
    self.id = id
    self.store = store
    self.client = client
    self.margin = margin
  }

  /// The credential as it is kept, whether or not it still stands.
  ///
  /// Tokens that could not be stored are stored now, and returned where that still fails.
  /// Throws a ``FlowError`` with the code ``FlowError/Code/signInNeeded`` where there is none, and the
  /// store's errors.
  public func credential() async throws -> Credential {
    if unsaved != nil {
      do {
        try await store.withLock(on: id) { _ = try await self.settle() }
      } catch is CredentialStoreError {
        if let unsaved { return unsaved.credential }
      }
    }
    guard let credential = try await store.credential(id) else { throw Self.signedOut }
    return credential
  }

  /// The credential, refreshed where its access token is about to expire.
  public func valid() async throws -> Credential {
    let credential = try await credential()
    return stands(credential) ? credential : try await renew(credential)
  }

  /// The credential, refreshed whether or not it still stands.
  ///
  /// Where somebody else refreshes it at the same time, that will do.
  public func refresh() async throws -> Credential { try await renew(try await credential()) }

  /// What the server tells of the person; refreshes where the server takes the access token no more.
  public func userInfo() async throws -> UserInfo {
    let credential = try await valid()
    do { return try await client.userInfo(credential) } catch let error as FlowError
      where error.code == .signInNeeded && credential.tokens.refreshToken != nil
    {
      return try await client.userInfo(try await renew(credential))
    }
  }

  /// Revokes the tokens and forgets the credential, the latter also where the former fails.
  ///
  /// It goes on where its caller is cancelled, lest tokens be kept that are worthless.
  public func signOut() async throws -> SignOut {
    let task = departure ?? Task { try await signOutAlone() }
    departure = task
    return try await task.valueUnlessCancelled
  }

  /// Waits for what goes on although its caller was cancelled: a refresh, a sign-out.
  ///
  /// For a program that is about to end; cancelling the task ends the wait.
  public func finish() async {
    _ = try? await renewal?.valueUnlessCancelled
    _ = try? await departure?.valueUnlessCancelled
  }

  private func signOutAlone() async throws -> SignOut {
    defer { departure = nil }
    let (store, client, id) = (store, client, id)
    return try await store.withLock(on: id) {
      let stored = try await store.credential(id)
      guard let credential = await self.newest(stored) else { throw Self.signedOut }
      var result = SignOut()
      for kind in [TokenKind.refresh, .access] where credential.tokens[kind] != nil {
        do {
          try await client.revoke(kind, of: credential)
          result.revoked.append(kind)
        } catch let error as FlowError { result.failures.append((kind, error)) }
      }
      do { try await store.remove(id) } catch let error as CredentialStoreError {
        let fate =
          result.failures.isEmpty
          ? "The tokens were revoked" : "Some tokens could not be revoked"
        throw CredentialStoreError(
          error.code, "\(fate), but the credential cannot be removed. \(error.message)",
          systemCode: error.systemCode)
      }
      await self.hold(nil)
      return result
    }
  }

  private func stands(_ credential: Credential) -> Bool {
    let lifetime = credential.tokens.expiresIn.map(TimeInterval.init) ?? .infinity
    return credential.isValid(at: client.now(), for: min(margin, lifetime / 10))
  }

  /// Refreshes, unless somebody has since the credential was looked at.
  private func renew(_ seen: Credential) async throws -> Credential {
    let task = renewal ?? Task { try await renewAlone(seen) }
    renewal = task
    return try await task.valueUnlessCancelled
  }

  private func renewAlone(_ seen: Credential) async throws -> Credential {
    defer { renewal = nil }
    let (store, client, id) = (store, client, id)
    return try await store.withLock(on: id) {
      guard let stored = try await self.settle() else { throw Self.signedOut }
      // Not the refresh token, which alone is new after a refresh that failed.
      if stored.tokens.accessToken != seen.tokens.accessToken { return stored }
      // A store that cannot be written to is found out before the refresh token is spent.
      try await store.save(stored)
      let renewal = try await client.renewal(of: stored)
      do { try await store.save(renewal.credential) } catch {
        // Before the lock is given up: who has it next is to find them.
        await self.hold(Unsaved(credential: renewal.credential, replaced: stored.tokens))
        throw error
      }
      if let failure = renewal.failure { throw failure }
      return renewal.credential
    }
  }

  /// Stores what could not be stored, for whoever has the lock; returns what is stored then.
  private func settle() async throws -> Credential? {
    let stored = try await store.credential(id)
    let newest = newest(stored)
    if let newest, unsaved != nil {
      try await store.save(newest)
      unsaved = nil
    }
    return newest
  }

  /// What is stored, or the tokens that could not be put in its place.
  ///
  /// Where others have removed or replaced it since, they have the last word.
  private func newest(_ stored: Credential?) -> Credential? {
    if let unsaved, unsaved.replaced == stored?.tokens { return unsaved.credential }
    unsaved = nil
    return stored
  }

  private func hold(_ tokens: Unsaved?) { unsaved = tokens }

  private static var signedOut: FlowError {
    FlowError(.signInNeeded, "Nobody is signed in. Sign in first.")
  }
}

/// What became of the tokens at a sign-out; the credential is gone whatever this says.
public struct SignOut: Sendable {
  /// The tokens that the server has revoked.
  public internal(set) var revoked: [TokenKind] = []
  /// The tokens that it was not reached for, or that it did not revoke, and why: they stand until they
  /// expire.
  public internal(set) var failures: [(kind: TokenKind, error: FlowError)] = []
}
