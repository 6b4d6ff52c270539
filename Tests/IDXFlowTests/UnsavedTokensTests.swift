import Foundation
import IDXStorage
import IDXTesting
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("Tokens that could not be stored", .timeLimit(.minutes(5)))
struct UnsavedTokensTests {
  private let world: World
  private let client: TokenClient
  private let store = MemoryCredentialStore()
  private let full: FullStore

  init() throws {
    world = try World(scopes: ["openid", "profile", "offline_access"])
    client = TokenClient(transport: world.line, now: { [org = world.org] in org.now })
    full = FullStore(store, room: 1)
  }

  /// A session that holds tokens which there was no room for, these tokens, and those in the store.
  private func unsaved() async throws -> (CredentialSession, held: Credential, kept: Credential) {
    let kept = try await world.client.redeem(world.pastPassword())
    await store.save(kept)
    let session = CredentialSession(kept.id, store: full, client: client)
    await #expect(throws: CredentialStoreError.self) { try await session.refresh() }
    let held = try await session.valid()
    #expect(held.tokens != kept.tokens)
    return (session, held, kept)
  }

  @Test("They are stored when the credential is next asked for, without a refresh")
  func storedSoon() async throws {
    let (session, held, _) = try await unsaved()
    await full.setRoom(9)
    #expect(try await session.valid() == held)
    #expect(await store.credential(held.id) == held)
    #expect(await world.line.count(of: "token") == 2)
  }

  @Test("Signing out revokes them, also where there is no room for them yet")
  func signOut() async throws {
    let (session, held, kept) = try await unsaved()
    #expect(try await session.signOut().revoked == [.refresh, .access])
    let revoked = await world.line.requests.suffix(2).map { $0.parameters["token"] }
    #expect(revoked == [held.tokens.refreshToken?.revealed, held.tokens.accessToken.revealed])
    #expect(await store.credential(kept.id) == nil)
    #expect(try await flowError { try await session.credential() }.code == .signInNeeded)
  }

  @Test("Where somebody else has signed out meanwhile, they do not come back")
  func signedOutElsewhere() async throws {
    let (session, _, kept) = try await unsaved()
    _ = try await CredentialSession(kept.id, store: store, client: client).signOut()
    await full.setRoom(9)
    for ask in [session.credential, session.valid, session.refresh] {
      #expect(try await flowError { try await ask() }.code == .signInNeeded)
    }
    #expect(await store.credential(kept.id) == nil)
  }

  @Test("Where somebody else has signed in anew meanwhile, they do not take the place of that")
  func signedInElsewhere() async throws {
    let (session, _, kept) = try await unsaved()
    let new = try await world.client.redeem(world.pastPassword())
    #expect(new.id == kept.id)
    await store.save(new)
    await full.setRoom(9)
    #expect(try await session.valid() == new)
    #expect(await store.credential(kept.id) == new)
    let next = try await session.refresh()
    let spent = try #require(await world.line.requests.last).parameters["refresh_token"]
    #expect(spent == new.tokens.refreshToken?.revealed)
    #expect(await store.credential(kept.id) == next)
  }
}
