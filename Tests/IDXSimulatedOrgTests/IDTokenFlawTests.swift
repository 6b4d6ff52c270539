import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Flaws of the simulated org's ID tokens.
struct IDTokenFlawTests {
  private let now = 1_900_000_000

  @Test("Each flaw changes only what it describes", arguments: IDTokenFlaw.allCases)
  func flaws(flaw: IDTokenFlaw) async throws {
    let org = makeOrg()
    let whole = try await OrgClient.withTokens(org, ["nonce": "n-1"])
    await org.changeTokens { $0.idTokenFlaw = flaw }
    let client = try await OrgClient.withTokens(org, ["nonce": "n-1"])
    try await expectEqual(client.userInfo(client.accessToken).status, 200)
    guard let token = client.idToken else {
      expectContains([.absent, .malformed], flaw)
      expectEqual((client.json["id_token"] == nil), (flaw == .absent))
      return
    }
    let good = try require(whole.idToken)
    let isSigned = try await client.isSigned(token)
    let unsigned: [IDTokenFlaw] = [
      .wrongKey, .unknownKeyID, .missingKeyID, .algorithmNone, .algorithmHS256, .changedPayload,
      .changedSignature,
    ]
    expectEqual(isSigned, !unsigned.contains(flaw))
    let otherHeader: [IDTokenFlaw] = [
      .unknownKeyID, .missingKeyID, .algorithmNone, .algorithmHS256,
    ]
    expectEqual((token.header != good.header), otherHeader.contains(flaw))
    let hash = HashFunction.sha256.hash(Array(client.accessToken.utf8))
    let isHashRight = token.claims["at_hash"]?.string == Base64URL.encode(Array(hash[..<16]))
    expectEqual(isHashRight, (flaw != .wrongAccessTokenHash))
    expectEqual(changedClaims(token.claims, good.claims), expectedChanges(flaw))
    // Wrong times are off by a day.
    let day = 24 * 3600
    let (shift, lifetime): (Int, Int) =
      switch flaw {
      case .expired: (-day - 3600, 3600)
      case .issuedAhead: (day, 3600)
      case .issuedLongAgo: (-day, day + 3600)
      default: (0, 3600)
      }
    expectEqual(token.claims["iat"]?.integer, now + shift)
    let end = flaw == .missingExpiry ? nil : now + shift + lifetime
    expectEqual(token.claims["exp"]?.integer, end)
  }

  @Test("A refresh has the flaw too")
  func refresh() async throws {
    let org = makeOrg()
    var client = try await OrgClient.withTokens(org, ["nonce": "n-1"])
    let subject = client.idToken?.claims["sub"]
    await org.changeTokens { $0.idTokenFlaw = .wrongSubject }
    try await client.refresh(client.refreshToken)
    expect(client.idToken?.claims["sub"] != subject)
    await org.changeTokens { $0.idTokenFlaw = .wrongNonce }
    try await client.refresh(client.refreshToken)
    expectEqual(client.idToken?.claims["nonce"]?.string?.isEmpty, false)
    await org.changeTokens { $0.idTokenFlaw = nil }
    try await client.refresh(client.refreshToken)
    expectEqual(client.idToken?.claims["sub"], subject)
  }

  /// The claims that differ, except those that differ in each token.
  private func changedClaims(_ claims: JSONValue, _ good: JSONValue) -> Set<String> {
    let names =
      (claims.object?.members ?? []).map(\.name) + (good.object?.members ?? []).map(\.name)
    let changed = Set(names).filter { claims[$0] != good[$0] }
    return changed.subtracting(["jti", "at_hash"])
  }

  private func expectedChanges(_ flaw: IDTokenFlaw) -> Set<String> {
    switch flaw {
    case .wrongIssuer: ["iss"]
    case .wrongAudience, .missingAuthorizedParty: ["aud"]
    case .wrongAuthorizedParty: ["aud", "azp"]
    case .emptySubject, .wrongSubject, .changedPayload: ["sub"]
    case .wrongNonce, .missingNonce: ["nonce"]
    case .expired, .issuedAhead: ["iat", "exp"]
    case .missingExpiry: ["exp"]
    case .issuedLongAgo: ["iat"]
    case .oldAuthentication, .missingAuthentication: ["auth_time"]
    default: []
    }
  }
}
