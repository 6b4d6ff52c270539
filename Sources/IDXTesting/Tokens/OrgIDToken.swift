import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What stands in the tokens (protocol section 6.2).
extension OrgCore {
  /// The claims of an access token.
  func accessClaims(
    _ id: String, for family: OrgLedger.Family, scopes: [String], at time: Date
  ) -> JSONValue {
    [
      "ver": 1, "jti": .string(id), "iss": .string(settings.issuer), "aud": .string(Self.audience),
      "iat": Self.seconds(time),
      "exp": Self.seconds(time.addingTimeInterval(tokenRules.accessTokenLifetime)),
      "cid": .string(settings.clientID), "uid": .string(family.person.id),
      "scp": .array(scopes.map(JSONValue.string)),
      "auth_time": Self.seconds(family.signIn.time.addingTimeInterval(tokenRules.clockSkew)),
      "sub": .string(family.person.login),
    ]
  }

  /// A signed ID token, with the flaw that it was told to have; nil where there is to be none.
  mutating func idToken(
    for family: OrgLedger.Family, scopes: [String], nonce: String?, accessToken: String
  ) -> String? {
    let flaw = tokenRules.idTokenFlaw
    let claims = idClaims(
      random.handle("ID."), for: family, scopes: scopes, nonce: nonce, accessToken: accessToken)
    return sealed(flaw?.spoiling(claims) ?? claims, flaw)
  }

  private func idClaims(
    _ id: String, for family: OrgLedger.Family, scopes: [String], nonce: String?,
    accessToken: String
  ) -> JSONValue {
    let person = family.person
    let time = now.addingTimeInterval(tokenRules.clockSkew)
    let hash = HashFunction.sha256.hash(Array(accessToken.utf8)).prefix(16)
    let methods = family.signIn.methods
    var claims: JSONValue = [
      "sub": .string(person.id), "ver": 1, "iss": .string(settings.issuer),
      "aud": .string(settings.clientID), "iat": Self.seconds(time),
      "exp": Self.seconds(time.addingTimeInterval(tokenRules.idTokenLifetime)), "jti": .string(id),
    ]
    claims = claims.adding("amr", .array(methods.map(JSONValue.string)), if: !methods.isEmpty)
    claims = claims.adding("idp", .string(family.signIn.identityProvider), if: true)
    claims = claims.adding("nonce", .string(nonce ?? ""), if: nonce != nil)
    claims = claims.adding("preferred_username", .string(person.login), if: true)
    claims = claims.adding("name", .string(person.name), if: scopes.contains("profile"))
    claims = claims.adding("email", .string(person.email), if: scopes.contains("email"))
    let authTime = family.signIn.time.addingTimeInterval(tokenRules.clockSkew)
    claims = claims.adding("auth_time", Self.seconds(authTime), if: true)
    return claims.adding("at_hash", .string(Base64URL.encode(Array(hash))), if: true)
  }

  /// Signs, or does what the flaw says in place of it.
  private func sealed(_ claims: JSONValue, _ flaw: IDTokenFlaw?) -> String? {
    let key = keyring.current
    var token = OrgToken(claims, naming: key)
    switch flaw {
    case .absent: return nil
    case .malformed: return "This is no token."
    case .wrongKey: return token.signed(by: .unpublished)
    case .unknownKeyID:
      return OrgToken(claims, naming: .unpublished).signed(by: .unpublished)
    case .missingKeyID:
      token.header = ["alg": "RS256"]
      return token.signed(by: key)
    case .algorithmNone:
      token.header = ["kid": .string(key.id), "alg": "none"]
      return token.signingInput + "."
    case .algorithmHS256:
      token.header = ["kid": .string(key.id), "alg": "HS256"]
      let input = token.signingInput
      let code = HashFunction.sha256.hmac(key: key.modulus, Array(input.utf8))
      return input + "." + Base64URL.encode(code)
    case .changedPayload:
      let signature = token.signed(by: key).split(separator: ".").last ?? ""
      // Another person, in text that can be read like the first.
      token.claims = IDTokenFlaw.wrongSubject.spoiling(claims)
      return token.signingInput + "." + signature
    case .changedSignature:
      let input = token.signingInput
      var signature = key.sign(Array(input.utf8))
      signature[signature.count / 2] ^= 1
      return input + "." + Base64URL.encode(signature)
    default: return token.signed(by: key)
    }
  }

  static func seconds(_ date: Date) -> JSONValue { seconds(date.timeIntervalSince1970) }

  /// Whole seconds; what is too far off for a number, such as infinity, is as far as a number goes.
  static func seconds(_ time: TimeInterval) -> JSONValue {
    .number(JSONValue.Number(Int(exactly: time.rounded(.down)) ?? (time < 0 ? Int.min : Int.max)))
  }

  /// Whom access tokens are for.
  static let audience = "api://default"
}

extension OrgPerson {
  var name: String { "\(firstName) \(lastName)" }
}

extension IDTokenFlaw {
  /// The claims with what this flaw changes in them.
  func spoiling(_ claims: JSONValue) -> JSONValue {
    guard var object = claims.object else { return claims }
    let day = 24 * 3600
    func shift(_ name: String, by seconds: Int) {
      object[name] = .number(JSONValue.Number((claims[name]?.integer ?? 0) &+ seconds))
    }
    switch self {
    case .wrongIssuer: object["iss"] = "https://evil.example/oauth2/default"
    case .wrongAudience: object["aud"] = "0oaOtherApp000000001"
    case .missingAuthorizedParty, .wrongAuthorizedParty:
      object["aud"] = [claims["aud"] ?? .null, "0oaOtherApp000000001"]
      if self == .wrongAuthorizedParty { object["azp"] = "0oaOtherApp000000001" }
    case .emptySubject: object["sub"] = ""
    case .wrongSubject: object["sub"] = .string(OrgSettings.id("00u", "somebody else"))
    case .wrongNonce: object["nonce"] = "not-the-nonce-that-was-sent"
    case .missingNonce: object["nonce"] = nil
    case .wrongAccessTokenHash:
      let hash = HashFunction.sha256.hash(Array("another access token".utf8)).prefix(16)
      object["at_hash"] = .string(Base64URL.encode(Array(hash)))
    case .expired:
      shift("iat", by: -day - 3600)
      object["exp"] = .number(JSONValue.Number((claims["iat"]?.integer ?? 0) &- day))
    case .issuedAhead:
      shift("iat", by: day)
      object["exp"] = .number(JSONValue.Number((claims["iat"]?.integer ?? 0) &+ day &+ 3600))
    case .missingExpiry: object["exp"] = nil
    case .issuedLongAgo: shift("iat", by: -day)
    case .oldAuthentication: shift("auth_time", by: -365 * day)
    case .missingAuthentication: object["auth_time"] = nil
    default: break
    }
    return .object(object)
  }
}
