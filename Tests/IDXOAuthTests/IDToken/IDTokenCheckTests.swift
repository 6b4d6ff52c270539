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
  /// The flaws that a sign-in alone cannot find.
  private static let accepted: [IDTokenFlaw] = [
    .oldAuthentication, .missingAuthentication, .missingKeyID, .wrongSubject,
  ]

  /// The check that finds a flaw.
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
    case .absent, .oldAuthentication, .missingAuthentication, .missingKeyID, .wrongSubject: nil
    }
  }

  @Test(
    "A flaw that a sign-in can find, or a missing ID token, is an error, and the tokens are revoked",
    .promise("stolen-code", "id-token"), arguments: IDTokenFlaw.allCases)
  func flaws(flaw: IDTokenFlaw) async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = flaw }
    guard !Self.accepted.contains(flaw) else {
      try await expect(test.credential().id.subject != nil)
      return
    }
    let error = try await requireError(FlowError.self) { try await test.credential() }
    expectEqual(error.code, .invalidToken)
    expectEqual((error.underlying as? IDTokenError)?.code, Self.check(flaw), "\(error)")
    expectSuffix(error.message, "The new tokens were revoked.")
    await expectEqual(
      test.transport.requests.suffix(2).map(\.url.lastPathComponent), ["token", "revoke"])
  }

  @Test(
    "The age of the sign-in is checked if a maximum was requested",
    arguments: [IDTokenFlaw.oldAuthentication, .missingAuthentication])
  func maximumAge(flaw: IDTokenFlaw) async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.idTokenFlaw = flaw }
    var options = StartOptions()
    options.maximumAge = 3600
    // A saved state contains the maximum age.
    let started = try await test.client.start(test.configuration, options)
    let copy = try FlowState(snapshot: started.snapshot(), for: test.configuration)
    let state = try await test.client.proceed(
      .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)],
      from: test.client.proceed(.identify, ["identifier": .text(TestSignIn.login)], from: copy))
    let error = try await requireError(FlowError.self) { try await test.client.redeem(state) }
    expectEqual((error.underlying as? IDTokenError)?.code, .authenticationTime)
  }

  @Test(
    "By default, the clocks may differ by five minutes",
    arguments: [(-290.0, true), (290.0, true), (-310.0, false), (310.0, false)])
  func clocks(skew: Double, isAccepted: Bool) async throws {
    let test = try TestSignIn()
    await test.org.changeTokens { $0.clockSkew = skew }
    if isAccepted {
      try await expect(test.credential().id.subject != nil)
    } else {
      let error = try await requireError(FlowError.self) { try await test.credential() }
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
}
