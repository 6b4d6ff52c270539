import Foundation
import IDX
import IDXTesting
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("ID tokens at the end of a sign-in")
struct IDTokenCheckTests {
  /// The check that finds each flaw; nil for what a sign-in alone cannot tell from what is right.
  private static func check(_ flaw: IDTokenFlaw) -> IDTokenError.Code? {
    switch flaw {
    case .malformed: .malformed
    case .algorithmNone, .algorithmHS256: .algorithm
    case .unknownKeyID: .unknownKey
    case .wrongKey, .changedPayload, .changedSignature: .signature
    case .wrongIssuer: .issuer
    case .wrongAudience: .audience
    case .missingAuthorizedParty, .wrongAuthorizedParty: .authorizedParty
    case .emptySubject: .subject
    case .wrongNonce, .missingNonce: .nonce
    case .wrongAccessTokenHash: .accessTokenHash
    case .expired, .missingExpiry: .expired
    case .issuedAhead, .issuedLongAgo: .issuedAt
    case .oldAuthentication, .missingAuthentication, .absent, .missingKeyID, .wrongSubject: nil
    }
  }

  @Test(
    "Whatever is wrong with it is found, and the error names the check",
    arguments: IDTokenFlaw.allCases)
  func flaws(flaw: IDTokenFlaw) async throws {
    guard let check = Self.check(flaw) else { return }
    let world = try World()
    await world.org.changeTokens { $0.idTokenFlaw = flaw }
    let state = try await world.pastPassword()
    let error = try await flowError { try await world.client.redeem(state) }
    #expect(error.code == .invalidToken)
    #expect((error.underlying as? IDTokenError)?.code == check, "\(error)")
    let token = try #require(await world.line.requests.last)
    #expect(token.url.lastPathComponent == "token")
  }

  @Test(
    "The age of the sign-in is checked where one was asked for",
    arguments: [IDTokenFlaw.oldAuthentication, .missingAuthentication])
  func maximumAge(flaw: IDTokenFlaw) async throws {
    for maximumAge in [nil, 3600] {
      let world = try World()
      await world.org.changeTokens { $0.idTokenFlaw = flaw }
      var options = StartOptions()
      options.maximumAge = maximumAge
      // The age is remembered where the sign-in goes on elsewhere.
      let started = try await world.client.start(world.configuration, options)
      let copy = try JSONDecoder().decode(
        FlowState.self, from: JSONEncoder().encode(started))
      let state = try await world.client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(World.password)],
        from: world.client.proceed(.identify, ["identifier": .text(World.login)], from: copy))
      guard maximumAge != nil else {
        #expect(try await world.client.redeem(state).tokens.idToken != nil)
        continue
      }
      let error = try await flowError { try await world.client.redeem(state) }
      #expect((error.underlying as? IDTokenError)?.code == .authenticationTime)
    }
  }

  @Test("A clock may differ by the leeway, and no more", arguments: [-290.0, 290, -310, 310])
  func clocks(skew: Double) async throws {
    let world = try World()
    await world.org.changeTokens { $0.clockSkew = skew }
    let state = try await world.pastPassword()
    if abs(skew) < 300 {
      #expect(try await world.client.redeem(state).id.subject != nil)
    } else {
      let error = try await flowError { try await world.client.redeem(state) }
      #expect((error.underlying as? IDTokenError)?.code == .issuedAt)
    }
  }

  @Test("The leeway can be set")
  func leeway() async throws {
    let world = try World()
    await world.org.changeTokens { $0.clockSkew = 310 }
    let client = IDXClient(
      transport: world.org,
      tokens: TokenClient(transport: world.org, leeway: 320, now: { World.moment }))
    #expect(try await client.redeem(world.pastPassword()).id.subject != nil)
  }

  @Test("A credential tells who signed in, by the ID token")
  func credential() async throws {
    let world = try World()
    let credential = try await world.client.redeem(world.pastPassword())
    #expect(credential.id.issuer == world.configuration.issuer)
    #expect(credential.id.clientID == world.org.clientID)
    #expect(credential.id.subject?.hasPrefix("00u") == true)
    #expect(credential.username == World.login)
    #expect(credential.receivedAt == World.moment)
    #expect(credential.authenticatedAt == World.moment)
    #expect(credential.expiresAt == World.moment.addingTimeInterval(3600))
  }

  @Test("Without an ID token nobody is vouched for, and it is refused where it is required")
  func absent() async throws {
    let world = try World()
    await world.org.changeTokens { $0.idTokenFlaw = .absent }
    let credential = try await world.client.redeem(world.pastPassword())
    #expect(credential.id.subject == nil && credential.username == World.login)

    let strict = IDXClient(
      transport: world.org,
      tokens: TokenClient(transport: world.org, requiresIDToken: true, now: { World.moment }))
    let error = try await flowError { try await strict.redeem(world.pastPassword()) }
    #expect(error.code == .invalidToken)
  }

  @Test("A token that names no key is checked by the only one there is")
  func onlyKey() async throws {
    let world = try World()
    await world.org.changeTokens { $0.idTokenFlaw = .missingKeyID }
    #expect(try await world.client.redeem(world.pastPassword()).id.subject != nil)
  }
}
