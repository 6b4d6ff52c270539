import IDXBase
import Foundation
import IDX
import IDXTesting
import IDXOAuth
import Testing

@testable import IDXFlow
@testable import IDXStorage

@Suite("A credential in a store", .timeLimit(.minutes(5)))
struct CredentialSessionTests {
  private let world: World
  private let client: TokenClient
  private let store = MemoryCredentialStore()

  init() throws {
    world = try World(scopes: ["openid", "profile", "offline_access"])
    client = TokenClient(transport: world.line, now: { [org = world.org] in org.now })
  }

  private func stored() async throws -> Credential {
    let credential = try await world.client.redeem(world.pastPassword())
    await store.save(credential)
    return credential
  }

  private func session(
    _ credential: Credential, in store: (any CredentialStore)? = nil
  ) -> CredentialSession {
    CredentialSession(credential.id, store: store ?? self.store, client: client)
  }

  /// How many refreshes the server got: tokens are asked for once by the sign-in itself.
  private func refreshes() async -> Int { await world.line.count(of: "token") - 1 }

  @Test(
    "It is refreshed shortly before it expires, and not earlier",
    arguments: [(3539, 0), (3540, 1), (3600, 1), (100_000, 1)] as [(TimeInterval, Int)])
  func expiry(age: TimeInterval, count: Int) async throws {
    let credential = try await stored()
    world.org.advance(by: age)
    let valid = try await session(credential).valid()
    #expect(await refreshes() == count)
    #expect(valid.isValid(at: world.org.now, for: 60))
    #expect(await store.credential(credential.id) == valid)
  }

  @Test(
    "What stands for a short time is refreshed in the last tenth of it",
    arguments: [(53, 0), (54, 1)] as [(TimeInterval, Int)])
  func shortLife(age: TimeInterval, count: Int) async throws {
    await world.org.changeTokens { $0.accessTokenLifetime = 60 }
    let credential = try await stored()
    world.org.advance(by: age)
    _ = try await session(credential).valid()
    #expect(await refreshes() == count)
  }

  @Test("However many ask at once, the server is asked once")
  func atOnce() async throws {
    let credential = try await stored()
    world.org.advance(by: 3600)
    let session = session(credential)
    let other = self.session(credential)
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for index in 0..<100 {
        let session = index % 2 == 0 ? session : other
        group.addTask { try await session.valid().tokens.accessToken }
      }
      return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
    #expect(await refreshes() == 1)
  }

  @Test("Refreshes that are asked for at once are one, and the next one is another")
  func refreshesAtOnce() async throws {
    let session = session(try await stored())
    await world.org.inject(.held, at: "/token")
    async let first = session.refresh()
    await world.org.waitUntilHeld()
    async let second = session.refresh()
    // The second has nothing else to do but to wait for the first.
    await world.org.release()
    let tokens = try await (first.tokens, second.tokens)
    let count = await refreshes()
    #expect(tokens.0 == tokens.1 ? count == 1 : count == 2)
    _ = try await session.refresh()
    #expect(await refreshes() == count + 1)
  }

  @Test("The new tokens are stored before anybody has them")
  func storedFirst() async throws {
    let session = session(try await stored())
    let new = try await session.refresh()
    #expect(await store.credential(new.id) == new)
  }

  @Test("A refresh goes on where its caller gives up, and its tokens are stored")
  func cancelled() async throws {
    let credential = try await stored()
    let session = session(credential)
    await world.org.inject(.held, at: "/token")
    let task = Task { try await session.refresh() }
    await world.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    async let next = session.refresh()
    await world.org.release()
    let new = try await next
    #expect(new.tokens.refreshToken != credential.tokens.refreshToken)
    #expect(await store.credential(credential.id) == new)
  }

  @Test("A store without room is found out before the refresh token is spent")
  func fullStore() async throws {
    let credential = try await stored()
    let full = FullStore(store, room: 0)
    let session = session(credential, in: full)
    let error = await #expect(throws: CredentialStoreError.self) { try await session.refresh() }
    #expect(error?.code == .notWritable)
    #expect(await refreshes() == 0)
    #expect(try await session.valid() == credential)
  }

  @Test(
    "Tokens that could not be stored are kept in memory, and stored as soon as that can be done")
  func unsaved() async throws {
    let credential = try await stored()
    let full = FullStore(store, room: 1)
    let session = session(credential, in: full)
    await #expect(throws: CredentialStoreError.self) { try await session.refresh() }
    let held = try await session.valid()
    #expect(held.tokens != credential.tokens)
    #expect(await store.credential(credential.id) == credential)
    await full.setRoom(9)
    let next = try await session.refresh()
    #expect(next.tokens != held.tokens && next.tokens != credential.tokens)
    #expect(await store.credential(credential.id) == next)
  }

  @Test(
    "A refused refresh leaves the credential where it is, and says that a new sign-in is needed")
  func refused() async throws {
    let credential = try await stored()
    world.org.advance(by: 8 * 24 * 3600)
    let error = try await flowError { try await session(credential).valid() }
    #expect(error.code == .signInNeeded)
    #expect(await store.credential(credential.id) == credential)
  }

  @Test("A lost answer to a refresh loses nothing: the old refresh token is tried again")
  func lostAnswer() async throws {
    let credential = try await stored()
    await world.org.inject(.responseLost, at: "/token")
    let session = session(credential)
    #expect(try await flowError { try await session.refresh() }.code == .network)
    #expect(await store.credential(credential.id) == credential)
    #expect(try await session.refresh().tokens.refreshToken != credential.tokens.refreshToken)
  }

  @Test("A clock that is wrong for a while does not end the session")
  func wrongClock() async throws {
    let credential = try await stored()
    let session = session(credential)
    for skew in [7200, -7200] as [TimeInterval] {
      await world.org.changeTokens { $0.clockSkew = skew }
      #expect(try await flowError { try await session.refresh() }.code == .invalidToken)
      // The refresh token is the new one, and what was not checked is not used.
      #expect(try await session.credential().tokens.accessToken == credential.tokens.accessToken)
      world.org.advance(by: 300)
    }
    await world.org.changeTokens { $0.clockSkew = 0 }
    let new = try await session.refresh()
    #expect(new.tokens.accessToken != credential.tokens.accessToken)
    #expect(await store.credential(credential.id) == new)
  }

  @Test("Who waits for a refresh that fails does not take the old access token for a new one")
  func failedElsewhere() async throws {
    let credential = try await stored()
    await world.org.changeTokens { $0.clockSkew = 7200 }
    await world.org.inject(.held, at: "/token")
    let first = Task { try await session(credential).refresh() }
    await world.org.waitUntilHeld()
    let second = Task { try await session(credential).refresh() }
    while await store.waiterCount == 0 { await Task.yield() }
    await world.org.release()
    #expect(try await flowError { try await first.value }.code == .invalidToken)
    #expect(try await flowError { try await second.value }.code == .invalidToken)
    #expect(await refreshes() == 2)
  }

  @Test("Tokens of somebody else are dropped altogether")
  func wrongSubject() async throws {
    let credential = try await stored()
    await world.org.changeTokens { $0.idTokenFlaw = .wrongSubject }
    let session = session(credential)
    #expect(try await flowError { try await session.refresh() }.code == .invalidToken)
    #expect(await store.credential(credential.id) == credential)
  }

  @Test("Where the server takes the access token no more, a refresh comes first")
  func userInfo() async throws {
    let credential = try await stored()
    try await client.revoke(.access, of: credential)
    #expect(try await session(credential).userInfo().subject == credential.id.subject)
    #expect(await refreshes() == 1)
  }

  @Test("Signing out revokes the tokens and forgets them")
  func signOut() async throws {
    let credential = try await stored()
    let result = try await session(credential).signOut()
    #expect(result.revoked == [.refresh, .access] && result.failures.isEmpty)
    #expect(await store.credential(credential.id) == nil)
    #expect(try await flowError { try await client.userInfo(credential) }.code == .signInNeeded)
    #expect(try await flowError { try await client.refresh(credential) }.code == .signInNeeded)
    let error = try await flowError { try await session(credential).signOut() }
    #expect(error.code == .signInNeeded)
  }

  @Test(
    "Signing out forgets the tokens also where the server cannot be reached, and says which stand")
  func signOutOffline() async throws {
    let credential = try await stored()
    await world.org.inject(.unreachable, at: "/revoke")
    let result = try await session(credential).signOut()
    #expect(result.revoked == [.access])
    #expect(result.failures.map(\.kind) == [.refresh])
    #expect(result.failures.first?.error.code == .network)
    #expect(await store.credential(credential.id) == nil)
  }

  @Test("A sign-out goes on where its caller gives up, and can be waited for")
  func cancelledSignOut() async throws {
    let credential = try await stored()
    let session = session(credential)
    await world.org.inject(.held, at: "/revoke")
    let task = Task { try await session.signOut() }
    await world.org.waitUntilHeld()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await world.org.release()
    await session.finish()
    #expect(await store.credential(credential.id) == nil)
  }

  @Test("Where the credential cannot be removed it is told what became of the tokens")
  func signOutOfReadOnlyStore() async throws {
    let credential = try await stored()
    let session = session(credential, in: FullStore(store, room: -1))
    let error = await #expect(throws: CredentialStoreError.self) { try await session.signOut() }
    #expect(
      error?.message
        == "The tokens were revoked, but the credential cannot be removed. It is not permitted.")
    #expect(try await flowError { try await client.refresh(credential) }.code == .signInNeeded)
  }

  @Test("Nobody is signed in where there is no credential")
  func nobody() async throws {
    let credential = try await world.client.redeem(world.pastPassword())
    for ask in [session(credential).credential, session(credential).valid] {
      #expect(try await flowError { try await ask() }.code == .signInNeeded)
    }
  }

  @Test("A clock that was set back tells nothing about expiry, so that tokens are refreshed")
  func clockSetBack() async throws {
    let credential = try await stored()
    world.org.advance(by: -3600)
    await world.org.changeTokens { $0.clockSkew = 0 }
    _ = try await session(credential).valid()
    #expect(await refreshes() == 1)
  }
}
