import Expectations
import IDXFlow
import IDXOAuth
import IDXStorage
import IDXSimulatedOrg
import Observation
import SignInSupport
import Testing

@Suite("Who is signed in, for a user interface", .timeLimit(.minutes(10)))
@MainActor
struct CredentialModelTests {
  private let org = SimulatedOrg(
    users: [.demo], policy: .passwordOnly, seed: 3, clock: { TestSignIn.now })
  private let store = MemoryCredentialStore(timeout: patience)
  private let sleep = ManualSleep()

  private func model() -> CredentialModel {
    CredentialModel(
      store: store, client: org.tokenClient, sleep: { [sleep] in try await sleep.sleep($0) })
  }

  private func credential(
    _ scopes: [String] = ["openid", "profile", "offline_access"]
  ) async throws -> Credential {
    try await TestSignIn(org, scopes: scopes).credential()
  }

  /// Waits until the model shows what is expected.
  private func wait(
    for model: CredentialModel, until isReached: @MainActor (CredentialModel) -> Bool
  ) async {
    while !isReached(model) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = (model.status, model.credential, model.problem, model.refreshedAt)
        } onChange: {
          continuation.resume()
        }
      }
      // The change is carried out after it was announced.
      await Task.yield()
    }
  }

  @Test("A store that cannot be read, or whose reading was canceled, is no wait without end")
  func unreadable() async throws {
    for error in [
      CredentialStoreError(.unavailable, "It is locked."), CancellationError(),
    ] as [any Error] {
      let locked = LockedStore(store: store, error: error)
      let model = CredentialModel(store: locked, client: org.tokenClient)
      await model.load()
      expectEqual(model.status, .unreadable)
      locked.isOpen.withLock { $0 = true }
      await model.load()
      expectEqual(model.status, .signedOut)
      expectEqual(model.problem, nil)
    }
  }

  @Test(
    "Nobody is signed in at the first launch, and a credential that is kept is there at the next")
  func launch() async throws {
    let first = model()
    expectEqual(first.status, .unknown)
    await first.load()
    expectEqual(first.status, .signedOut)
    expect(first.credential == nil && first.problem == nil)

    let credential = try await credential()
    await first.keep(credential)
    expectEqual(first.status, .valid)
    let second = model()
    await second.load()
    expectEqual(second.status, .valid)
    expectEqual(second.credential, credential)
    expectEqual(second.refreshedAt, nil)
  }

  @Test("A credential is refreshed shortly before it expires")
  func refresh() async throws {
    let credential = try await credential()
    let model = model()
    await model.keep(credential)
    await expectEqual(sleep.next(), .seconds(3540))
    org.advance(by: 3540)
    await sleep.wake()
    await wait(for: model) { $0.refreshedAt != nil }
    expectEqual(model.status, .valid)
    expectEqual(model.refreshedAt, org.now)
    expect(model.credential?.tokens.accessToken != credential.tokens.accessToken)
    await expectEqual(store.credential(credential.id), model.credential)
    await expectEqual(sleep.next(), .seconds(3540))
  }

  @Test("While the server cannot be reached, the credential is expiring, and there is another try")
  func unreachable() async throws {
    let model = model()
    await model.keep(try await credential())
    _ = await sleep.next()
    org.advance(by: 3540)
    await org.inject(.unreachable, at: "/token")
    await sleep.wake()
    await expectEqual(sleep.next(), .seconds(30))
    expectEqual(model.status, .expiring)
    expect(model.problem != nil)
    await sleep.wake()
    await wait(for: model) { $0.status == .valid }
    expectEqual(model.problem, nil)
  }

  @Test("If new tokens expire at once, there is a pause before the next refresh")
  func shortLife() async throws {
    await org.changeTokens { $0.accessTokenLifetime = 1 }
    let model = model()
    await model.keep(try await credential())
    _ = await sleep.next()
    org.advance(by: 1)
    let count = await org.requests.count
    await sleep.wake()
    await expectEqual(sleep.next(), .seconds(29))
    expectEqual(model.status, .expiring)
    await expectEqual(org.requests.count, count)
  }

  @Test(
    "Without a refresh token, or if the server no longer accepts it, the person has to sign in again"
  )
  func noRefreshToken() async throws {
    let model = self.model()
    await model.keep(try await credential(["openid", "profile"]))
    _ = await sleep.next()
    org.advance(by: 3540)
    await sleep.wake()
    await expectEqual(sleep.next(), .seconds(60))
    expectEqual(model.status, .expiring)
    org.advance(by: 60)
    await sleep.wake()
    await wait(for: model) { $0.status == .expired }
    expectEqual(model.problem, "The sign-in has expired. Sign in again.")
    expectEqual(model.credential?.username, SimulatedUser.demo.login)

    let refused = self.model()
    await refused.keep(try await credential())
    org.advance(by: 8 * 24 * 3600)
    await refused.refresh()
    expectEqual(refused.status, .expired)
    expect(refused.problem != nil)
    await refused.keep(try await credential())
    expectEqual(refused.status, .valid)
    // A new sign-in of the same person is no refresh.
    expect(refused.problem == nil && refused.refreshedAt == nil)
  }

  @Test("A refresh or a sign-out by the session is shown")
  func session() async throws {
    let credential = try await credential()
    let model = model()
    await model.keep(credential)
    let session = try require(model.session)
    let new = try await session.refresh()
    await wait(for: model) { $0.credential == new }
    _ = try await session.signOut()
    await wait(for: model) { $0.status == .signedOut }
    expect(model.credential == nil && model.session == nil)
  }

  @Test("A sign-out revokes the tokens, and says if that failed")
  func signOut() async throws {
    let model = model()
    let credential = try await credential()
    await model.keep(credential)
    await org.inject(.unreachable, at: "/revoke")
    await model.signOut()
    expectEqual(model.status, .signedOut)
    expect(model.problem != nil)
    await expectEqual(store.credential(credential.id), nil)
    await model.load()
    expect(model.status == .signedOut && model.problem == nil)
  }

  @Test("A refresh that ends after another person has signed in changes nothing")
  func lateRefresh() async throws {
    let model = model()
    let first = try await credential()
    await model.keep(first)
    await org.inject(.held, at: "/token")
    let refresh = Task { await model.refresh() }
    await org.waitUntilHeld()
    let id = Credential.ID(
      issuer: first.id.issuer, clientID: first.id.clientID, subject: "00uGrace")
    let other = Credential(
      id: id, username: "grace@example.com", tokens: first.tokens, receivedAt: first.receivedAt)
    await model.keep(other)
    await org.release()
    await refresh.value
    expect(model.credential == other && model.status == .valid && model.refreshedAt == nil)
  }
}

/// A store that cannot be read until it is open.
private struct LockedStore: CredentialStore {
  let store: MemoryCredentialStore
  let error: any Error
  let isOpen = Locked(false)

  var location: String { store.location }

  private func check() throws { if !isOpen.withLock({ $0 }) { throw error } }

  func entries() async throws -> [StoredCredential] { await store.entries() }
  func credential(_ id: Credential.ID) async throws -> Credential? {
    await store.credential(id)
  }
  func save(_ credential: Credential) async throws { await store.save(credential) }
  func remove(_ id: Credential.ID) async throws { await store.remove(id) }
  func currentID() async throws -> Credential.ID? {
    try check()
    return await store.currentID()
  }
  func makeCurrent(_ id: Credential.ID) async throws { try await store.makeCurrent(id) }
  func withLock<Result: Sendable>(
    on id: Credential.ID, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await store.withLock(on: id, body)
  }
}
