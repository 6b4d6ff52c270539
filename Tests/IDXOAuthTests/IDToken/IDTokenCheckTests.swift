import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// ID tokens of the simulated org.
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
    "Every flaw that a sign-in can find is found, and the error names the check",
    .promise("stolen-code"), arguments: IDTokenFlaw.allCases.filter { $0 != .absent })
  func flaws(flaw: IDTokenFlaw) async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = flaw }
    guard let check = Self.check(flaw) else {
      try await expect(test.credential().id.subject != nil)
      return
    }
    let error = try await flowError { try await test.credential() }
    expectEqual(error.code, .invalidToken)
    expectEqual((error.underlying as? IDTokenError)?.code, check, "\(error)")
    // The tokens that came with the refused ID token are revoked.
    await expectEqual(
      test.transport.requests.suffix(2).map(\.url.lastPathComponent), ["token", "revoke"])
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
      let copy = try FlowState(snapshot: started.snapshot(), for: test.configuration)
      let state = try await test.client.proceed(
        .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)],
        from: test.client.proceed(.identify, ["identifier": .text(TestSignIn.login)], from: copy))
      guard maximumAge != nil else {
        try await expect(test.client.redeem(state).tokens.idToken != nil)
        continue
      }
      let error = try await flowError { try await test.client.redeem(state) }
      expectEqual((error.underlying as? IDTokenError)?.code, .authenticationTime)
    }
  }

  @Test(
    "The clocks may differ by the leeway, which can be set, and not more",
    arguments: [
      (300, -290, true), (300, 290, true), (300, -310, false), (300, 310, false), (320, 310, true),
    ])
  func clocks(leeway: Int, skew: Double, isAccepted: Bool) async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.clockSkew = skew }
    let client =
      leeway == 300
      ? test.client
      : IDXClient(
        transport: test.org,
        tokens: TokenClient(transport: test.org, leeway: leeway, now: { TestSignIn.now }))
    let state = try await test.afterPassword()
    if isAccepted {
      try await expect(client.redeem(state).id.subject != nil)
    } else {
      let error = try await flowError { try await client.redeem(state) }
      expectEqual((error.underlying as? IDTokenError)?.code, .issuedAt)
    }
  }

  @Test("A credential contains the claims of the ID token")
  func credential() async throws {
    let test = try TestSignIn()
    let credential = try await test.credential()
    expectEqual(credential.id.issuer, test.configuration.issuer)
    expectEqual(credential.id.clientID, test.org.clientID)
    expectEqual(credential.id.subject?.hasPrefix("00u"), true)
    expectEqual(credential.username, TestSignIn.login)
    expectEqual(credential.receivedAt, TestSignIn.now)
    expectEqual(credential.authenticatedAt, TestSignIn.now)
    expectEqual(credential.expiresAt, TestSignIn.now.addingTimeInterval(3600))
  }

  @Test(
    "If openid was requested, a missing ID token is an error, and the tokens are revoked",
    .promise("id-token"))
  func absent() async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = .absent }
    let error = try await flowError { _ = try await test.credential() }
    expectEqual(error.code, .invalidToken)
    expectSuffix(error.message, "The new tokens were revoked.")
    await expect(test.transport.count(of: "revoke") > 0)
  }

  @Test(
    "An ID token that is not a text counts as missing",
    arguments: [#""""#, "5", "{}", "null", "[]"])
  func notAText(value: String) async throws {
    let body = #"{"access_token":"at","token_type":"Bearer","id_token":\#(value)}"#
    let tokens = try Tokens(parsing: Array(body.utf8))
    let server = StubServer(document: [:]) { _ in .json([:]) }
    let client = TokenClient(transport: server)
    let error = try await flowError {
      _ = try await client.credential(
        for: tokens, of: Wire.configuration(), nonce: nil, maximumAge: nil, username: "eve")
    }
    expectEqual(error.code, .invalidToken)
    let plain = try FlowConfiguration(
      issuer: Wire.origin + "/oauth2/default", clientID: "c", redirectURI: "a:/b",
      scopes: ["profile"])
    let credential = try await client.credential(
      for: tokens, of: plain, nonce: nil, maximumAge: nil, username: "ada")
    expect(credential.id.subject == nil && credential.username == "ada")
  }
}
