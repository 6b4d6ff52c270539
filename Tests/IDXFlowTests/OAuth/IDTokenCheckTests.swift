import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

@Suite("ID tokens of the simulated org")
struct IDTokenCheckTests {
  /// The check that finds a flaw; nil if a sign-in alone cannot find it.
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
    "Every flaw is found, and the error names the check",
    arguments: IDTokenFlaw.allCases)
  func flaws(flaw: IDTokenFlaw) async throws {
    guard let check = Self.check(flaw) else { return }
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = flaw }
    let error = try await flowError { try await test.credential() }
    #expect(error.code == .invalidToken)
    #expect((error.underlying as? IDTokenError)?.code == check, "\(error)")
    let token = try #require(await test.transport.requests.last)
    #expect(token.url.lastPathComponent == "token")
  }

  @Test(
    "The age of the sign-in is checked if a maximum was requested",
    arguments: [IDTokenFlaw.oldAuthentication, .missingAuthentication])
  func maximumAge(flaw: IDTokenFlaw) async throws {
    for maximumAge in [nil, 3600] {
      let test = try TestSignIn()
      await test.org.changeTokens { $0.idTokenFlaw = flaw }
      var options = StartOptions()
      options.maximumAge = maximumAge
      // A saved state contains the maximum age.
      let started = try await test.client.start(test.configuration, options)
      let copy = try JSONDecoder().decode(
        FlowState.self, from: JSONEncoder().encode(started))
      let state = try await test.client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)],
        from: test.client.proceed(.identify, ["identifier": .text(TestSignIn.login)], from: copy))
      guard maximumAge != nil else {
        #expect(try await test.client.redeem(state).tokens.idToken != nil)
        continue
      }
      let error = try await flowError { try await test.client.redeem(state) }
      #expect((error.underlying as? IDTokenError)?.code == .authenticationTime)
    }
  }

  @Test("The clocks may differ by the leeway, and not more", arguments: [-290.0, 290, -310, 310])
  func clocks(skew: Double) async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.clockSkew = skew }
    let state = try await test.afterPassword()
    if abs(skew) < 300 {
      #expect(try await test.client.redeem(state).id.subject != nil)
    } else {
      let error = try await flowError { try await test.client.redeem(state) }
      #expect((error.underlying as? IDTokenError)?.code == .issuedAt)
    }
  }

  @Test("The leeway can be set")
  func leeway() async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.clockSkew = 310 }
    let client = IDXClient(
      transport: test.org,
      tokens: TokenClient(transport: test.org, leeway: 320, now: { TestSignIn.now }))
    #expect(try await client.redeem(test.afterPassword()).id.subject != nil)
  }

  @Test("A credential contains the claims of the ID token")
  func credential() async throws {
    let test = try TestSignIn()
    let credential = try await test.credential()
    #expect(credential.id.issuer == test.configuration.issuer)
    #expect(credential.id.clientID == test.org.clientID)
    #expect(credential.id.subject?.hasPrefix("00u") == true)
    #expect(credential.username == TestSignIn.login)
    #expect(credential.receivedAt == TestSignIn.now)
    #expect(credential.authenticatedAt == TestSignIn.now)
    #expect(credential.expiresAt == TestSignIn.now.addingTimeInterval(3600))
  }

  @Test("Without an ID token, the credential has no subject; if one is required, that is an error")
  func absent() async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = .absent }
    let credential = try await test.credential()
    #expect(credential.id.subject == nil && credential.username == TestSignIn.login)

    let strict = IDXClient(
      transport: test.org,
      tokens: TokenClient(transport: test.org, requiresIDToken: true, now: { TestSignIn.now }))
    let error = try await flowError { try await strict.redeem(test.afterPassword()) }
    #expect(error.code == .invalidToken)
  }

  @Test("A token without a key ID is checked with the only key")
  func onlyKey() async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = .missingKeyID }
    #expect(try await test.credential().id.subject != nil)
  }
}
