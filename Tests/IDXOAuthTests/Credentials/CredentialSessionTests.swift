import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXStorage

@Suite("Credential sessions with the simulated org", .timeLimit(.minutes(10)))
struct CredentialSessionTests {
  private let test: TestSignIn
  private let store = MemoryCredentialStore(timeout: patience)

  init() throws { test = try TestSignIn(scopes: ["openid", "profile", "offline_access"]) }

  /// A credential in the store.
  private func stored() async throws -> Credential {
    let credential = try await test.credential()
    await store.save(credential)
    return credential
  }

  private func session(
    _ credential: Credential, in store: (any CredentialStore)? = nil
  ) -> CredentialSession {
    CredentialSession(credential.id, store: store ?? self.store, client: test.tokens)
  }

  /// The number of refreshes; the sign-in itself also requests tokens once.
  private func refreshes() async -> Int { await test.transport.count(of: "token") - 1 }

  @Test(
    "A credential is refreshed a minute or a tenth of its lifetime before it expires, or if its expiry is unknown",
    arguments: [
      (3600, 3539, 0), (3600, 3540, 1), (3600, 3600, 1), (3600, 100_000, 1), (60, 53, 0),
      (60, 54, 1),
      // After the clock was set back, the expiry is unknown.
      (3600, -3600, 1),
    ] as [(TimeInterval, TimeInterval, Int)])
  func expiry(lifetime: TimeInterval, age: TimeInterval, count: Int) async throws {
    await test.org.changeTokens { $0.accessTokenLifetime = lifetime }
    let credential = try await stored()
    test.org.advance(by: age)
    let valid = try await session(credential).valid()
    await expectEqual(refreshes(), count)
    expect(valid.isValid(at: test.org.now, for: lifetime == 60 ? 6 : 60))
    await expectEqual(store.credential(credential.id), valid)
  }

  @Test("Many calls at the same time cause one refresh")
  func atOnce() async throws {
    let credential = try await stored()
    test.org.advance(by: 3600)
    let session = session(credential)
    let other = self.session(credential)
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for index in 0..<100 {
        let session = index % 2 == 0 ? session : other
        group.addTask { try await session.valid().tokens.accessToken }
      }
      return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
    }
    expectEqual(tokens.count, 1)
    await expectEqual(refreshes(), 1)
  }

  @Test(
    "A refresh during a refresh waits for it, also in another process, and a later one is sent",
    arguments: [true, false])
  func refreshesAtOnce(inSameSession: Bool) async throws {
    let credential = try await stored()
    let session = session(credential)
    let other = inSameSession ? session : self.session(credential)
    await test.org.inject(.held, at: "/token")
    async let first = session.refresh()
    await test.org.waitUntilHeld()
    async let second = other.refresh()
    if !inSameSession { while await store.waiterCount == 0 { await Task.yield() } }
    await test.org.release()
    let tokens = try await (first.tokens, second.tokens)
    let count = await refreshes()
    expect(tokens.0 == tokens.1 ? count == 1 : count == 2 && inSameSession)
    _ = try await session.refresh()
    await expectEqual(refreshes(), count + 1)
  }

  @Test("If the caller is cancelled, the refresh continues, and its tokens are stored")
  func cancelled() async throws {
    let credential = try await stored()
    let session = session(credential)
    await test.org.inject(.held, at: "/token")
    let task = Task { try await session.refresh() }
    await test.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    async let next = session.refresh()
    await test.org.release()
    let new = try await next
    expect(new.tokens.refreshToken != credential.tokens.refreshToken)
    await expectEqual(store.credential(credential.id), new)
  }

  @Test("If the store is full, the refresh token is not used")
  func fullStore() async throws {
    let credential = try await stored()
    let full = FullStore(store, room: 0)
    let session = session(credential, in: full)
    let error = await #expect(throws: CredentialStoreError.self) { try await session.refresh() }
    expectEqual(error?.code, .notWritable)
    await expectEqual(refreshes(), 0)
    try await expectEqual(session.valid(), credential)
  }

  @Test(
    "A refused refresh keeps the credential, and the error says that a new sign-in is needed",
    .promise("refused-credential"))
  func refused() async throws {
    let credential = try await stored()
    test.org.advance(by: 8 * 24 * 3600)
    let error = try await requireError(FlowError.self) { try await session(credential).valid() }
    expectEqual(error.code, .signInNeeded)
    let saved = try await require(store.credential(credential.id))
    expectEqual(saved, credential.refused(at: test.org.now))
    // Nothing is sent with it any more, also by other sessions.
    let count = await test.transport.requests.count
    for body in [
      { try await session(saved).valid() }, { try await session(saved).refresh() },
      { try await session(saved).check() },
      {
        _ = try await session(saved).userInfo()
        return saved
      },
    ] as [() async throws -> Credential] {
      let error = try await requireError(FlowError.self) { try await body() }
      expectEqual(error.code, .signInNeeded)
    }
    await expectEqual(test.transport.requests.count, count)
  }

  @Test("Tokens that were replaced while the server was asked about them are no refusal")
  func replacedDuringCheck() async throws {
    let credential = try await stored()
    await test.org.inject(.held, at: "/introspect")
    let session = session(credential)
    let task = Task { try await session.check() }
    await test.org.waitUntilHeld()
    let other = self.session(credential)
    _ = try await other.refresh()
    let newest = try await other.refresh()
    await test.org.release()
    try await expectEqual(task.value, newest)
    await expectEqual(store.credential(credential.id)?.refusedAt, nil)
  }

  @Test("If the reply to a refresh is lost, the old refresh token can be used again")
  func lostAnswer() async throws {
    let credential = try await stored()
    await test.org.inject(.responseLost, at: "/token")
    let session = session(credential)
    try await expectEqual(
      requireError(FlowError.self) { try await session.refresh() }.code, .network)
    await expectEqual(store.credential(credential.id), credential)
    try await expect(session.refresh().tokens.refreshToken != credential.tokens.refreshToken)
  }

  @Test("A wrong clock for some time does not end the session")
  func wrongClock() async throws {
    let credential = try await stored()
    let session = session(credential)
    var changes = await session.changes().makeAsyncIterator()
    for skew in [7200, -7200] as [TimeInterval] {
      await test.org.changeTokens { $0.clockSkew = skew }
      try await expectEqual(
        requireError(FlowError.self) { try await session.refresh() }.code, .invalidToken)
      // The new refresh token is kept, and the access token that failed the check is not used.
      try await expectEqual(session.credential().tokens.accessToken, credential.tokens.accessToken)
      test.org.advance(by: 300)
    }
    await test.org.changeTokens { $0.clockSkew = 0 }
    let new = try await session.refresh()
    expect(new.tokens.accessToken != credential.tokens.accessToken)
    await expectEqual(store.credential(credential.id), new)
    guard case .refreshed(new)? = await changes.next() else {
      Issue.record("A refresh that failed was announced.")
      return
    }
  }

  @Test(
    "A key that is not yet published does not lose the new refresh token", .promise("issuer-key"))
  func unknownKey() async throws {
    let credential = try await stored()
    await test.org.changeTokens {
      $0.idTokenFlaw = .unknownKeyID
      $0.refreshRotation = .rotating(grace: 0)
    }
    let session = session(credential)
    try await expectEqual(
      requireError(FlowError.self) { try await session.refresh() }.code, .invalidToken)
    let kept = try await require(store.credential(credential.id))
    expect(kept.tokens.refreshToken != credential.tokens.refreshToken)
    expectEqual(kept.tokens.accessToken, credential.tokens.accessToken)
    await test.org.changeTokens { $0.idTokenFlaw = nil }
    try await expect(session.refresh().tokens.accessToken != credential.tokens.accessToken)
  }

  @Test("Without a refresh token, a refresh needs a sign-in, and the access token stays in use")
  func noRefreshToken() async throws {
    let test = try TestSignIn(scopes: ["openid"])
    let credential = try await test.credential()
    await store.save(credential)
    let session = CredentialSession(credential.id, store: store, client: test.tokens)
    try await expectEqual(
      requireError(FlowError.self) { try await session.refresh() }.code, .signInNeeded)
    try await expectEqual(session.check(), credential)
    await expectEqual(store.credential(credential.id), credential)
    try await test.tokens.revoke(.access, of: credential)
    try await expectEqual(
      requireError(FlowError.self) { try await session.check() }.code, .signInNeeded)
    await expect(store.credential(credential.id)?.refusedAt != nil)
  }

  @Test(
    "If a refresh fails, another session that waits for it does not return the old access token")
  func failedElsewhere() async throws {
    let credential = try await stored()
    await test.org.changeTokens { $0.clockSkew = 7200 }
    await test.org.inject(.held, at: "/token")
    let first = Task { try await session(credential).refresh() }
    await test.org.waitUntilHeld()
    let second = Task { try await session(credential).refresh() }
    while await store.waiterCount == 0 { await Task.yield() }
    await test.org.release()
    try await expectEqual(
      requireError(FlowError.self) { try await first.value }.code, .invalidToken)
    try await expectEqual(
      requireError(FlowError.self) { try await second.value }.code, .invalidToken)
    await expectEqual(refreshes(), 2)
  }

  @Test("Tokens of another user are dropped", .promise("refresh-person"))
  func wrongSubject() async throws {
    let credential = try await stored()
    await test.org.changeTokens { $0.idTokenFlaw = .wrongSubject }
    let session = session(credential)
    try await expectEqual(
      requireError(FlowError.self) { try await session.refresh() }.code, .invalidToken)
    await expectEqual(store.credential(credential.id), credential)
  }

  @Test(
    "If the server refuses the access token, the session refreshes once, and is over if the new one is refused too"
  )
  func userInfo() async throws {
    struct Refusing: Transport {
      let next: any Transport
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url.lastPathComponent == "userinfo" else {
          return try await next.send(request)
        }
        return TransportResponse(
          status: 401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
      }
    }
    let credential = try await stored()
    try await test.tokens.revoke(.access, of: credential)
    try await expectEqual(session(credential).userInfo().subject, credential.id.subject)
    await expectEqual(refreshes(), 1)

    let client = TokenClient(
      transport: Refusing(next: test.transport), now: { [org = test.org] in org.now })
    let session = CredentialSession(credential.id, store: store, client: client)
    try await expectEqual(
      requireError(FlowError.self) { _ = try await session.userInfo() }.code, .signInNeeded)
    await expectEqual(refreshes(), 2)
    await expect(store.credential(credential.id)?.refusedAt != nil)
  }

  @Test("Signing out revokes the tokens and removes the credential; then a sign-in is needed")
  func signOut() async throws {
    let credential = try await stored()
    let result = try await session(credential).signOut()
    expect(result.revoked == [.refresh, .access] && result.failures.isEmpty)
    await expectEqual(store.credential(credential.id), nil)
    try await expectEqual(
      requireError(FlowError.self) { try await test.tokens.userInfo(credential) }.code,
      .signInNeeded)
    try await expectEqual(
      requireError(FlowError.self) { try await test.tokens.refresh(credential) }.code, .signInNeeded
    )
    try await expectEqual(
      requireError(FlowError.self) { try await session(credential).signOut() }.code, .signInNeeded)
    for call in [session(credential).credential, session(credential).valid] {
      try await expectEqual(requireError(FlowError.self) { try await call() }.code, .signInNeeded)
    }
  }

  @Test(
    "If the server cannot be reached, signing out removes the credential and names the valid tokens"
  )
  func signOutOffline() async throws {
    let credential = try await stored()
    await test.org.inject(.unreachable, at: "/revoke")
    let result = try await session(credential).signOut()
    expectEqual(result.revoked, [.access])
    expectEqual(result.failures.map(\.kind), [.refresh])
    expectEqual(result.failures.first?.error.code, .network)
    await expectEqual(store.credential(credential.id), nil)
  }

  @Test("If the caller is cancelled, the sign-out continues and can be awaited")
  func cancelledSignOut() async throws {
    let credential = try await stored()
    let session = session(credential)
    await test.org.inject(.held, at: "/revoke")
    let task = Task { try await session.signOut() }
    await test.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await test.org.release()
    await session.finish()
    await expectEqual(store.credential(credential.id), nil)
  }

  @Test("If the credential cannot be removed, the error says that the tokens were revoked")
  func signOutOfReadOnlyStore() async throws {
    let credential = try await stored()
    let session = session(credential, in: FullStore(store, room: -1))
    let error = await #expect(throws: CredentialStoreError.self) { try await session.signOut() }
    expectEqual(
      error?.message,
      "The tokens were revoked, but the credential cannot be removed. It is not permitted.")
    try await expectEqual(
      requireError(FlowError.self) { try await test.tokens.refresh(credential) }.code, .signInNeeded
    )
  }

  // MARK: Tokens that could not be stored

  /// A session with new tokens in memory, because only the old ones fit in the store.
  private struct UnsavedTokens {
    let session: CredentialSession
    let store: FullStore
    let new: Credential
    let old: Credential
  }

  private func unsavedTokens() async throws -> UnsavedTokens {
    let old = try await stored()
    let full = FullStore(store, room: 1)
    let session = session(old, in: full)
    await #expect(throws: CredentialStoreError.self) { try await session.refresh() }
    let new = try await session.valid()
    expect(new.tokens != old.tokens)
    await expectEqual(store.credential(old.id), old)
    return UnsavedTokens(session: session, store: full, new: new, old: old)
  }

  @Test(
    "Unsaved tokens are stored at the next call, without a refresh or by a refresh",
    arguments: [false, true])
  func savedLater(byRefresh: Bool) async throws {
    let unsaved = try await unsavedTokens()
    await unsaved.store.setRoom(9)
    let next = try await byRefresh ? unsaved.session.refresh() : unsaved.session.valid()
    await expectEqual(store.credential(unsaved.old.id), next)
    expectEqual(next == unsaved.new, !byRefresh)
    expect(next.tokens != unsaved.old.tokens && (next.tokens == unsaved.new.tokens) == !byRefresh)
    await expectEqual(refreshes(), byRefresh ? 2 : 1)
  }

  @Test("Signing out revokes unsaved tokens, also if the store is still full")
  func signOutUnsaved() async throws {
    let unsaved = try await unsavedTokens()
    try await expectEqual(unsaved.session.signOut().revoked, [.refresh, .access])
    let revoked = await test.transport.requests.suffix(2).map { $0.parameters["token"] }
    let tokens = unsaved.new.tokens
    expectEqual(revoked, [tokens.refreshToken?.revealed, tokens.accessToken.revealed])
    await expectEqual(store.credential(unsaved.old.id), nil)
    let error = try await requireError(FlowError.self) { try await unsaved.session.credential() }
    expectEqual(error.code, .signInNeeded)
  }

  @Test("If another process has signed out, unsaved tokens are not stored")
  func signedOutElsewhere() async throws {
    let unsaved = try await unsavedTokens()
    let session = unsaved.session
    _ = try await self.session(unsaved.old).signOut()
    await unsaved.store.setRoom(9)
    for call in [session.credential, session.valid, session.refresh] {
      try await expectEqual(requireError(FlowError.self) { try await call() }.code, .signInNeeded)
    }
    await expectEqual(store.credential(unsaved.old.id), nil)
  }

  @Test("If another process has signed in again, unsaved tokens do not replace the new ones")
  func signedInElsewhere() async throws {
    let unsaved = try await unsavedTokens()
    let new = try await test.credential()
    expectEqual(new.id, unsaved.old.id)
    await store.save(new)
    await unsaved.store.setRoom(9)
    try await expectEqual(unsaved.session.valid(), new)
    await expectEqual(store.credential(new.id), new)
    let next = try await unsaved.session.refresh()
    let used = try await require(test.transport.requests.last).parameters["refresh_token"]
    expectEqual(used, new.tokens.refreshToken?.revealed)
    await expectEqual(store.credential(new.id), next)
  }
}

/// A store with room for a number of writes. If the number is negative, nothing can be removed.
private actor FullStore: CredentialStore {
  nonisolated let location = "a full store"
  private let inner: MemoryCredentialStore
  private var room: Int
  init(_ inner: MemoryCredentialStore, room: Int) {
    self.inner = inner
    self.room = room
  }
  func setRoom(_ room: Int) { self.room = room }
  func entries() async -> [StoredCredential] { await inner.entries() }
  func credential(_ id: Credential.ID) async -> Credential? { await inner.credential(id) }
  func save(_ credential: Credential) async throws {
    guard room > 0 else { throw CredentialStoreError(.notWritable, "The disk is full.") }
    room -= 1
    await inner.save(credential)
  }
  func remove(_ id: Credential.ID) async throws {
    guard room >= 0 else { throw CredentialStoreError(.notWritable, "It is not permitted.") }
    await inner.remove(id)
  }
  func currentID() async -> Credential.ID? { await inner.currentID() }
  func makeCurrent(_ id: Credential.ID) async throws { try await inner.makeCurrent(id) }
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result { try await inner.withLock(on: id, body) }
}
