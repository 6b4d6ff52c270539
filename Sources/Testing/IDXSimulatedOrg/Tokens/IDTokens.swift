import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXTokenSigning

/// What can be wrong with the ID tokens of a ``SimulatedOrg``.
///
/// Each case is one problem that a client must detect (OpenID Connect Core, section 3.1.3.7); the rest of
/// the token is valid.
public enum IDTokenFlaw: String, Sendable, Hashable, CaseIterable {
  /// The response has no ID token.
  case absent
  /// The token is not three parts of Base64URL.
  case malformed
  /// The header has the ID of a published key, but another key has signed.
  case wrongKey
  /// The header has the ID of the key that has signed, but that key is not published.
  case unknownKeyID
  /// The header has no key ID.
  case missingKeyID
  /// The header says `none`, and the signature is empty.
  case algorithmNone
  /// The header says `HS256`, and the secret is the modulus of the public key.
  case algorithmHS256
  /// A byte of the claims was changed after they were signed.
  case changedPayload
  /// A byte of the signature was changed.
  case changedSignature
  /// `iss` is another issuer.
  case wrongIssuer
  /// `aud` is another client.
  case wrongAudience
  /// `aud` has two clients, and there is no `azp`.
  case missingAuthorizedParty
  /// `aud` has two clients, and `azp` is the other one.
  case wrongAuthorizedParty
  /// `sub` is empty.
  case emptySubject
  /// `sub` is another user; a client notices only if it compares the token with another response.
  case wrongSubject
  /// `nonce` is not the one that was sent, even if none was sent.
  case wrongNonce
  /// There is no `nonce`, although one was sent.
  case missingNonce
  /// `at_hash` is that of another access token.
  case wrongAccessTokenHash
  /// `exp` was a day ago, and `iat` an hour before that.
  case expired
  /// `exp` is missing.
  case missingExpiry
  /// `iat` is in a day, and `exp` an hour after that.
  case issuedAhead
  /// `iat` was a day ago, and `exp` is valid.
  case issuedLongAgo
  /// `auth_time` was a year ago, which matters if `max_age` was sent.
  case oldAuthentication
  /// There is no `auth_time`, which matters if `max_age` was sent.
  case missingAuthentication
}

// The claims of the tokens.
extension TokenService {
  /// The `aud` of access tokens.
  static let audience = "api://default"

  func accessClaims(_ id: String, for family: IssuedTokens.Family, scopes: [String]) -> JSONValue {
    let time = now.addingTimeInterval(rules.clockSkew)
    let claims: JSONValue = [
      "ver": 1, "jti": .string(id), "iss": .string(settings.issuer), "aud": .string(Self.audience),
      "iat": .seconds(time),
      "exp": .seconds(time.addingTimeInterval(rules.accessTokenLifetime)),
      "cid": .string(settings.clientID), "uid": .string(family.subject.id),
      "scp": .array(scopes.map(JSONValue.string)),
      "auth_time": .seconds(family.signIn.time.addingTimeInterval(rules.clockSkew)),
      "sub": .string(family.subject.login),
    ]
    return claims.adding("cnf", family.confirmation)
  }

  /// A signed ID token with the flaw in the rules; nil if the flaw is `absent`.
  func idToken(
    for family: IssuedTokens.Family, scopes: [String], nonce: String?, accessToken: String,
    _ random: inout OrgRandom
  ) -> String? {
    let flaw = rules.idTokenFlaw
    let claims = idClaims(
      random.handle("ID."), for: family, scopes: scopes, nonce: nonce, accessToken: accessToken)
    let key: any SigningKey =
      rules.signsWithES256 ? P256SigningKey.shared : keys.current
    return flaw == nil
      ? UnsignedToken(claims, naming: key).signed(by: key)
      : flaw?.token(claims, by: keys.current)
  }

  private func idClaims(
    _ id: String, for family: IssuedTokens.Family, scopes: [String], nonce: String?,
    accessToken: String
  ) -> JSONValue {
    let subject = family.subject
    let time = now.addingTimeInterval(rules.clockSkew)
    let authTime = family.signIn.time.addingTimeInterval(rules.clockSkew)
    let methods = family.signIn.methods
    let claims: JSONValue = [
      "sub": .string(subject.id), "ver": 1, "iss": .string(settings.issuer),
      "aud": .string(settings.clientID), "iat": .seconds(time),
      "exp": .seconds(time.addingTimeInterval(rules.idTokenLifetime)), "jti": .string(id),
      "idp": .string(family.signIn.identityProvider), "auth_time": .seconds(authTime),
      "at_hash": .tokenHash(accessToken), "preferred_username": .string(subject.login),
    ]
    return claims.adding("amr", .array(methods.map(JSONValue.string)), if: !methods.isEmpty)
      .adding("nonce", nonce.map(JSONValue.string))
      .adding("acr", family.authenticationContext.map(JSONValue.string))
      .adding("name", .string(subject.name), if: scopes.contains("profile"))
      .adding("email", .string(subject.email), if: scopes.contains("email"))
  }
}

extension JSONValue {
  static func seconds(_ date: Date) -> JSONValue { .seconds(date.timeIntervalSince1970) }

  /// Whole seconds, within the range of `Int`.
  static func seconds(_ time: TimeInterval) -> JSONValue {
    .number(Number(Int(exactly: time.rounded(.down)) ?? (time < 0 ? Int.min : Int.max)))
  }
}

extension IDTokenFlaw {
  /// A token with this flaw; nil for `absent`.
  fileprivate func token(_ claims: JSONValue, by key: RSASigningKey) -> String? {
    var token = UnsignedToken(changing(claims), naming: key)
    switch self {
    case .absent: return nil
    case .malformed: return "This is not a token."
    case .wrongKey: return token.signed(by: RSASigningKey.unpublished)
    case .unknownKeyID:
      return UnsignedToken(claims, naming: RSASigningKey.unpublished).signed(
        by: RSASigningKey.unpublished)
    case .missingKeyID: token.header = ["alg": "RS256"]
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
      token.claims = IDTokenFlaw.wrongSubject.changing(claims)
      return token.signingInput + "." + signature
    case .changedSignature:
      let input = token.signingInput
      var signature = key.sign(Array(input.utf8))
      signature[signature.count / 2] ^= 1
      return input + "." + Base64URL.encode(signature)
    default: break
    }
    return token.signed(by: key)
  }

  private func changing(_ claims: JSONValue) -> JSONValue {
    let (hour, day) = (3600, 24 * 3600)
    let other: JSONValue = "0oaOtherApp000000001"
    let both: JSONValue = [claims["aud"] ?? .null, other]
    func moving(_ times: (name: String, from: String, seconds: Int)...) -> JSONValue {
      times.reduce(claims) {
        $0.adding($1.name, JSONValue((claims[$1.from]?.integer ?? 0) &+ $1.seconds))
      }
    }
    func without(_ name: String) -> JSONValue {
      var object = claims.object ?? JSONValue.Object()
      object[name] = nil
      return .object(object)
    }
    return switch self {
    case .wrongIssuer: claims.adding("iss", "https://evil.example/oauth2/default")
    case .wrongAudience: claims.adding("aud", other)
    case .missingAuthorizedParty: claims.adding("aud", both)
    case .wrongAuthorizedParty: claims.adding("aud", both).adding("azp", other)
    case .emptySubject: claims.adding("sub", "")
    case .wrongSubject: claims.adding("sub", .string(OrgSettings.id("00u", "somebody else")))
    case .wrongNonce: claims.adding("nonce", "not-the-nonce-that-was-sent")
    case .missingNonce: without("nonce")
    case .wrongAccessTokenHash: claims.adding("at_hash", .tokenHash("another access token"))
    case .expired: moving(("iat", "iat", -day - hour), ("exp", "iat", -day))
    case .issuedAhead: moving(("iat", "iat", day), ("exp", "iat", day + hour))
    case .missingExpiry: without("exp")
    case .issuedLongAgo: moving(("iat", "iat", -day))
    case .oldAuthentication: moving(("auth_time", "auth_time", -365 * day))
    case .missingAuthentication: without("auth_time")
    default: claims
    }
  }
}
